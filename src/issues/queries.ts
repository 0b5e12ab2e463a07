// SQL of issues: one statement over what a customer has on.

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
}

/**
 * `day`: today as yyyymmdd, for the budget. `offset 0` keeps the joins as they are written: campaign by campaign, by index.
 */
export function selectIssues(db: Db, cuid: number, now: Date, day: number, limit: number) {
  return db.rows<IssueRow>(
    `with c as (
       select cid, name, daily_spend_micros, cpm_micros from campaign
       where cuid = $1 and deleted_at is null and enabled and end_at > $2
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
     select code, cid, campaign, pid, persona, bid, banner, reasons from (
       select 'no_persona' as code, c.cid, c.name as campaign, null::bigint as pid, null::text as persona,
         null::bigint as bid, null::text as banner, '{}'::text[] as reasons
       from c where not exists (select from p where p.cid = c.cid)
       union all
       select 'personas_paused', c.cid, c.name, null, null, null, null, '{}'
       from c where exists (select from p where p.cid = c.cid) and not exists (select from p where p.cid = c.cid and p.enabled)
       union all
       select 'no_banner', c.cid, c.name, p.pid, p.name, null, null, '{}'
       from c join p using (cid) where p.enabled and not exists (select from b where b.pid = p.pid)
       union all
       select 'banners_paused', c.cid, c.name, p.pid, p.name, null, null, '{}'
       from c join p using (cid)
       where p.enabled and exists (select from b where b.pid = p.pid)
         and not exists (select from b where b.pid = p.pid and b.enabled)
       union all
       select 'place_unknown', c.cid, c.name, p.pid, p.name, null, null, array(
         select format('%s is a city that our tables do not know; %s', place->'place',
           coalesce('did you mean ' || (place->>'suggestion') || '?', 'check how it is written'))
         from jsonb_array_elements(p.unknown_places) place)
       from c join p using (cid) where p.enabled and p.unknown_places <> '[]'
       union all
       select case b.status when 'rejected' then 'banner_rejected' else 'banner_pending' end,
         c.cid, c.name, p.pid, p.name, b.bid, b.name, b.reasons
       from b join p using (pid) join c using (cid)
       where b.status = 'rejected' or (b.status = 'pending' and b.reasons <> '{}')
       union all
       select 'budget_spent', c.cid, c.name, null, null, null, null, '{}'
       from c join budget_day d on d.cid = c.cid and d.day = $3
       where d.spent_micros + c.cpm_micros / 1000 > c.daily_spend_micros
     ) issue order by cid desc, pid nulls first, bid nulls first limit $4`,
    [cuid, now, day, limit],
  )
}
