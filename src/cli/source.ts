// `marquee source …`: the exchanges and sites whose ad requests are answered.

import { Command, Option } from 'commander'
import { NewSource, SourceEdit } from '../manage/sources/contract.ts'
import { domainOf } from '../manage/sources/domain.ts'
import {
  addSource,
  allowCpc,
  bidUrl,
  knownPublicUrl,
  listSources,
  type MadeSource,
  renewServerKey,
  revokeSource,
  type Source,
  setTerms,
  switchDebug,
} from '../manage/sources/sources.ts'
import { shownTerms } from '../manage/sources/terms.ts'
import type { Config } from '../platform/config.ts'
import type { Db } from '../platform/database.ts'
import { WrongUsage } from './exit.ts'
import { printRecord, printRows } from './print.ts'
import { bodyOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

export function sourceCommand(): Command {
  const command = new Command('source').description('sources of ad requests: add, list, renew keys, revoke')
  const add = command.command('add').description('register an exchange or a site')
  add
    .command('exchange <name>')
    .description('an OpenRTB exchange; prints its bid URL')
    .addOption(
      new Option('--bills-on <call>', 'which call counts the impression')
        .choices(['notice', 'pixel'])
        .default('notice'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source add exchange openx --bills-on pixel')
    .action((name: string, { billsOn, json }: Options & { billsOn: 'notice' | 'pixel' }) => {
      const wanted = bodyOf<NewSource>(NewSource, { kind: 'exchange', name, billsOn })
      return withDatabase(
        async (db, config, clock) => {
          printRecord(shown(await addSource(db, wanted, clock), await urlOf(db, config)), !!json)
        },
        { isFirst: true },
      )
    })
  add
    .command('site <name> <domain>')
    .description('a site; prints the key for its tags and the secret key for its servers (shown only now)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source add site news news.example')
    .action((name: string, domain: string, options: Options) => {
      const wanted = bodyOf<NewSource>(NewSource, { kind: 'site', name, domain })
      if (domainOf(domain) === null) throw new WrongUsage(`"${domain}" is not a domain such as news.example`)
      return withDatabase(
        async (db, config, clock) => {
          printRecord(made(await addSource(db, wanted, clock), await urlOf(db, config)), !!options.json)
        },
        { isFirst: true },
      )
    })
  command
    .command('list')
    .description('list the sources')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source list')
    .action((options: Options) =>
      withDatabase(async (db, config) => {
        const publicUrl = await urlOf(db, config)
        const rows = (await listSources(db)).map(source => shown(source, publicUrl))
        printRows(
          rows,
          [
            'sourceId',
            'kind',
            'name',
            'domain',
            'billsOn',
            'use',
            'hasServerKey',
            'debug',
            'allowsCpc',
            'floorCpm',
            'created',
            'revoked',
          ],
          !!options.json,
        )
      }),
    )
  command
    .command('server-key <name>')
    .description(
      'create a new server key for a site and print it (shown only now); the previous key stops working',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source server-key news')
    .action((name: string, options: Options) =>
      withDatabase(async (db, config, clock) => {
        printRecord(made(await renewServerKey(db, name, clock), await urlOf(db, config)), !!options.json)
      }),
    )
  command
    .command('debug <name>')
    .description('explain missing bids to a source that sends x-marquee-debug; --off stops that')
    .option('--off', 'stop explaining')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source debug openx\n  marquee source debug openx --off')
    .action((name: string, options: Options & { off?: boolean }) =>
      withDatabase(async (db, config, clock) => {
        const source = await switchDebug(db, name, !options.off, clock)
        printRecord(shown(source, await urlOf(db, config)), !!options.json)
      }),
    )
  command
    .command('cpc <name>')
    .description('let campaigns that are paid by click bid on an exchange; --off stops that')
    .option('--off', 'stop their bids')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source cpc openx\n  marquee source cpc openx --off')
    .action((name: string, options: Options & { off?: boolean }) =>
      withDatabase(async (db, config, clock) => {
        const source = await allowCpc(db, name, !options.off, clock)
        printRecord(shown(source, await urlOf(db, config)), !!options.json)
      }),
    )
  command
    .command('terms <name>')
    .description(
      'set the least price of ads at a source, and what it does not show; without options, clear all',
    )
    .option('--floor <cpm>', 'the least that 1,000 impressions must bring')
    .option('--floor-for <size=cpm...>', 'sizes with a floor of their own')
    .option('--refuse-category <code...>', 'IAB codes of what is advertised')
    .option('--refuse-advertiser <domain...>', 'domains to which ads lead, with their sub-domains')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  marquee source terms news --floor 0.8 --floor-for 970x250=3 --refuse-category IAB25',
    )
    .action((name: string, options: Options & TermOptions) => {
      const wanted = bodyOf<SourceEdit>(SourceEdit, termsOf(options))
      return withDatabase(async (db, config, clock) => {
        const source = await setTerms(db, name, wanted, clock)
        printRecord(shown(source, await urlOf(db, config)), !!options.json)
      })
    })
  command
    .command('revoke <name>')
    .description('refuse all further requests from a source')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee source revoke news')
    .action((name: string, options: Options) =>
      withDatabase(async (db, config, clock) => {
        const source = await revokeSource(db, name, clock)
        printRecord(shown(source, await urlOf(db, config)), !!options.json)
      }),
    )
  return command
}

interface TermOptions {
  floor?: string
  floorFor?: string[]
  refuseCategory?: string[]
  refuseAdvertiser?: string[]
}

/** All of them: what is not given is cleared. */
function termsOf({ floor, floorFor = [], refuseCategory = [], refuseAdvertiser = [] }: TermOptions) {
  return {
    floorCpm: floor === undefined ? null : Number(floor),
    floorCpmBySize: floorFor.map(text => {
      const [size = '', cpm = ''] = text.split('=')
      return { size, cpm: Number(cpm || Number.NaN) }
    }),
    refuses: { categories: refuseCategory, advertisers: refuseAdvertiser },
  }
}

/** The public URL of the running service, or this command's setting if no service has run yet. */
async function urlOf(db: Db, config: Config): Promise<string> {
  return (await knownPublicUrl(db)) ?? config.PUBLIC_URL
}

function made(source: MadeSource, publicUrl: string) {
  return { ...shown(source, publicUrl), serverKey: source.serverKey }
}

/** `use`: what the other side needs: the bid URL, or the key for the tag. */
function shown(source: Source, publicUrl: string) {
  const { floorCpm, floorCpmBySize, refuses } = shownTerms(source)
  return {
    sourceId: source.sourceId,
    kind: source.kind,
    name: source.name,
    domain: source.domain,
    billsOn: source.billsOn,
    use: source.kind === 'exchange' ? bidUrl(publicUrl, source) : source.key,
    hasServerKey: source.serverKeyHash !== null,
    debug: source.debug,
    allowsCpc: source.allowsCpc,
    floorCpm,
    floorCpmBySize: floorCpmBySize.map(({ size, cpm }) => `${size}=${cpm}`).join(' '),
    refusedCategories: refuses.categories.join(' '),
    refusedAdvertisers: refuses.advertisers.join(' '),
    created: source.created,
    revoked: source.revoked,
  }
}
