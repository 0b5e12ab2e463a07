// The verbs of the log: list, read, send again, and send a test. Entries are deleted after 30 days.

import { eventBody, newEventId } from '../../changes/outbox.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { currentTraceparent } from '../../platform/trace.ts'
import type { Webhook, WebhookDelivery } from './contract.ts'
import {
  type DeliveryRow,
  deleteOldDeliveries,
  insertDelivery,
  requeueDelivery,
  selectDeliveries,
  selectDelivery,
} from './delivery-queries.ts'
import { lockWebhook } from './queries.ts'

export const KEPT_MS = 30 * 86_400_000
const SWEEP_PAGE = 1_000

export async function listDeliveries(
  db: Db,
  wid: number,
  after: number,
  limit: number,
): Promise<WebhookDelivery[]> {
  return (await selectDeliveries(db, wid, after, limit)).map(toDelivery)
}

/** The entry of a path's `:did`, beneath its webhook. */
export async function findDelivery(db: Db, { wid }: Webhook, didText: string): Promise<WebhookDelivery> {
  const did = parseId(didText)
  const row = did === null ? null : await selectDelivery(db, wid, did)
  if (!row) throw notFound('delivery')
  return toDelivery(row)
}

/** Sends it again with the same id, whether it was delivered or not. */
export async function retryDelivery(
  db: Db,
  { wid, did }: WebhookDelivery,
  clock: Clock,
): Promise<WebhookDelivery> {
  await requireEnabled(db, wid)
  const row = await requeueDelivery(db, did, new Date(clock.nowMs()))
  if (!row) throw notFound('delivery')
  db.announce('webhooks')
  return toDelivery(row)
}

/** Sent whatever events the webhook is for. */
export async function sendTest(db: Db, { wid }: Webhook, clock: Clock): Promise<WebhookDelivery> {
  await requireEnabled(db, wid)
  const now = new Date(clock.nowMs())
  const type = 'webhook.test'
  const body = eventBody(type, now, { wid })
  const event = { id: newEventId(), type, body, traceparent: currentTraceparent() }
  const row = await insertDelivery(db, wid, event, now)
  db.announce('webhooks')
  return toDelivery(row)
}

export async function sweepDeliveries(db: Db, clock: Clock): Promise<void> {
  const before = new Date(clock.nowMs() - KEPT_MS)
  while ((await deleteOldDeliveries(db, before, SWEEP_PAGE)) === SWEEP_PAGE);
}

async function requireEnabled(db: Db, wid: number): Promise<void> {
  const row = await lockWebhook(db, wid)
  if (!row) throw notFound('webhook')
  if (!row.enabled) throw refusal('webhook_off')
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    did: row.did,
    wid: row.wid,
    event: row.event_id,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    next: row.next_at && toSeconds(row.next_at),
    created: toSeconds(row.created_at),
  }
}
