// SQL of folding. Rows leave `fresh` and are added to the rollups in one statement, so each is always in exactly one of
// the two. Rows of the rollups are touched in the order of their keys. What conversions were worth is folded in the
// same transaction, from a table of its own.

import type { Db } from '../../platform/database.ts'

/** As many as the migration created. */
export const PARTS = 32

/** Thrown to undo a fold if some of its rows have no leaf. */
export class LostLeaves extends Error {
  readonly part: number
  constructor(part: number, lost: number, taken: number) {
    super(`${lost} of ${taken} events have lost their leaf`)
    this.part = part
  }
}

export interface Due {
  afterS: number
  /** A part is also due when it has about this many rows, according to the database's statistics. */
  atRows: number
}

/**
 * Locks a part that has waited long enough or has grown large, until the transaction ends. Null while another process
 * folds. A time in the future comes from a clock that was set back.
 */
export async function lockDuePart(tx: Db, lockKey: number, { afterS, atRows }: Due): Promise<number | null> {
  const row = await tx.row<{ part: number }>(
    `with mine as materialized (select pg_try_advisory_xact_lock($1) as is_mine)
     select part from mine, fresh_part
     where is_mine and (emptied_at <= now() - $2::float8 * interval '1 second' or emptied_at > now()
       or pg_stat_get_live_tuples(('fresh_' || part)::regclass) >= $3::bigint)
     order by emptied_at, part limit 1 for update of fresh_part skip locked`,
    [lockKey, afterS, atRows],
  )
  return row?.part ?? null
}

export function noteEmptied(tx: Db, part: number) {
  return tx.run('update fresh_part set emptied_at = now() where part = $1', [part])
}

const IS_EMPTY = Array.from(
  { length: PARTS },
  (_, part) => `(${part}, not exists (select from fresh_${part}))`,
)

/** Marks all empty parts as emptied now. */
export function noteEmptyParts(db: Db) {
  return db.run(
    `update fresh_part p set emptied_at = now() from (values ${IS_EMPTY.join(', ')}) as e(part, is_empty)
     where e.part = p.part and is_empty and emptied_at < now()`,
  )
}

/** Applies to the rest of the transaction. */
export function limitStatements(tx: Db, limitMs: number) {
  return tx.run("select set_config('statement_timeout', $1, true)", [String(limitMs)])
}

const SUMS = `sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
    sum(spend_micros) as spend_micros`

const ADDED = (
  table: string,
) => `imps = ${table}.imps + excluded.imps, views = ${table}.views + excluded.views,
    clicks = ${table}.clicks + excluded.clicks, actions = ${table}.actions + excluded.actions,
    spend_micros = ${table}.spend_micros + excluded.spend_micros`

/** Many sums at once would not fit into the default memory, and would be written to disk in between. */
const ROOM = '128MB'

/** The least size of any row: its header and the pointer to it. */
const LEAST_BYTES = 28

/** Selects the first of these rows by comparing each row with all of them; not used if all rows are taken. */
const FIRST = (rows: string) => `ctid = any(array(select ctid from ${rows} limit $1))`

/** The dimensions of a row, each of which is grouped by itself. All others are then null. */
const NAMES = ['p', 'o', 'd', 'c', 'l', 'k', 'u', 'a']
const NAME = `coalesce(${NAMES.map(name => `${name}::bigint`).join(', ')})`
/** `grouping` has a bit for each column, which is 0 for those that are grouped by. */
const DIMENSION = `case grouping(${NAMES.join(', ')})
  ${NAMES.map((name, n) => `when ${(1 << NAMES.length) - 1 - (1 << (NAMES.length - 1 - n))} then '${name}'::"char"`).join(' ')} end`

/**
 * Folds at most `most` rows of a part; returns how many. A leaf stands for all ids above it, and a quarter for its day
 * and hour, so that most is added up only once. Most rows are dimensions: they are updated or inserted, which writes
 * less than `on conflict`. Nobody else adds the same ones, because a part has all rows of a customer and only one
 * process folds at a time; if another did, the key would roll one of the two back completely.
 */
