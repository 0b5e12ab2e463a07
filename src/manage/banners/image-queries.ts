// SQL of images: uploads, their total size per customer, and images that nothing uses.

import type { Db } from '../../platform/database.ts'

/**
 * Keeps the image from being removed until the transaction ends. Those who store or use it share the lock, so that no
 * customer waits for another one with the same image.
 */
export function lockImageShared(tx: Db, name: string) {
  return tx.run('select pg_advisory_xact_lock_shared(hashtextextended($1, 7731012))', [name])
}

/** Takes the lock for removing the image; false if it is in use. It never waits, so nothing waits behind it. */
export async function lockUnusedImage(tx: Db, name: string): Promise<boolean> {
  const row = await tx.row<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 7731012)) as locked',
    [name],
  )
  return row!.locked
}

/** Makes parallel uploads of a customer wait for each other, so that the quota is exact. */
export async function lockUploads(tx: Db, cuid: number): Promise<void> {
  await tx.row('select 1 from customer where cuid = $1 for no key update', [cuid])
}

export async function selectKept(db: Db, cuid: number): Promise<{ files: number; bytes: number }> {
  const row = await db.row<{ files: number; bytes: number }>(
    'select count(*) as files, coalesce(sum(bytes), 0)::bigint as bytes from creative_upload where cuid = $1',
    [cuid],
  )
  return row!
}

/** An image that is uploaded again counts once, and is kept as long as a new one. */
export function upsertUpload(db: Db, cuid: number, name: string, bytes: number, now: Date) {
  return db.run(
    `insert into creative_upload (cuid, name, bytes, created_at) values ($1, $2, $3, $4)
     on conflict (cuid, name) do update set bytes = excluded.bytes, created_at = excluded.created_at`,
    [cuid, name, bytes, now],
  )
}

/**
 * Returns whether the customer has uploaded the image, and keeps that upload until the transaction ends. It locks the
 * row, because one call may use very many images and the server has room for few advisory locks.
 */
export async function lockUploadShared(tx: Db, cuid: number, name: string): Promise<boolean> {
  const row = await tx.row('select 1 from creative_upload where cuid = $1 and name = $2 for key share', [
    cuid,
    name,
  ])
  return row !== null
}

/** Locks all uploads of an image for its removal; false if a transaction uses one of them. */
export async function lockUnusedUploads(tx: Db, name: string): Promise<boolean> {
  const row = await tx.row<{ locked: boolean }>(
    `with free as (select cuid from creative_upload where name = $1 for update skip locked)
     select (select count(*) from free) = (select count(*) from creative_upload where name = $1) as locked`,
    [name],
  )
  return row!.locked
}

/** The images that a banner shows or was made from. Deleted banners count, because they may be restored. */
export function selectUsed(db: Db, names: string[]) {
  return db.rows<{ name: string }>(
    `select image as name from unnest($1::text[]) image
     where exists (select from banner b where b.creative_name = image)
        or exists (
          select from banner b where b.creative_url like '/creative/%' and b.creative_url = '/creative/' || image
        )`,
    [names],
  )
}

export async function noteUnused(db: Db, names: string[], since: Date): Promise<void> {
  if (names.length === 0) return
  await db.run(
    'insert into creative_unused (name, since) select name, $2 from unnest($1::text[]) name on conflict do nothing',
    [names, since],
  )
}

export async function forgetUnused(db: Db, names: string[]): Promise<void> {
  if (names.length > 0) await db.run('delete from creative_unused where name = any($1::text[])', [names])
}

export function selectUnusedSince(db: Db, before: Date) {
  return db.rows<{ name: string }>('select name from creative_unused where since < $1 limit 10000', [before])
}

/** Deletes older uploads of an image; returns true if none is left. */
export async function deleteUploads(tx: Db, name: string, before: Date): Promise<boolean> {
  await tx.run('delete from creative_upload where name = $1 and created_at < $2', [name, before])
  return (await tx.row('select 1 from creative_upload where name = $1 limit 1', [name])) === null
}
