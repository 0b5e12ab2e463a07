// Ads as a part of the service: a node, its counting, and the endpoints that explain both.

import { randomFillSync } from 'node:crypto'
import type { ConversionParts } from '../count/conversions/conversions.ts'
import { actionLimitsBy } from '../count/conversions/limits.ts'
import { sweepActions } from '../count/conversions/retention.ts'
import { conversionRoutes } from '../count/conversions/routes.ts'
import { goneBeforeMs, keepPartitions } from '../count/ingest/partitions.ts'
import { createRandomIds } from '../count/tracking/ad.ts'
import { createTally } from '../count/tracking/calls.ts'
import { createPlaces } from '../count/tracking/places.ts'
import { createServedSums, sweepServed } from '../count/tracking/served.ts'
import { createSourceOutcomes, sweepOutcomes } from '../count/tracking/source-outcomes.ts'
import { createVisitorLimits } from '../count/tracking/visitor-limits.ts'
import type { Dialects } from '../deliver/decide/dialects.ts'
import { openLookups } from '../deliver/decide/lookups.ts'
import { userHashesOf } from '../deliver/decide/user-hash.ts'
import { type SecretsAt, userSecrets } from '../deliver/decide/user-secrets.ts'
import type { OnUnserved } from '../deliver/decide/visitor-allowance.ts'
import { bidRoute } from '../deliver/openrtb/route.ts'
import { siteBidRoute } from '../deliver/openrtb/site-route.ts'
import { type Counting, startCounting } from '../deliver/process/counting.ts'
import { measureNode } from '../deliver/process/measures.ts'
import { type DeliveryNode, startNode } from '../deliver/process/node.ts'
import { tagRoutes, tagRoutesWithoutAds } from '../deliver/tags/route.ts'
import { visitReader } from '../deliver/tags/visit.ts'
import * as contract from '../diagnose/funnel/contract.ts'
import { type DeliveryRouteParts, deliveryRoutes } from '../diagnose/funnel/routes.ts'
import { createStalledCheck } from '../diagnose/stalled/check.ts'
import type { Api } from '../http/api.ts'
import type { DataRoute } from '../http/lane/data-plane.ts'
import { type Clock, isSandbox } from '../kernel/time/clock.ts'
import { calendarOf, keysAnywhere } from '../kernel/time/day.ts'
import { DAY_MS, HOUR_MS } from '../kernel/time/units.ts'
import { sweepSeen } from '../manage/attributes/seen.ts'
import { clickUrlOf } from '../manage/banners/banners.ts'
import { findPersona } from '../manage/personas/personas.ts'
import { clientAddressBy } from '../platform/client-address.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { secretNamed } from '../platform/secrets.ts'
import { every } from '../platform/timer.ts'
import { findSubject, summary } from '../report/figures/report.ts'
import { openEventWriter, type WriterBase } from './event-writer.ts'
import { measured } from './measures.ts'

export interface Ads extends Pick<DeliveryNode, 'running' | 'started' | 'stop'> {
  /** Rebuilds the state in memory after the clock was set back. */
  restart(): void
  /** How long the oldest event has waited; null if nothing more is accepted. */
  countingMs(): number | null
  /** Resolves when everything that was reported is on disk, counted or not. */
  idle(): Promise<void>
  /** Makes decisions independent of when each persona came. */
  arrange(): void
}

export interface AdsParts extends WriterBase {
  db: Database
}

/** The most domains and apps whose names are kept in memory. */
const PLACES_IN_MEMORY = 100_000
/** The most campaigns with ads served since the sums were last written. */
const SERVED_IN_MEMORY = 100_000
/** The most outcomes of sources since they were last written. */
const OUTCOMES_IN_MEMORY = 10_000

export async function startAds(
  api: Api,
  dataRoutes: DataRoute[],
  parts: AdsParts,
  closers: (() => unknown)[],
): Promise<Ads> {
  const { config, clock, metrics } = parts
  const calendar = calendarOf(config.TIMEZONE)
  const places = createPlaces({ maxPlaces: PLACES_IN_MEMORY })
  const visitorLimits = createVisitorLimits({
    openAds: config.VISITOR_OPEN_ADS,
    impressionsPerHour: config.VISITOR_IMPRESSIONS,
    sharePercent: config.VISITOR_SHARE,
  })
  const servedSums = createServedSums({ maxSums: SERVED_IN_MEMORY })
  const sourceOutcomes = createSourceOutcomes({ maxSums: OUTCOMES_IN_MEMORY })
  const shared = { ...parts, places, visitorLimits, servedSums, sourceOutcomes }
  let counting: Counting | null = null
  const onUnserved: OnUnserved = (ids, reason) => counting?.ignore(ids, 'imps', reason, clock.nowMs())
  // The node may be replaced before anything is counted here.
  const restart = () => node.restart(async () => counting?.settled())
  const node = startNode({
    ...shared,
    onUnserved,
    onReplaced: restart,
    dialects: DIALECTS,
    createStalledCheck,
  })
  closers.push(() => node.stop())
  // With a clock that is moved, repeated work runs in the order in which it was started, so that order must be the same
  // at every start.
  if (isSandbox(clock)) await node.started
  measureNode(metrics, node, clock)
  deliveryRoutes(api, { clock, calendar, readVisit: visitReader(node.lookups), findPersona, impsOf })
  closers.push(await startRetention(parts))
  const ownNodeId = () => node.running()?.refill.node.nodeId ?? 0
  const writer = openEventWriter({ ...parts, places, ownNodeId })
  counting = startCounting({ ...shared, node, writer, clickUrlOf })
  closers.push(counting.stop)
  conversionRoutes(api, counting.conversions)
  const measure = measured(metrics)
  dataRoutes.push(...node.routes.map(measure), ...counting.routes.map(measure))
  parts.rewindCheck.onWentBack(() => node.startAnew())
  return {
    running: node.running,
    get started() {
      return node.started
    },
    stop: node.stop,
    restart,
    countingMs: counting.stuckMs,
    idle: counting.idle,
    arrange: () => node.running()?.arrange(),
  }
}

