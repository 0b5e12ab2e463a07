// The life of a delivering process: it joins, opens its books, serves, and leaves. It starts by itself and tries again
// until it has started; until then every ad request is answered with nothing. Once started, it serves from memory even
// while the database is unavailable.

import type { StoredKeys } from '../../count/tracking/keys.ts'
import type { DataRoute } from '../../http/lane/data-plane.ts'
import { isSandbox } from '../../kernel/time/clock.ts'
import { createTrouble } from '../../platform/trouble.ts'
import { createAttributeDrops } from '../audience/attributes.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { MOST_AD_BYTES } from '../decide/body.ts'
import { openLookups } from '../decide/lookups.ts'
import { createTally } from '../decide/tally.ts'
import { createAttributesSeen } from '../sample/attributes-seen.ts'
import { createTrafficSample, MOST_KEPT } from '../sample/sample.ts'
import { createTrafficWriter } from '../sample/traffic.ts'
import { openNode } from './open.ts'
import type { NodeOptions, RunningNode } from './running.ts'

export interface DeliveryNode {
  /** They exist at once, and answer with nothing until the node has started. */
  routes: DataRoute[]
  lookups: GeoLookups
  running(): RunningNode | null
  /** Resolves when it has started (or was stopped before). */
  readonly started: Promise<void>
  /**
   * Restarts from the journal and the database; until then ad requests get no ad. `settled` resolves when the database
   * has answered for everything in the current books.
   */
  restart(settled: () => Promise<void>): void
  /**
   * The database went back in time: starts again from it and the journal, and returns nothing that another database had
   * granted. Resolves when it has started.
   */
  startAnew(): Promise<void>
  stop(): Promise<void>
}

const RETRY_MS = 1_000

const PLACES = [
  { prefix: '/openrtb2/bid/' },
  { prefix: '/openrtb2/site/', mostBodyBytes: MOST_AD_BYTES },
  { prefix: '/ad', exact: true, mostBodyBytes: MOST_AD_BYTES },
  { prefix: '/ad.html', exact: true },
  { prefix: '/tag.js', exact: true },
]

export function startNode(options: NodeOptions): DeliveryNode {
  const { log, metrics, clock } = options
  const lookups = openLookups(options.config.GEOIP_DB, { isSandbox: isSandbox(clock) })
  const sample = createTrafficSample(clock.nowMs, MOST_KEPT[isSandbox(clock) ? 'sandbox' : 'real'])
  const writeTraffic = createTrafficWriter(options.db, sample, clock)
  const tally = createTally()
  const attributesSeen = createAttributesSeen(clock)
  const attributeDrops = createAttributeDrops()
  const closers: (() => unknown)[] = []
  const trouble = createTrouble(log, {
    text: 'delivery cannot start; retrying',
    again: 'delivery can start again',
  })
  let running: RunningNode | null = null
  let stopped = false
  /** Keys of links that are already out, which the database may have lost. */
  let keysBefore: StoredKeys | null = null
  let wentBack = false
  metrics.tally('marquee_ad_places_total', 'Ad places requested, by outcome.', 'outcome', tally.read)
  metrics.tally(
    'marquee_attributes_dropped_total',
    'Attributes of ad requests that were dropped, by reason.',
    'reason',
    attributeDrops.read,
  )

  async function stop(): Promise<void> {
    stopped = true
    await started
    await closeParts()
  }

  async function closeParts(): Promise<void> {
    running = null
    while (closers.length > 0) await closers.pop()!()
  }

  function restart(settled: () => Promise<void>): void {
    running = null
    started = started.then(async () => {
      if (stopped) return
      running = null
      await settled()
      await closeParts()
      await startUntilDone()
    })
  }

  function forsakeShares(): void {
    running?.refill.forsakeShares()
    keysBefore = running?.keys ?? keysBefore
    running = null
  }

  function startAnew(): Promise<void> {
    forsakeShares()
    started = started.then(async () => {
      if (stopped) return
      // It may have been starting.
      forsakeShares()
      wentBack = true
      await closeParts()
      await startUntilDone()
    })
    return started
  }

  async function startUntilDone(): Promise<void> {
    while (!stopped) {
      try {
        running = await openNode(
          {
            ...{ ...options, lookups, sample, writeTraffic, tally, keysBefore, wentBack },
            ...{ attributesSeen, attributeDrops },
          },
          closers,
        )
        keysBefore = null
        wentBack = false
        trouble.over()
        return
      } catch (error) {
        trouble.is(error)
        await closeParts()
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
