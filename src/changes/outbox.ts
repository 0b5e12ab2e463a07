// Events for the webhooks of the app and emails for the customer: one row for each subscriber, in the transaction of
// the change, so that an event is sent exactly if the change was made. The rows are sent by src/notify/.

import { randomBytes } from 'node:crypto'
import type { EventType } from '../kernel/event-type.ts'
import { ROLES, type Role, rolesThatMay } from '../kernel/permissions.ts'
import type { Db } from '../platform/database.ts'
import { currentTraceparent } from '../platform/trace.ts'

export interface Happening {
  at: Date
  type: EventType
  /** The customer that it is about; the event is for the app that created this customer. */
  cuid: number
  /** The object as the interface shows it. */
  data: object
  /** The earliest time to send it: before that, some processes have not seen the change. */
  notBefore?: Date
}

export async function recordEvent(
  db: Db,
  { at, type, cuid, data, notBefore = at }: Happening,
): Promise<void> {
  await db.run(
    `insert into webhook_delivery (wid, event_id, type, body, created_at, next_at, traceparent)
     select w.wid, $1, $2::text, $3, $4::timestamptz, $6::timestamptz, $7
     from customer u join app a on a.app_id = u.app_id join webhook w on w.app_id = a.app_id
     where u.cuid = $5 and a.revoked_at is null and w.enabled and (w.cuids is null or u.cuid = any(w.cuids))
       and (w.events = '{}' or $2::text = any(w.events))`,
    [newEventId(), type, eventBody(type, at, { ...data, cuid }), at, cuid, notBefore, currentTraceparent()],
  )
  db.announce('webhooks', { type, cuid, data })
}

export interface MailNews {
  at: Date
  cuid: number
  kind:
    | 'report'
    | 'bannerRejected'
    | 'budgetSpent'
    | 'daySpent'
    | 'balance'
    | 'proposals'
    | 'stopped'
    | 'budgetRaised'
    | 'access'
    | 'savedView'
    | 'decisions'
    | 'threshold'
  /** Identifies it among the customer's news of this kind: it is sent once, however often it is recorded. */
  about: string
  facts: object
  /** News recorded before then goes into the same email. */
  notBefore?: Date
}

/** Members with these roles get this kind of email too, because they decide or are answerable for it. */
const READER_ROLES: Partial<Record<MailNews['kind'], readonly Role[]>> = {
  report: rolesThatMay('rights'),
  threshold: rolesThatMay('rights'),
  proposals: rolesThatMay('approve'),
  budgetRaised: rolesThatMay('rights'),
  access: rolesThatMay('rights'),
  savedView: ROLES,
  decisions: ROLES,
}

/** The member roles that get an email of this kind, besides the customer's own address. */
export function readerRolesOf(kind: MailNews['kind']): readonly Role[] {
  return READER_ROLES[kind] ?? []
}

/** A budget raised by more than this factor is reported, unless the customer has chosen otherwise. */
export const RAISED_FACTOR = 3

/**
 * Records an email for a customer that wants it and may use the service; for others, nothing. Each member with a
 * matching role gets one too, but only after a first sign-in, so that nobody can cause emails to strangers.
 */
export async function recordMail(
  db: Db,
  { at, cuid, kind, about, facts, notBefore = at }: MailNews,
): Promise<void> {
  await db.run(
    `insert into mail (cuid, kind, about, facts, created_at, next_at, mid)
     select u.cuid, $2::text, concat_ws(' ', $3::text, r.mid), $4::jsonb, $5::timestamptz, $6::timestamptz, r.mid
     from customer u left join mail_choice c using (cuid) cross join lateral (
       select null::bigint as mid union all
       select m.mid from member m
       where m.cuid = u.cuid and m.removed_at is null and m.role = any($7::text[]) and m.joined_at is not null
         and m.email_key <> u.email_key and $2::text <> all(m.mails_off)
     ) r
     where u.cuid = $1 and u.deleted_at is null and u.api_access and case $2::text
       when 'report' then c.report <> 'off'
       when 'bannerRejected' then coalesce(c.banner_rejected, true)
       when 'budgetSpent' then coalesce(c.budget_spent, true)
       when 'daySpent' then coalesce(c.day_spent, false)
       when 'balance' then coalesce(c.balance, true)
       when 'proposals' then coalesce(c.proposals, true)
       when 'access' then coalesce(c.access, true)
       when 'threshold' then c.cuid is not null
       when 'budgetRaised' then c.cuid is null or c.budget_raised is not null
       else coalesce(c.stopped, true) end
     on conflict (cuid, kind, about) do nothing`,
    [cuid, kind, about, JSON.stringify(facts), at, notBefore, readerRolesOf(kind)],
  )
  db.announce('mails')
}

/**
 * Records an email for each of these members of a customer that may use the service. Members who have never signed in
 * get none, so that nobody can cause emails to strangers.
 */
export async function recordMailTo(
  db: Db,
  { at, cuid, kind, about, facts, notBefore = at }: MailNews,
  mids: readonly number[],
): Promise<void> {
  await db.run(
    `insert into mail (cuid, kind, about, facts, created_at, next_at, mid)
     select u.cuid, $2::text, concat_ws(' ', $3::text, m.mid), $4::jsonb, $5::timestamptz, $6::timestamptz, m.mid
     from customer u cross join lateral (
       select mid from member
       where mid = any($7::bigint[]) and member.cuid = u.cuid and removed_at is null
         and (joined_at is not null or email_key = u.email_key) offset 0
     ) m
     where u.cuid = $1 and u.deleted_at is null and u.api_access
     on conflict (cuid, kind, about) do nothing`,
    [cuid, kind, about, JSON.stringify(facts), at, notBefore, mids],
  )
  db.announce('mails')
}

export function newEventId(): string {
  return `msg_${randomBytes(16).toString('hex')}`
}

/** The text that is signed and sent. */
export function eventBody(type: string, at: Date, data: object): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}
