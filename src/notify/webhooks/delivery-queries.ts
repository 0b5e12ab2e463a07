// SQL of deliveries: the log that an app reads, and the queue that senders take from.

import type { Database, Db } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import type { WebhookAttempt, WebhookDelivery } from './contract.ts'

export interface DeliveryRow {
  did: number
  wid: number
  event_id: string
  type: string
  state: WebhookDelivery['state']
  attempts: WebhookAttempt[]
  next_at: Date | null
  created_at: Date
}

const COLUMNS = 'did, wid, event_id, type, state, attempts, next_at, created_at'
/** The newest 39 attempts and the added one: a JSON path in which `last` is the last index. */
const ATTEMPTS_AND = (added: string) =>
  `jsonb_path_query_array(attempts, '$[last - 38 to last]') || ${added}::jsonb`

export async function insertDelivery(
  db: Db,
  wid: number,
  event: { id: string; type: string; body: string; traceparent: string | null },
  now: Date,
) {
  return (await db.row<DeliveryRow>(
    `insert into webhook_delivery (wid, event_id, type, body, created_at, next_at, traceparent)
     values ($1, $2, $3, $4, $5, $5, $6) returning ${COLUMNS}`,
    [wid, event.id, event.type, event.body, now, event.traceparent],
  ))!
}

export function selectDelivery(db: Db, wid: number, did: number) {
  return db.row<DeliveryRow>(`select ${COLUMNS} from webhook_delivery where did = $2 and wid = $1`, [
    wid,
    did,
  ])
}

export function selectDeliveries(db: Db, wid: number, after: number, limit: number) {
  return db.rows<DeliveryRow>(
    `select ${COLUMNS} from webhook_delivery where wid = $1 and did > $2 order by did limit $3`,
    [wid, after, limit],
  )
}

/** Treats the delivery as new; a sender that has it right now can no longer change it. */
export function requeueDelivery(db: Db, did: number, now: Date) {
  return db.row<DeliveryRow>(
    `update webhook_delivery set state = 'pending', next_at = $2, tries = 0, claim = claim + 1
     where did = $1 returning ${COLUMNS}`,
    [did, now],
  )
}

/** Gives up some waiting deliveries, the longest due first; call it only with the webhook locked. Returns how many. */
export function failPending(db: Db, wid: number, attempt: WebhookAttempt, limit: number) {
  return db.run(
    `update webhook_delivery set state = 'failed', next_at = null, claim = claim + 1,
       attempts = ${ATTEMPTS_AND('$2')}
     where did = any(array(
       select did from webhook_delivery where wid = $1 and state = 'pending' order by next_at limit $3 for update
     ))`,
    [wid, JSON.stringify(attempt), limit],
  )
}

/** Whether any delivery waits, due or not: cheaper than claiming nothing. `wid > 0`: so that the index is used. */
export async function isAnyPending(db: Db): Promise<boolean> {
  const row = await db.row<{ pending: boolean }>(
    `select exists (select from webhook_delivery where state = 'pending' and wid > 0) as pending`,
  )
  return row!.pending
}

export interface Claimed {
  did: number
  claim: number
  wid: number
  tries: number
  event_id: string
  body: string
  /** Of the call that caused it. */
  traceparent: string | null
  url: string
  secret: Buffer
  /** Null if there is none, or it has expired. */
  old_secret: Buffer | null
  /** Whether neither the webhook nor its app has been switched off since. */
  wanted: boolean
}

export interface ClaimOptions {
  now: Date
  /** A sender that has not reported by then loses its claim, and another one sends the delivery. */
  leaseUntil: Date
  limit: number
  /** The most deliveries of one webhook under way at a time, in all processes together. */
  perWebhook: number
}

/**
 * Takes due deliveries, a few of each webhook. No two senders get the same one. Only one sender takes at a time, so
 * that the count of deliveries under way is right; another one that comes meanwhile gets nothing, and looks again.
 */
export function claimDue(db: Database, options: ClaimOptions): Promise<Claimed[]> {
  return db.transaction(async tx => {
    const row = await tx.row<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [
      LOCKS.webhooks,
    ])
    return row!.mine ? takeDue(tx, options) : []
  })
}

/** Goes from webhook to webhook by id, so that a backlog of one costs the others nothing. */
function takeDue(tx: Db, { now, leaseUntil, limit, perWebhook }: ClaimOptions) {
  return tx.rows<Claimed>(
    `with recursive waiting as (
       (select wid from webhook_delivery where state = 'pending' and wid > 0 order by wid limit 1)
       union all
       select (select d.wid from webhook_delivery d where d.state = 'pending' and d.wid > w.wid order by d.wid limit 1)
       from waiting w where w.wid is not null
     ), due as materialized (
       select d.did, row_number() over (partition by w.wid order by d.next_at, d.did) as place
       from waiting w cross join lateral (
         select count(*) as sent from webhook_delivery where wid = w.wid and sent_until > $1
       ) u cross join lateral (
         select did, next_at from webhook_delivery
         where wid = w.wid and state = 'pending' and next_at <= $1 order by next_at
         limit greatest(0, $4 - u.sent) for update skip locked
       ) d where u.sent < $4
     )
     update webhook_delivery d set next_at = $2, sent_until = $2, claim = d.claim + 1
     from webhook w, app a
     where d.did = any(array(select did from due order by place limit $3)) and w.wid = d.wid and a.app_id = w.app_id
     returning d.did, d.claim, d.wid, d.tries, d.event_id, d.body, d.traceparent, w.url, w.secret,
       case when w.old_secret_until > $1 then w.old_secret end as old_secret,
       w.enabled and a.revoked_at is null as wanted`,
    [now, leaseUntil, limit, perWebhook],
  )
}

export interface Settled {
  did: number
  claim: number
  attempt: WebhookAttempt
  state: WebhookDelivery['state']
  nextAt: Date | null
}

/**
 * Records the result. Without a claim it only adds the attempt, except that a dropped delivery that arrived becomes
 * delivered.
 */
export async function settle(db: Db, { did, claim, attempt, state, nextAt }: Settled): Promise<void> {
  const noted = JSON.stringify(attempt)
  const settled = await db.run(
    `update webhook_delivery set state = $3, next_at = $4, sent_until = null, tries = tries + 1, attempts = ${ATTEMPTS_AND('$5')}
     where did = $1 and claim = $2`,
    [did, claim, state, nextAt, noted],
  )
  if (settled === 1) return
  await db.run(
    `update webhook_delivery set attempts = ${ATTEMPTS_AND('$2')}, sent_until = null,
       state = case when state = 'failed' and $3 = 'delivered' then 'delivered' else state end
     where did = $1`,
    [did, noted, state],
  )
}

/** Returns a delivery that was taken but not sent. */
export function release(db: Db, did: number, claim: number, now: Date) {
  return db.run(
    `update webhook_delivery set next_at = $3, sent_until = null where did = $1 and claim = $2 and state = 'pending'`,
    [did, claim, now],
  )
}

/** Deletes some of the deliveries older than `before`; returns how many. */
export function deleteOldDeliveries(db: Db, before: Date, limit: number) {
  return db.run(
    `delete from webhook_delivery where did in (
       select did from webhook_delivery where created_at < $1 order by created_at limit $2 for update skip locked
     )`,
    [before, limit],
  )
}
