// SQL of the watch over campaigns.

import type { ZoneBefore } from '../../kernel/time/zones.ts'
import { flightsAt, IS_FLIGHT_SPENT, isWanted, PRICE } from '../../manage/campaigns/state-queries.ts'
import type { Db } from '../../platform/database.ts'

export type Phase = 'ahead' | 'begun' | 'over'

export interface WatchedRow {
  cid: number
  phase: Phase
}

/**
 * Campaigns `c` that may have spent the budget of a day, or a limit above it, with their spend `d`, their watch `w` and
 * their customer `u`. `runs` tells which flights count, and `reported` which campaigns were reported.
 */
const spentOf = (spends: string, { runs, reported }: { runs: string; reported: string }) => `${spends} d
       cross join lateral (select * from campaign where campaign.cid = d.cid offset 0) c
       join campaign_watch w on w.cid = d.cid join customer u on u.cuid = c.cuid
     where d.spent_micros > 0 and ((c.daily_spend_micros - d.spent_micros) * 1000 < ${PRICE} or exists (
         select from pool p
         where p.id in (c.cid, c.cuid, month_pool(c.cid, $1::integer)) and (p.limit_micros - p.granted_micros) * 1000 < ${PRICE}
       ) or exists (
         select from flight f cross join lateral (select * from pool where id = f.fid offset 0) p
         where f.cid = c.cid and f.total_spend_micros is not null and f.deleted_at is null
           and ${runs} and (p.limit_micros - p.granted_micros) * 1000 < ${PRICE}
       ))
       and ${isWanted('$2')} and u.deleted_at is null and not (${reported})`

const TODAY = {
  runs: 'f.start_at <= $2 and $2 < f.end_at',
  reported: `w.spent_day is not distinct from $1 and w.spent_fid = (select coalesce(f.paying, 0) from (select) one ${flightsAt('$2')})`,
}
const BEFORE = { runs: 'f.end_at > $2', reported: 'coalesce(w.spent_day >= $1, false)' }

const EVERYBODY = '(select cid, spent_micros from budget_day where day = $1)'
/**
 * These campaigns and those with the same balance. Shares are looked up campaign by campaign, whatever the planner
 * estimates.
 */
const THESE = `(
       select wanted.cid, s.spent_micros from (
         select unnest($3::bigint[]) as cid union
         select o.cid from unnest($3::bigint[]) as asked(cid)
           cross join lateral (select cuid from campaign where campaign.cid = asked.cid offset 0) c
           cross join lateral (select cuid from customer where customer.cuid = c.cuid and prepaid offset 0) u
           cross join lateral (select cid from campaign where campaign.cuid = u.cuid and deleted_at is null offset 0) o
       ) wanted cross join lateral (
         select sum(billed_micros)::bigint as spent_micros from share where day = $1 and share.cid = wanted.cid offset 0
       ) s
     )`

/** Whether a date is due, which is rare. Ordered, because a condition alone might read the whole table. */
export async function isAnyDue(db: Db, now: Date): Promise<boolean> {
  const first = await db.row('select cid from campaign_watch where due_at <= $1 order by due_at limit 1', [
    now,
  ])
  return first !== null
}

/** The rows stay locked until the transaction ends; other processes get other rows. */
export function lockDue(db: Db, now: Date, limit: number) {
  return db.rows<WatchedRow>(
    `select cid, phase from campaign_watch where due_at <= $1 order by due_at limit $2 for update skip locked`,
    [now, limit],
  )
}

export interface OwnerRow {
  cuid: number
  campaign_there: boolean
  customer_there: boolean
}

export function selectOwner(db: Db, cid: number) {
  return db.row<OwnerRow>(
    `select c.cuid, c.deleted_at is null as campaign_there, u.deleted_at is null as customer_there
     from campaign c join customer u on u.cuid = c.cuid where c.cid = $1`,
    [cid],
  )
}

/** `dueAt` null: not due until an edit. */
export function updateWatched(db: Db, cid: number, phase: Phase, dueAt: Date | null) {
  return db.run(
    `update campaign_watch set phase = $2, due_at = coalesce($3::timestamptz, 'infinity') where cid = $1`,
    [cid, phase, dueAt],
  )
}

export interface SpentRow {
  cid: number
  cuid: number
  /** The customer's zones; see kernel/time/zones.ts. */
  timezone: string | null
  timezone_before: ZoneBefore[] | null
}

