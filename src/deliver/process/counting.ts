// Counting as a part of a node's life: tracking links are answered with the keys, the ledger and the catalog of the
// node that runs now, and events that count join the batches that are written to the statistics.

import { setTimeout as pause } from 'node:timers/promises'
import type { ConversionParts } from '../../count/conversions/conversions.ts'
import { actionLimitsBy } from '../../count/conversions/limits.ts'
import { conversionPixel } from '../../count/conversions/routes.ts'
import type { Batcher } from '../../count/tracking/batcher.ts'
import { createTally } from '../../count/tracking/calls.ts'
import { trackingRoutes } from '../../count/tracking/routes.ts'
import type { ServedSums } from '../../count/tracking/served.ts'
import type { SourceOutcomes } from '../../count/tracking/source-outcomes.ts'
import type { VisitorLimits } from '../../count/tracking/visitor-limits.ts'
import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { clientAddressBy } from '../../platform/client-address.ts'
import type { Config } from '../../platform/config.ts'
import type { Database, Db } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { RewindCheck } from '../../platform/rewind-check.ts'
import { every } from '../../platform/timer.ts'
import { createBotCheck } from '../audience/bots.ts'
import { isPrefetch } from '../audience/prefetch.ts'
import { userHashesOf, userHashOf } from '../decide/user-hash.ts'
import { createAdClaims } from './ad-claims.ts'
import type { DeliveryNode } from './node.ts'
import type { RunningNode } from './running.ts'

/** Batches, and two connection pools: one to write them, one for lookups that strangers cause. */
export interface EventWriter {
  batcher: Batcher
  ingestDb: Database
  trackingDb: Database
  onError(error: unknown): void
  /** Accepts nothing more, and waits a moment until the accepted events are written. */
  finish(): Promise<void>
  close(): Promise<void>
}

export interface CountingOptions {
  config: Config
  clock: Clock
  log: Log
  metrics: Metrics
  rewindCheck: Pick<RewindCheck, 'isTrusted' | 'sinceMs'>
  visitorLimits: VisitorLimits
  servedSums: ServedSums
  sourceOutcomes: SourceOutcomes
  node: DeliveryNode
  writer: EventWriter
  /** The stored address of a banner that is no longer live; null: there is none. */
  clickUrlOf(db: Db, bid: number): Promise<string | null>
}

export interface Counting {
  routes: DataRoute[]
  /** Records an event that was answered but not counted. */
  ignore: Batcher['ignore']
  /** What the endpoints for conversions need. */
  conversions: ConversionParts & { db: Database }
  /** For how long no waiting event could be written; null: nothing more is accepted. */
  stuckMs(): number | null
  /** Resolves when the database has answered for all that was reported so far. */
  settled(): Promise<void>
  /** The same, including what was not counted. */
  idle(): Promise<void>
  stop(): Promise<void>
}

const SERVED_MS = 5_000
/** Requests before the start wait this long. A node starts within moments, except with a very large catalog. */
const START_PATIENCE_MS = 2_000
/** Within this time after the database went back in time, every node has restarted and has its shares again. */
const NODES_RESTART_MS = 60_000
const SETTLED_POLL_MS = 20
const COME_AGAIN: DataAnswer = { status: 503, headers: { 'retry-after': '1' }, body: null }

export function startCounting(options: CountingOptions): Counting {
  const { config, clock, log, metrics, node, writer, visitorLimits, servedSums, sourceOutcomes } = options
  const { rewindCheck } = options
  const { batcher, ingestDb, trackingDb, onError } = writer
  const flushSums = async () => {
    await servedSums.flush(ingestDb)
    await sourceOutcomes.flush(ingestDb)
  }
  const stopServed = every('served ads', SERVED_MS, flushSums, log, clock)
  const tally = createTally(metrics)
  const conversions: ConversionParts & { db: Database } = {
    db: trackingDb,
    batcher,
    clock,
    tally,
    actionLimits: actionLimitsBy(config),
    clickWindowS: config.CLICK_WINDOW,
    impressionWindowS: config.VIEW_WINDOW,
    readCookie: header => node.running()?.cookies.read(header) ?? null,
    userHashesOf(kind, id, firstKey) {
      const secretsAt = node.running()?.secretsAt
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
  const wentBackRecently = () => rewindCheck.sinceMs() < NODES_RESTART_MS
  const limits = { visitorLimits, servedSums, sourceOutcomes, wentBackRecently }
  const shared = { batcher, clock, tally, clickWindowS: config.CLICK_WINDOW, ...limits }

  /** The routes of the node that runs now: its keys, its ledger, its catalog. */
  let bound: { to: RunningNode; route: DataRoute } | null = null
  function routeOf(running: RunningNode): DataRoute {
    if (bound?.to !== running) {
      const { keys, ledger, catalog, refill, store, secretsAt, capStore } = running
      const saltAt = (ms: number) => secretsAt(ms).dailySalt
      const { nodeId } = refill.node
      const ledgerNow = () => node.running()?.ledger ?? null
      const books = { ledger, ledgerNow, orders: catalog.orders }
      const claims = createAdClaims({
        nodeId,
        ...books,
        timeZone: config.TIMEZONE,
        nowMs: () => clock.nowMs(),
        untilAsked: refill.untilAsked,
        store,
        capStore,
        onError,
      })
      const clickUrl = (bid: number, pid: number) =>
        catalog.personas.get(pid)?.banners.find(banner => banner.bid === bid)?.clickUrl ??
        options.clickUrlOf(trackingDb, bid)
      const dailyMicrosOf = (cid: number) => catalog.orders.get(cid)?.campaign.dailySpendMicros ?? null
      const beside = conversionPixel({ ...conversions, ...callers, saltAt })
      const called = { ...callers, saltAt, beside }
      const [route] = trackingRoutes({
        ...shared,
        ...called,
        keys,
        claims,
        dailyMicrosOf,
        clickUrlOf: clickUrl,
      })
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
    // Whatever goes wrong, a reporter is never told that an event was written when it was not.
    routes: [
      {
        prefix: '/t/',
        handle: request => whenStarted(node, request, routeOf, notYet),
        failed: COME_AGAIN,
      },
    ],
    ignore: batcher.ignore,
    conversions,
    stuckMs: () => (batcher.hasRoom() ? batcher.stuckMs() : null),
    async settled() {
      // Nothing is written to a database that went back in time until the node has restarted.
      while (batcher.queued() > 0 && !stopping && rewindCheck.isTrusted()) await pause(SETTLED_POLL_MS)
    },
    idle: batcher.drain,
    async stop() {
      stopping = true
      await writer.finish()
      await stopServed()
      await flushSums().catch(onError)
      await writer.close()
    },
  }
}

function whenStarted(
  node: DeliveryNode,
  request: DataRequest,
  routeOf: (running: RunningNode) => DataRoute,
  notYet: () => DataAnswer,
): DataAnswer | Promise<DataAnswer> {
  const running = node.running()
  return running ? routeOf(running).handle(request) : waitForStart(node, request, routeOf, notYet)
}

async function waitForStart(
  node: DeliveryNode,
  request: DataRequest,
  routeOf: (running: RunningNode) => DataRoute,
  notYet: () => DataAnswer,
): Promise<DataAnswer> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise(resolve => {
    timer = setTimeout(resolve, START_PATIENCE_MS)
  })
  await Promise.race([node.started, patience])
  clearTimeout(timer)
  const running = node.running()
  return running ? routeOf(running).handle(request) : notYet()
}
