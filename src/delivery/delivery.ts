// Delivery as a part of the service: catalog, index, ledger and the routes of the thin path. It starts by itself and
// tries again until it has started; until then every ad request is answered with nothing. Once started it lives from
// memory: the database may go and come back.

import { randomBytes, randomFillSync } from 'node:crypto'
import { capPrefix, createCapStore } from '../caps/cap-store.ts'
import { createCaps } from '../caps/caps.ts'
import { type CapStore, capsElsewhere, type OpenCapCount } from '../caps/shared-caps.ts'
import { type Catalog, startCatalog } from '../catalog/catalog.ts'
import type { DataRoute } from '../data-plane/data-plane.ts'
import type { Clock } from '../kernel/clock.ts'
import { calendarOf } from '../kernel/day.ts'
import { type Journal, openJournal } from '../ledger/journal.ts'
import { createLedger, type Ledger } from '../ledger/ledger.ts'
import { createCountsLoader, loadSeenToday, restoreLedger } from '../ledger/load.ts'
import { givingCapCountsBack } from '../node/give-cap-counts-back.ts'
import { createRefill, type Refill } from '../node/refill.ts'
import type { Config } from '../platform/config.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { secretNamed } from '../platform/secrets.ts'
import type { SlowStatements } from '../platform/slow-statements.ts'
import { every } from '../platform/timer.ts'
import { brokenConnection, createTrouble } from '../platform/trouble.ts'
import { joinAsNode } from '../shares/join.ts'
import type { ShareStore } from '../shares/share.ts'
import { BY_KEYS, createShareStore } from '../shares/shares.ts'
import { createTargetingIndex } from '../targeting/index-tree.ts'
import { createAdIds } from '../tracking/ad.ts'
import { createUserCookies, type UserCookies } from '../tracking/cookie.ts'
import { keepSigningKeys, loadSigningKeys, refreshSigningKeys, type StoredKeys } from '../tracking/keys.ts'
import type { Places } from '../tracking/places.ts'
import type { ServedSums } from '../tracking/served.ts'
import type { VisitorLimits } from '../tracking/visitor-limits.ts'
import type { GeoLookups } from './audience/lookups.ts'
import { MOST_AD_BYTES } from './body.ts'
import type { Dialects } from './dialects.ts'
import { createTrafficSample, type TrafficSample } from './funnel/sample.ts'
import { createTrafficWriter } from './funnel/shared.ts'
import { startLagMeter } from './lag.ts'
import { openLookups } from './lookups.ts'
import { createTally, type Tally } from './tally.ts'
import { type SecretsAt, userSecrets } from './user-secrets.ts'
import { type OnUnserved, visitorAllowancesBy } from './visitor-allowance.ts'
import { sinkOf } from './wire.ts'

export interface DeliveryOptions {
  config: Config
  db: Database
  databaseUrl: string
  slow?: SlowStatements
  clock: Clock
  log: Log
  metrics: Metrics
  places: Places
  visitorLimits: VisitorLimits
  servedSums: ServedSums
  /** A visitor that holds too many unseen ads did not get this one. */
  onUnserved: OnUnserved
  /** Another process is this node now: delivery is to start again as another. */
  onReplaced: () => void
  /** The languages that ads are asked for in. */
  dialects: Dialects
}

/** What is there once delivery has started. */
export interface RunningDelivery {
  catalog: Catalog
  ledger: Ledger
  journal: Journal
  refill: Refill
  store: ShareStore
  /** If caps are kept in a shared store, for all nodes. */
  capStore: CapStore | null
  keys: StoredKeys
  secretsAt: SecretsAt
  cookies: UserCookies
  routes: DataRoute[]
  /** Reads all changes up to now, and asks for the shares that it needs. */
  refresh(): Promise<void>
}

export interface Delivery {
  /** Bound at once; they answer with nothing until delivery has started. */
  routes: DataRoute[]
  lookups: GeoLookups
  sample: TrafficSample
  running(): RunningDelivery | null
  /** Resolves when delivery has started (or was stopped before). */
  readonly started: Promise<void>
  /**
   * Restarts from the journal and the database; until then ad requests get no ad. `settled` resolves when the database
   * has answered for everything in the current books.
   */
  restart(settled: () => Promise<void>): void
  /**
   * The database went back in time: starts again from it and the journal, and gives nothing back of what another
   * database had granted. Resolves when it has started.
   */
  startAnew(): Promise<void>
  stop(): Promise<void>
}

