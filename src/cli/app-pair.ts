// `marquee app pair …`: further super pairs of an app, each with a name, a scope, its own customers and an expiry.

import { Command, Option } from 'commander'
import { livingAppId } from '../identity/apps.ts'
import {
  addSuperPair,
  listSuperPairs,
  MAX_CHOSEN,
  revokeSuperPair,
  type SuperPair,
} from '../identity/super-pairs.ts'
import { parseId } from '../kernel/id.ts'
import { SUPER_SCOPES, type SuperScope } from '../kernel/permissions.ts'
import { WrongUsage } from './exit.ts'
import { printJson, printRecord, printRows } from './print.ts'
import { lifeOf, nameOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

interface AddOptions extends Options {
  scope: SuperScope
  customers?: string
  expires?: string
}

const LONGEST_DAYS = 3650

export function pairCommand(): Command {
  const command = new Command('pair').description('super pairs of an app: add, list, revoke')
  command
    .command('add <app> <name>')
    .description('add a super pair and print it (the token is shown only now)')
    .addOption(
      new Option('--scope <scope>', 'read: changes nothing').choices([...SUPER_SCOPES]).default('all'),
    )
    .option('--customers <cuids>', 'only these customers, separated by commas; others do not exist for it')
    .option('--expires <time>', 'it ends after this long: 12h, 90d; default: never')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  marquee app pair add shop reporting --scope read --expires 90d\n  marquee app pair add shop agency --customers 1001,1002',
    )
    .action((app: string, name: string, { scope, customers, expires, json }: AddOptions) => {
      const lifeS = expires === undefined ? null : lifeOf(expires, '--expires', '12h or 90d', LONGEST_DAYS)
      const cuids = customers === undefined ? null : cuidsOf(customers)
      const checkedName = nameOf(name)
      return withDatabase(async (db, _, clock) => {
        const wanted = {
          name: checkedName,
          scope,
          cuids,
          expiresAt: lifeS === null ? null : new Date(clock.nowMs() + lifeS * 1000),
        }
        const pair = await db.transaction(async tx =>
          addSuperPair(tx, await livingAppId(tx, app), wanted, clock),
        )
        const shownPair = { superkey: pair.key, supertoken: pair.token, name, scope }
        if (json) printJson({ ...shownPair, cuids, expires: wanted.expiresAt })
        else printRecord({ ...shownPair, customers: customersOf(cuids), expires: wanted.expiresAt }, false)
      })
    })
  command
    .command('list <app>')
    .description('list the living super pairs of an app')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee app pair list shop')
    .action((app: string, options: Options) =>
      withDatabase(async (db, _, clock) => {
        const pairs = await listSuperPairs(db, await livingAppId(db, app), clock)
        if (options.json) printJson(pairs)
        else
          printRows(
            pairs.map(shown),
            ['key', 'name', 'scope', 'customers', 'created', 'expires', 'lastUsed'],
            false,
          )
      }),
    )
  command
    .command('revoke <app> <key>')
    .description('revoke one super pair: it stops working within 1 s')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee app pair revoke shop mqsk_…')
    .action((app: string, key: string, options: Options) =>
      withDatabase(async (db, _, clock) => {
        await db.transaction(async tx => revokeSuperPair(tx, await livingAppId(tx, app), key, clock))
        printRecord({ superkey: key, revoked: true }, !!options.json)
      }),
    )
  return command
}

function shown(pair: SuperPair) {
  return { ...pair, customers: customersOf(pair.cuids) }
}

function customersOf(cuids: number[] | null): string {
  return cuids === null ? 'all' : cuids.join(',')
}

function cuidsOf(text: string): number[] {
  const cuids = text.split(',').map(part => parseId(part.trim()))
  const known = cuids.filter(cuid => cuid !== null)
  if (known.length < cuids.length)
    throw new WrongUsage(`--customers must be ids such as 1001,1002, not "${text}"`)
  if (known.length > MAX_CHOSEN) throw new WrongUsage(`--customers can name at most ${MAX_CHOSEN}`)
  return [...new Set(known)]
}
