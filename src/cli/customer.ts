// `marquee customer …`: what the operator may do with customers of any app.

import { Command } from 'commander'
import { creditCustomer } from '../accounts/accounts.ts'
import { NewCredit } from '../accounts/contract.ts'
import {
  listAllCustomers,
  OPERATOR,
  removeCustomer,
  restoreCustomer,
  setApiAccess,
} from '../customers/customers.ts'
import { eraseCustomer } from '../customers/erase.ts'
import { type Schema, validate } from '../http/validate.ts'
import { parseId } from '../kernel/id.ts'
import { outboxOf } from '../platform/mail.ts'
import { Refused } from './exit.ts'
import { printRecord, printRows } from './print.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

export function customerCommand(): Command {
  const command = new Command('customer').description(
    'customers: list, access on/off, credit, remove, restore, erase',
  )
  command
    .command('list')
    .description('list the customers of all apps, including removed ones')
    .option('--json', 'print JSON')
    .option('--after <cuid>', 'only customers with a larger id', '0')
    .option('--limit <n>', 'at most this many', '1000')
    .addHelpText('after', '\nExample:\n  marquee customer list --limit 20')
    .action((options: Options & { after: string; limit: string }) =>
      withDatabase(async db => {
        const rows = await listAllCustomers(
          db,
          count(options.after, '--after'),
          count(options.limit, '--limit'),
        )
        printRows(
          rows,
          ['cuid', 'app', 'company', 'email', 'apiAccess', 'created', 'deleted'],
          !!options.json,
        )
      }),
    )
  command
    .command('access <cuid> <on|off>')
    .description("switch a customer's API access; off refuses every call by or for it")
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer access 1001 off')
    .action((cuid: string, state: string, options: Options) =>
      withDatabase(async (db, _, clock) => {
        if (state !== 'on' && state !== 'off') throw new Refused('must be on or off')
        const id = cuidOf(cuid)
        await db.transaction(tx => setApiAccess(tx, id, state === 'on', clock))
        printRecord({ cuid: id, apiAccess: state === 'on' }, !!options.json)
      }),
    )
  command
    .command('credit <cuid> <amount> <reference>')
    .description('credit a customer that pays in advance; a negative amount corrects (put -- before it)')
    .option('--note <text>', 'shown on the statement')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe same reference again changes nothing.\n\nExamples:\n  marquee customer credit 1001 100 invoice-1107\n  marquee customer credit 1001 -- -20 refund-1107',
    )
    .action((cuid: string, amount: string, reference: string, options: Options & { note?: string }) =>
      withDatabase(async (db, config, clock) => {
        const id = cuidOf(cuid)
        const body = creditOf(amount, reference, options.note)
        const parts = { clock, currency: config.CURRENCY }
        const { entry, account, isNew } = await db.transaction(tx =>
          creditCustomer(tx, id, body, OPERATOR, parts),
        )
        const { balance, currency } = account
        printRecord({ cuid: id, ...entry, balance, currency, repeated: !isNew }, !!options.json)
      }),
    )
  command
    .command('remove <cuid>')
    .description('remove a customer and everything it owns from the API and from delivery')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer remove 1001')
    .action((cuid: string, options: Options) =>
      withDatabase(async (db, _, clock) => {
        const id = cuidOf(cuid)
        await db.transaction(tx => removeCustomer(tx, id, clock))
        printRecord({ cuid: id, removed: true }, !!options.json)
      }),
    )
  command
    .command('restore <cuid>')
    .description('restore a removed customer')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer restore 1001')
    .action((cuid: string, options: Options) =>
      withDatabase(async (db, _, clock) => {
        const id = cuidOf(cuid)
        await db.transaction(tx => restoreCustomer(tx, id, clock))
        printRecord({ cuid: id, restored: true }, !!options.json)
      }),
    )
  command
    .command('erase <cuid>')
    .description('permanently erase the personal data of a removed customer; figures and money stay')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer remove 1001\n  marquee customer erase 1001')
    .action((cuid: string, options: Options) =>
      withDatabase(async (db, config, clock) => {
        const id = cuidOf(cuid)
        const parts = { db, clock, outboxDir: outboxOf(config.DATA_DIR) }
        await eraseCustomer(parts, { cuid: id, appId: null, actor: OPERATOR })
        printRecord({ cuid: id, erased: true }, !!options.json)
      }),
    )
  return command
}

function creditOf(amount: string, reference: string, note: string | undefined): NewCredit {
  if (!/^-?\d+(\.\d+)?$/.test(amount))
    throw new Refused(`amount must be a number such as 100 or 19.90, not "${amount}"`)
  const checked = validate(NewCredit as Schema, { amount: Number(amount), reference, note: note ?? null })
  if (checked.ok) return checked.value as NewCredit
  const { path, message } = checked.errors[0]!
  throw new Refused(`${path.slice(1)} ${message}`)
}

function cuidOf(text: string): number {
  const cuid = parseId(text)
  if (cuid === null) throw new Refused(`"${text}" is not a customer id`)
  return cuid
}

function count(text: string, option: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new Refused(`${option} must be a whole number`)
}
