// SQL of campaigns. Every read is scoped to the customer that owns the campaign, and excludes deleted campaigns.

import type { StoredSites } from '../../kernel/sites.ts'
import { searchable, searchedFor } from '../../kernel/text.ts'
import type { Week } from '../../kernel/time/hours.ts'
import type { ZoneBefore } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import type { Page } from '../noun.ts'
import type { Campaign, HistoryEntry } from './contract.ts'
import { flightsAt, type Moment, type MomentOf, statusAt } from './state-queries.ts'
import type { Run } from './status.ts'

export interface CampaignFields {
  name: string
  start_at: Date
  end_at: Date
  enabled: boolean
  freq: number
  daily_spend_micros: number
  /** Null: no limit. */
  monthly_spend_micros: number | null
  total_spend_micros: number | null
  cpm_micros: number
  /** What a click costs; null: impressions are paid for. */
  cpc_micros: number | null
  category: string[]
  pacing: 'even' | 'asap'
  /** Null: always. */
  hours: Week | null
  /** Added to the address of each click; null: as for its customer. */
  click_parameters: string | null
  /** Null: everywhere. */
  sites: StoredSites | null
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
  /** Its own flights (without the born one), in time order. */
  own_flights: Run[]
}

const COLUMNS = `c.cid, c.cuid, c.name, c.start_at, c.end_at, c.enabled, c.freq, c.daily_spend_micros,
  c.monthly_spend_micros, c.total_spend_micros, c.cpm_micros, c.cpc_micros, c.cpc_aside_micros, c.category, c.pacing, c.hours,
  c.click_parameters, c.sites, c.external_id,
  c.metadata, c.version, c.created_at, c.updated_at,
  coalesce((select jsonb_agg(jsonb_build_object('startS', extract(epoch from f.start_at)::bigint,
      'endS', extract(epoch from f.end_at)::bigint) order by f.start_at)
    from flight f where f.cid = c.cid and f.deleted_at is null and not f.is_default), '[]') as own_flights`

function fieldValues(fields: CampaignFields): unknown[] {
  const { name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing } = fields
  const { hours, external_id, metadata, total_spend_micros, cpc_micros, monthly_spend_micros, sites } = fields
  return [
    ...[name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing],
    hours,
    external_id,
    JSON.stringify(metadata),
    searchable([name, external_id]),
    total_spend_micros,
    cpc_micros,
    monthly_spend_micros,
    fields.click_parameters,
    sites && JSON.stringify(sites),
  ]
}

const INSERT = `insert into campaign as c (cuid, created_at, updated_at,
    name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing,
    hours, external_id, metadata, searched, total_spend_micros, cpc_micros, monthly_spend_micros,
    click_parameters, sites)
  values ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
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

export function selectCampaigns(db: Db, cuid: number, { after, limit, since }: Page) {
  return db.rows<CampaignRow & { deleted_at?: Date }>(
    `select ${COLUMNS}${since ? ', c.deleted_at' : ''} from campaign c
     where c.cuid = $1 and c.cid > $2 and ${since ? 'c.deleted_at is not null and c.deleted_at > $4' : 'c.deleted_at is null'}
     order by c.cid limit $3`,
    [cuid, after, limit, ...(since ? [since] : [])],
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

export interface Wanted extends Omit<MomentOf, 'cuid'> {
  status?: Campaign['status']
  q?: string
  externalId?: string
}

const HERE: Moment = { cuid: '$1', now: '$4', day: '$5', weekday: '$9', hour: '$10' }

/** A page of the wanted campaigns. It includes those without a search text yet, which the caller must check itself. */
export function selectWanted(db: Db, cuid: number, after: number, limit: number, wanted: Wanted) {
  const { now, day, weekHour, status = null, q, externalId = null } = wanted
  return db.rows<CampaignRow>(
    `select ${COLUMNS} from campaign c ${flightsAt(HERE.now)}
     where c.cuid = $1 and c.cid > $2 and c.deleted_at is null and ($6::text is null or c.external_id = $6)
       and ($7::text is null or c.searched is null or position($7 in c.searched) > 0)
       and ($8::text is null or $8 = ${statusAt(HERE)})
     order by c.cid limit $3`,
    [
      ...[cuid, after, limit, now, day, externalId, q === undefined ? null : searchedFor(q), status],
      ...[weekHour.day, weekHour.hour],
    ],
  )
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
       monthly_spend_micros = $18, click_parameters = $19, sites = $20,
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
