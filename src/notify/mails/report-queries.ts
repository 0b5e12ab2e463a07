// SQL of the contents of emails: a customer's campaigns in a period, and campaigns that have stopped delivering.

import { byOwn, byQuarter, ofCampaigns, SUMS } from '../../count/fold/figures-queries.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { ZoneBefore } from '../../kernel/time/zones.ts'
import { flightsAt, isNow, isWanted } from '../../manage/campaigns/state-queries.ts'
import type { Db } from '../../platform/database.ts'
import type { Counts } from '../../report/figures/figures.ts'

const QUARTER_MS = 900_000

/** The number of the quarter that contains `at`, and of the first quarter that begins at or after it. */
const quarterOf = (at: Date) => Math.floor(at.getTime() / QUARTER_MS)
const firstQuarterFrom = (at: Date) => Math.ceil(at.getTime() / QUARTER_MS)

export interface CampaignSumRow extends Counts {
  cid: number
  /** The number of all campaigns. */
  of: number
}

const PERIOD = { from: '$2', to: '$3', fromQuarter: '$4', toQuarter: '$5' }

/** The campaigns that had any figures in the period, by spend, including deleted ones, as in the customer's own sum. */
export function sumByCampaign(db: Db, cuid: number, from: Date, to: Date, limit: number) {
  return db.rows<CampaignSumRow>(
    `with mine as materialized (
       select key as cid from ${byOwn('campaign', '$1', { from: '$6::date', to: '$7::date + 1' })}
     ), sums as (
       select key as cid, ${SUMS} from ${byQuarter(ofCampaigns('$1', 'array(select cid from mine)'), PERIOD, id => id)}
       group by key
     )
     select cid, imps, clicks, actions, spend_micros as "spendMicros", value_micros as "valueMicros", count(*) over () as of
     from sums where imps + clicks + actions + spend_micros > 0
     order by spend_micros desc, imps desc, cid limit $8`,
    // A day in one time zone is at most a day away from the same day in another.
    [
      ...[cuid, from, to, quarterOf(from), quarterOf(to)],
      ...[new Date(from.getTime() - DAY_MS), new Date(to.getTime() + DAY_MS), limit],
    ],
  )
}

export interface PaceLagRow {
  cid: number
  budgetMicros: number
  spentMicros: number
}

/** Running campaigns, unchanged `since` that day began, that spent less than this `part` of its budget. */
export function selectPaceLags(
  db: Db,
  question: { cuid: number; now: Date; since: Date; day: number; part: number; limit: number },
) {
  const { cuid, now, since, day, part, limit } = question
  return db.rows<PaceLagRow>(
    `select c.cid, c.daily_spend_micros as "budgetMicros", coalesce(b.spent_micros, 0) as "spentMicros"
     from campaign c ${flightsAt('$2')}
       left join lateral (
         select spent_micros from budget_day where budget_day.cid = c.cid and day = $4 offset 0
       ) b on true
     where c.cuid = $1 and ${isWanted('$2')} and ${isNow('$2')} and c.start_at <= $3 and c.updated_at < $3
       and coalesce(b.spent_micros, 0) < c.daily_spend_micros * $5::float8
     order by c.daily_spend_micros - coalesce(b.spent_micros, 0) desc, c.cid limit $6`,
    [cuid, now, since, day, part, limit],
  )
}

export interface StoppedQuestion {
  now: Date
  /** It has delivered nothing since then. */
  stalledFrom: Date
  /** The least impressions in an equally long time one day earlier, or just before if the campaign is younger. */
  least: number
  after: number
  limit: number
}

export interface StoppedRow {
  cid: number
  cuid: number
  /** The quarter of its last impression. */
  last: Date
  /** The day (yyyymmdd) whose budget it was last seen to have spent. */
  spent_day: number | null
  /** The customer's zones; see kernel/time/zones.ts. */
  timezone: string | null
  timezone_before: ZoneBefore[] | null
}

/** By id, after `after`. Excludes everything that changed or started while it was stalled. */
export function selectStopped(db: Db, question: StoppedQuestion) {
  const { now, stalledFrom, least, after, limit } = question
  const stalledMs = now.getTime() - stalledFrom.getTime()
  const earlier = (at: Date, ms: number) => new Date(at.getTime() - ms)
  const justBefore = earlier(stalledFrom, stalledMs)
  const dayBefore = earlier(stalledFrom, DAY_MS)
  const dayBeforeEnd = earlier(now, DAY_MS)
  return db.rows<StoppedRow>(
    // Never executed as a loop: a full join matches two sets by hashing or sorting, and `offset 0` keeps it a full
    // join.
    `with unfolded as materialized (
       select cid, to_timestamp(max(quarter) * 900.0) as last,
         count(*) filter (where quarter >= $9 and quarter < $10) as day_before,
         count(*) filter (where quarter >= $11 and quarter < $12) as just_before
       from fresh where kind = 'i' group by cid
     ), running as materialized (
       select c.cid, c.cuid, c.start_at, w.spent_day, u.timezone, u.timezone_before from campaign c
         cross join lateral (select phase, spent_day from campaign_watch where campaign_watch.cid = c.cid offset 0) w
         cross join lateral (
           select deleted_at, api_access, timezone, timezone_before from customer where customer.cuid = c.cuid offset 0
         ) u
       where c.cid > $4 and ${isWanted('$1')} and c.updated_at <= $2
         and u.deleted_at is null and u.api_access and w.phase = 'begun'
     )
     select c.cid, c.cuid, last.quarter as last, c.spent_day, c.timezone, c.timezone_before
     from (
       select r.cid, r.cuid, r.start_at, r.spent_day, r.timezone, r.timezone_before, f.last, coalesce(f.day_before, 0) as day_before,
         coalesce(f.just_before, 0) as just_before
       from running r full join unfolded f on f.cid = r.cid offset 0
     ) c
       cross join lateral (
         select greatest(
           (select quarter from rollup where id = c.cid and imps > 0 order by quarter desc limit 1), c.last
         ) as quarter
       ) last
     where c.cid is not null and last.quarter < $2
       and not exists (
         select from mail m
         where m.cuid = c.cuid and m.kind = 'stopped' and m.about = c.cid || ' ' || date_part('epoch', last.quarter)
         offset 0
       )
       and case when c.start_at <= $6 then c.day_before else c.just_before end + (
         select coalesce(sum(imps), 0) from rollup
         where id = c.cid and case when c.start_at <= $6 then quarter >= $6 and quarter < $7
           else quarter >= $8 and quarter < $2 end and quarter >= $6
       ) >= $3
     order by c.cid limit $5`,
    [
      ...[now, stalledFrom, least, after, limit],
      ...[dayBefore, dayBeforeEnd, justBefore],
      ...[dayBefore, dayBeforeEnd, justBefore, stalledFrom].map(firstQuarterFrom),
    ],
  )
}
