// SQL of emails: the customers' preferences and the queue. Each row of the queue is sent once; a lease protects it
// meanwhile.

import { readerRolesOf } from '../../changes/outbox.ts'
import type { Brand } from '../../identity/apps.ts'
import { toMicros } from '../../kernel/money.ts'
import type { ZoneBefore } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import type { MailChoices, MailKind, ReportChoice } from './contract.ts'

export type Choices = Omit<MailChoices, 'cuid'>

/** The column of each choice. */
const COLUMNS: Record<keyof Choices, string> = {
  report: 'report',
  bannerRejected: 'banner_rejected',
  budgetSpent: 'budget_spent',
  daySpent: 'day_spent',
  balance: 'balance',
  proposals: 'proposals',
  decisions: 'decisions',
  stopped: 'stopped',
  budgetRaised: 'budget_raised',
  access: 'access',
  spendOver: 'spend_over_micros',
  balanceDays: 'balance_days',
  paceBelow: 'pace_below',
}
const NAMES = Object.keys(COLUMNS) as (keyof Choices)[]
const isAmount = (name: keyof Choices) => COLUMNS[name].endsWith('_micros')
const SELECTED = NAMES.map(
  name => `${COLUMNS[name]}${isAmount(name) ? ' / 1e6::float8' : ''} as "${name}"`,
).join(', ')
const SET = NAMES.map((name, i) => `${COLUMNS[name]} = $${i + 4}`).join(', ')

export function selectChoice(db: Db, cuid: number) {
  return db.row<Choices>(`select ${SELECTED} from mail_choice where cuid = $1`, [cuid])
}

/** Concurrent changes for the same customer wait here, so that none is lost. */
export async function lockChoice(db: Db, cuid: number): Promise<Choices & { reportAt: Date | null }> {
  await db.run('insert into mail_choice (cuid) values ($1) on conflict do nothing', [cuid])
  return (await db.row<Choices & { reportAt: Date | null }>(
    `select ${SELECTED}, report_at as "reportAt" from mail_choice where cuid = $1 for update`,
    [cuid],
  ))!
}

/** `lookAt`: when thresholds are compared next; null: there are none. */
export function updateChoice(
  db: Db,
  cuid: number,
  choices: Choices,
  { reportAt, lookAt }: { reportAt: Date | null; lookAt: Date | null },
) {
  const values = NAMES.map(name => {
    const value = choices[name]
    return isAmount(name) && typeof value === 'number' ? toMicros(value) : value
  })
  return db.run(`update mail_choice set report_at = $2, look_at = $3, ${SET} where cuid = $1`, [
    ...[cuid, reportAt, lookAt],
    ...values,
  ])
}

/** Of a new customer, which has chosen nothing yet. */
export function insertChoice(db: Db, cuid: number, report: ReportChoice, reportAt: Date) {
  return db.run(
    'insert into mail_choice (cuid, report, report_at) values ($1, $2, $3) on conflict do nothing',
    [...[cuid, report, reportAt]],
  )
}

export interface DueReportRow {
  cuid: number
  report: Exclude<ReportChoice, 'off'>
  /** See kernel/time/zones.ts. */
  timezone: string | null
  timezone_before: ZoneBefore[] | null
}

/**
 * The rows stay locked until the transaction ends; other processes get other rows. `offset 0`: customers are looked up
 * one by one, never scanned.
 */
export function lockDueReports(db: Db, now: Date, limit: number) {
  return db.rows<DueReportRow>(
    `select c.cuid, c.report, u.timezone, u.timezone_before
     from mail_choice c
       cross join lateral (select timezone, timezone_before from customer where cuid = c.cuid offset 0) u
     where c.report_at <= $1 order by c.report_at limit $2 for update of c skip locked`,
    [now, limit],
  )
}

export function setReportAt(db: Db, cuid: number, at: Date) {
  return db.run('update mail_choice set report_at = $2 where cuid = $1', [cuid, at])
}

