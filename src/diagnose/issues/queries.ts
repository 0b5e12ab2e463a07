// SQL of issues: one statement over everything that a customer has switched on.

import { unseenNow } from '../../manage/attributes/unseen-queries.ts'
import { pageKeyOf } from '../../manage/banners/landing/key-queries.ts'
import {
  flightsAt,
  IS_FLIGHT_SPENT,
  IS_LIFE_SPENT,
  isBalanceSpent,
  isClosed,
  isDaySpent,
  isMonthSpent,
  isNow,
  isWanted,
} from '../../manage/campaigns/state-queries.ts'
import type { Db } from '../../platform/database.ts'
import type { IssueCode } from './contract.ts'

export interface IssueRow {
  code: IssueCode
  cid: number
  campaign: string
  pid: number | null
  persona: string | null
  bid: number | null
  banner: string | null
  /** For a banner: the sentences of its review. */
  reasons: string[]
  /**
   * For a banner the findings of its review, for a persona its unknown places or unseen attributes, for hours the week
   * and the runs, for a stalled campaign the values of its finding; otherwise counts, if any.
   */
  facts: unknown
}

export interface IssueQuestion {
  cuid: number
  /** Null: all campaigns. */
  cid: number | null
  now: Date
  /** The customer's today as yyyymmdd. */
  day: number
  /** The customer's current hour of the week; day 0 is Monday. */
  weekHour: { day: number; hour: number }
  limit: number
}

/** With fewer ads, the share that was seen means nothing. */
const LEAST_SERVED = 100
/** A phone that changes networks sometimes looks like another visitor, so this is reported only above this share. */
const OTHERS_ONE_IN = 5
/** Other refusals are reported only above these limits, because there are always some. */
const LEAST_REFUSED = 100
const REFUSED_ONE_IN = 10

const SERVED = '(select served, seen from served_day where served_day.cid = c.cid and day = $3 offset 0)'

/** The runs of a campaign: its own flights, or its dates. */
const RUNS = `(
         select coalesce(jsonb_agg(jsonb_build_object('startS', extract(epoch from start_at)::bigint,
             'endS', extract(epoch from end_at)::bigint)),
             jsonb_build_array(jsonb_build_object('startS', extract(epoch from c.start_at)::bigint,
             'endS', extract(epoch from c.end_at)::bigint)))
         from flight where flight.cid = c.cid and deleted_at is null and not is_default
       )`

/** What personas and banners lack. */
const OF_OBJECTS = `select 'no_persona' as code, cid, campaign, null::bigint as pid, null::text as persona, null::bigint as bid,
         null::text as banner, '{}'::text[] as reasons, '[]'::jsonb as facts
       from shown where personas = 0
       union all
       select 'personas_paused', cid, campaign, null, null, null, null, '{}', '[]'
       from shown where nth_of_campaign = 1 and not any_persona_on
       union all
       select case when banners = 0 then 'no_banner' else 'banners_paused' end, cid, campaign, pid, persona, null, null, '{}',
         '[]'
       from shown where enabled and nth_of_persona = 1 and (banners = 0 or not any_banner_on)
       union all
       select 'place_unknown', cid, campaign, pid, persona, null, null, '{}', unknown_places
       from shown where enabled and nth_of_persona = 1 and unknown_places <> '[]'
       union all
       select 'attribute_unseen', cid, campaign, pid, persona, null, null, '{}', unseen from (
         select *, ${unseenNow('app_id', 'attributes', 'unseen_values', '$2')} as unseen from shown
         where enabled and nth_of_persona = 1
       ) wanting where unseen is not null
       union all
       select case status when 'rejected' then 'banner_rejected' else 'banner_pending' end, cid, campaign, pid, persona, bid,
         banner, reasons, findings
       from shown where status = 'rejected' or (status = 'pending' and reasons <> '{}')`

/** Where its clicks lead. If no page of the customer is broken, no key is computed. */
const OF_PAGES = `select code, cid, campaign, pid, persona, bid, banner, reasons, findings from (
         select distinct on (cid, page_key) 'landing_page' as code, cid, campaign, pid, persona, bid, banner,
           '{}'::text[] as reasons, page.findings
         from shown join page on page.page_key = ${pageKeyOf('shown.click_url', 'shown.click_parameters')}
         where enabled and banner_enabled and status = 'approved' order by cid, page_key, bid
       ) led`

/** What keeps the campaign as a whole. */
const OF_CAMPAIGN = `select 'budget_spent', c.cid, c.name, null, null, null, null, '{}', '[]'
       from c where ${isDaySpent('$3')}
       union all
       select 'month_spent', c.cid, c.name, null, null, null, null, '{}', '[]'
       from c where ${isMonthSpent('$3')}
       union all
       select 'total_spent', cid, name, null, null, null, null, '{}', case when flight is null then '[]' else jsonb_build_array(flight) end
       from (
         select c.cid, c.name, ${IS_LIFE_SPENT} as is_life,
           case when ${IS_FLIGHT_SPENT} then (select name from flight where fid = f.paying) end as flight
         from c ${flightsAt('$2')}
       ) totals where is_life or flight is not null
       union all
       select 'balance_spent', c.cid, c.name, null, null, null, null, '{}', '[]'
       from c where ${isBalanceSpent('$1')}
       union all
       select 'off_hours', c.cid, c.name, null, null, null, null, '{}', jsonb_build_object('week', c.hours, 'runs', ${RUNS})
       from c ${flightsAt('$2')}
       where ${isClosed({ weekday: '$6', hour: '$7' })} and ${isNow('$2')}
       union all
       select 'frozen', c.cid, c.name, null, null, null, null, '{}', '[]'
       from customer u cross join c where u.cuid = $1 and u.frozen_at is not null`

