// The database of the service: the one of the settings, or an embedded one.

import { DatabaseEnded, startEmbeddedPostgres } from '../embedded-postgres/embedded.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { mustBeReachable } from '../platform/reachable.ts'
import { connectionsOf } from './connections.ts'

export interface DatabaseOptions {
  config: Config
  log: Log
  onFatal?: (error: Error) => void
  /** Its data is removed when it ends. */
  isDisposable?: boolean | undefined
}

/** The one of the settings, or an embedded one, which ends with the service and is always waited for. */
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
    log: line => log.info({ part: 'postgres' }, line),
    settings: {
      max_connections: String(mostConnections(config)),
      // A crash may cost a sandbox its last moments: nobody waits for the disk.
      ...(config.SANDBOX ? { synchronous_commit: 'off' } : {}),
      ...(isDisposable ? { fsync: 'off', full_page_writes: 'off' } : {}),
    },
  })
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

/** For starts, commands and people. */
const SPARE_CONNECTIONS = 40

function mostConnections(config: Config): number {
  return Math.max(100, config.PROCESSES * connectionsOf(config) + SPARE_CONNECTIONS)
}