export interface DueLookRow extends Pick<Choices, 'spendOver' | 'balanceDays' | 'paceBelow'> {
  cuid: number
  prepaid: boolean
  /** Whether it may get emails at all. */
  isServed: boolean
  timezone: string | null
  timezone_before: ZoneBefore[] | null
}

/** Locked like due reports. */
export function lockDueLooks(db: Db, now: Date, limit: number) {
  return db.rows<DueLookRow>(
    `select c.cuid, c.spend_over_micros / 1e6::float8 as "spendOver", c.balance_days as "balanceDays",
       c.pace_below as "paceBelow", u.prepaid, u.deleted_at is null and u.api_access as "isServed", u.timezone,
       u.timezone_before
     from mail_choice c
       cross join lateral (
         select prepaid, deleted_at, api_access, timezone, timezone_before from customer where cuid = c.cuid offset 0
       ) u
     where c.look_at <= $1 order by c.look_at limit $2 for update of c skip locked`,
    [now, limit],
  )
}

export function setLookAt(db: Db, cuid: number, at: Date) {
  return db.run('update mail_choice set look_at = $2 where cuid = $1', [cuid, at])
}

/**
 * Whether any email waits, due or not: cheaper than leasing nothing. Ordered like the index, so that the index is used.
 */
export async function isAnyWaiting(db: Db): Promise<boolean> {
  const row = await db.row<{ waiting: boolean }>(
    `select (select mail_id from mail where state = 'waiting' and next_at > '-infinity'
             order by next_at limit 1) is not null as waiting`,
  )
  return row!.waiting
}

export interface LeasedRow {
  mail_id: number
  batch: number
  cuid: number
  /** The member that it is for; null: the customer itself. */
  mid: number | null
  kind: MailKind
  facts: Record<string, unknown>
  tries: number
}

/**
 * Claims the content of one email: all waiting rows of one recipient and kind. If some were attempted before, exactly
 * those rows again; for saved views one row, because each has its own unsubscribe link. Concurrent senders get other
 * rows.
 */
export function leaseBatch(db: Db, lease: string, now: Date, until: Date) {
  return db.rows<LeasedRow>(
    `with first as (
       select mail_id, cuid, mid, kind, batch from mail
       where state = 'waiting' and next_at <= $2 and (leased_until is null or leased_until <= $2)
       order by next_at, mail_id limit 1 for update skip locked
     ), others as (
       select m.mail_id from mail m join first f using (cuid, kind)
       where m.state = 'waiting' and m.mid is not distinct from f.mid and m.batch is not distinct from f.batch
         and (f.kind <> 'savedView' or m.mail_id = f.mail_id)
         and (m.leased_until is null or m.leased_until <= $2)
       order by m.mail_id limit 100 for update of m skip locked
     )
     update mail set lease = $1, leased_until = $3,
       batch = coalesce(batch, (select min(mail_id) from others))
     where mail_id in (select mail_id from others union select mail_id from first)
     returning mail_id, batch, cuid, mid, kind, facts, tries`,
    [lease, now, until],
  )
}

export type MailState = 'sent' | 'dropped' | 'failed'

export function settleBatch(db: Db, lease: string, state: MailState) {
  return db.run(
    'update mail set state = $2, lease = null, leased_until = null, tries = tries + 1 where lease = $1',
    [lease, state],
  )
}

/** Postpones the rows of an email. `apart`: it certainly was not sent, so newer rows may join it. */
export function postponeBatch(db: Db, lease: string, nextAt: Date, tries: number, apart: boolean) {
  return db.run(
    `update mail set lease = null, leased_until = null, next_at = $2, tries = tries + $3,
       batch = case when $4 then null else batch end
     where lease = $1`,
    [lease, nextAt, tries, apart],
  )
}

/** The recipient of an email: the customer itself, or (`mid`) another member. */
export interface Addressee {
  cuid: number
  mid: number | null
}

