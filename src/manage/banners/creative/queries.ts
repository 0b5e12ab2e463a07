// SQL of stored creatives.

import type { Db } from '../../../platform/database.ts'

export interface CreativeRow {
  /** Null: the bytes are in the object store. */
  bytes: Buffer | null
}

export async function insertCreative(db: Db, name: string, bytes: Buffer | null): Promise<void> {
  await db.run('insert into creative (name, bytes) values ($1, $2) on conflict do nothing', [name, bytes])
}

export function selectCreative(db: Db, name: string) {
  return db.row<CreativeRow>('select bytes from creative where name = $1', [name])
}

export async function deleteCreative(db: Db, name: string): Promise<void> {
  await db.run('delete from creative where name = $1', [name])
}

export async function selectNames(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    'select name from creative where name > $1 order by name limit $2',
    [after, limit],
  )
  return rows.map(row => row.name)
}

/** Names that are in use but not stored: an earlier version had those images only on its disk. */
export async function selectUnkept(db: Db): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    `select name from (
       select name from creative_upload union select creative_name from banner where creative_name is not null
     ) named where not exists (select from creative c where c.name = named.name) order by name`,
  )
  return rows.map(row => row.name)
}
