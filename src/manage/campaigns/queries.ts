// SQL of campaigns. Every read is scoped to the customer that owns the campaign, and excludes deleted campaigns.

import { searchable, searchedFor } from '../../kernel/text.ts'
import type { Week } from '../../kernel/time/hours.ts'
import type { ZoneBefore } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import type { Campaign, HistoryEntry, Missing } from './contract.ts'
import type { Run } from './status.ts'

export interface CampaignFields {
  name: string
  start_at: Date
  end_at: Date
  enabled: boolean
  freq: number
  daily_spend_micros: number
  /** Null: no limit. */
  total_spend_micros: number | null
  cpm_micros: number
  /** What a click costs; null: impressions are paid for. */
  cpc_micros: number | null
  category: string[]
  pacing: 'even' | 'asap'
  /** Null: always. */
  hours: Week | null
  external_id: string | null
  metadata: Record<string, string>
}

export interface CampaignRow extends CampaignFields {
  cid: number
  cuid: number
  /** The last price of a click, while impressions are paid for. */
  cpc_aside_micros: number | null
  version: number
  created_at: Date
  updated_at: Date
  /** Whether its customer pays in advance. */
  prepaid: boolean
  /** Whether its customer is frozen. */
  frozen: boolean
  /** Its own flights (without the born one), in time order. */
  own_flights: Run[]
}

const COLUMNS = `c.cid, c.cuid, c.name, c.start_at, c.end_at, c.enabled, c.freq, c.daily_spend_micros,
  c.total_spend_micros, c.cpm_micros, c.cpc_micros, c.cpc_aside_micros, c.category, c.pacing, c.hours, c.external_id,
  c.metadata, c.version, c.created_at, c.updated_at, (select prepaid from customer u where u.cuid = c.cuid) as prepaid,
  (select frozen_at is not null from customer u where u.cuid = c.cuid) as frozen,
  coalesce((select jsonb_agg(jsonb_build_object('startS', extract(epoch from f.start_at)::bigint,
      'endS', extract(epoch from f.end_at)::bigint, 'hasTotal', f.total_spend_micros is not null) order by f.start_at)
    from flight f where f.cid = c.cid and f.deleted_at is null and not f.is_default), '[]') as own_flights`

function fieldValues(fields: CampaignFields): unknown[] {
  const { name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing } = fields
  const { hours, external_id, metadata, total_spend_micros, cpc_micros } = fields
  return [
    ...[name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing],
    hours,
    external_id,
    JSON.stringify(metadata),
    searchable([name, external_id]),
    total_spend_micros,
    cpc_micros,
  ]
}

const INSERT = `insert into campaign as c (cuid, created_at, updated_at,
    name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing,
    hours, external_id, metadata, searched, total_spend_micros, cpc_micros)
  values ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
  returning ${COLUMNS}`

export async function insertCampaign(db: Db, cuid: number, fields: CampaignFields, now: Date) {
  return (await db.row<CampaignRow>(INSERT, [cuid, now, ...fieldValues(fields)]))!
}

const SELECT = `select ${COLUMNS} from campaign c where c.cid = $1 and c.cuid = $2 and c.deleted_at is null`

export function selectCampaign(db: Db, cuid: number, cid: number) {
  return db.row<CampaignRow>(SELECT, [cid, cuid])
}

/** Every change of a campaign or its flights locks this row first, so that changes happen one after another. */
export function lockCampaign(db: Db, cid: number) {
  return db.row<CampaignRow>(
    `select ${COLUMNS} from campaign c where c.cid = $1 and c.deleted_at is null for update of c`,
    [cid],
  )
}

/** The campaigns with this id of the app's system, locked for update. */
export function lockCampaignsByExternalId(db: Db, cuid: number, externalId: string, limit: number) {
  return db.rows<CampaignRow>(
    `select ${COLUMNS} from campaign c
     where c.cuid = $1 and c.external_id = $2 and c.deleted_at is null order by c.cid limit $3 for update of c`,
    [cuid, externalId, limit],
  )
}

export function selectCampaigns(db: Db, cuid: number, after: number, limit: number) {
  return db.rows<CampaignRow>(
    `select ${COLUMNS} from campaign c
     where c.cuid = $1 and c.cid > $2 and c.deleted_at is null order by c.cid limit $3`,
    [cuid, after, limit],
  )
}

/** The campaigns that were deleted after `since`. */
export function selectDeletedCampaigns(db: Db, cuid: number, after: number, limit: number, since: Date) {
  return db.rows<CampaignRow & { deleted_at: Date }>(
    `select ${COLUMNS}, c.deleted_at from campaign c
     where c.cuid = $1 and c.cid > $2 and c.deleted_at is not null and c.deleted_at > $4 order by c.cid limit $3`,
    [cuid, after, limit, since],
  )
}

/** The time zones of a customer; see kernel/time/zones.ts. */
export interface ZoneRow {
  timezone: string | null
  timezone_before: ZoneBefore[] | null
}

