// SQL of statistics. Figures are added up in one statement; events are read only for raw output. An open period is
// given as -infinity and infinity, so that one plan serves all.

import { byOwn, byQuarter, type Kind, ofCustomers, ofOne, spansOf } from '../../count/fold/figures-queries.ts'
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
  kind: Kind
  cid: number | null
}

const COUNTS = `coalesce(sum(imps), 0) as imps, coalesce(sum(views), 0) as views, coalesce(sum(clicks), 0) as clicks,
  coalesce(sum(actions), 0) as actions, coalesce(sum(spend_micros), 0) as "spendMicros",
  coalesce(sum(value_micros), 0) as "valueMicros"`

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

const PERIOD = { from: '$3', to: '$4', fromQuarter: '$5', toQuarter: '$6' }

export async function sumRollup(db: Db, { id, kind, cid }: Asked, { from, to }: Bounds): Promise<Counts> {
  const row = await db.row<Counts>(`select ${COUNTS} from ${byQuarter(ofOne(kind), PERIOD)}`, [
    ...[id, cid, from, to, quarterNumber(from), quarterNumber(to)],
  ])
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
  const bucket = (_: string, beginS: string) => `width_bucket(${beginS}, $7::float8[])`
  return db.rows<BucketRow>(
    `select key as bucket, ${COUNTS} from ${byQuarter(ofOne(kind), PERIOD, bucket)} group by key`,
    [id, cid, from, to, quarterNumber(from), quarterNumber(to), bucketStartsS],
  )
}

/** Numbers of the first and the last quarter with figures; null if there are none. */
export interface SpanRow {
  first: number | null
  last: number | null
}

export async function selectSpan(db: Db, { id, kind, cid }: Asked): Promise<SpanRow> {
  const row = await db.row<SpanRow>(`select min(first) as first, max(last) as last from ${spansOf(kind)}`, [
    id,
    cid,
  ])
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

const SINCE = { from: '$2', to: "'infinity'", fromQuarter: '$3', toQuarter: String(LARGEST_INT) }

/** Sums of customers since a moment; customers without any are left out. */
export function sumEach(db: Db, cuids: number[], since: Date) {
  const figures = byQuarter(ofCustomers('$1'), SINCE, id => id)
  return db.rows<SumRow>(`select key as id, ${COUNTS} from ${figures} group by key`, [
    ...[cuids, since, quarterNumber(since)],
  ])
}

/** Sums of each campaign of a customer that has any since a day (of its zone), including deleted campaigns. */
export function sumCampaigns(db: Db, cuid: number, since: string) {
  return db.rows<SumRow & { is_deleted: boolean }>(
    `select c.cid as id, c.deleted_at is not null as is_deleted, ${COUNTS}
     from ${byOwn('campaign', '$1', { from: '$2', to: "'infinity'" })} join campaign c on c.cid = figures.key
     group by c.cid order by c.cid`,
    [cuid, since],
  )
}
