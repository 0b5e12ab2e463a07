// The counting path alone, assembled from its real parts: links, ledger, batches, database, thin server. It is for the
// bench and for tests that replace some parts; a node assembles the same parts in deliver/process/counting.ts.

import { randomBytes, randomFillSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCaps } from '../src/budget/caps/caps.ts'
import { createLedger } from '../src/budget/ledger/ledger.ts'
import type { Ledger } from '../src/budget/ledger/ledger-interface.ts'
import type { LiveCampaign } from '../src/budget/live.ts'
import type { ConversionParts } from '../src/count/conversions/conversions.ts'
import { type ActionLimitOptions, createActionLimits } from '../src/count/conversions/limits.ts'
import { conversionPixel } from '../src/count/conversions/routes.ts'
import { createIngest } from '../src/count/ingest/ingest.ts'
import { keepPartitions } from '../src/count/ingest/partitions.ts'
import { createAdIds, type ServedAd, type UserHash } from '../src/count/tracking/ad.ts'
import { type Batcher, type BatcherOptions, createBatcher } from '../src/count/tracking/batcher.ts'
import { createTally } from '../src/count/tracking/calls.ts'
import { createUserCookies, type UserCookies } from '../src/count/tracking/cookie.ts'
import type { Ingest } from '../src/count/tracking/event.ts'
import { loadSigningKeys } from '../src/count/tracking/keys.ts'
import { type KeyRing, type LinkTokens, signLinks } from '../src/count/tracking/links.ts'
import { createPlaces, type Places } from '../src/count/tracking/places.ts'
import { type TrackingParts, trackingRoutes } from '../src/count/tracking/routes.ts'
import { createServedSums } from '../src/count/tracking/served.ts'
import { createSourceOutcomes } from '../src/count/tracking/source-outcomes.ts'
import { createVisitorLimits } from '../src/count/tracking/visitor-limits.ts'
import { createBotCheck } from '../src/deliver/audience/bots.ts'
import { isPrefetch } from '../src/deliver/audience/prefetch.ts'
import { createAdClaims } from '../src/deliver/process/ad-claims.ts'
import { type DataAnswer, type DataRequest, dataPlane } from '../src/http/lane/data-plane.ts'
import { type FastLane, openFastLane } from '../src/http/lane/fast-lane.ts'
import type { Clock } from '../src/kernel/time/clock.ts'
import { type Calendar, createCalendar } from '../src/kernel/time/day.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { createMetrics, type Metrics } from '../src/platform/metrics.ts'
import { migrate } from '../src/platform/migrate.ts'
import { withPlenty } from '../test/support/shares.ts'

export interface CountingOptions {
  databaseUrl: string
  clock: Clock
  timeZone?: string
  batch?: Partial<BatcherOptions>
  actionLimits?: Partial<ActionLimitOptions>
  clickUrlOf?: TrackingParts['clickUrlOf']
  /** Placed between the batches and the database. */
  wrapIngest?: (ingest: Ingest) => Ingest
  onTrouble?: (error: unknown) => void
}

export interface Counting {
  db: Database
  keys: KeyRing
  ledger: Ledger
  batcher: Batcher
  places: Places
  metrics: Metrics
  parts: TrackingParts
  conversions: ConversionParts
  cookies: UserCookies
  calendar: Calendar
  nextAdId: () => string
  /** A link as delivery would make it. */
  sign(ad: ServedAd): LinkTokens
  handle(request: Partial<DataRequest> & { path: string }): Promise<DataAnswer>
  listen(): Promise<string>
  stop(): Promise<void>
}

export const TRIAL_CAMPAIGN: LiveCampaign = {
  cid: 20,
  cuid: 10,
  enabled: true,
  flights: [{ fid: 30, startS: 0, endS: 4e9 }],
  freq: 0,
  dailySpendMicros: 1_000_000_000_000,
  cpmMicros: 2_000_000,
  category: [],
  hours: null,
  pacing: 'asap',
}