/** Impressions as statistics count them. */
const impsOf: DeliveryRouteParts['impsOf'] = async (db, cuid, pid, sinceS) =>
  (await summary(db, await findSubject(db, cuid, String(pid)), { start: sinceS })).imps

const ELSEWHERE: Ads = {
  running: () => null,
  started: Promise.resolve(),
  stop: async () => {},
  restart: () => {},
  countingMs: () => 0,
  idle: async () => {},
  arrange: () => {},
}

/**
 * For a process that manages but does not deliver: the calls of exchanges and visitors are only described here, and
 * conversions are written to the database.
 */
export async function adsElsewhere(api: Api, parts: AdsParts, closers: (() => unknown)[]): Promise<Ads> {
  for (const endpoint of [contract.bid, contract.ad, contract.adHtml, contract.tagScript])
    api.describe(endpoint)
  const { config, clock, db } = parts
  const calendar = calendarOf(config.TIMEZONE)
  const secretsAt = userSecrets(await secretNamed(db, 'user'), calendar)
  const readVisit = visitReader(openLookups(config.GEOIP_DB, { isSandbox: isSandbox(clock) }))
  deliveryRoutes(api, { clock, calendar, readVisit, findPersona, impsOf })
  const conversions = startConversions(parts, secretsAt)
  closers.push(conversions.stop)
  conversionRoutes(api, conversions.parts)
  return ELSEWHERE
}

/** A process that neither manages nor delivers. */
export function noAds(): Ads {
  return ELSEWHERE
}

// Conversions that advertisers' servers report to a process that does not deliver: it writes them to the statistics
// too. Actions have no place of their own.
function startConversions(options: WriterBase, secretsAt: SecretsAt) {
  const { config, clock, metrics } = options
  const places = createPlaces({ maxPlaces: 1 })
  const writer = openEventWriter({ ...options, places, ownNodeId: () => 0 })
  const parts: ConversionParts & { db: Database } = {
    db: writer.trackingDb,
    batcher: writer.batcher,
    clock,
    tally: createTally(metrics),
    actionLimits: actionLimitsBy(config),
    clickWindowS: config.CLICK_WINDOW,
    impressionWindowS: config.VIEW_WINDOW,
    // Pixels on visitors' pages call a process that delivers.
    readCookie: () => null,
    userHashesOf: (kind, id) => userHashesOf(secretsAt, clock, config.VIEW_WINDOW, kind, id),
  }
  return {
    parts,
    async stop(): Promise<void> {
      await writer.finish()
      await writer.close()
    },
  }
}

const COOKIE_ID_BYTES = 16

const DIALECTS: Dialects = {
  routes: ({ config, ...parts }) => {
    const bidParts = { ...parts, seat: config.SEAT, currency: config.CURRENCY }
    const pageParts = {
      clientAddress: clientAddressBy(config.TRUST_PROXY),
      newCookieId: createRandomIds(COOKIE_ID_BYTES, pool => randomFillSync(pool)),
    }
    return [
      bidRoute(bidParts),
      siteBidRoute({ ...bidParts, ...pageParts }),
      ...tagRoutes({ ...parts, ...pageParts }),
    ]
  },
  waiting: tagRoutesWithoutAds,
}

// How long events are kept: partitions for the next days are created, and expired ones are dropped together with the
// rows that only they explain. Figures stay.

interface RetentionParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
}

/** Runs once before anything is counted, then every hour. Returns the function that stops it. */
async function startRetention({ config, db, clock, log }: RetentionParts) {
  const retention = { eventRetentionS: config.EVENT_RETENTION, clickWindowS: config.CLICK_WINDOW }
  async function keep(): Promise<void> {
    await keepPartitions(db, clock.nowMs(), retention)
    await sweepOutcomes(db, clock.nowMs())
    await sweepSeen(db, clock.nowMs())
    await sweepServed(db, keysAnywhere(clock.nowMs() - DAY_MS)[0]!)
    await sweepActions(db, await goneBeforeMs(db, clock.nowMs(), retention))
  }
  await keep()
  return every('partitions', HOUR_MS, keep, log, clock)
}