export function selectZone(db: Db, cuid: number) {
  return db.row<ZoneRow>('select timezone, timezone_before from customer where cuid = $1', [cuid])
}

export interface Wanted {
  now: Date
  /** The day whose spend counts, yyyymmdd; null: no campaign has spent anything. */
  day: number | null
  /** The weekday (0 is Monday) and hour in the customer's time zone. */
  weekHour: { day: number; hour: number }
  status?: Campaign['status']
  q?: string
  externalId?: string
  /** What is left of the customer's balance; null: the customer does not pay in advance. */
  balanceMicros: number | null
}

/** What a budget must have left to buy another impression or click, times 1000. */
const PRICE = 'coalesce(c.cpc_micros * 1000, c.cpm_micros)'

/**
 * `statusOf` (status.ts) in SQL; reads no more than it needs to decide. Parameters: $4 now, $5 the day whose spend
 * counts, $9 weekday, $10 hour, $11 what is left of the customer's balance. A campaign is incomplete when it has
 * nothing to show (see selectMissing). A test checks that both agree.
 */
const STATUS = `case
    when coalesce(f.are_over, c.end_at <= $4) then 'ended'
    when not c.enabled then 'paused'
    when (select frozen_at is not null from customer where cuid = $1) then 'frozen'
    when not coalesce(f.is_one_now, c.start_at <= $4 and $4 < c.end_at) then 'scheduled'
    when (
      select sum(s.billed_micros) > 0 and (c.daily_spend_micros - sum(s.billed_micros)) * 1000 < ${PRICE}
      from share s where s.day = $5 and s.cid = c.cid
    ) then 'spent'
    when c.total_spend_micros is not null and (
      select spent_micros > 0 and (limit_micros - spent_micros) * 1000 < ${PRICE} from pools_used(array[c.cid])
    ) then 'spent'
    when f.paying is not null and (
      select spent_micros > 0 and (limit_micros - spent_micros) * 1000 < ${PRICE} from pools_used(array[f.paying])
    ) then 'spent'
    when $11::bigint * 1000 < ${PRICE} then 'spent'
    when (c.hours[$9::integer + 1] >> $10::integer) & 1 = 0 then 'off_hours'
    when exists (
      select from persona p cross join lateral (
        select click_url from banner
        where banner.pid = p.pid and banner.enabled and status = 'approved' and banner.deleted_at is null offset 0
      ) b
      where p.cid = c.cid and p.enabled and p.deleted_at is null
        and (b.click_url is not null or (select website from customer u where u.cuid = c.cuid) is not null)
    ) then 'running'
    else 'incomplete'
  end`

/** A page of the wanted campaigns. It includes those without a search text yet, which the caller must check itself. */
export function selectWanted(db: Db, cuid: number, after: number, limit: number, wanted: Wanted) {
  const { now, day, weekHour, status = null, q, externalId = null, balanceMicros } = wanted
  return db.rows<CampaignRow>(
    `select ${COLUMNS} from campaign c
       cross join lateral (
         select bool_and(end_at <= $4) as are_over, bool_or(start_at <= $4 and $4 < end_at) as is_one_now,
           max(fid) filter (where start_at <= $4 and $4 < end_at and total_spend_micros is not null) as paying
         from flight where flight.cid = c.cid and deleted_at is null and not is_default
       ) f
     where c.cuid = $1 and c.cid > $2 and c.deleted_at is null and ($6::text is null or c.external_id = $6)
       and ($7::text is null or c.searched is null or position($7 in c.searched) > 0) and ($8::text is null or $8 = ${STATUS})
     order by c.cid limit $3`,
    [
      ...[cuid, after, limit, now, day, externalId, q === undefined ? null : searchedFor(q), status],
      ...[weekHour.day, weekHour.hour, balanceMicros],
    ],
  )
}

/**
 * What is left of each campaign's limits above days: `total_left` is that of its life or of the running flight,
 * whichever is less; `balance_left` is that of the balance. Null: no such limit.
 */
export function selectLeft(db: Db, cids: number[], now: Date) {
  return db.rows<{ cid: number; total_left: number | null; balance_left: number | null }>(
    `with c as materialized (
       select cid, cuid, total_spend_micros, (select prepaid from customer u where u.cuid = campaign.cuid) as prepaid
       from campaign where cid = any($1)
     ), balance as materialized (
       select * from pools_used(array(select distinct cuid from c where prepaid))
     )
     select c.cid, least(case when t.spent_micros > 0 then t.limit_micros - t.spent_micros end,
         case when f.spent_micros > 0 then f.limit_micros - f.spent_micros end) as total_left,
       b.limit_micros - b.spent_micros as balance_left
     from c left join lateral (select * from pools_used(array[c.cid]) where c.total_spend_micros is not null) t on true
       left join lateral (
         select used.* from flight cross join lateral pools_used(array[flight.fid]) used
         where flight.cid = c.cid and flight.total_spend_micros is not null and deleted_at is null
           and start_at <= $2 and $2 < end_at
       ) f on true
       left join balance b on b.id = c.cuid`,
    [cids, now],
  )
}

