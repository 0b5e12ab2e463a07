// SQL of the watch over campaigns.

import type { Db } from '../platform/database.ts'

export type Phase = 'ahead' | 'begun' | 'over'

export interface WatchedRow {
  cid: number
  phase: Phase
}

/** Campaigns `c` that may have spent the budget of a day, with that day `d`, their watch `w` and their customer `u`. */
const SPENT = `budget_day d join campaign c on c.cid = d.cid
       join campaign_watch w on w.cid = d.cid join customer u on u.cuid = c.cuid
     where d.day = $1 and d.spent_micros > 0 and (c.daily_spend_micros - d.spent_micros) * 1000 < c.cpm_micros
       and c.enabled and c.end_at > $2 and c.deleted_at is null and u.deleted_at is null
       and w.spent_day is distinct from $1`

/** Whether a date has come, and whether a budget of the day may be spent: nearly always neither. */
export async function isAnyDue(
  db: Db,
  day: number,
  now: Date,
): Promise<{ dates: boolean; budgets: boolean }> {
  const row = await db.row<{ dates: boolean; budgets: boolean }>(
    `select exists (select from campaign_watch where due_at <= $2) as dates,
       exists (select from ${SPENT}) as budgets`,
    [day, now],
  )
  return row!
}

/** Takes some that are due until the transaction ends; other processes take others. */
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

/** `dueAt` null: not until an edit. */
export function updateWatched(db: Db, cid: number, phase: Phase, dueAt: Date | null) {
  return db.run(
    `update campaign_watch set phase = $2, due_at = coalesce($3::timestamptz, 'infinity') where cid = $1`,
    [cid, phase, dueAt],
  )
}

/** Campaigns that may have spent the budget of a day without a report of it yet, by id after `after`. */
export function selectSpent(db: Db, day: number, now: Date, after: number, limit: number) {
  return db.rows<{ cid: number; cuid: number }>(
    `select c.cid, c.cuid from ${SPENT} and d.cid > $3 order by d.cid limit $4`,
    [day, now, after, limit],
  )
}

/** Of several that note the same day at once, one gets true. */
export async function noteSpent(db: Db, cid: number, day: number): Promise<boolean> {
  const noted = await db.run(
    'update campaign_watch set spent_day = $2 where cid = $1 and spent_day is distinct from $2',
    [cid, day],
  )
  return noted === 1
}
