// SQL of a page of the cockpit: details of the customers that are shown, and what a search finds. The customers were
// already limited to the caller's scope, or are limited here.

import { lastDayOf, spendByDay } from '../../count/fold/figures-queries.ts'
import { searchedFor } from '../../kernel/text.ts'
import type { Week } from '../../kernel/time/hours.ts'
import { isWanted } from '../../manage/campaigns/state-queries.ts'
import type { Db } from '../../platform/database.ts'
import type { CockpitScope } from './queries.ts'

/** Spend by day, yyyy-mm-dd, of each of these customers since a day. */
export function selectDays(db: Db, cuids: readonly number[], since: string) {
  return db.rows<{ cuid: number; day: string; micros: number }>(
    `select cuid, to_char(day, 'YYYY-MM-DD') as day, sum(spend_micros)::bigint as micros
     from ${spendByDay('$1', '$2')} group by cuid, day`,
    [cuids, since],
  )
}

export interface RunRow {
  cuid: number
  hours: Week | null
  /** Cut to two days around now. */
  start_s: number
  end_s: number
  micros: number
}

/** Daily budgets of the campaigns that run by their dates, added up where hours and dates are the same. */
export function selectRuns(db: Db, cuids: readonly number[], now: Date) {
  return db.rows<RunRow>(
    `select c.cuid, c.hours, extract(epoch from greatest(coalesce(f.start_at, c.start_at), c.created_at, $2 - interval '2 days'))::bigint as start_s,
       extract(epoch from least(coalesce(f.end_at, c.end_at), $2 + interval '2 days'))::bigint as end_s,
       sum(c.daily_spend_micros) as micros
     from unnest($1::bigint[]) as asked(cuid) cross join lateral (
       select * from campaign c where c.cuid = asked.cuid and ${isWanted('$2')} offset 0
     ) c cross join lateral (
       select count(*) as flights, min(start_at) filter (where start_at <= $2 and $2 < end_at) as start_at,
         max(end_at) filter (where start_at <= $2 and $2 < end_at) as end_at
       from flight where flight.cid = c.cid and deleted_at is null and not is_default
     ) f
     where c.start_at <= $2 and (f.flights = 0 or f.start_at is not null)
     group by 1, 2, 3, 4`,
    [cuids, now],
  )
}

/** The last day with an impression, as yyyy-mm-dd. */
export function selectLastDays(db: Db, cuids: readonly number[]) {
  return db.rows<{ cuid: number; day: string }>(
    `select asked.cuid, to_char(r.day, 'YYYY-MM-DD') as day from unnest($1::bigint[]) as asked(cuid) cross join lateral ${lastDayOf('asked.cuid')} r`,
    [cuids],
  )
}

/** The most frequent reason why impressions of a customer were not counted since a day. */
export function selectRefusals(db: Db, cuids: readonly number[], since: string, reasons: readonly string[]) {
  return db.rows<{ cuid: number; reason: string }>(
    `select distinct on (cuid) cuid, reason from (
       select c.cuid, f.reason, sum(f.imps) as imps from unnest($1::bigint[]) as asked(cuid) cross join lateral (
         select cuid, cid from campaign where campaign.cuid = asked.cuid and deleted_at is null offset 0
       ) c cross join lateral (
         select reason, imps from rollup_filtered where id = c.cid and day >= $2 and reason = any($3) offset 0
       ) f group by c.cuid, f.reason
     ) sums order by cuid, imps desc, reason`,
    [cuids, since, reasons],
  )
}

export interface FoundRow {
  cid: number
  cuid: number
  company: string
  name: string
  external_id: string | null
  /** The text that it is found by is not stored yet, so the caller has to check. */
  is_unknown: boolean
}

/** Campaigns of the app, by id, that contain a text, and those whose text is not stored yet. */
export function selectFound(db: Db, { appId, cuids }: CockpitScope, q: string, after: number, limit: number) {
  return db.rows<FoundRow>(
    `with mine as materialized (
       select cuid, company from customer
       where app_id = $1 and deleted_at is null and ($2::bigint[] is null or cuid = any($2))
     )
     select c.cid, mine.cuid, mine.company, c.name, c.external_id, c.searched is null as is_unknown
     from mine cross join lateral (
       select cid, name, external_id, searched from campaign
       where campaign.cuid = mine.cuid and cid > $4 and deleted_at is null
         and (searched is null or position($3 in searched) > 0) offset 0
     ) c order by c.cid limit $5`,
    [appId, cuids, searchedFor(q), after, limit],
  )
}

/** Customers that have a campaign which is switched on and has not ended, in the order of their ids. */
export function selectRunning(
  db: Db,
  { appId, cuids }: CockpitScope,
  now: Date,
  after: number,
  limit: number,
) {
  return db.rows<{ cuid: number; company: string }>(
    `select cuid, company from customer
     where app_id = $1 and cuid > $4 and deleted_at is null and ($2::bigint[] is null or cuid = any($2))
       and exists (
         select from campaign c where c.cuid = customer.cuid and ${isWanted('$3')} offset 0
       )
     order by cuid limit $5`,
    [appId, cuids, now, after, limit],
  )
}

export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
