// The embedded database for a bench, in its own directory, which is removed when the bench ends.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded.ts'

/** `serverPid` is the process id of PostgreSQL. */
export async function withBenchDatabase<T>(
  work: (url: string, dataDir: string, serverPid: number) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-bench-'))
  const embedded = await startEmbeddedPostgres({ dataDir, log: () => {} })
  try {
    return await work(embedded.url, dataDir, embedded.pid)
  } finally {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
