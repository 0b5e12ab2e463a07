// SQL for the catalog: what may be served, by pages and by ids, and the record of changes.

import type { Rotation } from '../../kernel/rotation.ts'
import type { StoredSites } from '../../kernel/sites.ts'
import type { Week } from '../../kernel/time/hours.ts'
import type { ZoneBefore } from '../../kernel/time/zones.ts'
import type { WantedAttributes } from '../../manage/attributes/contract.ts'
import { ABOVE_BANNER, type AboveBanner } from '../../manage/banners/click-url-queries.ts'
import type { Demo, Device, Geo } from '../../manage/personas/contract.ts'
import type { Db } from '../../platform/database.ts'

export const PAGE_ROWS = 5_000
/** The number is in the text, so that the planner knows how few rows are wanted. */
const PAGE = `limit ${PAGE_ROWS}`

export interface CampaignRow {
  cid: number
  cuid: number
  app_id: number
  company: string
  /** The campaign is on, and so is its customer's API access. */
  enabled: boolean
  frozen: boolean
  freq: number
  daily_spend_micros: number
  monthly_spend_micros: number | null
  total_spend_micros: number | null
  /** Null: the customer pays afterwards. */
  credited_micros: number | null
  cpm_micros: number
  /** Null: impressions are paid for. */
  cpc_micros: number | null
  category: string[]
  /** Equal as long as the clicks on its banners lead where they led. */
  click_names: number
  pacing: 'even' | 'asap'
  hours: Week | null
  /** Of the campaign, and of its customer; null: everywhere. */
  sites: StoredSites | null
  customer_sites: StoredSites | null
  /** Its customer's; see kernel/time/zones.ts. */
  timezone: string | null
  timezone_before: ZoneBefore[] | null
  /** [fid, start, end, total] in Unix seconds and micros: its own flights if it has any, otherwise the born one. */
  flights: [number, number, number, number | null][] | null
}

export interface PersonaRow {
  pid: number
  cid: number
  geo: Geo
  cat: string[]
  device: Device
  demo: Demo
  attributes: WantedAttributes
  rotation: Rotation
  /** [bid, width, height, type, animated, creative name, click URL, what finishes it, weight] of approved banners. */
  banners: [number, number, number, string, boolean, string, string, ClickTerms | null, number][]
}

/** What the click URL is finished with: the own template, own name and id, and what is above. Null: it is as it is. */
export type ClickTerms = [
  template: string | null,
  name: string,
  externalId: string | null,
  above: AboveBanner,
]

const FLIGHTS = `(
      select jsonb_agg(jsonb_build_array(f.fid, extract(epoch from coalesce(f.start_at, c.start_at))::bigint,
        extract(epoch from coalesce(f.end_at, c.end_at))::bigint, f.total_spend_micros) order by f.fid)
      from flight f where f.cid = c.cid and f.deleted_at is null and f.is_default = not exists (
        select from flight o where o.cid = c.cid and o.deleted_at is null and not o.is_default)
    ) as flights`

const CREDITED = `case when cu.prepaid then
      coalesce((select limit_micros from pool where id = cu.cuid), 0) end as credited_micros`

// What addresses of clicks may name. As a number, it takes no room in memory to notice that one has changed.
const CLICK_NAMES = `hashtextextended(
      concat_ws(chr(1), c.name, coalesce(c.external_id, chr(2)), coalesce(c.click_parameters, chr(2))), 0) & ${Number.MAX_SAFE_INTEGER}`

// `offset 0`: customers are looked up one by one; the whole table is never read to be joined with a few campaigns.
const CAMPAIGNS = `select c.cid, c.cuid, cu.app_id, cu.company, c.enabled and cu.api_access as enabled, cu.frozen_at is not null as frozen,
    c.freq, c.daily_spend_micros, c.monthly_spend_micros, c.total_spend_micros, ${CREDITED}, c.cpm_micros, c.cpc_micros, c.category, c.pacing, c.hours,
    c.sites, cu.sites as customer_sites, cu.timezone, cu.timezone_before, ${CLICK_NAMES} as click_names, ${FLIGHTS}
  from campaign c cross join lateral (select * from customer where cuid = c.cuid offset 0) cu
  where c.deleted_at is null and cu.deleted_at is null and c.end_at > $1`

export function selectCampaignPage(db: Db, now: Date, after: number) {
  return db.rows<CampaignRow>(`${CAMPAIGNS} and c.cid > $2 order by c.cid ${PAGE}`, [now, after])
}

export function selectCampaigns(db: Db, now: Date, cids: number[]) {
  return db.rows<CampaignRow>(`${CAMPAIGNS} and c.cid = any($2::bigint[])`, [now, cids])
}

// What belongs to a persona is looked up row by row (scalar and lateral subqueries): a plan that joins whole tables
// would read them completely for every page.
const CLICK_URL = 'coalesce(b.click_url, above.website)'

const BANNERS = `(
    select jsonb_agg(jsonb_build_array(b.bid, b.width, b.height, b.type, b.animated, b.creative_name, ${CLICK_URL},
        case when coalesce(b.click_parameters, above.template) is not null
          then jsonb_build_array(b.click_parameters, b.name, b.external_id, ${ABOVE_BANNER}) end, b.weight)
      order by b.bid) as banners
    from (
      select u.website, coalesce(o.click_parameters, u.click_parameters) as template
      from campaign o join customer u on u.cuid = o.cuid where o.cid = p.cid offset 0
    ) above join banner b on b.pid = p.pid and b.deleted_at is null and b.status = 'approved' and b.enabled
      and b.creative_name is not null and ${CLICK_URL} is not null
  )`