export async function foldPart(tx: Db, part: number, most: number): Promise<number> {
  const file = await tx.row<{ bytes: number; value_bytes: number; has_values: boolean }>(
    `select set_config('work_mem', $1, true), pg_relation_size($2::regclass) as bytes,
       pg_relation_size('fresh_value') as value_bytes, exists (select from ${valuesOf(part)}) as has_values`,
    [ROOM, partNamed(part)],
  )
  const mostBytes = most * LEAST_BYTES
  if (file!.has_values) await foldValues(tx, part, file!.value_bytes <= mostBytes ? null : most)
  const isAll = file!.bytes <= mostBytes
  const row = await tx.row<{ taken: number; placed: number }>(
    `with taken as (
       delete from ${partNamed(part)} ${isAll ? '' : `where ${FIRST(partNamed(part))}`} returning *
     ),
     times as materialized (
       select l.cuid, l.cid, l.fid, l.pid, l.bid, t.* from (
         select leaf, quarter, min(day) as day, min(hour) as hour, count(*) as rows, min(cid) as of_cid,
           max(cid) as and_cid, count(*) filter (where kind = 'i') as imps,
           count(*) filter (where kind = 'v') as views, count(*) filter (where kind = 'c') as clicks,
           count(*) filter (where kind = 'a') as actions, sum(spend_micros) as spend_micros
         from taken group by leaf, quarter
       ) t join leaf l on l.leaf = t.leaf and l.cid = of_cid and l.cid = and_cid
     ),
     into_rollup as (
       insert into rollup as r (id, quarter, imps, views, clicks, actions, spend_micros)
       select i.id, to_timestamp(quarter * 900::bigint), ${SUMS}
       from times cross join lateral (values (cuid), (cid), (fid), (pid), (bid)) as i(id) where i.id > 0
       group by i.id, quarter order by i.id, quarter
       on conflict (id, quarter) do update set ${ADDED('r')}
     ),
     into_customer as (
       insert into rollup_customer as c (cuid, day, cid, pid, imps, views, clicks, actions, spend_micros)
       select cuid, day, cid, pid, ${SUMS} from times group by cuid, day, cid, pid order by cuid, day, cid, pid
       on conflict (cuid, day, cid, pid) do update set ${ADDED('c')}
     ),
     dimensions as materialized (
       select leaf as id, dimension, day, name, ${SUMS} from (
         select leaf, 'h'::"char" as dimension, day, hour::bigint as name, imps, views, clicks, actions, spend_micros
         from times
         union all
         select leaf, ${DIMENSION}, day, ${NAME}, count(*) filter (where kind = 'i'), count(*) filter (where kind = 'v'),
           count(*) filter (where kind = 'c'), count(*) filter (where kind = 'a'), sum(spend_micros)
         from (
           select leaf, day, kind, spend_micros, place_hash as p, os::integer as o, device::integer as d, country as c,
             locality as l, audience / 16 as k, audience % 16 as u, nullif(action_hash, 0) as a
           from taken
         ) t group by grouping sets (${NAMES.map(name => `(leaf, day, ${name})`).join(', ')})
         having ${NAME} is not null
       ) n group by leaf, dimension, day, name
     ),
     added_dimension as (
       update rollup_dimension d set imps = d.imps + n.imps, views = d.views + n.views, clicks = d.clicks + n.clicks,
         actions = d.actions + n.actions, spend_micros = d.spend_micros + n.spend_micros
       from dimensions n where (d.id, d.dimension, d.day, d.name) = (n.id, n.dimension, n.day, n.name)
       returning d.id, d.dimension, d.day, d.name
     ),
     new_dimension as (
       insert into rollup_dimension (id, dimension, day, name, imps, views, clicks, actions, spend_micros)
       select n.id, n.dimension, n.day, n.name, n.imps, n.views, n.clicks, n.actions, n.spend_micros
       from dimensions n where not exists (
         select from added_dimension a
         where (a.id, a.dimension, a.day, a.name) = (n.id, n.dimension, n.day, n.name)
       ) order by id, dimension, day, name
     )
     select (select count(*) from taken) as taken, (select coalesce(sum(rows), 0) from times) as placed`,
    isAll ? [] : [most],
  )
  const { taken, placed } = row!
  // Rows are never dropped: the transaction is undone, and their leaves are repaired.
  if (taken !== placed) throw new LostLeaves(part, taken - placed, taken)
  return taken
}

