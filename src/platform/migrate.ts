// Migrations: plain SQL files, forward only, each in a transaction of its own, all under one advisory lock,
// so that any number of processes may start at once. A database newer than this code is refused.

import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { LOCKS } from './locks.ts'

const MIN_SERVER_VERSION = 150_000

/** Beside `src/`, both in the sources and in the build. */
const MIGRATIONS = new URL('../../migrations/', import.meta.url)

/** `only`: those, where a backup is to meet the tables that it was taken from; by default all. */
export async function migrate(databaseUrl: string, only?: string[]): Promise<string[]> {
  const names = (await readdir(MIGRATIONS)).filter(name => name.endsWith('.sql')).sort()
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'marquee migrate' })
  await client.connect()
  try {
    await refuseOldServer(client)
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrations])
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from migration')
    const applied = new Set(rows.map(row => row.name))
    refuseNewerDatabase(applied, names)
    if (only) refuseNewerDatabase(new Set(only), names)
    const missing = (only ?? names).filter(name => !applied.has(name))
    for (const name of missing) await apply(client, name, await readFile(new URL(name, MIGRATIONS), 'utf8'))
    return missing
  } finally {
    await client.end()
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ v: string; name: string }>(
    "select current_setting('server_version_num') as v, current_setting('server_version') as name",
  )
  if (Number(rows[0]!.v) < MIN_SERVER_VERSION) {
    throw new Error(`the database is PostgreSQL ${rows[0]!.name}; Marquee needs 15 or newer`)
  }
}

function refuseNewerDatabase(applied: Set<string>, known: string[]): void {
  const unknown = [...applied].filter(name => !known.includes(name))
  if (unknown.length === 0) return
  throw new Error(
    `the database is newer than this version of Marquee (it has ${unknown.join(', ')}); ` +
      'run the version that made it, or a later one',
  )
}

async function apply(client: pg.Client, name: string, text: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into migration (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}
