// SQL of webhooks. Every read and write for an app is scoped to it; reads for the operator are not.

import type { Db } from '../../platform/database.ts'

export interface WebhookFields {
  url: string
  events: string[]
  enabled: boolean
  description: string | null
}

/** The webhooks in scope: all of an app, or only those limited to these customers. */
export interface WebhookScope {
  appId: number
  cuids: readonly number[] | null
}

export interface WebhookRow extends WebhookFields {
  wid: number
  app_id: number
  cuids: number[] | null
  version: number
  created_at: Date
  updated_at: Date
}

const PLAIN = 'wid, app_id, url, events, enabled, description, version, created_at, updated_at'
const COLUMNS = `${PLAIN}, to_jsonb(cuids) as cuids`
const IN_SCOPE = 'app_id = $1 and ($2::bigint[] is null or cuids <@ $2)'

/** Held while a webhook is added, so that the limit is exact. */
export function lockApp(db: Db, appId: number) {
  return db.row('select 1 from app where app_id = $1 for no key update', [appId])
}

export async function countWebhooks(db: Db, appId: number): Promise<number> {
  const row = await db.row<{ count: number }>('select count(*) as count from webhook where app_id = $1', [
    appId,
  ])
  return row!.count
}

export async function insertWebhook(
  db: Db,
  { appId, cuids }: WebhookScope,
  fields: WebhookFields,
  secret: Buffer,
  now: Date,
) {
  return (await db.row<WebhookRow>(
    `insert into webhook (app_id, url, events, enabled, description, secret, created_at, updated_at, cuids)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8) returning ${COLUMNS}`,
    [appId, fields.url, fields.events, fields.enabled, fields.description, secret, now, cuids],
  ))!
}

export function selectWebhook(db: Db, { appId, cuids }: WebhookScope, wid: number) {
  return db.row<WebhookRow>(`select ${COLUMNS} from webhook where wid = $3 and ${IN_SCOPE}`, [
    appId,
    cuids,
    wid,
  ])
}

export function selectWebhooks(db: Db, { appId, cuids }: WebhookScope, after: number, limit: number) {
  return db.rows<WebhookRow>(
    `select ${COLUMNS} from webhook where ${IN_SCOPE} and wid > $3 order by wid limit $4`,
    [appId, cuids, after, limit],
  )
}

export interface ListedRow extends WebhookRow {
  app: string
}

const LISTED = `select ${PLAIN.replaceAll(/(\w+)/g, 'w.$1')}, to_jsonb(w.cuids) as cuids, a.name as app from webhook w join app a using (app_id)`

/** Webhooks of all apps, or (with a name) of one. */
export function selectAllWebhooks(db: Db, app: string | null, after: number, limit: number) {
  return db.rows<ListedRow>(
    `${LISTED} where w.wid > $1 and ($2::text is null or a.name = $2) order by w.wid limit $3`,
    [after, app, limit],
  )
}

export function selectListedWebhook(db: Db, wid: number) {
  return db.row<ListedRow>(`${LISTED} where w.wid = $1`, [wid])
}

/** Every change to a webhook and its deliveries locks this row first, so that changes never deadlock. */
export function lockWebhook(db: Db, wid: number) {
  return db.row<WebhookRow>(`select ${COLUMNS} from webhook where wid = $1 for no key update`, [wid])
}

export async function updateWebhook(db: Db, wid: number, fields: WebhookFields, now: Date) {
  return (await db.row<WebhookRow>(
    `update webhook set url = $2, events = $3, enabled = $4, description = $5, updated_at = $6,
       version = version + 1
     where wid = $1 returning ${COLUMNS}`,
    [wid, fields.url, fields.events, fields.enabled, fields.description, now],
  ))!
}

/** The previous secret also signs until `oldUntil`; any older one is gone. */
export function updateSecret(db: Db, wid: number, secret: Buffer, oldUntil: Date) {
  return db.run(`update webhook set old_secret = secret, old_secret_until = $3, secret = $2 where wid = $1`, [
    wid,
    secret,
    oldUntil,
  ])
}

/** Its deliveries are deleted with it. */
export function deleteWebhook(db: Db, wid: number) {
  return db.run('delete from webhook where wid = $1', [wid])
}
