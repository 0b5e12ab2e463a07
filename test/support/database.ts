// A database for one test file on the run's server, so that test files cannot see each other's rows.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

export const TEMPLATE = 'template_migrated'

/** Migrated, and empty. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(`TEMPLATE ${TEMPLATE}`)
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