/** False: the recipient has reached the limit of that day. */
export async function takeAllowance(
  db: Db,
  { cuid, mid }: Addressee,
  day: number,
  limit: number,
): Promise<boolean> {
  const text =
    mid === null
      ? `insert into mail_day (cuid, day, mails) values ($1, $2, 1)
         on conflict (cuid, day) do update set mails = mail_day.mails + 1 where mail_day.mails < $3`
      : `insert into member_mail_day as d (mid, day, mails) values ($1, $2, 1)
         on conflict (mid, day) do update set mails = d.mails + 1 where d.mails < $3`
  return (await db.run(text, [mid ?? cuid, day, limit])) === 1
}

export function giveAllowanceBack(db: Db, { cuid, mid }: Addressee, day: number) {
  const text =
    mid === null
      ? 'update mail_day set mails = mails - 1 where cuid = $1 and day = $2 and mails > 0'
      : 'update member_mail_day set mails = mails - 1 where mid = $1 and day = $2 and mails > 0'
  return db.run(text, [mid ?? cuid, day])
}

/** Unsubscribes a member from a kind of email. */
export function setMailOff(db: Db, { cuid, mid }: Addressee, kind: MailKind) {
  return db.run(
    'update member set mails_off = mails_off || $3::text where mid = $2 and cuid = $1 and $3 <> all(mails_off)',
    [cuid, mid, kind],
  )
}

/** Subscribes all members to this kind again. */
export function clearMailsOff(db: Db, cuid: number, kind: MailKind) {
  return db.run(
    `update member set mails_off = array_remove(mails_off, $2)
     where cuid = $1 and removed_at is null and $2 = any(mails_off)`,
    [cuid, kind],
  )
}

export interface RecipientRow {
  email: string
  language: 'en' | 'de' | null
  timezone: string | null
  timezone_before: ZoneBefore[] | null
  brand: Brand
  platform_url: string | null
}

/**
 * Null if nothing may be sent: the customer is deleted, without access, or of a revoked app; or the member no longer
 * gets this kind.
 */
export function selectRecipient(db: Db, { cuid, mid }: Addressee, kind: MailKind) {
  return db.row<RecipientRow>(
    `select coalesce(m.email, u.email) as email, u.language, u.timezone, u.timezone_before, a.platform_url,
       json_build_object('title', a.brand_title, 'color', a.brand_color, 'logoHash', a.brand_logo_hash) as brand
     from customer u join app a using (app_id)
       left join member m on m.mid = $2 and m.cuid = u.cuid and m.removed_at is null and m.role = any($3::text[])
         and $4::text <> all(m.mails_off)
     where u.cuid = $1 and u.deleted_at is null and u.api_access and a.revoked_at is null
       and ($2::bigint is null or m.mid is not null)`,
    [cuid, mid, readerRolesOf(kind), kind],
  )
}

/** The reasons for declining these proposals, by id; null if none was given. */
export async function selectReasons(db: Db, cuid: number, ids: number[]) {
  const rows = await db.rows<{ id: number; reason: string | null }>(
    'select proposal_id as id, reason from proposal where cuid = $1 and proposal_id = any($2::bigint[])',
    [cuid, ids],
  )
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}

/** For a reader who follows a link in an email. */
export function selectLanguage(db: Db, cuid: number) {
  return db.row<{ language: 'en' | 'de' | null }>(
    'select language from customer where cuid = $1 and deleted_at is null',
    [cuid],
  )
}

/** Deletes some of the rows older than `before`, and returns how many. */
export async function deleteOldMails(db: Db, before: Date, day: number, limit: number): Promise<number> {
  await db.run('delete from mail_day where day < $1', [day])
  await db.run('delete from member_mail_day where day < $1', [day])
  return db.run(
    `delete from mail where mail_id in (
       select mail_id from mail where created_at < $1 and state <> 'waiting' order by created_at limit $2
       for update skip locked
     )`,
    [before, limit],
  )
}
