// A database for one test file on the run's server, so that test files cannot see each other's rows.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, type DatabaseOptions, type Db, openDatabase } from '../../src/platform/database.ts'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

export const TEMPLATE = 'template_migrated'

/** Migrated, and empty. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(`TEMPLATE ${TEMPLATE}`)
}

/** The same, open; closing it drops it. */
export async function openTestDatabase(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const { url, drop } = await createTestDatabase()
  const db = openDatabase({ url, maxConnections: 4, onError: () => {}, ...options })
  return { ...db, close: () => db.close().then(drop) }
}

/**
 * Whose connection dies right before its n-th statement; `commit` counts as one, and so does a statement outside of a
 * transaction, which fails as if it had died after it.
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

/** Without tables, for tests that migrate it themselves. */
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
  // Copied file by file, which costs a fraction of copying it page by page through the journal.
  return execute(serverUrl, `CREATE DATABASE ${name} ${how} STRATEGY FILE_COPY`)
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The URL of a socket has no host, which `new URL` refuses; hence by hand. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^([^?]*\/)[^/?]*/, `$1${name}`)
}