export async function startCounting(options: CountingOptions): Promise<Counting> {
  const { clock, timeZone = 'UTC', onTrouble = () => {} } = options
  await migrate(options.databaseUrl)
  const open = (maxConnections: number) =>
    openDatabase({ url: options.databaseUrl, maxConnections, onError: onTrouble })
  const db = open(4)
  const ingestDb = open(2)
  await keepPartitions(db, clock.nowMs(), { eventRetentionS: 400 * 86_400, clickWindowS: 30 * 86_400 })
  const keys = await loadSigningKeys(db, { clock, randomBytes })
  const places = createPlaces({ maxPlaces: 10_000 })
  const { wrapIngest = ingest => ingest } = options
  const ingest = wrapIngest(withPlenty(db, createIngest({ db: ingestDb, timeZone, places })))
  const batcher = createBatcher({ ingest, clock, onTrouble, ...options.batch })
  const metrics = createMetrics()
  const cookies = createUserCookies(Buffer.alloc(32, 1))
  const calendar = createCalendar(timeZone)
  const ledger = trialLedger(calendar, clock)
  const claims = createAdClaims({
    nodeId: 0,
    ledger,
    orders: new Map(),
    timeZone,
    nowMs: clock.nowMs,
    store: { sendNews: async () => undefined },
    capStore: null,
    onError: onTrouble,
  })
  const tally = createTally(metrics)
  const shared = {
    wentBackRecently: () => false,
    batcher,
    clock,
    tally,
    clickWindowS: 30 * 86_400,
    onError: onTrouble,
  }
  const callers = {
    isBot: createBotCheck(),
    isPrefetch,
    clientAddress: (remoteAddress: string) => remoteAddress,
    saltAt: () => 'salt',
  }
  const conversions: ConversionParts = {
    ...shared,
    impressionWindowS: 86_400,
    userHashesOf: (kind, id) => [trialUserHash(kind, id)],
    readCookie: cookies.read,
    actionLimits: createActionLimits({
      names: 200,
      newNamesPerDay: 20,
      valueByPixel: 0,
      perVisitorAndHour: 0,
      ...options.actionLimits,
    }),
  }
  const parts: TrackingParts = {
    ...shared,
    ...callers,
    keys,
    claims,
    dailyMicrosOf: () => null,
    clickUrlOf: options.clickUrlOf ?? (() => 'https://bikes.example/'),
    visitorLimits: createVisitorLimits({ openAds: 0, impressionsPerHour: 0, sharePercent: 0 }),
    servedSums: createServedSums({ maxSums: 1000 }),
    sourceOutcomes: createSourceOutcomes({ maxSums: 1000 }),
    beside: conversionPixel({ ...shared, ...conversions, ...callers, db }),
  }
  const [route] = trackingRoutes(parts)
  let server: Server | null = null
  let lane: FastLane | null = null

  return {
    db,
    keys,
    ledger,
    batcher,
    places,
    metrics,
    parts,
    conversions,
    cookies,
    calendar,
    nextAdId: createAdIds(pool => void randomFillSync(pool)),
    sign: ad => signLinks(ad, keys),
    handle: async request => route!.handle({ ...VISITOR, ...request }),
    async listen() {
      server = createServer(
        dataPlane([route!], (_, response) => void response.writeHead(404).end(), onTrouble),
      )
      lane = openFastLane({ server, routes: [route!], onError: onTrouble, idleMs: 60_000, requestMs: 30_000 })
      await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    async stop() {
      lane?.close()
      server?.closeAllConnections()
      server?.close()
      await batcher.stop(5000)
      await ingestDb.close()
      await db.close()
    },
  }
}

export const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const VISITOR: Omit<DataRequest, 'path'> = {
  method: 'GET',
  query: '',
  headers: { 'user-agent': AGENT },
  remoteAddress: '127.0.0.1',
  body: null,
}

function trialLedger(calendar: Calendar, clock: Clock): Ledger {
  const ledger = createLedger({
    calendar,
    caps: createCaps({ maxUsers: 1_000_000 }),
    log: { reserved() {}, ended() {}, budget() {} },
    nowMs: clock.nowMs(),
    maxTtlMs: 3_600_000,
    maxAds: 1_000_000,
  })
  ledger.setCampaign(TRIAL_CAMPAIGN, clock.nowMs())
  return ledger
}

/** Any function will do, as long as both sides use the same one. */
export function trialUserHash(kind: string, id: string): UserHash {
  const bytes = Buffer.alloc(8)
  bytes.write(`${kind[0]}${id}`.slice(0, 8))
  return { hi: bytes.readUInt32BE(0), lo: bytes.readUInt32BE(4) }
}

/** An ad of the trial campaign, served now. */
export function trialAd(counting: Counting, more: Partial<ServedAd> = {}): ServedAd {
  const nowMs = counting.parts.clock.nowMs()
  return {
    adId: counting.nextAdId(),
    servedS: Math.floor(nowMs / 1000),
    cuid: TRIAL_CAMPAIGN.cuid,
    cid: TRIAL_CAMPAIGN.cid,
    fid: 30,
    flightPays: false,
    pid: 40,
    bid: 50,
    sourceId: 3,
    priceMicros: TRIAL_CAMPAIGN.cpmMicros / 1000,
    ttlS: 300,
    dayKey: counting.calendar.dayAt(nowMs).key,
    nodeId: null,
    user: null,
    placeHash: counting.places.hashOf('domain', 'news.example'),
    placeName: null,
    networkHash: null,
    agentHash: null,
    country: 'CA',
    locality: 0,
    audience: 0,
    device: 'desktop',
    os: 'Windows',
    test: false,
    foreignDomain: false,
    billsOn: 'pixel',
    takesPrice: false,
    ...more,
  }
}
