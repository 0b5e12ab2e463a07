// SQL of tracking: the keys that sign links, and the events that actions are credited to.

import type { Db } from '../platform/database.ts'

export interface SigningKeyRow {
  key_id: number
  secret: Buffer
  created_at: Date
}

export function selectSigningKeys(db: Db) {
  return db.rows<SigningKeyRow>('select key_id, secret, created_at from signing_key order by key_id')
}

/** Of several processes that rotate at once, one adds the key. */
export function insertSigningKey(db: Db, row: SigningKeyRow) {
  return db.run(
    'insert into signing_key (key_id, secret, created_at) values ($1, $2, $3) on conflict do nothing',
    [row.key_id, row.secret, row.created_at],
  )
}

export function deleteSigningKeys(db: Db, createdBefore: Date) {
  return db.run('delete from signing_key where created_at < $1', [createdBefore])
}

export interface CreditRow {
  ad_id: Buffer
  served_s: number
  at_ms: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
  place_hash: number | null
  device: 'mobile' | 'tablet' | 'desktop' | null
  os: string | null
  country: string | null
}

const CREDIT = `ad_id, extract(epoch from served_at)::bigint as served_s, floor(extract(epoch from at) * 1000)::bigint as at_ms,
  cuid, cid, fid, pid, bid, place_hash, device, os, country`

export function selectClick(db: Db, servedS: number, adId: string) {
  return db.row<CreditRow>(
    `select ${CREDIT} from event where served_at = to_timestamp($1::bigint) and ad_id = $2 and kind = 'click'`,
    [servedS, Buffer.from(adId, 'base64url')],
  )
}

/** Of each customer the latest view by any of these users, within (fromMs, toMs]; the latest first. */
export function selectLatestViews(
  db: Db,
  users: Buffer[],
  fromMs: number,
  toMs: number,
  servedFromMs: number,
  cuid: number | null,
) {
  return db.rows<CreditRow>(
    `select * from (
       select distinct on (cuid) ${CREDIT} from event
       where kind = 'impression' and user_hash = any($1::bytea[]) and at > to_timestamp($2 / 1000.0::numeric)
         and at <= to_timestamp($3 / 1000.0::numeric) and served_at > to_timestamp($4 / 1000.0::numeric)
         and ($5::bigint is null or cuid = $5)
       order by cuid, at desc limit 100
     ) latest order by at_ms desc`,
    [users, fromMs, toMs, servedFromMs, cuid],
  )
}
