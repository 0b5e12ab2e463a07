// SQL of sources.

import type { Db } from '../platform/database.ts'

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
}

const COLUMNS = `source_id, kind, name, key, domain, bills_on, created_at, revoked_at, server_key_hash, debug,
  allows_cpc`

export function insertSource(
  db: Db,
  row: Omit<SourceRow, 'source_id' | 'revoked_at' | 'debug' | 'allows_cpc'>,
) {
  return db.row<SourceRow>(
    `insert into source (kind, name, key, domain, bills_on, created_at, server_key_hash)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (name) do nothing returning ${COLUMNS}`,
    [row.kind, row.name, row.key, row.domain, row.bills_on, row.created_at, row.server_key_hash],
  )
}

export function selectSources(db: Db) {
  return db.rows<SourceRow>(`select ${COLUMNS} from source order by source_id`)
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

export function setSourceRevoked(db: Db, name: string, at: Date) {
  return db.row<SourceRow>(
    `update source set revoked_at = coalesce(revoked_at, $2) where name = $1 returning ${COLUMNS}`,
    [name, at],
  )
}

export function setDebug(db: Db, name: string, isOn: boolean) {
  return db.row<SourceRow>(`update source set debug = $2 where name = $1 returning ${COLUMNS}`, [name, isOn])
}

export function setAllowsCpc(db: Db, name: string, isAllowed: boolean) {
  return db.row<SourceRow>(
    `update source set allows_cpc = $2 where name = $1 and kind = 'exchange' returning ${COLUMNS}`,
    [name, isAllowed],
  )
}

export function setServerKey(db: Db, name: string, hash: Buffer) {
  return db.row<SourceRow>(
    `update source set server_key_hash = $2 where name = $1 and kind = 'site' returning ${COLUMNS}`,
    [name, hash],
  )
}

export interface ShownRow {
  source_id: number
  imps: number
  spend_micros: number
}

/**
 * Impressions since the day began, and what they and their clicks cost, of one app's campaigns only; by the events of
 * those that have any.
 */
export function sumShown(db: Db, appId: number, cuids: readonly number[] | null, day: number, since: Date) {
  return db.rows<ShownRow>(
    `with mine as materialized (
       select distinct r.cid from rollup_customer r join customer u using (cuid)
       where u.app_id = $1 and r.day = to_date($2::text, 'YYYYMMDD') and ($4::bigint[] is null or u.cuid = any($4))
       union
       select distinct f.cid from fresh f join customer u using (cuid)
       where u.app_id = $1 and f.day = to_date($2::text, 'YYYYMMDD') and ($4::bigint[] is null or u.cuid = any($4))
     )
     select e.source_id, count(*) filter (where e.kind = 'i') as imps, coalesce(sum(e.spend_micros), 0)::bigint as spend_micros
     from mine join event e on e.cid = mine.cid and quarter_number(e.at) >= quarter_number($3::timestamptz) and e.at >= $3
       and e.kind in ('i', 'c')
     group by e.source_id`,
    [appId, day, since, cuids],
  )
}
