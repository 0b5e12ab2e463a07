// SQL of tracking: the keys that sign links, and the sums of served ads.

import type { Db } from '../../platform/database.ts'

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
