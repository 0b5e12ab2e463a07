// SQL of the cockpit: the facts about each customer of an app, in one statement. Everything is looked up customer by
// customer and campaign by campaign (`offset 0` keeps the joins as they are written). It reads rollups and `fresh`, but
// never events. standing.ts draws the conclusions.

import { flightsAt, IS_TOTAL_SPENT, isNow, PRICE } from '../../manage/campaigns/state-queries.ts'
import type { Db } from '../../platform/database.ts'
import { DAYS } from './contract.ts'

/** The customers to show: all of an app, or only these. */
export interface CockpitScope {
  appId: number
  cuids: readonly number[] | null
}

export interface CockpitMoment {
  now: Date
  /** The deployment's zone, for customers without one of their own. */
  timeZone: string
}

export interface FactsRow {
  cuid: number
  company: string
  email: string
  name: string | null
  external_id: string | null
  is_frozen: boolean
  api_access: boolean
  /** The customer's current day, yyyy-mm-dd. */
  today: string
  zone: string
  /** Campaigns that are to deliver now, and those of them that have something to show. */
  running: number
  showing: number
  /** What these may spend on a day: of those that have something to show, of all, and of those that are stuck. */
  budget: number
  ordered: number
  stuck: number
  /** The lowest price per thousand impressions among the campaigns that are to deliver now. */
  cheapest: number | null
  waiting: number
  to_review: number
  review_since_s: number | null
  stalled: number
  stalled_code: string | null
  refused: number
  next_s: number | null
  any_paused: boolean
  /** It has had something to show for at least a day. */
  is_old: boolean
  spend_today: number
  spend: number
  imps: number
  /** Impressions of today and yesterday. */
  late_imps: number
  clicks: number
  /** Null: it does not pay in advance. */
  balance: number | null
  low_balance: number | null
  proposals: number
}

/** Reasons for refused impressions that somebody has to act on. */
export const TROUBLE = ['foreign_domain', 'bot', 'other_visitor', 'too_many_seen', 'visitor_share'] as const

/** The customers of app $1, or only those in $2; at the moment $3, with the deployment's zone $4. */
const MINE = `mine as materialized (
    select cuid, company, email, name, external_id, website is not null as has_site, prepaid,
      frozen_at is not null as is_frozen, api_access, low_balance_micros, timezone_before is not null as has_moved, z.zone,
      ($3::timestamptz at time zone z.zone)::date as today
    from customer cross join lateral (
      select case when timezone_before is null then coalesce(timezone, $4)
        else zone_at(timezone, timezone_before, $3, $4) end as zone offset 0
    ) z
    where app_id = $1 and deleted_at is null and ($2::bigint[] is null or cuid = any($2))
  )`

/** Each campaign of a customer that has not ended: whether it is to deliver now, and what it could show. */
const CAMPAIGNS = `(
      select c.enabled, c.daily_spend_micros, b.to_review, b.to_review_since, b.waiting, r.refused, s.stalled,
        ${PRICE} as price, c.enabled and ${isNow('$3')} and not (${IS_TOTAL_SPENT}) as is_on,
        b.shows_since is not null as shows, greatest(c.start_at, c.updated_at, b.shows_since) as since,
        case when c.enabled then coalesce(f.next_at, case when c.start_at > $3 then c.start_at end) end as next_at
      from (select * from campaign where campaign.cuid = mine.cuid and deleted_at is null and end_at > $3 offset 0) c
        ${flightsAt('$3')}
        cross join lateral (
          select min(x.updated_at) filter (where x.status = 'approved' and x.enabled and p.enabled
              and (x.click_url is not null or mine.has_site)) as shows_since,
            count(x.awaits_person_since) as to_review, min(x.awaits_person_since) as to_review_since,
            count(*) filter (where x.status = 'pending' and x.enabled and p.enabled) as waiting,
            max(p.updated_at) as edited_at
          from persona p cross join lateral (
            select status, enabled, click_url, awaits_person_since, updated_at from banner
            where banner.pid = p.pid and deleted_at is null offset 0
          ) x where p.cid = c.cid and p.deleted_at is null
        ) b
        cross join lateral (
          select coalesce(sum(imps), 0) as refused from rollup_filtered
          where id = c.cid and day >= mine.today - 1 and day <= mine.today and reason in ('${TROUBLE.join("', '")}')
        ) r
        cross join lateral (
          select max(code) as stalled from stalled
          where stalled.cid = c.cid and ended_at is null and greatest(c.updated_at, b.edited_at) < checked_at
        ) s
    )`

/**
 * The facts about each customer. Fresh figures come by customer and day. All of them are read, whoever owns them,
 * because there are few: looking up each row among ten thousand customers took longer than everything else.
 */
