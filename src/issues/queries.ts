// SQL of issues: one statement over everything that a customer has switched on.

import type { Db } from '../platform/database.ts'
import type { IssueCode } from './contract.ts'

export interface IssueRow {
  code: IssueCode
  cid: number
  campaign: string
  pid: number | null
  persona: string | null
  bid: number | null
  banner: string | null
  reasons: string[]
  /** What the issue is about, if that can be counted. */
  counts: number[]
}

export interface IssueQuestion {
  cuid: number
  /** Null: of all campaigns. */
  cid: number | null
  now: Date
  /** Today as yyyymmdd, for the budget and what was served. */
  day: number
  limit: number
}

/** With fewer ads, the share of seen ones says nothing. */
const LEAST_SERVED = 100
/** A phone that changes networks looks like another visitor now and then: reported only above this share. */
const OTHERS_ONE_IN = 5

/** `offset 0` keeps the joins as they are written: campaign by campaign, by index. */
export function selectIssues(db: Db, { cuid, cid, now, day, limit }: IssueQuestion) {
  return db.rows<IssueRow>(
    `with c as (
       select cid, name, daily_spend_micros, cpm_micros from campaign
       where cuid = $1 and deleted_at is null and enabled and end_at > $2 and ($5::bigint is null or cid = $5)
       order by cid desc limit 1000
     ), p as (
       select p.* from c cross join lateral (
         select pid, cid, name, enabled, unknown_places from persona where persona.cid = c.cid and deleted_at is null offset 0
       ) p
     ), b as (
       select b.* from p cross join lateral (
         select bid, pid, name, status, reasons, enabled from banner
         where banner.pid = p.pid and deleted_at is null and p.enabled offset 0
       ) b
     )
     select code, cid, campaign, pid, persona, bid, banner, reasons, counts from (
       select 'no_persona' as code, c.cid, c.name as campaign, null::bigint as pid, null::text as persona,
         null::bigint as bid, null::text as banner, '{}'::text[] as reasons, '{}'::bigint[] as counts
       from c where not exists (select from p where p.cid = c.cid)
       union all
       select 'personas_paused', c.cid, c.name, null, null, null, null, '{}', '{}'
       from c where exists (select from p where p.cid = c.cid) and not exists (select from p where p.cid = c.cid and p.enabled)
       union all
       select 'no_banner', c.cid, c.name, p.pid, p.name, null, null, '{}', '{}'
       from c join p using (cid) where p.enabled and not exists (select from b where b.pid = p.pid)
       union all
       select 'banners_paused', c.cid, c.name, p.pid, p.name, null, null, '{}', '{}'
       from c join p using (cid)
       where p.enabled and exists (select from b where b.pid = p.pid)
         and not exists (select from b where b.pid = p.pid and b.enabled)
       union all
       select 'place_unknown', c.cid, c.name, p.pid, p.name, null, null, array(
         select format('%s is a city that our tables do not know; %s', place->'place',
           coalesce('did you mean ' || (place->>'suggestion') || '?', 'check how it is written'))
         from jsonb_array_elements(p.unknown_places) place), '{}'
       from c join p using (cid) where p.enabled and p.unknown_places <> '[]'
       union all
       select case b.status when 'rejected' then 'banner_rejected' else 'banner_pending' end,
         c.cid, c.name, p.pid, p.name, b.bid, b.name, b.reasons, '{}'
       from b join p using (pid) join c using (cid)
       where b.status = 'rejected' or (b.status = 'pending' and b.reasons <> '{}')
       union all
       select 'budget_spent', c.cid, c.name, null, null, null, null, '{}', '{}'
       from c join budget_day d on d.cid = c.cid and d.day = $3
       where d.spent_micros + c.cpm_micros / 1000 > c.daily_spend_micros
       union all
       select 'ads_unseen', c.cid, c.name, null, null, null, null, '{}', array[d.served, d.seen]
       from c join served_day d on d.cid = c.cid and d.day = $3
       where d.served >= ${LEAST_SERVED} and d.seen * 2 < d.served
       union all
       select f.reason, c.cid, c.name, null, null, null, null, '{}', array[f.imps]
       from c join rollup_filtered f on f.id = c.cid and f.day = to_date($3::text, 'YYYYMMDD')
       left join served_day d on d.cid = c.cid and d.day = $3
       where f.imps > 0 and (f.reason in ('too_many_unseen', 'too_many_seen', 'visitor_share')
         or (f.reason = 'other_visitor' and f.imps * ${OTHERS_ONE_IN} > coalesce(d.served, 0)))
     ) issue order by cid desc, pid nulls first, bid nulls first, code limit $4`,
    [cuid, now, day, limit, cid],
  )
}
