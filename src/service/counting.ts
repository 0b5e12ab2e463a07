// Counting as a part of the service: joins tracking links, the till over delivery's ledger, and the batches that are
// written to the statistics. Tracking itself knows none of the others.

import { setTimeout as pause } from 'node:timers/promises'
import { clickUrlOf } from '../banners/banners.ts'
import type { ConversionParts } from '../conversions/conversions.ts'
import { actionLimitsBy } from '../conversions/limits.ts'
import { sweepActions } from '../conversions/retention.ts'
import { conversionPixel } from '../conversions/routes.ts'
import type { DataAnswer, DataRequest, DataRoute } from '../data-plane/data-plane.ts'
import { createBotCheck } from '../delivery/audience/bots.ts'
import { isPrefetch } from '../delivery/audience/prefetch.ts'
import type { Delivery, RunningDelivery } from '../delivery/delivery.ts'
import { userHashesOf, userHashOf } from '../delivery/user-hash.ts'
import { calendarOf } from '../kernel/day.ts'
import { clientAddressBy } from '../platform/client-address.ts'
import type { Database } from '../platform/database.ts'
import { every } from '../platform/timer.ts'
import { goneBeforeMs, keepPartitions } from '../stats/ingest/partitions.ts'
import type { Batcher } from '../tracking/batcher.ts'
import { createTally } from '../tracking/calls.ts'
import type { Places } from '../tracking/places.ts'
import { trackingRoutes } from '../tracking/routes.ts'
import { type ServedSums, sweepServed } from '../tracking/served.ts'
import type { VisitorLimits } from '../tracking/visitor-limits.ts'
import { openEventWriter, type WriterBase } from './event-writer.ts'
import { createTill } from './till.ts'

export interface CountingOptions extends WriterBase {
  db: Database
  places: Places
  visitorLimits: VisitorLimits
  servedSums: ServedSums
  delivery: Delivery
}

export interface Counting {
  routes: DataRoute[]
  /** Answered, and not counted. */
  ignore: Batcher['ignore']
  /** What the endpoints of conversions need. */
  conversions: ConversionParts & { db: Database }
  /** How long the database has not answered for a batch; null: nothing more is accepted. */
  stuckMs(): number | null
  /** Resolves when the database has answered for all that was reported so far. */
  settled(): Promise<void>
  stop(): Promise<void>
}

const PARTITIONS_MS = 3_600_000
const SERVED_MS = 5_000
/** Delivery starts within moments, except with a very large catalog: earlier requests wait this long. */
const START_PATIENCE_MS = 2_000
const DAY_MS = 86_400_000
const SETTLED_POLL_MS = 20
const COME_AGAIN: DataAnswer = { status: 503, headers: { 'retry-after': '1' }, body: null }

