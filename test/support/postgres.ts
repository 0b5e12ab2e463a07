// Vitest's global setup: one real PostgreSQL for the whole run, in a temporary folder. It does not wait for the disk,
// because no test on it is about surviving a power cut.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded.ts'
import { migrateJobs } from '../../src/platform/job-queue.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { createDatabase, TEMPLATE, withDatabase } from './database.ts'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-test-'))
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: line => console.error(`postgres: ${line}`),
    // Services of several test files are connected at once.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '400' },
  })
  // Migrated once: a copy takes only a moment.
  await createDatabase(postgres.url, TEMPLATE)
  const template = withDatabase(postgres.url, TEMPLATE)
  await migrate(template)
  await migrateJobs(template, createLog('error'))
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
