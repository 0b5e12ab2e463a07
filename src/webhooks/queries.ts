// SQL of webhooks. Every read and write of an app is scoped to it; reads of the operator are not.

import type { Db } from '../platform/database.ts'

export interface WebhookFields {
  url: string
  events: string[]
  enabled: boolean
  description: string | null
}

export interface WebhookRow extends WebhookFields {
  wid: number
  app_id: number
  version: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = 'wid, app_id, url, events, enabled, description, version, created_at, updated_at'

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

export async function insertWebhook(db: Db, appId: number, fields: WebhookFields, secret: Buffer, now: Date) {
  return (await db.row<WebhookRow>(
    `insert into webhook (app_id, url, events, enabled, description, secret, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${COLUMNS}`,
    [appId, fields.url, fields.events, fields.enabled, fields.description, secret, now],
  ))!
}

export function selectWebhook(db: Db, appId: number, wid: number) {
  return db.row<WebhookRow>(`select ${COLUMNS} from webhook where wid = $1 and app_id = $2`, [wid, appId])
}

export function selectWebhooks(db: Db, appId: number, after: number, limit: number) {
  return db.rows<WebhookRow>(
    `select ${COLUMNS} from webhook where app_id = $1 and wid > $2 order by wid limit $3`,
    [appId, after, limit],
  )
}

export interface ListedRow extends WebhookRow {
  app: string
}

const LISTED = `select ${COLUMNS.replaceAll(/(\w+)/g, 'w.$1')}, a.name as app from webhook w join app a using (app_id)`

/** Of all apps, or (with a name) of one. */
export function selectAllWebhooks(db: Db, app: string | null, after: number, limit: number) {
  return db.rows<ListedRow>(
    `${LISTED} where w.wid > $1 and ($2::text is null or a.name = $2) order by w.wid limit $3`,
    [after, app, limit],
  )
}

export function selectListedWebhook(db: Db, wid: number) {
  return db.row<ListedRow>(`${LISTED} where w.wid = $1`, [wid])
}

/** A change of a webhook and its deliveries locks this row first, so that changes never deadlock. */
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

/** Its deliveries go with it. */
export function deleteWebhook(db: Db, wid: number) {
  return db.run('delete from webhook where wid = $1', [wid])
}