export async function startCounting(options: CountingOptions): Promise<Counting> {
  const { config, db, clock, log, metrics, delivery, visitorLimits, servedSums, witness } = options
  const retention = { eventRetentionS: config.EVENT_RETENTION, clickWindowS: config.CLICK_WINDOW }
  const calendar = calendarOf(config.TIMEZONE)
  async function keep(): Promise<void> {
    await keepPartitions(db, clock.nowMs(), retention)
    await sweepServed(db, calendar.dayAt(clock.nowMs() - DAY_MS).key)
    await sweepActions(db, await goneBeforeMs(db, clock.nowMs(), retention))
  }
  await keep()
  const stopKeeping = every('partitions', PARTITIONS_MS, keep, log)

  const ownNodeId = () => delivery.running()?.refill.node.nodeId ?? 0
  const writer = openEventWriter({ ...options, ownNodeId })
  const { batcher, ingestDb, trackingDb, onError } = writer
  const stopServed = every('served ads', SERVED_MS, () => servedSums.flush(ingestDb), log)
  const tally = createTally(metrics)
  const conversions: ConversionParts & { db: Database } = {
    db: trackingDb,
    batcher,
    clock,
    tally,
    actionLimits: actionLimitsBy(config),
    clickWindowS: config.CLICK_WINDOW,
    viewWindowS: config.VIEW_WINDOW,
    readCookie: header => delivery.running()?.cookies.read(header) ?? null,
    userHashesOf(kind, id, firstKey) {
      const secretsAt = delivery.running()?.secretsAt
      const hashes = secretsAt ? userHashesOf(secretsAt, clock, config.VIEW_WINDOW, kind, id) : []
      return firstKey === null ? hashes : [...hashes, userHashOf(firstKey)]
    },
  }
  const callers = {
    isBot: createBotCheck(),
    isPrefetch,
    clientAddress: clientAddressBy(config.TRUST_PROXY),
    onError,
  }
  const shared = { batcher, clock, tally, clickWindowS: config.CLICK_WINDOW, visitorLimits, servedSums }

  /** The routes of the delivery that runs now: its keys, its ledger, its catalog. */
  let bound: { to: RunningDelivery; route: DataRoute } | null = null
  function routeOf(running: RunningDelivery): DataRoute {
    if (bound?.to !== running) {
      const { keys, ledger, catalog, refill, store, secretsAt, turns } = running
      const saltAt = (ms: number) => secretsAt(ms).dailySalt
      const { nodeId } = refill.node
      const calendar = calendarOf(config.TIMEZONE)
      const ledgerNow = () => delivery.running()?.ledger ?? null
      const books = { ledger, ledgerNow, orders: catalog.orders }
      const till = createTill({ nodeId, ...books, calendar, store, turns, onError })
      const clickUrl = (bid: number, pid: number) =>
        catalog.personas.get(pid)?.banners.find(banner => banner.bid === bid)?.clickUrl ??
        clickUrlOf(trackingDb, bid)
      const dailyMicrosOf = (cid: number) => catalog.orders.get(cid)?.campaign.dailySpendMicros ?? null
      const beside = conversionPixel({ ...conversions, ...callers, saltAt })
      const called = { ...callers, saltAt, beside }
      const [route] = trackingRoutes({ ...shared, ...called, keys, till, dailyMicrosOf, clickUrlOf: clickUrl })
      bound = { to: running, route: route! }
    }
    return bound.route
  }

  function notYet(): DataAnswer {
    tally('unread', 'not_started')
    return COME_AGAIN
  }

  let stopping = false
  return {
    // A reporter is never told that an event was written when it was not, whatever went wrong.
    routes: [
      {
        prefix: '/t/',
        handle: request => whenStarted(delivery, request, routeOf, notYet),
        failed: COME_AGAIN,
      },
    ],
    ignore: batcher.ignore,
    conversions,
    stuckMs: () => (batcher.hasRoom() ? batcher.stuckMs() : null),
    async settled() {
      // Nothing is written to a database that went back before delivery has started anew.
      while (batcher.queued() > 0 && !stopping && witness.isTrusted()) await pause(SETTLED_POLL_MS)
    },
    async stop() {
      stopping = true
      await writer.finish()
      await stopKeeping()
      await stopServed()
      await servedSums.flush(ingestDb).catch(onError)
      await writer.close()
    },
  }
}

function whenStarted(
  delivery: Delivery,
  request: DataRequest,
  routeOf: (running: RunningDelivery) => DataRoute,
  notYet: () => DataAnswer,
): DataAnswer | Promise<DataAnswer> {
  const running = delivery.running()
  return running ? routeOf(running).handle(request) : waitForStart(delivery, request, routeOf, notYet)
}

async function waitForStart(
  delivery: Delivery,
  request: DataRequest,
  routeOf: (running: RunningDelivery) => DataRoute,
  notYet: () => DataAnswer,
): Promise<DataAnswer> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise(resolve => {
    timer = setTimeout(resolve, START_PATIENCE_MS)
  })
  await Promise.race([delivery.started, patience])
  clearTimeout(timer)
  const running = delivery.running()
  return running ? routeOf(running).handle(request) : notYet()
}