/** What happens to its ads. */
const OF_DELIVERY = `select 'ads_unseen', c.cid, c.name, null, null, null, null, '{}', jsonb_build_array(d.served, d.seen)
       from c cross join lateral ${SERVED} d
       where d.served >= ${LEAST_SERVED} and d.seen * 2 < d.served
       union all
       select f.reason, c.cid, c.name, null, null, null, null, '{}', jsonb_build_array(f.imps)
       from c cross join lateral (
         select reason, imps from rollup_filtered where id = c.cid and day = to_date($3::text, 'YYYYMMDD') offset 0
       ) f left join lateral ${SERVED} d on true
       where f.imps > 0 and (f.reason in ('too_many_unseen', 'too_many_seen', 'visitor_share')
         or (f.reason = 'other_visitor' and f.imps * ${OTHERS_ONE_IN} > coalesce(d.served, 0))
         or (f.reason in ('foreign_domain', 'bot', 'late') and f.imps >= ${LEAST_REFUSED}
           and f.imps * ${REFUSED_ONE_IN} > coalesce(d.served, 0)))
       union all
       select s.code, c.cid, c.name, null, null, null, null, '{}', s.params
       from c cross join lateral (
         select code, params, checked_at from stalled where stalled.cid = c.cid and ended_at is null offset 0
       ) s cross join lateral (
         select max(updated_at) as at from persona where persona.cid = c.cid and deleted_at is null offset 0
       ) edited
       where greatest(c.updated_at, edited.at) < s.checked_at`

/**
 * Everything is looked up campaign by campaign (`offset 0` keeps the joins as they are written). What concerns a
 * campaign or persona as a whole is counted beside each of its rows, so that no set is searched for each row of
 * another.
 */
export function selectIssues(db: Db, { cuid, cid, now, day, weekHour, limit }: IssueQuestion) {
  return db.rows<IssueRow>(
    `with c as materialized (
       select cid, cuid, name, daily_spend_micros, monthly_spend_micros, total_spend_micros, cpm_micros, cpc_micros, start_at,
         end_at, hours, updated_at, click_parameters
       from campaign c where c.cuid = $1 and ${isWanted('$2')} and ($5::bigint is null or cid = $5)
       order by cid desc limit 1000
     ), page as materialized (
       select page_key, findings from landing_page where cuid = $1 and findings <> '[]'
     ), shown as materialized (
       select c.cid, c.name as campaign, p.pid, p.name as persona, p.enabled, p.unknown_places,
         p.attributes, p.unseen_values, u.app_id, b.bid, b.name as banner,
         b.status, b.reasons, b.findings, b.enabled as banner_enabled,
         coalesce(b.click_url, u.website) as click_url,
         coalesce(b.click_parameters, c.click_parameters, u.click_parameters) as click_parameters, row_number() over of_campaign as nth_of_campaign, count(p.pid) over of_campaign as personas,
         bool_or(p.enabled) over of_campaign as any_persona_on, row_number() over of_persona as nth_of_persona,
         count(b.bid) over of_persona as banners, bool_or(b.enabled) over of_persona as any_banner_on
       from c join customer u on u.cuid = $1
         left join lateral (
           select pid, name, enabled, unknown_places, attributes, unseen_values from persona
           where persona.cid = c.cid and deleted_at is null offset 0
         ) p on true
         left join lateral (
           select bid, name, status, reasons, findings, enabled, click_url, click_parameters from banner
           where banner.pid = p.pid and deleted_at is null and p.enabled offset 0
         ) b on true
       window of_campaign as (partition by c.cid), of_persona as (partition by c.cid, p.pid)
     )
     select code, cid, campaign, pid, persona, bid, banner, reasons, facts from (
       ${OF_OBJECTS}
       union all
       ${OF_PAGES}
       union all
       ${OF_CAMPAIGN}
       union all
       ${OF_DELIVERY}
     ) issue order by cid desc, pid nulls first, bid nulls first, code limit $4`,
    [cuid, now, day, limit, cid, weekHour.day, weekHour.hour],
  )
}

/** What each of these campaigns may spend a day, in micros. */
export async function selectDailySpend(db: Db, cids: number[]): Promise<Map<number, number>> {
  const rows = await db.rows<{ cid: number; micros: number }>(
    'select cid, daily_spend_micros as micros from campaign where cid = any($1::bigint[])',
    [cids],
  )
  return new Map(rows.map(({ cid, micros }) => [cid, micros]))
}