const LOOKED = `fresh_days as materialized (
    select cuid, day, count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'c') as clicks,
      sum(spend_micros) as spend_micros
    from fresh group by cuid, day
  ), unfolded as materialized (
    select cuid, coalesce(sum(spend_micros) filter (where day = today), 0) as spend_today, sum(spend_micros) as spend,
      sum(imps) as imps, sum(clicks) as clicks, coalesce(sum(imps) filter (where day >= today - 1), 0) as late_imps
    from (
      select mine.cuid, mine.today, f.day, f.imps, f.clicks, f.spend_micros
      from mine full join fresh_days f on f.cuid = mine.cuid offset 0
    ) both_days where day > today - ${DAYS} and day <= today group by cuid
  ), looked as materialized (
    select mine.*, k.*, f.*, m.balance, p.proposals
    from mine
      cross join lateral (
        select count(*) filter (where is_on) as running, count(*) filter (where is_on and shows) as showing,
          coalesce(sum(daily_spend_micros) filter (where is_on and shows and not mine.is_frozen), 0) as budget,
          coalesce(sum(daily_spend_micros) filter (where is_on), 0) as ordered,
          coalesce(sum(daily_spend_micros) filter (where is_on and (not shows or stalled is not null)), 0) as stuck,
          min(price) filter (where is_on) as cheapest,
          coalesce(sum(waiting) filter (where is_on), 0) as waiting, coalesce(sum(to_review), 0) as to_review,
          min(to_review_since) as to_review_since, coalesce(sum(refused) filter (where is_on), 0) as refused,
          coalesce(bool_or(is_on and shows and since <= $3 - interval '1 day'), false) as is_old,
          count(*) filter (where is_on and shows and stalled is not null) as stalled,
          mode() within group (order by stalled) filter (where is_on and shows and stalled is not null) as stalled_code,
          min(next_at) as next_at, coalesce(bool_or(not enabled), false) as any_paused
        from ${CAMPAIGNS} campaigns
      ) k
      cross join lateral (
        select coalesce(sum(spend_micros) filter (where day = mine.today), 0) as rolled_today,
          coalesce(sum(spend_micros), 0) as rolled, coalesce(sum(imps), 0) as rolled_imps,
          coalesce(sum(clicks), 0) as rolled_clicks,
          coalesce(sum(imps) filter (where day >= mine.today - 1), 0) as rolled_late_imps
        from rollup_customer r where r.cuid = mine.cuid and day > mine.today - ${DAYS} and day <= mine.today
      ) f
      cross join lateral (select case when mine.prepaid then balance_of(mine.cuid) end as balance offset 0) m
      cross join lateral (
        select count(*) as proposals from proposal
        where proposal.cuid = mine.cuid and status = 'pending' and expires_at > $3
      ) p
  )`

/** The facts of all customers, in no order. */
export function selectFacts(db: Db, { appId, cuids }: CockpitScope, { now, timeZone }: CockpitMoment) {
  return db.rows<FactsRow>(
    `with ${MINE}, ${LOOKED}
     select l.cuid, company, email, name, external_id, is_frozen, api_access, to_char(today, 'YYYY-MM-DD') as today, zone,
       running, showing, budget, ordered, stuck, cheapest, waiting, to_review, extract(epoch from to_review_since)::bigint as review_since_s,
       stalled, stalled_code, refused, extract(epoch from next_at)::bigint as next_s, any_paused, is_old,
       rolled_today + coalesce(n.spend_today, 0) as spend_today, rolled + coalesce(n.spend, 0) as spend,
       rolled_imps + coalesce(n.imps, 0) as imps, rolled_late_imps + coalesce(n.late_imps, 0) as late_imps,
       rolled_clicks + coalesce(n.clicks, 0) as clicks, balance, low_balance_micros as low_balance, proposals
     from looked l full join unfolded n on n.cuid = l.cuid where l.cuid is not null`,
    [appId, cuids, now, timeZone],
  )
}

/**
 * What was spent today and yesterday up to the same quarter of an hour, by each customer's own days. Figures are kept
 * by quarter and by day. For a day that is nearly over, the later quarters are subtracted from its sum; for a day that
 * has just begun, the earlier quarters are added: whichever are fewer. If a customer's zone has changed, its days need
 * not be those of its figures, so all quarters are read.
 */
export async function selectUntil(
  db: Db,
  { appId, cuids }: CockpitScope,
  { until, timeZone }: { until: Date; timeZone: string },
): Promise<{ today: number; yesterday: number }> {
  const row = await db.row<{ today: number; yesterday: number }>(
    `with ${MINE}, spans as materialized (
       select *, not has_moved and same_time - yesterday_at > today_at - same_time as is_late from (
         select cuid, today, has_moved, today::timestamp at time zone zone as today_at,
           (today - 1)::timestamp at time zone zone as yesterday_at,
           (($3 at time zone zone) - interval '1 day') at time zone zone as same_time
         from mine
       ) times
     ), fresh_quarters as materialized (
       select cuid, to_timestamp(quarter * 900::bigint) as quarter, sum(spend_micros) as spend_micros
       from fresh group by cuid, quarter
     )
     select coalesce(sum(today), 0) as today, coalesce(sum(yesterday), 0) as yesterday from (
       select case when has_moved then t.spend_micros else d.today - t.spend_micros end as today,
         case when is_late then d.yesterday - y.spend_micros else y.spend_micros end as yesterday
       from spans cross join lateral (
         select coalesce(sum(spend_micros) filter (where day = spans.today), 0) as today,
           coalesce(sum(spend_micros) filter (where day = spans.today - 1), 0) as yesterday
         from rollup_customer where rollup_customer.cuid = spans.cuid and day >= spans.today - 1 and day <= spans.today offset 0
       ) d cross join lateral (
         select coalesce(sum(spend_micros), 0) as spend_micros from rollup
         where id = spans.cuid and quarter >= case when has_moved then today_at else $3 end
           and quarter < case when has_moved then $3 else 'infinity' end offset 0
       ) t cross join lateral (
         select coalesce(sum(spend_micros), 0) as spend_micros from rollup
         where id = spans.cuid and quarter >= case when is_late then same_time else yesterday_at end
           and quarter < case when is_late then today_at else same_time end offset 0
       ) y
       union all
       select case when quarter >= today_at and quarter < $3 then spend_micros end,
         case when quarter >= yesterday_at and quarter < same_time then spend_micros end
       from (
         select s.today_at, s.yesterday_at, s.same_time, f.quarter, f.spend_micros
         from spans s full join fresh_quarters f on f.cuid = s.cuid offset 0
       ) unfolded where quarter is not null
     ) parts`,
    [appId, cuids, until, timeZone],
  )
  return row!
}
