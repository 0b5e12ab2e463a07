// SQL of tracking: the keys that sign links.

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
