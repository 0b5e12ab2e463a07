// The second step of a node: its books. The journal says what it had promised, the catalog what may be served, and the
// database what was spent; only then may the ledger promise anything.

import { type Caps, createCaps } from '../../budget/caps/caps.ts'
import type { CapStore } from '../../budget/caps/shared-caps.ts'
import { capsElsewhere } from '../../budget/caps/shared-caps.ts'
import type { LedgerLog } from '../../budget/ledger/ad.ts'
import { type Journal, openJournal } from '../../budget/ledger/journal.ts'
import { createLedger } from '../../budget/ledger/ledger.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import { isSandbox } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { createTrouble } from '../../platform/trouble.ts'
import { type Catalog, startCatalog } from '../catalog/catalog.ts'
import type { CatalogSink } from '../catalog/live-catalog.ts'
import { createIndexForTests } from '../targeting/for-tests.ts'
import { createTargetingIndex, type TargetingIndex } from '../targeting/index-tree.ts'
import { sinkOf } from './catalog-sink.ts'
import { createNodeClickRates, type NodeClickRates } from './click-rates.ts'
import { MAX_TTL_MS, type Membership } from './join.ts'
import { restoreLedger } from './restore.ts'
import type { NodeOptions } from './running.ts'

export interface OpenBooks {
  journal: Journal
  caps: Caps
  ledger: Ledger
  index: TargetingIndex
  /** For campaigns that are paid by click. */
  byClick: NodeClickRates
  catalog: Catalog
  arrange(): void
}

const MAX_ADS = 2_000_000
const MAX_CAPPED_USERS = 5_000_000
const SEGMENT_BYTES = 64 * 1024 * 1024
const MAX_PENDING_BYTES = 64 * 1024 * 1024

export async function openLedger(
  options: Pick<NodeOptions, 'db' | 'databaseUrl' | 'clock' | 'random' | 'log'> & { wentBack: boolean },
  { node, store, capStore, refill }: Membership,
  calendar: Calendar,
  closers: (() => unknown)[],
): Promise<OpenBooks> {
  const { db, databaseUrl, clock, log, wentBack } = options
  const { nowMs } = clock
  const hasCapStore = capStore !== null
  const trouble = createTrouble(log, {
    text: 'cannot write the reservation journal; budgets still hold',
    again: 'the reservation journal is written again',
  })
  const journal = await openJournal({
    dir: node.dir,
    nowMs: nowMs(),
    segmentBytes: SEGMENT_BYTES,
    maxPendingBytes: MAX_PENDING_BYTES,
    onError: trouble.is,
  })
  closers.push(() => journal.close())
  const caps = hasCapStore ? capsElsewhere() : createCaps({ maxUsers: MAX_CAPPED_USERS })
  const ledger = createLedger({
    calendar,
    caps,
    log: capStore ? givingCapCountsBack(journal.log, capStore) : journal.log,
    hasCapStore,
    nowMs: nowMs(),
    maxTtlMs: MAX_TTL_MS,
    maxAds: MAX_ADS,
    node: refill,
  })
  const index = (isSandbox(clock) ? createIndexForTests : createTargetingIndex)(options.random)
  const byClick = createNodeClickRates()
  const sink = sinkOf(index, ledger, nowMs, byClick)
  const catalog = await startCatalog({ db, databaseUrl, clock, calendar, log, sink })
  closers.push(() => catalog.stop())
  const { orders } = catalog
  await restoreLedger(
    { db, ledger, journal, orders, calendar, maxTtlMs: MAX_TTL_MS, node, store, hasCapStore, wentBack },
    nowMs(),
  )
  byClick.follow(catalog, sink)
  return { journal, caps, ledger, index, byClick, catalog, arrange: () => arrange(catalog, sink) }
}

/** Puts all personas into the index again, in the order of their ids. */
function arrange({ personas }: Catalog, sink: CatalogSink): void {
  const all = [...personas.values()].toSorted((a, b) => a.pid - b.pid)
  for (const { pid } of all) sink.removePersona(pid)
  for (const persona of all) sink.putPersona(persona)
}

// If caps are in a shared store, a lost ad returns its cap count there.

function givingCapCountsBack(log: LedgerLog, capStore: Pick<CapStore, 'giveBack'>): LedgerLog {
  return {
    ...log,
    ended(ad, how) {
      log.ended(ad, how)
      const { cid, dayKey, adId, user } = ad
      if (how === 'freed' && user) capStore.giveBack({ cid, dayKey, adId, user })
    },
  }
}