const PERSONAS = `select p.pid, p.cid, p.geo, p.cat, p.device, p.demo, p.attributes, p.rotation, b.banners
  from persona p cross join lateral ${BANNERS} b
  where b.banners is not null and p.enabled and p.deleted_at is null`

export const FIRST_PERSONAS = 50

/** The first personas of each of these campaigns. */
export function selectFirstPersonas(db: Db, cids: number[]) {
  return db.rows<PersonaRow>(
    `select p.* from unnest($1::bigint[]) as c(cid)
     cross join lateral (${PERSONAS} and p.cid = c.cid order by p.pid limit ${FIRST_PERSONAS}) p`,
    [cids],
  )
}

export function selectPersonasOf(db: Db, cid: number, after: number) {
  return db.rows<PersonaRow>(`${PERSONAS} and p.cid = $1 and p.pid > $2 order by p.pid ${PAGE}`, [cid, after])
}

export function selectPersonas(db: Db, pids: number[]) {
  return db.rows<PersonaRow>(`${PERSONAS} and p.pid = any($1::bigint[])`, [pids])
}

export type CandidateRow = CampaignRow &
  Omit<PersonaRow, 'banners'> & {
    banners: PersonaRow['banners'] | null
    persona_enabled: boolean
    customer_enabled: boolean
    created_at: Date
    pending: number
    rejected: number
  }

export function selectCandidate(db: Db, pid: number) {
  return db.row<CandidateRow>(
    `select p.pid, p.cid, p.geo, p.cat, p.device, p.demo, p.attributes, p.rotation, ${BANNERS} as banners, p.enabled as persona_enabled,
       cu.api_access as customer_enabled, cu.frozen_at is not null as frozen, c.cuid, cu.app_id, cu.company, c.enabled, c.freq, c.daily_spend_micros,
       c.monthly_spend_micros, c.total_spend_micros, ${CREDITED}, c.cpm_micros, c.cpc_micros, c.category, c.pacing, c.hours,
       c.sites, cu.sites as customer_sites, cu.timezone, cu.timezone_before, ${CLICK_NAMES} as click_names,
       ${FLIGHTS}, greatest(c.created_at, p.created_at) as created_at,
       (select count(*) from banner b where b.pid = p.pid and b.deleted_at is null and b.status = 'pending') as pending,
       (select count(*) from banner b where b.pid = p.pid and b.deleted_at is null and b.status = 'rejected') as rejected
     from persona p join campaign c on c.cid = p.cid join customer cu on cu.cuid = c.cuid
     where p.pid = $1 and p.deleted_at is null and c.deleted_at is null and cu.deleted_at is null`,
    [pid],
  )
}

/** Which campaigns and personas the changed ids concern, whether they still exist or not. */
export async function selectTouched(
  db: Db,
  changed: { customers: number[]; flights: number[]; banners: number[] },
): Promise<{ cids: number[]; pids: number[] }> {
  const row = await db.row<{ cids: number[]; pids: number[] }>(
    `select coalesce((select jsonb_agg(cid) from (
         select cid from campaign where cuid = any($1::bigint[]) and deleted_at is null
         union select cid from flight where fid = any($2::bigint[])) c), '[]') as cids,
       coalesce((select jsonb_agg(distinct pid) from banner where bid = any($3::bigint[])), '[]') as pids`,
    [changed.customers, changed.flights, changed.banners],
  )
  return row!
}

export interface ChangeRow {
  tx: string
  change_id: number
  noun: string
  id: number
}

/** Which transactions are over by now: their changes are visible. */
export async function selectPosition(db: Db): Promise<string> {
  const row = await db.row<{ position: string }>('select pg_current_snapshot()::text as position')
  return row!.position
}

export interface State {
  /** A position as `selectPosition` returns it. */
  position: string
  /** Equal as long as no source and no attribute changes. */
  sources: string
  changes: ChangeRow[]
}

/** Position and changes come from one snapshot: a position read later could skip changes. */
export async function selectState(db: Db, since: string, after: ChangePlace, limit: number): Promise<State> {
  const row = await db.row<State>(
    `select pg_current_snapshot()::text as position,
       (select count(*) || ' ' || coalesce(sum(hashtextextended(s::text, 0)), 0) from source s)
         || (select ' ' || count(*) || ' ' || coalesce(sum(hashtextextended(attribute_id || ' ' || version, 0)), 0) from attribute)
         as sources,
       coalesce((select jsonb_agg(c order by c.tx::xid8, c.change_id) from (
         select c.tx::text as tx, c.change_id, c.noun, c.id from catalog_change c
         where (c.tx, c.change_id) > ($2::xid8, $3) and not pg_visible_in_snapshot(c.tx, $1::pg_snapshot)
         order by c.tx, c.change_id limit $4) c), '[]') as changes`,
    [since, after.tx, after.changeId, limit],
  )
  return row!
}

export interface ChangePlace {
  tx: string
  changeId: number
}

/**
 * Changes whose transaction was not over at a position, beginning after a place in their order. The database leaves out
 * the others, which may be many if a transaction is open for hours.
 */
export function selectChanges(db: Db, position: string, after: ChangePlace, limit: number) {
  return db.rows<ChangeRow>(
    `select c.tx::text as tx, c.change_id, c.noun, c.id from catalog_change c
     where (c.tx, c.change_id) > ($2::xid8, $3) and not pg_visible_in_snapshot(c.tx, $1::pg_snapshot)
     order by c.tx, c.change_id limit $4`,
    [position, after.tx, after.changeId, limit],
  )
}

/** Deletes at most `limit` older rows, and returns how many. */
export function deleteChanges(db: Db, olderThanS: number, limit: number) {
  return db.run(
    `delete from catalog_change where change_id in (
       select change_id from catalog_change where at < now() - $1::float8 * interval '1 second' order by at limit $2
     )`,
    [olderThanS, limit],
  )
}