export function partNamed(part: number): string {
  return `fresh_${mustBePart(part)}`
}

/** What conversions of the same customers were worth. */
export function valuesOf(part: number): string {
  return `fresh_value where satisfies_hash_partition('fresh'::regclass, ${PARTS}, ${mustBePart(part)}, cuid)`
}

/**
 * Folds at most `most` values; null: all of them. A customer has sums of its own under its negated id, among them g,
 * its campaigns, and n, its personas. During an upgrade the version before adds to the same rows.
 */
async function foldValues(tx: Db, part: number, most: number | null): Promise<void> {
  const values = valuesOf(part)
  const row = await tx.row<{ taken: number; placed: number }>(
    `with taken as (
       delete from ${most === null ? values : `fresh_value where ${FIRST(values)}`} returning *
     ),
     placed as materialized (
       select t.*, l.fid, l.pid, l.bid from taken t join leaf l on l.leaf = t.leaf and l.cid = t.cid
     ),
     into_value as (
       insert into rollup_value as r (id, quarter, value_micros)
       select i.id, to_timestamp(quarter * 900::bigint), sum(value_micros)
       from placed cross join lateral (values (cuid), (cid), (fid), (pid), (bid)) as i(id) where i.id > 0
       group by i.id, quarter order by i.id, quarter
       on conflict (id, quarter) do update set value_micros = r.value_micros + excluded.value_micros
     ),
     into_dimension as (
       insert into rollup_value_dimension as r (id, dimension, day, name, value_micros)
       select d.id, d.dimension, day, d.name, sum(value_micros)
       from placed cross join lateral (
         select o.id, n.dimension, n.name from (values (leaf), (-cuid)) as o(id) cross join (values
           ('p'::"char", place_hash), ('o', os::integer), ('d', device::integer), ('c', country), ('l', locality),
           ('k', audience / 16), ('u', audience % 16), ('a', action_hash)) as n(dimension, name)
         union all
         values (-cuid, 'g'::"char", cid), (-cuid, 'n', pid)
       ) d
       group by d.id, d.dimension, day, d.name order by d.id, d.dimension, day, d.name
       on conflict (id, dimension, day, name) do update set value_micros = r.value_micros + excluded.value_micros
     )
     select (select count(*) from taken) as taken, (select count(*) from placed) as placed`,
    most === null ? [] : [most],
  )
  const { taken, placed } = row!
  if (taken !== placed) throw new LostLeaves(part, taken - placed, taken)
}

/** Makes the space of deleted rows reusable. Keeps the length of the file, because shortening it would lock it. */
export function vacuumPart(db: Db, part: number) {
  return db.run(`vacuum (truncate off) fresh_${mustBePart(part)}`)
}

/** Updates the statistics, so that the next plan knows how large the rollups are. */
export function analyzeRollups(db: Db) {
  return db.run('analyze rollup, rollup_dimension, rollup_customer')
}

function mustBePart(part: number): number {
  if (!(Number.isInteger(part) && part >= 0 && part < PARTS)) throw new RangeError(`${part} is not a part`)
  return part
}

export interface Backlog {
  /** Seconds since the longest-waiting part was emptied. */
  waiting_s: number
  /** Age of the oldest open transaction, in seconds. */
  open_s: number
}

/** While a transaction is open, the space of rows folded since its start is not reused. */
export async function selectBacklog(db: Db): Promise<Backlog> {
  const row = await db.row<Backlog>(
    `select greatest(extract(epoch from now() - (select min(emptied_at) from fresh_part)), 0)::float8 as waiting_s,
       coalesce((
         select max(extract(epoch from pg_catalog.clock_timestamp() - xact_start)) from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and xact_start is not null
           and pid <> pg_backend_pid()
       ), 0)::float8 as open_s`,
  )
  return row!
}
