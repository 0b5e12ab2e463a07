// SQL of statistics. Figures are read from the rollups only; the events are read to be handed out as they are.
// A period that is open is given as -infinity and infinity, so that one plan serves all.

import type { Db } from '../platform/database.ts'
import type { Counts } from './figures.ts'

export interface SubjectRow {
  id: number
  kind: 'campaign' | 'flight' | 'persona' | 'banner'
  cid: number
  start_at: Date
  end_at: Date
}

const COUNTS = `coalesce(sum(imps), 0) as imps, coalesce(sum(clicks), 0) as clicks,
  coalesce(sum(actions), 0) as actions, coalesce(sum(spend_micros), 0) as "spendMicros"`

/** Whatever of this customer the id means, with its campaign's dates; null when deleted, or beneath something deleted. */
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
       select b.bid, 'banner', p.cid from banner b join persona p using (pid)
       where b.bid = $1 and b.deleted_at is null and p.deleted_at is null
     ) s join campaign c using (cid)
     where c.cuid = $2 and c.deleted_at is null`,
    [id, cuid],
  )
}

/** The customer itself, for figures of all that it has. */
export function selectOwner(db: Db, cuid: number) {
  return db.row<{ created_at: Date }>(
    'select created_at from customer where cuid = $1 and deleted_at is null',
    [cuid],
  )
}

/** Half open; by the first moments of quarters, or by dates. */
export interface Bounds {
  from: Date | string
  to: Date | string
}

export async function sumRollup(db: Db, id: number, { from, to }: Bounds): Promise<Counts> {
  const row = await db.row<Counts>(
    `select ${COUNTS} from rollup where id = $1 and quarter >= $2 and quarter < $3`,
    [id, from, to],
  )
  return row!
}

export interface BucketRow extends Counts {
  /** 1 for the first bucket; 0 for a quarter that began before it. */
  bucket: number
}

/** A quarter belongs to the bucket that its first second lies in. */
export function sumRollupByBucket(db: Db, id: number, { from, to }: Bounds, bucketStartsS: number[]) {
  return db.rows<BucketRow>(
    `select width_bucket(date_part('epoch', quarter), $4::float8[]) as bucket, ${COUNTS}
     from rollup where id = $1 and quarter >= $2 and quarter < $3 group by 1`,
    [id, from, to, bucketStartsS],
  )
}

export interface NamedRow extends Counts {
  /** Null: all the rest. */
  name: string | null
}

/** Largest first; what is beyond the limit comes as one last row. */
export function sumDimension(db: Db, id: number, dimension: string, { from, to }: Bounds, limit: number) {
  const order = dimension === 'action' ? 'actions desc, imps desc' : 'imps desc, clicks desc, actions desc'
  return db.rows<NamedRow>(
    `select name, ${COUNTS} from (
       select case when row_number() over w <= $5 then name end as name, row_number() over w as place,
         imps, clicks, actions, spend_micros
       from (
         select name, sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions,
           sum(spend_micros) as spend_micros
         from rollup_dimension where id = $1 and dimension = $2 and day >= $3 and day < $4 group by name
       ) named
       window w as (order by ${order}, name)
     ) ranked group by name order by min(place)`,
    [id, dimension, from, to, limit],
  )
}

/** A customer's campaigns, deleted ones too: their figures stay in the customer's. */
export function sumCampaigns(db: Db, cuid: number, { from, to }: Bounds) {
  return db.rows<Counts & { id: number; name: string }>(
    `select c.cid as id, c.name, sums.* from campaign c cross join lateral (
       select ${COUNTS} from rollup r where r.id = c.cid and r.quarter >= $2 and r.quarter < $3 having count(*) > 0
     ) sums where c.cuid = $1 order by sums.imps desc, sums.clicks desc, sums.actions desc, c.cid`,
    [cuid, from, to],
  )
}

/** Names of banners or personas, deleted ones too: their figures stay in their parents'. */
export function selectNames(db: Db, noun: 'banner' | 'persona', ids: number[]) {
  return db.rows<{ id: number; name: string }>(
    noun === 'banner'
      ? 'select bid as id, name from banner where bid = any($1)'
      : 'select pid as id, name from persona where pid = any($1)',
    [ids],
  )
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

/** Sums since a moment; ids without any are left out. */
export function sumEach(db: Db, ids: number[], since: Date) {
  return db.rows<SumRow>(
    `select id, ${COUNTS} from rollup where id = any($1) and quarter >= $2 group by id`,
    [ids, since],
  )
}

/** The same of a customer and, in one statement so that they fit each other, of each of its campaigns. */
export function sumCustomer(db: Db, cuid: number, since: Date) {
  return db.rows<SumRow>(
    `select owner.id, sums.* from (
       select $1::bigint as id union all select cid from campaign where cuid = $1 and deleted_at is null
     ) owner cross join lateral (
       select ${COUNTS} from rollup r where r.id = owner.id and r.quarter >= $2 having count(*) > 0
     ) sums order by owner.id`,
    [cuid, since],
  )
}

export function selectSpent(db: Db, cids: number[], day: number) {
  return db.rows<{ cid: number; spent_micros: number }>(
    'select cid, spent_micros from budget_day where day = $2 and cid = any($1)',
    [cids, day],
  )
}
