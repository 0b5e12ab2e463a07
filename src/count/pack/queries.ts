// SQL of packing. Rows leave the rollups and become part of a month's arrays in one statement, so each figure is always
// in exactly one of the two. Figures that are folded late are added to what was packed before.

import type { Db } from '../../platform/database.ts'

/** When the tables of packed figures were created; null: never. */
export async function selectPossibleSince(db: Db): Promise<Date | null> {
  const row = await db.row<{ applied_at: Date }>(
    `select applied_at from migration where name like '0127-%' limit 1`,
  )
  return row?.applied_at ?? null
}

/** False while another process is packing. */
export async function tryPackLock(tx: Db, lockKey: number): Promise<boolean> {
  const row = await tx.row<{ is_mine: boolean }>('select pg_try_advisory_xact_lock($1) as is_mine', [lockKey])
  return row!.is_mine
}

export interface IdRow {
  id: number
  is_old: boolean
}

/** The next ids, and whether each has figures older than `before`: the first row of an id is its oldest. */
export function selectIds(db: Db, after: number, before: Date, limit: number) {
  return db.rows<IdRow>(
    `with recursive first as (
       (select id, quarter from rollup where id > $1 order by id, quarter limit 1)
       union all
       select n.id, n.quarter from first cross join lateral (
         select id, quarter from rollup where rollup.id > first.id order by id, quarter limit 1
       ) n
     ) select id, quarter < $2 as is_old from first limit $3`,
    [after, before, limit],
  )
}

export interface DimensionRow extends IdRow {
  dimension: string
}

export function selectDimensions(db: Db, after: DimensionRow, before: string, limit: number) {
  return db.rows<DimensionRow>(
    `with recursive first as (
       (select id, dimension, day from rollup_dimension where (id, dimension) > ($1, $2::"char")
        order by id, dimension, day limit 1)
       union all
       select n.id, n.dimension, n.day from first cross join lateral (
         select id, dimension, day from rollup_dimension d where (d.id, d.dimension) > (first.id, first.dimension)
         order by id, dimension, day limit 1
       ) n
     ) select id, dimension::text, day < $3::date as is_old from first limit $4`,
    [after.id, after.dimension, before, limit],
  )
}

const SUMS = `sum(imps)::integer as imps, sum(views)::integer as views, sum(clicks)::integer as clicks,
    sum(actions)::integer as actions, sum(spend_micros)::bigint as spend_micros`

/** Most figures are 0, so a column of zeros is stored as an empty array. */
const column = (name: string, type: string, order: string) =>
  `case when bool_or(${name} <> 0) then array_agg(${name} order by ${order}) else '{}'::${type}[] end`
const columns = (order: string) =>
  [
    ...['imps', 'views', 'clicks', 'actions'].map(name => column(name, 'integer', order)),
    column('spend_micros', 'bigint', order),
  ].join(',\n       ')

const VALUES = 'imps, views, clicks, actions, spend_micros'
/** The packed columns; they are looked up month by month, however many the planner expects. */
const packed = (p: string) => VALUES.replaceAll(/\w+/g, name => `${p}.${name}`)
const REPLACED = `imps = excluded.imps, views = excluded.views, clicks = excluded.clicks, actions = excluded.actions,
       spend_micros = excluded.spend_micros`

export async function packIds(tx: Db, ids: number[], before: Date): Promise<number> {
  const row = await tx.row<{ n: number }>(
    `with taken as (
       delete from rollup where id = any($1::bigint[]) and quarter < $2
       returning id, date_trunc('month', quarter at time zone 'UTC')::date as month, quarter_number(quarter) as quarter,
         ${VALUES}
     ), whole as (
       select id, month, quarter, ${SUMS} from (
         select * from taken
         union all
         select m.id, m.month, p.quarter, ${packed('p')}
         from (select distinct id, month from taken) m cross join lateral (
           select * from rollup_unpacked u where u.id = m.id and u.month = m.month offset 0
         ) p
       ) parts group by id, month, quarter
     ), packed as (
       insert into rollup_packed (id, month, quarters, ${VALUES})
       select id, month, array_agg(quarter order by quarter), ${columns('quarter')}
       from whole group by id, month order by id, month
       on conflict (id, month) do update set quarters = excluded.quarters, ${REPLACED}
     ) select count(*) as n from taken`,
    [ids, before],
  )
  return row!.n
}

/** Packs all dimensions of these ids. Hours of the day are not packed, because quarters include them. */
export async function packDimensions(tx: Db, ids: number[], before: string): Promise<number> {
  const row = await tx.row<{ n: number }>(
    `with taken as (
       delete from rollup_dimension d where d.id = any($1::bigint[]) and d.day < $2::date
       returning d.id, d.dimension, date_trunc('month', d.day)::date as month, d.day, d.name, d.imps, d.views, d.clicks,
         d.actions, d.spend_micros
     ), whole as (
       select id, dimension, month, day, name, ${SUMS} from (
         select * from taken where dimension <> 'h'
         union all
         select m.id, m.dimension, m.month, p.day, p.name, ${packed('p')}
         from (select distinct id, dimension, month from taken) m cross join lateral (
           select * from rollup_dimension_unpacked u
           where u.id = m.id and u.dimension = m.dimension and u.month = m.month offset 0
         ) p
       ) parts group by id, dimension, month, day, name
     ), packed as (
       insert into rollup_dimension_packed (id, dimension, month, days, names, ${VALUES})
       select id, dimension, month, array_agg(day order by day, name), array_agg(name order by day, name),
         ${columns('day, name')}
       from whole group by id, dimension, month order by id, dimension, month
       on conflict (id, dimension, month) do update set days = excluded.days, names = excluded.names, ${REPLACED}
     ) select count(*) as n from taken`,
    [ids, before],
  )
  return row!.n
}
