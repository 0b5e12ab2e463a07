// The verbs of webhooks: create, list, read, edit, delete, and give a new secret. An app sees only its own webhooks;
// those of other apps are not found.

import { asRead, etagOf } from '../../http/etag.ts'
import { invalidField, notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Database, Db } from '../../platform/database.ts'
import {
  type CreatedWebhook,
  MAX_WEBHOOKS,
  type NewWebhook,
  type RotatedSecret,
  type Webhook,
  type WebhookEdit,
} from './contract.ts'
import { failPending } from './delivery-queries.ts'
import {
  countWebhooks,
  insertWebhook,
  type ListedRow,
  lockApp,
  lockWebhook,
  deleteWebhook as removeWebhook,
  selectAllWebhooks,
  selectListedWebhook,
  selectWebhook,
  selectWebhooks,
  updateSecret,
  updateWebhook,
  type WebhookRow,
  type WebhookScope,
} from './queries.ts'
import { refuseUrl } from './send.ts'
import { newSecret, shownSecret } from './sign.ts'

export interface WebhookParts {
  clock: Clock
  /** Allows http and private addresses. */
  allowPrivate: boolean
}

export interface FoundWebhook {
  webhook: Webhook
  etag: string
}

const GIVE_UP_PAGE = 2_000
export const OLD_SECRET_MS = 24 * 3_600_000

export async function createWebhook(
  db: Db,
  scope: WebhookScope,
  body: NewWebhook,
  { clock, allowPrivate }: WebhookParts,
): Promise<{ webhook: CreatedWebhook; etag: string }> {
  checkUrl(body.url, allowPrivate)
  await lockApp(db, scope.appId)
  if ((await countWebhooks(db, scope.appId)) >= MAX_WEBHOOKS) {
    throw refusal('too_many_webhooks', { max: MAX_WEBHOOKS })
  }
  const fields = {
    url: body.url,
    events: [...new Set(body.events)],
    enabled: body.enabled ?? true,
    description: body.description ?? null,
  }
  const secret = newSecret()
  const { webhook, etag } = found(await insertWebhook(db, scope, fields, secret, new Date(clock.nowMs())))
  return { webhook: { ...webhook, secret: shownSecret(secret) }, etag }
}

export async function listWebhooks(
  db: Db,
  scope: WebhookScope,
  after: number,
  limit: number,
): Promise<Webhook[]> {
  return (await selectWebhooks(db, scope, after, limit)).map(toWebhook)
}

/** The webhook of a path's `:wid`; 404 if it is not an id, does not exist, or is not in the scope. */
export async function findWebhook(db: Db, scope: WebhookScope, widText: string): Promise<FoundWebhook> {
  const wid = parseId(widText)
  return found(wid === null ? null : await selectWebhook(db, scope, wid))
}

/** As the operator sees it, with the name of its app. */
export interface ListedWebhook extends Webhook {
  app: string
}

/** Webhooks of all apps, or (with a name) of one. */
export async function listAllWebhooks(
  db: Db,
  app: string | null,
  after: number,
  limit: number,
): Promise<ListedWebhook[]> {
  return (await selectAllWebhooks(db, app, after, limit)).map(toListed)
}

export async function findListedWebhook(db: Db, wid: number): Promise<ListedWebhook> {
  const row = await selectListedWebhook(db, wid)
  if (!row) throw notFound(`webhook ${wid}`)
  return toListed(row)
}

export async function editWebhook(
  db: Db,
  wid: number,
  edit: WebhookEdit,
  ifMatch: string | null,
  { clock, allowPrivate }: WebhookParts,
): Promise<FoundWebhook> {
  if (edit.url !== undefined) checkUrl(edit.url, allowPrivate)
  const row = await lock(db, wid, ifMatch)
  const wanted = {
    url: edit.url ?? row.url,
    events: edit.events === undefined ? row.events : [...new Set(edit.events)],
    enabled: edit.enabled === undefined ? row.enabled : (edit.enabled ?? true),
    description: edit.description === undefined ? row.description : edit.description,
  }
  if (JSON.stringify(toWebhook({ ...row, ...wanted })) === JSON.stringify(toWebhook(row))) return found(row)
  const now = new Date(clock.nowMs())
  if (!wanted.enabled) await giveUp(db, wid, now, SWITCHED_OFF)
  return found(await updateWebhook(db, wid, wanted, now))
}

export async function deleteWebhook(
  db: Db,
  wid: number,
  ifMatch: string | null,
): Promise<{ wid: number; deleted: true }> {
  await lock(db, wid, ifMatch)
  await removeWebhook(db, wid)
  return { wid, deleted: true }
}

export async function rotateSecret(db: Db, wid: number, clock: Clock): Promise<RotatedSecret> {
  await lock(db, wid, null)
  const secret = newSecret()
  const oldUntil = new Date(clock.nowMs() + OLD_SECRET_MS)
  await updateSecret(db, wid, secret, oldUntil)
  return { wid, secret: shownSecret(secret), oldSecretUntil: toSeconds(oldUntil) }
}

export const SWITCHED_OFF = 'The webhook is switched off.'
export const GONE = 'The receiver answered with status 410 Gone; the webhook is switched off.'

/**
 * Switches a webhook off when its receiver is gone for good. `note` records the answer that said so, so that its
 * readers find the webhook switched off. The lock comes first, as in every change to a webhook and its log.
 */
export async function switchOff(tx: Db, wid: number, clock: Clock, note: () => Promise<void>): Promise<void> {
  const row = await lockWebhook(tx, wid)
  await note()
  if (!row?.enabled) return
  const now = new Date(clock.nowMs())
  await giveUp(tx, wid, now, GONE)
  await updateWebhook(tx, wid, { ...row, enabled: false }, now)
}

/** As many as a request can wait for; giveUpRest() drops the others. */
function giveUp(db: Db, wid: number, now: Date, error: string): Promise<number> {
  return failPending(db, wid, { at: toSeconds(now), status: null, error }, GIVE_UP_PAGE)
}

/** Drops the backlog of a webhook that is switched off, in parts, because it may have a million entries. */
export async function giveUpRest(db: Database, wid: number, clock: Clock): Promise<void> {
  const some = (tx: Db) => giveUp(tx, wid, new Date(clock.nowMs()), SWITCHED_OFF)
  const isOff = async (tx: Db) => (await lockWebhook(tx, wid))?.enabled === false
  while ((await db.transaction(async tx => ((await isOff(tx)) ? some(tx) : 0))) > 0);
}

async function lock(db: Db, wid: number, ifMatch: string | null): Promise<WebhookRow> {
  return asRead(await lockWebhook(db, wid), 'webhook', wid, ifMatch)
}

function checkUrl(url: string, allowPrivate: boolean): void {
  const refusal = refuseUrl(url, allowPrivate)
  if (refusal) throw invalidField('/url', refusal)
}

function found(row: WebhookRow | null): FoundWebhook {
  if (!row) throw notFound('webhook')
  return { webhook: toWebhook(row), etag: etagOf(row.wid, row.version) }
}

function toListed(row: ListedRow): ListedWebhook {
  return { app: row.app, ...toWebhook(row) }
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    wid: row.wid,
    url: row.url,
    events: row.events,
    enabled: row.enabled,
    description: row.description,
    cuids: row.cuids,
    created: toSeconds(row.created_at),
    updated: toSeconds(row.updated_at),
  }
}
