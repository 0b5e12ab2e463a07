// SQL of statistics. Figures are the rollups plus `fresh`, added up in one statement; events are read only for raw
// output. An open period is given as -infinity and infinity, so that one plan serves all.

import type { Db } from '../../platform/database.ts'
import type { Counts } from './figures.ts'

export interface SubjectRow {
  id: number
  kind: 'campaign' | 'flight' | 'persona' | 'banner'
  cid: number
  start_at: Date
  end_at: Date
}

/** The subject of figures. `cid`: null for a customer. */
export interface Asked {
  id: number
  kind: SubjectRow['kind'] | 'customer'
  cid: number | null
}

const COUNTS = `coalesce(sum(imps), 0) as imps, coalesce(sum(views), 0) as views, coalesce(sum(clicks), 0) as clicks,
  coalesce(sum(actions), 0) as actions, coalesce(sum(spend_micros), 0) as "spendMicros",
  coalesce(sum(value_micros), 0) as "valueMicros"`

const COUNT_SUMS = `sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
  sum(spend_micros) as spend_micros`

/** Sums of the rollups; values have rollups of their own. */
export const SUMS = `${COUNT_SUMS}, 0::bigint as value_micros`

/** Sums over rows that include values. */
export const ALL_SUMS = `${COUNT_SUMS}, sum(value_micros) as value_micros`

export const FRESH_SUMS = `count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'v') as views,
  count(*) filter (where kind = 'c') as clicks, count(*) filter (where kind = 'a') as actions,
  sum(spend_micros) as spend_micros, 0::bigint as value_micros`

/** Sums of what conversions were worth, in the same columns. */
export const VALUE_SUMS = `0::bigint as imps, 0::bigint as views, 0::bigint as clicks, 0::bigint as actions,
  0::bigint as spend_micros, sum(value_micros) as value_micros`

/** Selects leaves: $1 is the id, $2 its campaign. */
export const LEAVES_OF: Record<Asked['kind'], string> = {
  customer: 'cuid = $1 and $2::bigint is null',
  campaign: 'cid = $1 and cid = $2',
  flight: 'fid = $1 and cid = $2',
  persona: 'pid = $1 and cid = $2',
  banner: 'bid = $1 and cid = $2',
}

/** Ids with figures that are older than leaves; a customer's are those of its campaigns. */
export const OLD_IDS_OF: Record<Asked['kind'], string> = {
  customer: 'array(select cid from campaign where cuid = $1)',
  campaign: 'array[$1::bigint]',
  flight: 'array[$1::bigint]',
  persona: 'array[$1::bigint]',
  banner: 'array[$1::bigint]',
}

/** The customer determines the partition to search, and any leaf of a campaign has its customer. */
const IN_PART = 'cuid = (select cuid from leaf where cid = $2 limit 1) and cid = $2'
const OF_LEAVES = (kind: SubjectRow['kind']) =>
  `${IN_PART} and leaf = any(array(select leaf from leaf where ${LEAVES_OF[kind]}))`

/** Selects fresh rows: $1 is the id, $2 its campaign. */
export const FRESH_OF: Record<Asked['kind'], string> = {
  customer: 'cuid = $1 and $2::bigint is null',
  campaign: `${IN_PART} and cid = $1`,
  flight: OF_LEAVES('flight'),
  persona: OF_LEAVES('persona'),
  banner: OF_LEAVES('banner'),
}

/** The customer's object with this id, with its campaign's dates; null when it or a parent is deleted. */
export function selectSubject(db: Db, cuid: number, id: number) {
  return db.row<SubjectRow>(
    `select s.id, s.kind, c.cid, c.start_at, c.end_at
     from (
       select cid as id, 'campaign' as kind, cid from campaign where cid = $1
       union all
       select fid, 'flight', cid from flight where fid = $1 and deleted_at is null
       union all
       select pid, 'persona', cid from persona where pid = $1 and deleted_at is null
       union all
       select b.bid, 'banner', p.cid from banner b
         cross join lateral (select cid, deleted_at from persona where persona.pid = b.pid offset 0) p
       where b.bid = $1 and b.deleted_at is null and p.deleted_at is null
     ) s cross join lateral (select * from campaign where campaign.cid = s.cid offset 0) c
     where c.cuid = $2 and c.deleted_at is null`,
    [id, cuid],
  )
}

/** The customer itself, for figures of everything that it owns. */
export function selectOwner(db: Db, cuid: number) {
  return db.row<{ created_at: Date }>(
    'select created_at from customer where cuid = $1 and deleted_at is null',
    [cuid],
  )
}

/** Must come first in a transaction: then all that it reads is of the same moment. */
export function beginSnapshot(tx: Db) {
  return tx.run('set transaction isolation level repeatable read read only')
}

/** A half-open interval between first moments of quarters, or between dates. */
export interface Bounds {
  from: Date | string
  to: Date | string
}

const QUARTER_MS = 900_000
const LARGEST_INT = 2_147_483_647

/** The number of a quarter since 1970, as in fresh rows. */
function quarterNumber(quarter: Date | string): number {
  if (quarter instanceof Date) return Math.floor(quarter.getTime() / QUARTER_MS)
  return quarter === 'infinity' ? LARGEST_INT : -LARGEST_INT
}

