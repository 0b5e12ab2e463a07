// SQL of tracking: the keys that sign links, and the sums of served ads.

import type { Db } from '../../platform/database.ts'
import type { SourceRefusal } from './refusals.ts'

export interface SigningKeyRow {
  key_id: number
  secret: Buffer
  created_at: Date
}

export function selectSigningKeys(db: Db) {
  return db.rows<SigningKeyRow>('select key_id, secret, created_at from signing_key order by key_id')
}

/** If several processes rotate at the same time, only one adds the key. */
export function insertSigningKey(db: Db, row: SigningKeyRow) {
  return db.run(
    'insert into signing_key (key_id, secret, created_at) values ($1, $2, $3) on conflict do nothing',
    [row.key_id, row.secret, row.created_at],
  )
}

export function deleteSigningKeys(db: Db, createdBefore: Date) {
  return db.run('delete from signing_key where created_at < $1', [createdBefore])
}

export function deleteSigningKey(db: Db, keyId: number) {
  return db.run('delete from signing_key where key_id = $1', [keyId])
}

export interface ServedRow {
  cid: number
  day: number
  served: number
  seen: number
}

export function addServed(db: Db, rows: ServedRow[]) {
  return db.run(
    `insert into served_day as known (cid, day, served, seen)
     select * from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[])
     on conflict (cid, day) do update
       set served = known.served + excluded.served, seen = known.seen + excluded.seen`,
    [
      rows.map(row => row.cid),
      rows.map(row => row.day),
      rows.map(row => row.served),
      rows.map(row => row.seen),
    ],
  )
}

export function deleteServedBefore(db: Db, day: number) {
  return db.run('delete from served_day where day < $1', [day])
}

export interface OutcomeRow {
  sourceId: number
  /** The beginning of the quarter of an hour. */
  atMs: number
  outcome: string
  calls: number
}

export function addOutcomes(db: Db, rows: OutcomeRow[]) {
  return db.run(
    `insert into source_outcome as known (source_id, at, outcome, calls)
     select * from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::bigint[])
     on conflict (at, source_id, outcome) do update set calls = known.calls + excluded.calls`,
    [
      rows.map(row => row.sourceId),
      rows.map(row => new Date(row.atMs)),
      rows.map(row => row.outcome),
      rows.map(row => row.calls),
    ],
  )
}

export function deleteOutcomesBefore(db: Db, at: Date) {
  return db.run('delete from source_outcome where at < $1', [at])
}

/** A source that had many impressions refused for one reason. */
export interface RefusedSource {
  sourceId: number
  source: string
  reason: SourceRefusal
  refused: number
  /** Of how many, counted or not. */
  of: number
}

/** The sources of whose impressions since `since` at least `least`, and one in `oneIn`, were refused for one reason. */
export function selectRefused(db: Db, since: Date, least: number, oneIn: number) {
  return db.rows<RefusedSource>(
    `with sum as (
       select source_id, outcome, sum(calls)::bigint as calls,
         sum(sum(calls)) over (partition by source_id)::bigint as of_all
       from source_outcome where at >= $1 and outcome <> 'requested' group by source_id, outcome
     )
     select source_id as "sourceId", name as source, outcome as reason, calls as refused, of_all as "of"
     from sum join source using (source_id)
     where outcome <> 'counted' and calls >= $2 and calls * $3 >= of_all
     order by calls desc, source_id limit 20`,
    [since, least, oneIn],
  )
}
