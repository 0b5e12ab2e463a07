// SQL of the cockpit: what is known of all customers of an app, judged and put in order, in one statement. Everything
// is looked up customer by customer and campaign by campaign (`offset 0` keeps the joins as they are written); the page
// and the sums are taken from what was found. It reads rollups and `fresh`, never events.

import type { Db } from '../platform/database.ts'
import { DAYS, type Filter, type HealthCode, IDLE_DAYS, type Level } from './contract.ts'

/** Whose customers: of all of an app, or only these. */
export interface CockpitScope {
  appId: number
  cuids: readonly number[] | null
}

export interface CockpitQuestion {
  now: Date
  /** The deployment's, for customers without one of their own. */
  timeZone: string
  /** Only these, of which a search has found something; null: all. */
  found: readonly number[] | null
  filter: Filter | null
  after: number | null
  limit: number
}

export interface StandingRow {
  cuid: number
  company: string
  email: string
  level: Level
  code: HealthCode
  /** Its day, yyyy-mm-dd. */
  today: string
  zone: string
  running: number
  showing: number
  budget: number
  /** Of campaigns that are to deliver now, the price of the cheapest thousand impressions. */
  cheapest: number | null
  waiting: number
  to_review: number
  stalled: number
  stalled_code: string | null
  refused: number
  next_s: number | null
  spend_today: number
  spend: number
  imps: number
  clicks: number
  balance: number | null
  balance_state: 'ok' | 'low' | 'spent' | null
  proposals: number
}

export interface Sums {
  spend_today: number
  problems: number
  warnings: number
  balance_low: number
  balance_spent: number
  banners: number
  banners_since_s: number | null
  proposals: number
  idle: number
}

export interface WantedSums {
  attention: number
  delivers: number
  idle: number
  customers: number
  spend_today: number
  budget: number
  spend: number
  imps: number
  clicks: number
  balance: number
}

export interface Standing {
  sums: Sums
  wanted: WantedSums
  /** One more than asked for says that there is a next page. */
  page: StandingRow[]
}

/** Refused impressions that somebody has to do something about; fewer than these say nothing. */
const TROUBLE = `('foreign_domain', 'bot', 'other_visitor', 'too_many_seen', 'visitor_share')`
const LEAST_REFUSED = 100
/** A balance that lasts no longer at the speed of the last days is a warning. */
const ENDS_WITHIN_DAYS = 3

/** The app's customers $1, only these of them $2; the moment $3, the deployment's zone $4. */
const MINE = `mine as materialized (
    select cuid, company, email, website is not null as has_site, prepaid, frozen_at is not null as is_frozen,
      api_access, low_balance_micros, timezone_before is not null as has_moved, z.zone,
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
        coalesce(c.cpc_micros * 1000, c.cpm_micros) as price,
        c.enabled and coalesce(f.is_one_now, c.start_at <= $3) and not coalesce(t.is_spent, false) as is_on,
        b.shows_since is not null as shows, greatest(c.start_at, c.updated_at, b.shows_since) as since,
        case when c.enabled then coalesce(f.next_at, case when c.start_at > $3 then c.start_at end) end as next_at
      from (select * from campaign where campaign.cuid = mine.cuid and deleted_at is null and end_at > $3 offset 0) c
        cross join lateral (
          select bool_or(start_at <= $3 and $3 < end_at) as is_one_now, min(start_at) filter (where start_at > $3) as next_at,
            max(fid) filter (where start_at <= $3 and $3 < end_at and total_spend_micros is not null) as paying
          from flight where flight.cid = c.cid and deleted_at is null and not is_default
        ) f
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
          select bool_or(spent_micros > 0 and (limit_micros - spent_micros) * 1000 < coalesce(c.cpc_micros * 1000, c.cpm_micros))
            as is_spent
          from pools_used(array_remove(array[case when c.total_spend_micros is not null then c.cid end, f.paying], null))
          where c.total_spend_micros is not null or f.paying is not null
        ) t
        cross join lateral (
          select coalesce(sum(imps), 0) as refused from rollup_filtered
          where id = c.cid and day >= mine.today - 1 and day <= mine.today and reason in ${TROUBLE}
        ) r
        cross join lateral (
          select max(code) as stalled from stalled
          where stalled.cid = c.cid and ended_at is null and greatest(c.updated_at, b.edited_at) < checked_at
        ) s
    )`

/**
 * Facts of each customer. What is counted and not folded yet comes by customer and day: all of it is read, whoever's it
 * is, because it is little, and to look for each row among ten thousand customers took longer than all the rest.
 */
const FACTS = `fresh_days as materialized (
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
          coalesce(sum(daily_spend_micros) filter (where is_on), 0) as budget, min(price) filter (where is_on) as cheapest,
          coalesce(sum(waiting) filter (where is_on), 0) as waiting, coalesce(sum(to_review), 0) as to_review,
          min(to_review_since) as to_review_since, coalesce(sum(refused) filter (where is_on), 0) as refused,
          coalesce(bool_or(is_on and shows and since <= $3 - interval '1 day'), false) as is_old,
          count(*) filter (where is_on and shows and stalled is not null) as stalled,
          mode() within group (order by stalled) filter (where is_on and shows) as stalled_code,
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
  ), facts as materialized (
    select l.*, l.rolled_today + coalesce(n.spend_today, 0) as spend_today, l.rolled + coalesce(n.spend, 0) as spend,
      l.rolled_imps + coalesce(n.imps, 0) as imps, l.rolled_clicks + coalesce(n.clicks, 0) as clicks,
      l.rolled_late_imps + coalesce(n.late_imps, 0) as late_imps,
      case when not l.prepaid then null when l.balance <= 0 or l.balance * 1000 < l.cheapest then 'spent'
        when l.balance <= l.low_balance_micros then 'low' else 'ok' end as balance_state
    from looked l full join unfolded n on n.cuid = l.cuid where l.cuid is not null
  )`