/** Reservations of exchanges may be asked for this long, and notices come a minute later. */
const MAX_TTL_MS = 3_660_000
const MAX_ADS = 2_000_000
const MAX_CAPPED_USERS = 5_000_000
const SEGMENT_BYTES = 64 * 1024 * 1024
const MAX_PENDING_BYTES = 64 * 1024 * 1024
const SHARE_CONNECTIONS = 2
/** A part of a round is over, or given up, well before the node's time is. */
const SHARE_STATEMENT_MS = 3_000
/** Less than the service waits for a part of it to stop (service/stop.ts). */
const GIVE_BACK_MS = 3_000
const RETRY_MS = 1_000
/** How old the traffic sample may be that other processes see of this one. */
const TRAFFIC_MS = 5_000

export function createDelivery(options: DeliveryOptions): Delivery {
  const { log, metrics, clock } = options
  const lookups = openLookups(options.config.GEOIP_DB)
  const sample = createTrafficSample(clock.nowMs)
  const tally = createTally()
  const closers: (() => unknown)[] = []
  const trouble = createTrouble(log, {
    text: 'delivery cannot start; retrying',
    again: 'delivery can start again',
  })
  let running: RunningDelivery | null = null
  let stopped = false
  /** Keys of links in the world, which the database may not have any more. */
  let keysBefore: StoredKeys | null = null
  let wentBack = false
  metrics.tally('marquee_ad_places_total', 'Ad places asked for, by outcome.', 'outcome', tally.read)

  async function stop(): Promise<void> {
    stopped = true
    await started
    await letGo()
  }

  async function letGo(): Promise<void> {
    running = null
    while (closers.length > 0) await closers.pop()!()
  }

  function restart(settled: () => Promise<void>): void {
    running = null
    started = started.then(async () => {
      if (stopped) return
      running = null
      await settled()
      await letGo()
      await startUntilDone()
    })
  }

  function disown(): void {
    running?.refill.disown()
    keysBefore = running?.keys ?? keysBefore
    running = null
  }

  function startAnew(): Promise<void> {
    disown()
    started = started.then(async () => {
      if (stopped) return
      // It may have been starting.
      disown()
      wentBack = true
      await letGo()
      await startUntilDone()
    })
    return started
  }

  async function startUntilDone(): Promise<void> {
    while (!stopped) {
      try {
        running = await start({ ...options, lookups, sample, tally, keysBefore, wentBack }, closers)
        keysBefore = null
        wentBack = false
        trouble.over()
        return
      } catch (error) {
        trouble.is(error)
        await letGo()
        if (!stopped) await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  let started = startUntilDone()
  const waiting = options.dialects.waiting(tally.count)
  return {
    routes: PLACES.map(place => ({
      ...place,
      handle: request => answer(place.prefix, request),
      refuse: path => running?.routes.find(item => item.prefix === place.prefix)?.refuse?.(path) ?? null,
    })),
    lookups,
    sample,
    running: () => running,
    get started() {
      return started
    },
    restart,
    startAnew,
    stop,
  }

  function answer(prefix: string, request: Parameters<DataRoute['handle']>[0]) {
    const route = (running?.routes ?? waiting).find(item => item.prefix === prefix)
    if (route) return route.handle(request)
    tally.count('not_ready')
    return { status: 204, headers: {}, body: null }
  }
}

const PLACES = [
  { prefix: '/openrtb2/bid/' },
  { prefix: '/openrtb2/site/', mostBodyBytes: MOST_AD_BYTES },
  { prefix: '/ad', exact: true, mostBodyBytes: MOST_AD_BYTES },
  { prefix: '/ad.html', exact: true },
  { prefix: '/tag.js', exact: true },
]

interface StartOptions extends DeliveryOptions {
  lookups: GeoLookups
  sample: TrafficSample
  tally: Tally
  wentBack: boolean
  /** In use before it went back. */
  keysBefore: StoredKeys | null
}

async function start(options: StartOptions, closers: (() => unknown)[]): Promise<RunningDelivery> {
  const { config, db, databaseUrl, clock, log } = options
  const nowMs = clock.nowMs
  const calendar = calendarOf(config.TIMEZONE)
  const sharesDb = openDatabase({
    url: databaseUrl,
    slow: options.slow,
    maxConnections: SHARE_CONNECTIONS,
    name: 'marquee shares',
    statementMs: SHARE_STATEMENT_MS,
    settings: BY_KEYS,
    onError: brokenConnection(log, { part: 'shares' }),
  })
  options.metrics.pool('shares', sharesDb.pool)
  closers.push(() => sharesDb.close())
  const node = await joinAsNode(sharesDb, config.DATA_DIR, MAX_TTL_MS)
  closers.push(() => node.leave())
  const store = createShareStore(sharesDb, MAX_TTL_MS)
  const userSecret = await secretNamed(db, 'user')
  const capStore = config.CAPS_URL
    ? createCapStore({ url: config.CAPS_URL, prefix: capPrefix(userSecret), log })
    : null
  closers.push(() => capStore?.close())
  const rebuildFrom = { load: () => Promise.resolve(), open: (): OpenCapCount[] => [] }
  const refill = createRefill({
    store,
    sharedCaps: capStore && {
      duties: store,
      store: capStore,
      load: () => rebuildFrom.load(),
      open: () => rebuildFrom.open(),
    },
    node,
    log,
    nowMs,
    steadyMs: () => performance.now(),
    maxTtlMs: MAX_TTL_MS,
    onReplaced: options.onReplaced,
  })

  const keyParts = { clock, randomBytes }
  if (options.keysBefore) await keepSigningKeys(db, options.keysBefore)
  const keys = await loadSigningKeys(db, keyParts)
  closers.push(every('signing keys', 60_000, () => refreshSigningKeys(db, keys, keyParts), log))
  const secretsAt = userSecrets(userSecret, calendar)
  const cookies = createUserCookies(userSecret)

  const journalTrouble = createTrouble(log, {
    text: 'the journal of reservations cannot be written; budgets still hold',
    again: 'the journal of reservations is written again',
  })
  const journal = await openJournal({
    dir: node.dir,
    nowMs: nowMs(),
    segmentBytes: SEGMENT_BYTES,
    maxPendingBytes: MAX_PENDING_BYTES,
    onError: journalTrouble.is,
  })
  closers.push(() => journal.close())
  const caps = capStore ? capsElsewhere() : createCaps({ maxUsers: MAX_CAPPED_USERS })
  const ledger = createLedger({
    calendar,
    caps,
    log: capStore ? givingCapCountsBack(journal.log, capStore) : journal.log,
    hasCapStore: capStore !== null,
    nowMs: nowMs(),
    maxTtlMs: MAX_TTL_MS,
    maxAds: MAX_ADS,
    node: refill,
  })
  const index = createTargetingIndex()
  const catalog = await startCatalog({ db, databaseUrl, clock, log, sink: sinkOf(index, ledger, nowMs) })
  closers.push(() => catalog.stop())
  await restoreLedger(
    {
      db,
      ledger,
      journal,
      orders: catalog.orders,
      calendar,
      maxTtlMs: MAX_TTL_MS,
      node,
      store,
      hasCapStore: capStore !== null,
      wentBack: options.wentBack,
    },
    nowMs(),
  )
  if (capStore) {
    rebuildFrom.load = () => loadSeenToday({ db, orders: catalog.orders, calendar }, capStore, nowMs())
    rebuildFrom.open = () => ledger.openCapCounts(nowMs())
  }
  refill.start(ledger)
  closers.push(() => leave(refill, ledger, log))
  await refill.sync()
  const loadMissingCounts = createCountsLoader({ db, ledger, caps, capStore, calendar })
  closers.push(every('caps', 1_000, () => loadMissingCounts(nowMs()), log))
  const tellTraffic = createTrafficWriter(db, node.nodeId, options.sample)
  closers.push(every('traffic', TRAFFIC_MS, tellTraffic, log))
  closers.push(every('ledger', 10_000, () => tidy(ledger, journal, nowMs()), log))

  const lag = startLagMeter()
  closers.push(() => lag.stop())
  const routes = options.dialects.routes({
    config,
    decide: {
      catalog,
      index,
      ledger,
      nextAdId: createAdIds(pool => randomFillSync(pool)),
      random: Math.random,
    },
    links: {
      publicUrl: config.PUBLIC_URL,
      nodeId: node.nodeId,
      keys,
      places: options.places,
      saltAt: ms => secretsAt(ms).dailySalt,
    },
    clock,
    calendar,
    capStore,
    kept: journal.kept,
    tally: options.tally,
    sample: options.sample,
    sources: catalog.sources,
    secretsAt,
    lookups: options.lookups,
    cookies,
    allowanceOf: visitorAllowancesBy(options.visitorLimits, options.onUnserved),
    servedSums: options.servedSums,
    lagMs: lag.lagMs,
  })
  async function refresh(): Promise<void> {
    await catalog.refresh()
    await refill.sync()
  }
  log.info(
    { node: node.nodeId, personas: catalog.personas.size, campaigns: catalog.orders.size },
    'delivery has started',
  )
  return { catalog, ledger, journal, refill, store, capStore, keys, secretsAt, cookies, routes, refresh }
}

async function leave(refill: Refill, ledger: Ledger, log: Log): Promise<void> {
  const { campaigns, micros } = await refill.leave(ledger, GIVE_BACK_MS)
  if (campaigns > 0)
    log.warn(
      { node: refill.node.nodeId, campaigns, micros },
      'shares of budgets were not given back in time: they go back when the last ad of this process has expired',
    )
}

async function tidy(ledger: Ledger, journal: Journal, nowMs: number): Promise<void> {
  ledger.expire(nowMs)
  await journal.sweep(nowMs)
}