/** What is left of the customer's balance; null: the customer does not pay in advance. */
export async function selectBalanceLeft(db: Db, cuid: number): Promise<number | null> {
  const row = await db.row<{ left: number }>(
    `select limit_micros - spent_micros as left from pools_used(array[$1::bigint])
     where (select prepaid from customer where cuid = $1)`,
    [cuid],
  )
  return row?.left ?? null
}

/** Fills in the search text of up to `limit` campaigns that the previous version wrote; returns how many. */
export async function fillSearched(db: Db, limit: number): Promise<number> {
  const rows = await db.rows<{ cid: number; name: string; external_id: string | null }>(
    'select cid, name, external_id from campaign where searched is null and cid > 0 order by cid limit $1',
    [limit],
  )
  await db.run(
    `update campaign c set searched = f.searched
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as f(cid, name, external_id, searched)
     where c.cid = any($1) and c.cid = f.cid and c.name = f.name and c.external_id is not distinct from f.external_id`,
    [
      rows.map(row => row.cid),
      rows.map(row => row.name),
      rows.map(row => row.external_id),
      rows.map(row => searchable([row.name, row.external_id])),
    ],
  )
  return rows.length
}

export async function updateCampaign(db: Db, cid: number, fields: CampaignFields, now: Date) {
  return (await db.row<CampaignRow>(
    `update campaign c set updated_at = $2, version = version + 1, name = $3, start_at = $4, end_at = $5,
       enabled = $6, freq = $7, daily_spend_micros = $8, cpm_micros = $9, category = $10, pacing = $11,
       hours = $12, external_id = $13, metadata = $14, searched = $15, total_spend_micros = $16, cpc_micros = $17,
       cpc_aside_micros = case when $17::bigint is null then coalesce(c.cpc_micros, c.cpc_aside_micros) end
     where c.cid = $1 returning ${COLUMNS}`,
    [cid, now, ...fieldValues(fields)],
  ))!
}

export function hideCampaign(db: Db, cid: number, now: Date) {
  return db.run(
    'update campaign set deleted_at = $2, updated_at = $2, version = version + 1 where cid = $1 and deleted_at is null',
    [cid, now],
  )
}

/**
 * What each of these campaigns lacks to deliver; campaigns that lack nothing have no row. As in the catalog, a banner
 * is shown when it and its persona are enabled, it is approved, and a click on it leads somewhere.
 */
export function selectMissing(db: Db, cids: number[]) {
  return db.rows<{ cid: number; missing: Missing[] }>(
    `select c.cid, case
         when not p.any_there then array['no_persona']
         when not p.any_on then array['personas_paused']
         when not b.any_there then array['no_banner']
         else array_remove(array[
           case when b.any_paused then 'banners_paused' end,
           case when b.any_pending then 'banner_pending' end,
           case when b.any_rejected then 'banner_rejected' end,
           case when b.any_without_url then 'no_click_url' end], null)
       end as missing
     from unnest($1::bigint[]) as wanted(cid)
     cross join lateral (select * from campaign where campaign.cid = wanted.cid offset 0) c
     cross join lateral (
       select count(*) > 0 as any_there, coalesce(bool_or(enabled), false) as any_on
       from persona where persona.cid = c.cid and deleted_at is null
     ) p
     cross join lateral (select website from customer where customer.cuid = c.cuid offset 0) u
     cross join lateral (
       select count(*) > 0 as any_there,
         coalesce(bool_or(status = 'approved' and enabled and url is not null), false) as any_live,
         coalesce(bool_or(status = 'approved' and not enabled), false) as any_paused,
         coalesce(bool_or(status = 'pending'), false) as any_pending,
         coalesce(bool_or(status = 'rejected'), false) as any_rejected,
         coalesce(bool_or(status = 'approved' and enabled and url is null), false) as any_without_url
       from (
         select banner.status, banner.enabled, coalesce(banner.click_url, u.website) as url
         from persona q cross join lateral (
           select * from banner where banner.pid = q.pid and deleted_at is null offset 0
         ) banner
         where q.cid = c.cid and q.deleted_at is null and q.enabled
       ) shown
     ) b
     where not b.any_live`,
    [cids],
  )
}

export interface HistoryRow {
  audit_id: number
  at: Date
  noun: HistoryEntry['noun']
  id: number
  action: string
  actor: string
  before: object | null
  after: object | null
}

export function selectHistory(db: Db, cid: number, after: number, limit: number) {
  return db.rows<HistoryRow>(
    `select audit_id, at, noun, id, action, actor, before, after from audit
     where cid = $1 and audit_id > $2 order by audit_id limit $3`,
    [cid, after, limit],
  )
}
