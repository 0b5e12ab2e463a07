// Ads as a part of the service: delivery and counting, and the endpoints that explain them. Any number of processes
// deliver; one that only manages explains from the database what they do.

import { conversionRoutes } from '../conversions/routes.ts'
import type { DataRoute } from '../data-plane/data-plane.ts'
import * as contract from '../delivery/contract.ts'
import { createDelivery, type Delivery } from '../delivery/delivery.ts'
import { witnessFromOutside, witnessOf } from '../delivery/funnel/witness.ts'
import type { OnUnserved } from '../delivery/holder.ts'
import { openLookups } from '../delivery/lookups.ts'
import { deliveryRoutes } from '../delivery/routes.ts'
import { visitReader } from '../delivery/tags/visit.ts'
import { userSecrets } from '../delivery/user-secrets.ts'
import type { Api } from '../http/api.ts'
import { calendarOf } from '../kernel/day.ts'
import { findPersona } from '../personas/personas.ts'
import { secretNamed } from '../platform/secrets.ts'
import { createPlaces } from '../tracking/places.ts'
import { createServedSums } from '../tracking/served.ts'
import { createVisitorLimits } from '../tracking/visitor-limits.ts'
import { type ConversionsOptions, startConversions } from './conversions.ts'
import { type Counting, type CountingOptions, startCounting } from './counting.ts'
import { DIALECTS } from './dialects.ts'
import { measureDelivery, measured } from './measures.ts'

export interface Ads extends Pick<Delivery, 'running' | 'started' | 'stop'> {
  /** Rebuilds the state in memory after the clock was set back. */
  restart(): void
  /** How long the oldest event waits; null: nothing more is accepted. */
  countingMs(): number | null
}

export type AdsParts = Omit<CountingOptions, 'places' | 'delivery' | 'visitorLimits' | 'servedSums'>

/** Domains and apps whose names are at hand. */
const PLACES_IN_MEMORY = 100_000
/** Campaigns with ads served since the sums were last written. */
const SERVED_IN_MEMORY = 100_000

export async function startAds(
  api: Api,
  dataRoutes: DataRoute[],
  parts: AdsParts,
  closers: (() => unknown)[],
): Promise<Ads> {
  const places = createPlaces({ maxPlaces: PLACES_IN_MEMORY })
  const visitorLimits = createVisitorLimits({
    openAds: parts.config.VISITOR_OPEN_ADS,
    impressionsPerHour: parts.config.VISITOR_IMPRESSIONS,
    sharePercent: parts.config.VISITOR_SHARE,
  })
  const servedSums = createServedSums({ maxSums: SERVED_IN_MEMORY })
  const shared = { ...parts, places, visitorLimits, servedSums }
  let counting: Counting | null = null
  const onUnserved: OnUnserved = (ids, reason) => counting?.ignore(ids, 'imps', reason, parts.clock.nowMs())
  const onReplaced = () => ads.restart()
  const delivery = createDelivery({ ...shared, onUnserved, onReplaced, dialects: DIALECTS })
  closers.push(() => delivery.stop())
  const measure = measured(parts.metrics)
  measureDelivery(parts.metrics, delivery, parts.clock, parts.config.TIMEZONE)
  dataRoutes.push(...delivery.routes.map(measure))
  const calendar = calendarOf(parts.config.TIMEZONE)
  deliveryRoutes(api, {
    witness: () => witnessOf(delivery, calendar),
    clock: parts.clock,
    readVisit: visitReader(delivery.lookups),
    findPersona,
  })
  counting = await startCounting({ ...shared, delivery })
  closers.push(counting.stop)
  dataRoutes.push(...counting.routes.map(measure))
  conversionRoutes(api, counting.conversions)
  parts.witness.onWentBack(() => delivery.startAnew())
  const ads: Ads = {
    running: delivery.running,
    get started() {
      return delivery.started
    },
    stop: delivery.stop,
    restart: () => delivery.restart(counting.settled),
    countingMs: counting.stuckMs,
  }
  return ads
}

const ELSEWHERE: Ads = {
  running: () => null,
  started: Promise.resolve(),
  stop: async () => {},
  restart: () => {},
  countingMs: () => 0,
}

/**
 * A process that manages and does not deliver: the calls of exchanges and visitors are only described here.
 * Explanations come from the database, and actions are written there.
 */
export async function adsElsewhere(
  api: Api,
  parts: ConversionsOptions,
  closers: (() => unknown)[],
): Promise<Ads> {
  for (const endpoint of [contract.bid, contract.ad, contract.adHtml, contract.tagScript])
    api.describe(endpoint)
  const { config, clock, db } = parts
  const calendar = calendarOf(config.TIMEZONE)
  const secretsAt = userSecrets(await secretNamed(db, 'user'), calendar)
  const witness = witnessFromOutside(secretsAt, calendar)
  const readVisit = visitReader(openLookups(config.GEOIP_DB))
  deliveryRoutes(api, { witness: () => witness, clock, readVisit, findPersona })
  const conversions = startConversions(parts, secretsAt)
  closers.push(conversions.stop)
  conversionRoutes(api, conversions.parts)
  return ELSEWHERE
}

/** A process that neither manages nor delivers. */
export function noAds(): Ads {
  return ELSEWHERE
}
