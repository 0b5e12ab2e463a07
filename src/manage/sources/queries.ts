// SQL for sources.

import type { Db } from '../../platform/database.ts'
import type { SourceAttributes } from './attribute-paths.ts'

export interface SourceRow {
  source_id: number
  kind: 'exchange' | 'site'
  name: string
  key: string
  domain: string | null
  bills_on: 'notice' | 'pixel'
  created_at: Date
  revoked_at: Date | null
  server_key_hash: Buffer | null
  debug: boolean
  allows_cpc: boolean
  version: number
  old_key: string | null
  old_key_until: Date | null
  old_server_key_hash: Buffer | null
  old_server_key_until: Date | null
  checked_at: Date | null
  attributes: SourceAttributes
  /** The least price of a thousand impressions; null: any. */
  floor_micros: number | null
  /** For sizes that have one of their own. */
  size_floors: Record<string, number> | null
  /** What it does not show; null: nothing. */
  refuses: SourceRefusals | null
}

export interface SourceRefusals {
  /** IAB codes of what is advertised; a parent stands for its children. */
  categories: string[]
  /** Domains of advertisers, with their sub-domains. */
  advertisers: string[]
}

const COLUMNS = `source_id, kind, name, key, domain, bills_on, created_at, revoked_at, server_key_hash, debug,
  allows_cpc, version, old_key, old_key_until, old_server_key_hash, old_server_key_until, checked_at, attributes,
  floor_micros, size_floors, refuses`

export type NewSourceRow = Pick<
  SourceRow,
  | 'kind'
  | 'name'
  | 'key'
  | 'domain'
  | 'bills_on'
  | 'created_at'
  | 'server_key_hash'
  | 'allows_cpc'
  | 'attributes'
  | 'floor_micros'
  | 'size_floors'
  | 'refuses'
>

export function insertSource(db: Db, row: NewSourceRow) {
  return db.row<SourceRow>(
    `insert into source (kind, name, key, domain, bills_on, created_at, server_key_hash, allows_cpc, attributes,
       floor_micros, size_floors, refuses)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (name) do nothing returning ${COLUMNS}`,
    [
      ...[row.kind, row.name, row.key, row.domain, row.bills_on],
      ...[row.created_at, row.server_key_hash, row.allows_cpc, JSON.stringify(row.attributes)],
      ...termValues(row),
    ],
  )
}

/** What the source asks of ads. */
function termValues(row: Pick<SourceRow, 'floor_micros' | 'size_floors' | 'refuses'>): unknown[] {
  const { floor_micros, size_floors, refuses } = row
  return [floor_micros, size_floors && JSON.stringify(size_floors), refuses && JSON.stringify(refuses)]
}

export function selectSources(db: Db) {
  return db.rows<SourceRow>(`select ${COLUMNS} from source order by source_id`)
}

/** The source, unless it is revoked. */
export function selectSource(db: Db, sourceId: number) {
  return db.row<SourceRow>(`select ${COLUMNS} from source where source_id = $1 and revoked_at is null`, [
    sourceId,
  ])
}

export function lockSource(db: Db, sourceId: number) {
  return db.row<SourceRow>(
    `select ${COLUMNS} from source where source_id = $1 and revoked_at is null for update`,
    [sourceId],
  )
}

/** Of these, those that there are, revoked or not. */
export function selectKnownSources(db: Db, sourceIds: number[]) {
  return db.rows<{ source_id: number }>('select source_id from source where source_id = any($1::bigint[])', [
    sourceIds,
  ])
}

/** The source with this name, revoked or not. */
export function lockSourceNamed(db: Db, name: string) {
  return db.row<SourceRow>(`select ${COLUMNS} from source where name = $1 for update`, [name])
}

/** Frees the name of a revoked source by appending its id, unless another source has that name. */
export function releaseName(db: Db, name: string) {
  return db.run(
    `update source set name = name || ' (revoked ' || source_id || ')' where name = $1 and revoked_at is not null
       and not exists (select from source other where other.name = source.name || ' (revoked ' || source.source_id || ')')`,
    [name],
  )
}

export function selectNamed(db: Db, name: string) {
  return db.row<{ source_id: number }>('select source_id from source where name = $1', [name])
}

/** Writes every column that can change. */
export function updateSource(db: Db, row: SourceRow) {
  return db.row<SourceRow>(
    `update source set version = version + 1, name = $2, key = $3, domain = $4, bills_on = $5, revoked_at = $6,
       server_key_hash = $7, debug = $8, allows_cpc = $9, old_key = $10, old_key_until = $11,
       old_server_key_hash = $12, old_server_key_until = $13, checked_at = $14, attributes = $15,
       floor_micros = $16, size_floors = $17, refuses = $18
     where source_id = $1 returning ${COLUMNS}`,
    [
      ...[row.source_id, row.name, row.key, row.domain, row.bills_on, row.revoked_at],
      ...[row.server_key_hash, row.debug, row.allows_cpc, row.old_key, row.old_key_until],
      ...[row.old_server_key_hash, row.old_server_key_until, row.checked_at],
      JSON.stringify(row.attributes),
      ...termValues(row),
    ],
  )
}

export function upsertPublicUrl(db: Db, url: string, now: Date) {
  return db.run(
    `insert into deployment (name, value, updated_at) values ('public_url', $1, $2)
     on conflict (name) do update set value = $1, updated_at = $2`,
    [url, now],
  )
}

export function selectPublicUrl(db: Db) {
  return db.row<{ value: string }>("select value from deployment where name = 'public_url'")
}

export type SourceAction = 'add' | 'edit' | 'renew' | 'check' | 'revoke'

/** What the history shows about a source: no keys. */
export interface SeenRow {
  name: string
  domain: string | null
  billsOn: 'notice' | 'pixel'
  allowsCpc: boolean
  /** Missing: before there were any. */
  attributes?: SourceAttributes
  checked: boolean
  /** Missing in what was recorded before there were any. */
  floorCpm?: number | null
  floorCpmBySize?: { size: string; cpm: number }[]
  refuses?: SourceRefusals
}

export interface ShownRow {
  source_id: number
  requests: number
  imps: number
  spend_micros: number
}

/**
 * Since the day began: the places that each source requested of the whole deployment, and for one app's campaigns only
 * their impressions, and what these and their clicks cost. Of the events, it reads only those of campaigns that have
 * figures of the day.
 */
export function sumShown(db: Db, appId: number, cuids: readonly number[] | null, day: number, since: Date) {
  return db.rows<ShownRow>(
    `with mine as materialized (
       select distinct d.cid from counted_day d join customer u using (cuid)
       where u.app_id = $1 and d.day = to_date($2::text, 'YYYYMMDD') and ($4::bigint[] is null or u.cuid = any($4))
     ), shown as (
       select e.source_id, count(*) filter (where e.kind = 'i') as imps, coalesce(sum(e.spend_micros), 0)::bigint as spend_micros
       from mine join event e on e.cid = mine.cid and quarter_number(e.at) >= quarter_number($3::timestamptz) and e.at >= $3
         and e.kind in ('i', 'c')
       group by e.source_id
     ), asked as (
       select source_id, sum(calls)::bigint as requests from source_outcome
       where at >= $3 and outcome = 'requested' group by source_id
     )
     select source_id, coalesce(requests, 0) as requests, coalesce(imps, 0) as imps,
       coalesce(spend_micros, 0) as spend_micros
     from shown full join asked using (source_id)`,
    [appId, day, since, cuids],
  )
}
