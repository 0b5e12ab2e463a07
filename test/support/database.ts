// A database for one test file on the run's server, so that test files cannot see each other's rows.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, type DatabaseOptions, type Db, openDatabase } from '../../src/platform/database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

export const TEMPLATE = 'template_migrated'

/** A migrated, empty database. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(`TEMPLATE ${TEMPLATE}`)
}

/** Returns a URL for read-only connections, as to a replica. */
export function replicaOf(url: string): string {
  const options = encodeURIComponent('-c default_transaction_read_only=on')
  return `${url}${url.includes('?') ? '&' : '?'}options=${options}`
}

/** Opens a new database; closing it drops it. */
export async function openTestDatabase(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const { url, drop } = await createTestDatabase()
  const db = openDatabase({ url, maxConnections: 4, onError: () => {}, ...options })
  return { ...db, close: () => db.close().then(drop) }
}

/**
 * A database whose connection dies right before its n-th statement. `commit` counts as a statement. So does a statement
 * outside of a transaction, which fails as if the connection had died afterwards.
 */
export function dyingAt(db: Database, step: number): Database & { isDead: () => boolean } {
  let statements = 0
  let isDead = false
  const dying = (tx: Db): Db => {
    const before = async () => {
      if (statements++ !== step) return
      isDead = true
      const row = await tx.row<{ pid: number }>('select pg_backend_pid() as pid')
      await db.run('select pg_terminate_backend($1)', [row!.pid])
    }
    return {
      ...tx,
      rows: async (text, params) => before().then(() => tx.rows(text, params)),
      row: async (text, params) => before().then(() => tx.row(text, params)),
      run: async (text, params) => before().then(() => tx.run(text, params)),
    }
  }
  return {
    ...db,
    isDead: () => isDead,
    transaction: work =>
      db.transaction(async tx => {
        const result = await work(dying(tx))
        await dying(tx).row('select 1')
        return result
      }),
    run: async (text, params) => {
      if (statements++ === step) {
        isDead = true
        throw new Error('died after the commit')
      }
      return db.run(text, params)
    },
  }
}

/** A database without tables, for tests that migrate it themselves. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return create('')
}

async function create(how: string): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await createDatabase(serverUrl, name, how)
  return {
    url: withDatabase(serverUrl, name),
    // Connections that a test forgot to close must not keep its database alive.
    drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

export function createDatabase(serverUrl: string, name: string, how = ''): Promise<void> {
  // Copying file by file costs a fraction of copying page by page through the journal.
  return execute(serverUrl, `CREATE DATABASE ${name} ${how} STRATEGY FILE_COPY`)
}

export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Uses no `new URL`, which refuses the URL of a socket because it has no host. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^([^?]*\/)[^/?]*/, `$1${name}`)
}
