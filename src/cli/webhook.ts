// `marquee webhook …`: the webhooks of all apps and their logs, for the operator.

import { Command } from 'commander'
import { type Schema, validate } from '../http/validate.ts'
import { listApps } from '../identity/apps.ts'
import { invalidInput, notFound, Problem } from '../kernel/errors/problem.ts'
import { EVENT_TYPES } from '../kernel/event-type.ts'
import { NewWebhook, type WebhookDelivery } from '../notify/webhooks/contract.ts'
import { listDeliveries } from '../notify/webhooks/deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  findListedWebhook,
  type ListedWebhook,
  listAllWebhooks,
  rotateSecret,
} from '../notify/webhooks/webhooks.ts'
import type { Db } from '../platform/database.ts'
import { Refused, WrongUsage } from './exit.ts'
import { printJson, printRecord, printRows } from './print.ts'
import { idOf, pageOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

interface PageOptions extends Options {
  after: string
  limit: string
}

interface AddOptions extends Options {
  app: string
  events?: string
  description?: string
  off?: boolean
}

export function webhookCommand(): Command {
  const command = new Command('webhook').description('webhooks of apps: list, add, show, log, rotate, remove')
  command
    .command('list')
    .description('list the webhooks of all apps')
    .option('--app <name>', 'only those of one app')
    .option('--json', 'print JSON')
    .option('--after <wid>', 'only webhooks with a larger id', '0')
    .option('--limit <n>', 'at most this many', '1000')
    .addHelpText('after', '\nExample:\n  marquee webhook list --app shop')
    .action((options: PageOptions & { app?: string }) => {
      const { after, limit } = pageOf(options)
      return withDatabase(async db => {
        if (options.app !== undefined) await appNamed(db, options.app)
        const rows = await listAllWebhooks(db, options.app ?? null, after, limit)
        const columns = ['wid', 'app', 'url', 'events', 'enabled', 'description', 'created'] as const
        if (options.json) printJson(rows.map(dated))
        else printRows(rows.map(shown), [...columns], false)
      })
    })
  command
    .command('add <url>')
    .description('create a webhook for an app and print its secret (shown only now)')
    .option('--app <name>', 'the app it belongs to', 'default')
    .option(
      '--events <types>',
      `which events to send, separated by commas; all by default: ${EVENT_TYPES.join(', ')}`,
    )
    .option('--description <text>', 'what it is for')
    .option('--off', 'create it switched off')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  marquee webhook add https://shop.example/hooks --app shop --events campaign.started,campaign.ended',
    )
    .action((url: string, options: AddOptions) =>
      withDatabase(async (db, config, clock) => {
        const parts = { clock, allowPrivate: config.ALLOW_PRIVATE_WEBHOOKS }
        const { webhook } = await inOptions(async () => {
          const body = bodyOf(url, options)
          return db.transaction(async tx => {
            const { appId, revoked } = await appNamed(tx, options.app)
            if (revoked) throw new Refused(`the app "${options.app}" is revoked`)
            return createWebhook(tx, { appId, cuids: null }, body, parts)
          })
        })
        const { secret, ...read } = webhook
        const listed = { app: options.app, ...read }
        if (options.json) printJson({ ...dated(listed), secret })
        else printRecord({ ...shown(listed), secret }, false)
      }),
    )
  command
    .command('show <wid>')
    .description('show a webhook')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee webhook show 1010')
    .action((widText: string, options: Options) => {
      const wid = idOf(widText, 'webhook')
      return withDatabase(async db => {
        const webhook = await findListedWebhook(db, wid)
        if (options.json) printJson(dated(webhook))
        else printRecord(shown(webhook), false)
      })
    })
  command
    .command('log <wid>')
    .description('show what was sent to a webhook in the last 30 days and how it responded, oldest first')
    .option('--json', 'print JSON, with every attempt')
    .option('--after <did>', 'only entries with a larger id', '0')
    .option('--limit <n>', 'at most this many', '1000')
    .addHelpText('after', '\nExample:\n  marquee webhook log 1010 --after 2040')
    .action((widText: string, options: PageOptions) => {
      const { after, limit } = pageOf(options)
      const wid = idOf(widText, 'webhook')
      return withDatabase(async db => {
        await findListedWebhook(db, wid)
        const entries = await listDeliveries(db, wid, after, limit)
        const columns = ['did', 'created', 'type', 'state', 'attempts', 'answer', 'next'] as const
        if (options.json) printJson(entries.map(datedEntry))
        else printRows(entries.map(shownEntry), [...columns], false)
      })
    })
  command
    .command('rotate <wid>')
    .description('give a webhook a new secret and print it; the previous secret also signs for 24 hours')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee webhook rotate 1010')
    .action((widText: string, options: Options) => {
      const wid = idOf(widText, 'webhook')
      return withDatabase(async (db, _, clock) => {
        await findListedWebhook(db, wid)
        const { secret, oldSecretUntil } = await db.transaction(tx => rotateSecret(tx, wid, clock))
        printRecord({ wid, secret, oldSecretUntil: toDate(oldSecretUntil) }, !!options.json)
      })
    })
  command
    .command('remove <wid>')
    .description('permanently delete a webhook, its secret and its log')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee webhook remove 1010')
    .action((widText: string, options: Options) => {
      const wid = idOf(widText, 'webhook')
      return withDatabase(async db => {
        await findListedWebhook(db, wid)
        await db.transaction(tx => deleteWebhook(tx, wid, null))
        printRecord({ wid, removed: true }, !!options.json)
      })
    })
  return command
}

async function appNamed(db: Db, name: string) {
  const app = (await listApps(db)).find(one => one.name === name)
  if (!app) throw notFound(`an app named "${name}"`)
  return app
}

/** Checks the webhook by the same rules as the API. */
function bodyOf(url: string, { events, description, off }: AddOptions): NewWebhook {
  const checked = validate(NewWebhook as Schema, {
    url,
    ...(events === undefined ? {} : { events: events.split(',').map(type => type.trim()) }),
    ...(description === undefined ? {} : { description }),
    enabled: !off,
  })
  if (!checked.ok) throw invalidInput(checked.errors)
  return checked.value as NewWebhook
}

const OPTION_OF: Record<string, string> = {
  url: 'the address',
  events: '--events',
  description: '--description',
}

/** Reports a field error under the name of the option it came from. */
async function inOptions<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const first = error instanceof Problem ? error.errors?.[0] : undefined
    if (!first) throw error
    throw new WrongUsage(`${OPTION_OF[first.path.split('/')[1]!] ?? first.path} ${first.message}`)
  }
}

function toDate(unixS: number): Date {
  return new Date(unixS * 1000)
}

/** Converts times to dates, as the other commands print them. */
function dated({ created, updated, ...rest }: ListedWebhook) {
  return { ...rest, created: toDate(created), updated: toDate(updated) }
}

function shown(webhook: ListedWebhook) {
  const { wid, app, url, events, enabled, description, created } = dated(webhook)
  return { wid, app, url, events: events.join(',') || 'all', enabled, description, created }
}

function datedEntry({ created, next, attempts, ...rest }: WebhookDelivery) {
  return {
    ...rest,
    attempts: attempts.map(({ at, ...attempt }) => ({ at: toDate(at), ...attempt })),
    next: next === null ? null : toDate(next),
    created: toDate(created),
  }
}

function shownEntry(entry: WebhookDelivery) {
  const { did, type, state, attempts, next, created } = datedEntry(entry)
  const last = attempts.at(-1)
  return {
    did,
    created,
    type,
    state,
    attempts: attempts.length,
    answer: last?.status ?? last?.error ?? null,
    next,
  }
}