/** The first of these that is so. The level of a code is in LEVEL. */
const CODE = `case
    when is_frozen then 'frozen'
    when not api_access then 'access_off'
    when running = 0 then case when next_at is not null then 'scheduled' when any_paused then 'paused' else 'no_campaign' end
    when balance_state = 'spent' then 'balance_spent'
    when showing = 0 and waiting > 0 then 'banners_waiting'
    when showing = 0 then 'nothing_to_show'
    when refused >= ${LEAST_REFUSED} and refused > late_imps then 'refused'
    when stalled > 0 and stalled = showing then 'stalled'
    when is_old and late_imps = 0 then 'nothing_delivered'
    when balance_state = 'low' then 'balance_low'
    when balance * ${DAYS - 1} < (spend - spend_today) * ${ENDS_WITHIN_DAYS} then 'balance_ends'
    when stalled > 0 then 'some_stalled'
    when showing < running then 'some_cannot_show'
    else 'delivers'
  end`

const LEVEL = `case
    when code in ('balance_spent', 'nothing_to_show', 'refused', 'stalled', 'nothing_delivered') then 'problem'
    when code in ('frozen', 'banners_waiting', 'balance_low', 'balance_ends', 'some_stalled', 'some_cannot_show')
      then 'warning'
    when code = 'delivers' then 'ok'
    else 'idle'
  end`

/** Looked up only of customers that have nothing to deliver. */
const IS_LONG_IDLE = `level = 'idle' and not exists (
      select from rollup_customer r where r.cuid = coded.cuid and day > coded.today - ${IDLE_DAYS} and day <= coded.today
    )`

/** Only these of all: the filter $6, and what a search has found $5. */
const WANTED = `($5::bigint[] is null or cuid = any($5)) and case $6::text
      when 'problems' then level = 'problem'
      when 'balance' then balance_state in ('low', 'spent')
      when 'banners' then to_review > 0
      when 'proposals' then proposals > 0
      when 'idle' then is_long_idle
      else true
    end`

export async function selectStanding(
  db: Db,
  { appId, cuids }: CockpitScope,
  { now, timeZone, found, filter, after, limit }: CockpitQuestion,
): Promise<Standing> {
  const row = await db.row<Standing>(
    `with ${MINE}, ${FACTS}, judged as materialized (
       select *, ${IS_LONG_IDLE} as is_long_idle
       from (select *, ${LEVEL} as level from (select *, ${CODE} as code from facts) named) coded
     ), wanted as materialized (
       select *, row_number() over (
         order by array_position(array['problem', 'warning', 'ok', 'idle'], level), spend desc, lower(company), cuid
       ) as place
       from judged where ${WANTED}
     )
     select (
       select json_build_object('spend_today', coalesce(sum(spend_today), 0), 'problems', count(*) filter (where level = 'problem'),
         'warnings', count(*) filter (where level = 'warning'),
         'balance_low', count(*) filter (where balance_state in ('low', 'spent')),
         'balance_spent', count(*) filter (where balance_state = 'spent'), 'banners', coalesce(sum(to_review), 0),
         'banners_since_s', extract(epoch from min(to_review_since))::bigint, 'proposals', coalesce(sum(proposals), 0),
         'idle', count(*) filter (where is_long_idle))
       from judged
     ) as sums, (
       select json_build_object('attention', count(*) filter (where level in ('problem', 'warning')),
         'delivers', count(*) filter (where level = 'ok'), 'idle', count(*) filter (where level = 'idle'),
         'customers', count(*), 'spend_today', coalesce(sum(spend_today), 0), 'budget', coalesce(sum(budget), 0),
         'spend', coalesce(sum(spend), 0), 'imps', coalesce(sum(imps), 0), 'clicks', coalesce(sum(clicks), 0),
         'balance', coalesce(sum(balance), 0))
       from wanted
     ) as wanted, (
       select coalesce(json_agg(p order by place), '[]') from (
         select place, cuid, company, email, level, code, to_char(today, 'YYYY-MM-DD') as today, zone, running, showing,
           budget, cheapest, waiting, to_review, refused, stalled, stalled_code, extract(epoch from next_at)::bigint as next_s, spend_today, spend,
           imps, clicks, balance, balance_state, proposals
         from wanted where place > coalesce((select place from wanted where cuid = $7), 0) order by place limit $8
       ) p
     ) as page`,
    [appId, cuids, now, timeZone, found, filter, after, limit + 1],
  )
  return row!
}

/**
 * What was spent today and yesterday until the same quarter of an hour, by each customer's own days. Figures are kept
 * by quarters and by days: of a day that is nearly over, its sum less the quarters after that time is read; of one that
 * has just begun, the quarters before it; whichever are fewer. Days of a customer whose zone has changed need not be
 * those of its figures: of these all quarters are read.
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
