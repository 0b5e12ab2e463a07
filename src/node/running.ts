// What a node needs to start, and what exists once it has started.

import type { CapStore } from '../caps/shared-caps.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DataRoute } from '../data-plane/data-plane.ts'
import type { Dialects } from '../delivery/dialects.ts'
import type { SecretsAt } from '../delivery/user-secrets.ts'
import type { OnUnserved } from '../delivery/visitor-allowance.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Journal } from '../ledger/journal.ts'
import type { Ledger } from '../ledger/ledger-interface.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { SlowStatements } from '../platform/slow-statements.ts'
import type { ShareStore } from '../shares/share.ts'
import type { UserCookies } from '../tracking/cookie.ts'
import type { StoredKeys } from '../tracking/keys.ts'
import type { Places } from '../tracking/places.ts'
import type { ServedSums } from '../tracking/served.ts'
import type { VisitorLimits } from '../tracking/visitor-limits.ts'
import type { Refill } from './refill.ts'

export interface NodeOptions {
  config: Config
  db: Database
  databaseUrl: string
  slow?: SlowStatements
  clock: Clock
  /** In [0, 1); decides which of equal banners is shown, and what pacing lets pass. */
  random?: (() => number) | undefined
  log: Log
  metrics: Metrics
  places: Places
  visitorLimits: VisitorLimits
  servedSums: ServedSums
  /** Called when a visitor did not get an ad because it already has too many unseen ones. */
  onUnserved: OnUnserved
  /** Another process is this node now: this process must start again as another node. */
  onReplaced: () => void
  /** The dialects of ad requests. */
  dialects: Dialects
}

export interface RunningNode {
  catalog: Catalog
  ledger: Ledger
  journal: Journal
  refill: Refill
  store: ShareStore
  /** The shared store of caps for all nodes, if there is one. */
  capStore: CapStore | null
  keys: StoredKeys
  secretsAt: SecretsAt
  cookies: UserCookies
  routes: DataRoute[]
  /** Makes the order of equal personas independent of when each of them came. */
  arrange(): void
  /** Reads all changes up to now, and asks for the shares that the node needs. */
  refresh(): Promise<void>
}
