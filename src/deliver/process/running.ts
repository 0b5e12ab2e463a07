// What a node needs to start, and what exists once it has started.

import type { CapStore } from '../../budget/caps/shared-caps.ts'
import type { Journal } from '../../budget/ledger/journal.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { ShareStore } from '../../budget/shares/share.ts'
import type { UserCookies } from '../../count/tracking/cookie.ts'
import type { StoredKeys } from '../../count/tracking/keys.ts'
import type { Places } from '../../count/tracking/places.ts'
import type { ServedSums } from '../../count/tracking/served.ts'
import type { SourceOutcomes } from '../../count/tracking/source-outcomes.ts'
import type { VisitorLimits } from '../../count/tracking/visitor-limits.ts'
import type { DataRoute } from '../../http/lane/data-plane.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { SlowStatements } from '../../platform/slow-statements.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import type { ClickRates } from '../click-rates/rates.ts'
import type { Dialects } from '../decide/dialects.ts'
import type { SecretsAt } from '../decide/user-secrets.ts'
import type { OnUnserved } from '../decide/visitor-allowance.ts'
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
  sourceOutcomes: SourceOutcomes
  /** Called when a visitor did not get an ad because it already has too many unseen ones. */
  onUnserved: OnUnserved
  /** Another process is this node now: this process must start again as another node. */
  onReplaced: () => void
  /** The dialects of ad requests. */
  dialects: Dialects
  /** The check for stalled campaigns: called repeatedly by a process that has everything live in memory. */
  createStalledCheck: (live: LiveView) => () => Promise<void>
}

/** What a delivering process lets a check read. */
export interface LiveView {
  db: Database
  clock: Clock
  catalog: ReadonlyCatalog
  rates: () => ClickRates
  /** Writes what this process has seen to the database, so that a check does not depend on when that was last done. */
  writeTraffic: (isExact: boolean) => Promise<void>
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
