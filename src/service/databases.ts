// The pools that every role of a process uses, and how many of their connections calls may take. Strangers, readers,
// writers and the process itself never wait for each other.

import type { FairPools } from '../http/fair-pools.ts'
import type { Config } from '../platform/config.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { PLANNED_ONCE } from '../platform/session.ts'
import type { SlowStatements } from '../platform/slow-statements.ts'
import { brokenConnection } from '../platform/trouble.ts'
import { runs } from './roles.ts'

export interface Databases {
  /** For writing calls and all work without a pool of its own. */
  db: Database
  /** For reading calls. */
  reads: Database
  /** For looking up who is calling: pairs and sessions. */
  door: Database
  /** For asking whether the database answers, and for cancelling statements. */
  control: Database
  measure(metrics: Metrics): void
  addTo(fairPools: FairPools): void
  close(): Promise<void>
}

export interface DatabasesOptions {
  config: Config
  url: string
  slow: SlowStatements
  log: Log
}

const DOOR_CONNECTIONS = 2
const CONTROL_CONNECTIONS = 2
export const CONTROL_STATEMENT_MS = 2_000

export function openDatabases({ config, url, slow, log }: DatabasesOptions): Databases {
  const onError = brokenConnection(log)
  const control = openDatabase({
    url,
    maxConnections: CONTROL_CONNECTIONS,
    statementMs: CONTROL_STATEMENT_MS,
    onError,
  })
  const open = (maxConnections: number, settings = {}) =>
    openDatabase({ url, maxConnections, settings, slow, control, onError })
  const db = open(config.DATABASE_POOL, config.SANDBOX ? PLANNED_ONCE : {})
  // A process without management has few calls, and none of them reads much.
  const manages = runs(config.ROLES, 'management')
  const reads = manages ? open(config.READ_POOL) : db
  const door = manages ? open(DOOR_CONNECTIONS) : db
  return {
    db,
    reads,
    door,
    control,
    measure(metrics) {
      metrics.pool('control', control.pool)
      metrics.pool('requests', db.pool)
      if (!manages) return
      metrics.pool('reads', reads.pool)
      metrics.pool('door', door.pool)
    },
    addTo(fairPools) {
      fairPools.add('requests', db, butOneIn(4, config.DATABASE_POOL))
      // The streams of live totals read from this pool too.
      if (manages) fairPools.add('reads', reads, butOneIn(config.READ_POOL, config.READ_POOL))
    },
    async close() {
      for (const one of new Set([db, reads, door, control])) await one.close()
    },
  }
}

/** Leaves one in this many connections to other work, but calls always have at least one. */
function butOneIn(many: number, connections: number): number {
  return Math.max(1, connections - Math.ceil(connections / many))
}
