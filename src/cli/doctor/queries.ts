// SQL of the doctor: what a database says about itself.

import type { Db } from '../../platform/database.ts'

export interface Facts {
  version: number
  version_text: string
  encoding: string
  may_create: boolean
  may_read: boolean
  is_read_only: boolean
  fsync: string
  commits: string
  most_connections: number
  bytes: number
  user_name: string
  /** Null if we may not see it. */
  folder: string | null
  is_here: boolean
}

export async function selectFacts(db: Db): Promise<Facts> {
  const row = await db.row<Facts>(
    `select current_setting('server_version_num')::int as version,
       current_setting('server_version') as version_text,
       current_setting('server_encoding') as encoding,
       has_schema_privilege(current_schema(), 'create') and has_database_privilege(current_database(), 'create') as may_create,
       coalesce((select bool_and(has_table_privilege(to_regclass(name), 'select'))
         from unnest(array['deployment', 'customer', 'campaign', 'persona', 'banner']) as name), true) as may_read,
       pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
       current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commits,
       current_setting('max_connections')::int as most_connections,
       pg_database_size(current_database())::float8 as bytes,
       current_user::text as user_name,
       case when pg_has_role('pg_read_all_settings', 'usage') then current_setting('data_directory', true) end as folder,
       coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as is_here`,
  )
  return row!
}

/** Fails if the disk has no room even for a megabyte. */
export async function fillTemporaryTable(db: Db): Promise<void> {
  await db.run('create temporary table marquee_room (text text) on commit drop')
  await db.run(`insert into marquee_room select repeat(md5(n::text), 30) from generate_series(1, 1000) n`)
}

export interface DuplicateRow {
  noun: string
  parent: number
  external_id: string
  ids: number[]
}

const duplicatesIn = (noun: string, parent: string, id: string) => `(
  select '${noun}' as noun, ${parent} as parent, external_id, (array_agg(${id} order by ${id}))[1:10] as ids
  from ${noun} where external_id is not null and deleted_at is null
  group by ${parent}, external_id having count(*) > 1 order by ${parent}, external_id limit $1
)`

/** Objects that share an `externalId` with another object of the same parent; the first ones of each kind. */
export function selectDuplicates(db: Db, limit: number) {
  const kinds = [
    duplicatesIn('customer', 'app_id', 'cuid'),
    duplicatesIn('campaign', 'cuid', 'cid'),
    duplicatesIn('persona', 'cid', 'pid'),
    duplicatesIn('banner', 'pid', 'bid'),
  ]
  return db.rows<DuplicateRow>(kinds.join(' union all '), [limit])
}

/** How many people sign in with a passkey. */
export async function countPasskeyPeople(db: Db): Promise<number> {
  const row = await db.row<{ people: number }>(
    `select count(*) as people from (select distinct app_id, person from passkey) as people`,
  )
  return row!.people
}

export interface Sizes {
  events: number
  figures: number
  /** The packed part of the figures. */
  packed: number
}

/** In bytes, including indexes; null if the tables do not exist. */
export async function selectSizes(db: Db): Promise<Sizes | null> {
  const row = await db.row<Record<keyof Sizes, number | null>>(
    `select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = to_regclass('event'))::float8
         as events,
       (select sum(pg_total_relation_size(to_regclass(name))) from unnest(array['rollup', 'rollup_dimension',
         'rollup_customer', 'rollup_packed', 'rollup_dimension_packed', 'rollup_value', 'rollup_value_dimension'])
         as name)::float8 as figures,
       (select sum(pg_total_relation_size(to_regclass(name)))
        from unnest(array['rollup_packed', 'rollup_dimension_packed']) as name)::float8 as packed`,
  )
  if (row!.figures === null) return null
  return { events: row!.events ?? 0, figures: row!.figures, packed: row!.packed ?? 0 }
}

/** Whether a service was ever started on this database. */
export async function hasTables(db: Db): Promise<boolean> {
  const row = await db.row<{ yes: boolean }>(`select to_regclass('deployment') is not null as yes`)
  return row!.yes
}
