// Ads as a part of the service: delivery and counting, and the few endpoints that ask their memory. Any number of
// processes deliver; a process without this part says where to ask instead.

import * as contract from '../delivery/contract.ts'
import { createDelivery, type Delivery } from '../delivery/delivery.ts'
import { deliveryRoutes } from '../delivery/routes.ts'
import { visitReader } from '../delivery/tags/visit.ts'
import { Problem } from '../kernel/problem.ts'
import { findPersona } from '../personas/personas.ts'
import type { Api } from '../platform/http/api.ts'
import type { DataRoute } from '../platform/http/data-plane.ts'
import { actionPixel, reportAction } from '../tracking/contract.ts'
import { createPlaces } from '../tracking/places.ts'
import { actionRoutes } from '../tracking/routes.ts'
import { createServedSums } from '../tracking/served.ts'
import { createVisitorLimits } from '../tracking/visitor-limits.ts'
import { type Counting, type CountingOptions, startCounting } from './counting.ts'
import { DIALECTS } from './dialects.ts'
import { measureDelivery, measured } from './measures.ts'

export interface Ads extends Pick<Delivery, 'running' | 'started' | 'stop'> {
  /** Builds anew what is in memory, after the clock was set back. */
  restart(): void
  /** How long the database has not answered for a batch; null: nothing more is taken in. */
  countingMs(): number | null
}

export type AdsParts = Omit<CountingOptions, 'places' | 'delivery' | 'visitorLimits' | 'servedSums'>

/** Domains and apps whose names are at hand. */
const PLACES_IN_MEMORY = 100_000
/** Campaigns that ads were served of within a second. */
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
  })
  const servedSums = createServedSums({ maxSums: SERVED_IN_MEMORY })
  const shared = { ...parts, places, visitorLimits, servedSums }
  let counting: Counting | null = null
  const onUnserved = (ids: number[]) => counting?.ignore(ids, 'imps', 'too_many_unseen', parts.clock.nowMs())
  const onReplaced = () => ads.restart()
  const delivery = createDelivery({ ...shared, onUnserved, onReplaced, dialects: DIALECTS })
  closers.push(() => delivery.stop())
  const measure = measured(parts.metrics)
  measureDelivery(parts.metrics, delivery, parts.clock, parts.config.TIMEZONE)
  dataRoutes.push(...delivery.routes.map(measure))
  deliveryRoutes(api, { delivery, clock: parts.clock, readVisit: visitReader(delivery.lookups), findPersona })
  counting = await startCounting({ ...shared, delivery })
  closers.push(counting.stop)
  dataRoutes.push(...counting.routes.map(measure))
  actionRoutes(api, counting.actions)
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

/** The same endpoints in the documentation; who asks here is sent on. */
export function adsElsewhere(api: Api): Ads {
  for (const endpoint of [contract.bid, contract.ad, contract.adHtml, contract.tagScript, actionPixel])
    api.describe(endpoint)
  for (const endpoint of [contract.explain, contract.funnel, reportAction])
    api.bind(endpoint, {
      handle: async () => {
        throw new Problem('unavailable', 'ads are delivered by another process of this deployment: ask there')
      },
    })
  return ELSEWHERE
}