/** The campaigns that may have spent the budget of a day and were not reported yet, by id after `after`. */
export function selectAllSpent(db: Db, day: number, now: Date, after: number, limit: number) {
  return db.rows<SpentRow>(
    `select c.cid, c.cuid, u.timezone, u.timezone_before from ${spentOf(EVERYBODY, TODAY)} and d.cid > $3
     order by d.cid limit $4`,
    [day, now, after, limit],
  )
}

export interface SpentBeforeRow extends SpentRow {
  updated_at: Date
}

/** Those that may have spent the budget of a day that ended after `since`, not reported on that day or later. */
export function selectSpentBefore(db: Db, day: number, since: Date, cids: number[] | null) {
  return db.rows<SpentBeforeRow>(
    `select c.cid, c.cuid, u.timezone, u.timezone_before, c.updated_at
     from ${spentOf(cids ? THESE : EVERYBODY, BEFORE)} order by d.cid`,
    [day, since, ...(cids ? [cids] : [])],
  )
}

/** When the last ad or click was that the budget of the day paid for. */
export async function selectLastPaid(db: Db, cid: number, day: number): Promise<Date | null> {
  const PAID = `from event where cid = $1 and budget_day = $2 and ad >= first_ad(to_date($2::text, 'YYYYMMDD') - 1)`
  const row = await db.row<{ at: Date | null }>(
    `select max(at) as at ${PAID} and quarter_number(at) = (
       select quarter_number(at) ${PAID} order by quarter_number(at) desc limit 1
     )`,
    [cid, day],
  )
  return row!.at
}

/** The same for these campaigns only. */
export function selectSpent(db: Db, day: number, now: Date, cids: number[]) {
  return db.rows<SpentRow>(
    `select c.cid, c.cuid, u.timezone, u.timezone_before from ${spentOf(THESE, TODAY)} order by d.cid`,
    [day, now, cids],
  )
}

const NEXT_NUMBER = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint
         + coalesce((select tx_offset from event_numbering), 0)`

export interface Billed {
  /** All events below this number have been seen; no more will come. */
  tx: number
  cids: number[]
}

/** The same without campaigns, before a look at all of them. */
export async function selectNextNumber(db: Db): Promise<Billed> {
  const row = await db.row<{ tx: number }>(`select ${NEXT_NUMBER} as tx`)
  return { tx: row!.tx, cids: [] }
}

/**
 * The campaigns with paid events that transactions from `fromTx` on wrote, found by the page summaries that the export
 * uses too. Today's budget pays for impressions served since yesterday at the earliest, and most clicks come soon;
 * later ones are found when all campaigns are looked at. Two bounds, because with one alone the planner would expect a
 * third of the table.
 */
export async function selectBilled(db: Db, fromTx: number, now: Date): Promise<Billed> {
  const row = await db.row<Billed>(
    `select ${NEXT_NUMBER} as tx,
       array(
         select distinct cid from event
         where tx >= $1 and tx < $2 and ad >= first_ad(($3::timestamptz at time zone 'UTC')::date - 1)
           and (kind = 'i' or (kind = 'c' and spend_micros > 0))
       ) as cids`,
    [fromTx, Number.MAX_SAFE_INTEGER, now],
  )
  return row!
}

export interface PayingRow {
  fid: number
  total_spend_micros: number
  is_spent: boolean
}

/** The running flight with its own total, and whether that is spent. */
export function selectPaying(db: Db, cid: number, now: Date) {
  return db.row<PayingRow>(
    `select p.fid, p.total_spend_micros, coalesce(${IS_FLIGHT_SPENT}, false) as is_spent
     from campaign c ${flightsAt('$2')} join flight p on p.fid = f.paying where c.cid = $1`,
    [cid, now],
  )
}

/**
 * Notes it once per day, and again when another flight pays. If several note the same at once, one gets true. What was
 * already reported, such as a spent day when the next flight begins, is only noted.
 */
export async function noteSpent(db: Db, cid: number, day: number, fid: number, by: string): Promise<boolean> {
  const noted = await db.row<{ is_known: boolean }>(
    `update campaign_watch w set spent_day = $2, spent_fid = $3, spent_by = $4
     from (select cid, spent_day, spent_by from campaign_watch where cid = $1 for update) o
     where w.cid = o.cid and (w.spent_day is distinct from $2 or w.spent_fid <> $3)
     returning coalesce(o.spent_day = $2 and o.spent_by = $4 and $4 <> 'total', false) as is_known`,
    [cid, day, fid, by],
  )
  return noted !== null && !noted.is_known
}
