// A test database whose clock stands still until the test moves it: `now()` and similar functions come from a schema
// that precedes PostgreSQL's own. So the database's own decisions by time, such as which nodes are alive and which days
// are over, follow a simulated clock.

import { type Database, openDatabase } from '../../src/platform/database.ts'
import { createTestDatabase } from './database.ts'

export interface VirtualDatabase extends Database {
  setClock(ms: number): Promise<void>
}

const NAMES = ['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp']

export async function openVirtualDatabase(startMs: number): Promise<VirtualDatabase> {
  const { url, drop } = await createTestDatabase()
  await setUp(url)
  const settings = { synchronous_commit: 'off' }
  const db = openDatabase({ url, maxConnections: 4, settings, onError: () => {} })
  const setClock = async (ms: number) => {
    await db.run('update virtual.clock set at = to_timestamp($1::float8 / 1000)', [ms])
  }
  await setClock(startMs)
  return {
    ...db,
    setClock,
    close: () => db.close().then(drop),
  }
}

/** Sessions that begin afterwards use this clock. */
async function setUp(url: string): Promise<void> {
  const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
  await db.run('create schema virtual')
  await db.run('create table virtual.clock as select now() as at')
  for (const name of NAMES)
    await db.run(
      `create function virtual.${name}() returns timestamptz language sql stable as 'select at from virtual.clock'`,
    )
  const name = await db.row<{ name: string }>('select current_database() as name')
  await db.run(`alter database ${name!.name} set search_path = virtual, pg_catalog, public`)
  await db.close()
}
