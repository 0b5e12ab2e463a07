// The number of rows of a table that were read so far: for tests that make sure that large tables are not read.

import type { Db } from '../../src/platform/database.ts'

export async function rowsRead(db: Db, table: string): Promise<number> {
  await db.row('select pg_stat_force_next_flush()')
  await db.row('select pg_stat_clear_snapshot()')
  const row = await db.row<{ read: number }>(
    'select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = $1',
    [table],
  )
  return row!.read
}
