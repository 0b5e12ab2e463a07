// What happened, for the webhooks of the app: one row for each webhook that wants to know, in the transaction of what
// happened, so that it is told exactly when it is true. The rows are sent by src/webhooks/.

import { randomBytes } from 'node:crypto'
import type { EventType } from '../kernel/event-type.ts'
import type { Db } from './database.ts'

export interface Happening {
  at: Date
  type: EventType
  /** Whom it is about; the app that created this customer is told. */
  cuid: number
  /** The object as the interface shows it. */
  data: object
  /** Not sent sooner: until then, not everybody acts on it. */
  notBefore?: Date
}

export async function recordEvent(
  db: Db,
  { at, type, cuid, data, notBefore = at }: Happening,
): Promise<void> {
  await db.run(
    `insert into webhook_delivery (wid, event_id, type, body, created_at, next_at)
     select w.wid, $1, $2::text, $3, $4::timestamptz, $6::timestamptz
     from customer u join app a on a.app_id = u.app_id join webhook w on w.app_id = a.app_id
     where u.cuid = $5 and a.revoked_at is null and w.enabled and (w.events = '{}' or $2::text = any(w.events))`,
    [newEventId(), type, eventBody(type, at, { ...data, cuid }), at, cuid, notBefore],
  )
}

export function newEventId(): string {
  return `msg_${randomBytes(16).toString('hex')}`
}

/** The text that is signed and sent. */
export function eventBody(type: string, at: Date, data: object): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}
