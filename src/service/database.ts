// The database of the service: the configured one, or an embedded one.

import type { Config } from '../platform/config.ts'
import { missingFixes } from '../platform/embedded-postgres/binaries.ts'
import { DatabaseEnded, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded.ts'
import type { Log } from '../platform/log.ts'
import { mustBeReachable } from '../platform/reachable.ts'
import { connectionsOf } from './connections.ts'

export interface DatabaseOptions {
  config: Config
  log: Log
  onFatal?: (error: Error) => void
  /** The data is removed at the end. */
  isDisposable?: boolean | undefined
}

/** The configured database, or an embedded one, which ends with the service; the service always waits for that. */
export async function databaseOf({
  config,
  log,
  onFatal,
  isDisposable,
}: DatabaseOptions): Promise<{ url: string; stop(): unknown }> {
  if (config.DATABASE_URL) {
    await mustBeReachable(config.DATABASE_URL)
    return { url: config.DATABASE_URL, stop: () => {} }
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    programs: config.EMBEDDED_POSTGRES,
    log: line => log.info({ part: 'postgres' }, line),
    settings: {
      max_connections: String(mostConnections(config)),
      // A crash may cost a sandbox its last moments, so no commit waits for the disk.
      ...(config.SANDBOX ? { synchronous_commit: 'off' } : {}),
      ...(isDisposable ? { fsync: 'off', full_page_writes: 'off' } : {}),
    },
  })
  const missing = missingFixes(embedded.version)
  if (missing) log.warn({ part: 'postgres' }, `${missing.text} ${missing.advice}`)
  let stopping = false
  embedded.exited.then(why => {
    if (!stopping) onFatal?.(new DatabaseEnded(why))
  })
  return {
    url: embedded.url,
    stop() {
      stopping = true
      return embedded.stop()
    },
  }
}

/** For starting processes, commands and people. */
const SPARE_CONNECTIONS = 40

function mostConnections(config: Config): number {
  return Math.max(100, config.PROCESSES * connectionsOf(config) + SPARE_CONNECTIONS)
}
