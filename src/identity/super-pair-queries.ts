// SQL of super pairs: the pairs of an app, which belong to no customer.

import type { SuperScope } from '../kernel/permissions.ts'
import type { Db } from '../platform/database.ts'

export interface SuperPairRow {
  key: string
  name: string | null
  scope: SuperScope
  cuids: number[] | null
  created_at: Date
  expires_at: Date | null
  used_at: Date | null
}

/** The valid super pairs of an app, oldest first. */
export function selectSuperPairs(db: Db, appId: number, now: Date) {
  return db.rows<SuperPairRow>(
    `select key, name, scope, to_jsonb(cuids) as cuids, created_at, expires_at,
       (select used_at from credential_use u where u.key = c.key) as used_at
     from credential c
     where app_id = $1 and cuid is null and revoked_at is null and (expires_at is null or expires_at > $2)
     order by created_at, key`,
    [appId, now],
  )
}

/** Locks the app while its pairs are added or replaced, so that names stay unique and the limit is exact. */
export function lockApp(db: Db, appId: number) {
  return db.row('select 1 from app where app_id = $1 for no key update', [appId])
}

/** Selects those of these customers that the app has. */
export async function selectOwnCuids(db: Db, appId: number, cuids: readonly number[]): Promise<Set<number>> {
  const rows = await db.rows<{ cuid: number }>(
    'select cuid from customer where cuid = any($1::bigint[]) and app_id = $2 and deleted_at is null',
    [cuids, appId],
  )
  return new Set(rows.map(({ cuid }) => cuid))
}

/** Ends the super pairs of an app, immediately or at a future time. */
export function endSuperPairs(db: Db, appId: number, at: Date) {
  return db.run(
    `update credential set expires_at = $2
     where app_id = $1 and cuid is null and (expires_at is null or expires_at > $2)`,
    [appId, at],
  )
}

/** Ends the super pairs with these keys. */
export function endThese(db: Db, appId: number, keys: readonly string[], at: Date) {
  return db.run(
    `update credential set expires_at = $3
     where key = any($2::text[]) and app_id = $1 and cuid is null and (expires_at is null or expires_at > $3)`,
    [appId, keys, at],
  )
}

export function revokeSuperPair(db: Db, appId: number, key: string, now: Date) {
  return db.run(
    `update credential set revoked_at = $3
     where key = $2 and app_id = $1 and cuid is null and revoked_at is null and (expires_at is null or expires_at > $3)`,
    [appId, key, now],
  )
}

/** The names of these super pairs of an app, valid or not. */
export function selectSuperNames(db: Db, appId: number, keys: readonly string[]) {
  return db.rows<{ key: string; name: string | null }>(
    'select key, name from credential where key = any($2::text[]) and app_id = $1',
    [appId, keys],
  )
}