/** Packed figures of an id between $3 and $4, whose quarters are $5 and $6. */
const PACKED = `rollup_unpacked where id = $1 and quarter >= $5 and quarter < $6
         and month >= date_trunc('month', $3::timestamptz at time zone 'UTC') and month < $4::timestamptz at time zone 'UTC'`

export async function sumRollup(db: Db, { id, kind, cid }: Asked, { from, to }: Bounds): Promise<Counts> {
  const row = await db.row<Counts>(
    `select ${COUNTS} from (
       select ${SUMS} from rollup where id = $1 and quarter >= $3 and quarter < $4
       union all
       select ${SUMS} from ${PACKED}
       union all
       select ${FRESH_SUMS} from fresh where ${FRESH_OF[kind]} and quarter >= $5 and quarter < $6
       union all
       select ${VALUE_SUMS} from rollup_value where id = $1 and quarter >= $3 and quarter < $4
     ) sums`,
    [id, cid, from, to, quarterNumber(from), quarterNumber(to)],
  )
  return row!
}

export interface BucketRow extends Counts {
  /** 1 for the first bucket; 0 for a quarter that began before it. */
  bucket: number
}

/** A quarter belongs to the bucket that contains its first second. */
export function sumRollupByBucket(
  db: Db,
  { id, kind, cid }: Asked,
  { from, to }: Bounds,
  bucketStartsS: number[],
) {
  return db.rows<BucketRow>(
    `select bucket, ${COUNTS} from (
       select width_bucket(date_part('epoch', quarter), $7::float8[]) as bucket, ${SUMS}
       from rollup where id = $1 and quarter >= $3 and quarter < $4 group by 1
       union all
       select width_bucket(quarter * 900.0::float8, $7::float8[]), ${SUMS} from ${PACKED} group by 1
       union all
       select width_bucket(quarter * 900.0::float8, $7::float8[]), ${FRESH_SUMS}
       from fresh where ${FRESH_OF[kind]} and quarter >= $5 and quarter < $6 group by 1
       union all
       select width_bucket(date_part('epoch', quarter), $7::float8[]), ${VALUE_SUMS}
       from rollup_value where id = $1 and quarter >= $3 and quarter < $4 group by 1
     ) sums group by bucket`,
    [id, cid, from, to, quarterNumber(from), quarterNumber(to), bucketStartsS],
  )
}

/** Numbers of the first and the last quarter with figures; null if there are none. */
export interface SpanRow {
  first: number | null
  last: number | null
}

export async function selectSpan(db: Db, { id, kind, cid }: Asked): Promise<SpanRow> {
  const ofTable = (table: string) =>
    `select date_part('epoch', min(quarter)) / 900 as first, date_part('epoch', max(quarter)) / 900 as last
     from ${table} where id = $1`
  const row = await db.row<SpanRow>(
    `select min(first) as first, max(last) as last from (
       ${ofTable('rollup')}
       union all
       select min(quarters[1]), max(quarters[array_length(quarters, 1)]) from rollup_packed where id = $1
       union all
       select min(quarter), max(quarter) from fresh where ${FRESH_OF[kind]}
       union all
       ${ofTable('rollup_value')}
     ) spans`,
    [id, cid],
  )
  return row!
}

export interface FilteredRow {
  reason: string
  imps: number
  clicks: number
  actions: number
}

export function sumFiltered(db: Db, id: number, { from, to }: Bounds) {
  return db.rows<FilteredRow>(
    `select reason, sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions
     from rollup_filtered where id = $1 and day >= $2 and day < $3
     group by reason order by sum(imps) + sum(clicks) + sum(actions) desc, reason`,
    [id, from, to],
  )
}

export interface SumRow extends Counts {
  id: number
}

/** Sums of customers since a moment; customers without any are left out. */
export function sumEach(db: Db, cuids: number[], since: Date) {
  return db.rows<SumRow>(
    `select id, ${COUNTS} from (
       select id, ${SUMS} from rollup where id = any($1) and quarter >= $2 group by id
       union all
       select cuid, ${FRESH_SUMS} from fresh where cuid = any($1) and quarter >= $3 group by cuid
       union all
       select id, ${VALUE_SUMS} from rollup_value where id = any($1) and quarter >= $2 group by id
     ) sums group by id`,
    [cuids, since, quarterNumber(since)],
  )
}

/** Sums of each campaign of a customer that has any since a day (of its zone), including deleted campaigns. */
export function sumCampaigns(db: Db, cuid: number, since: string) {
  return db.rows<SumRow & { is_deleted: boolean }>(
    `select c.cid as id, c.deleted_at is not null as is_deleted, ${COUNTS} from (
       select cid, ${SUMS} from rollup_customer where cuid = $1 and day >= $2 group by cid
       union all
       select cid, ${FRESH_SUMS} from fresh where cuid = $1 and day >= $2 group by cid
       union all
       select name, ${VALUE_SUMS} from rollup_value_dimension
       where id = -$1::bigint and dimension = 'g' and day >= $2 group by name
     ) sums join campaign c using (cid) group by c.cid order by c.cid`,
    [cuid, since],
  )
}
