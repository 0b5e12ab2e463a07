// Traffic as an API call: its sources, its period, and its figures during and after it.

import type { AdEvent, Batch, BatchResult } from '../count/tracking/event.ts'
import type { BodyOf } from '../http/endpoint.ts'
import type { AppCaller } from '../kernel/caller.ts'
import { fieldError } from '../kernel/errors/field-error.ts'
import { invalidInput } from '../kernel/errors/problem.ts'
import { listAttributes } from '../manage/attributes/attributes.ts'
import type { Attribute } from '../manage/attributes/contract.ts'
import {
  addPlaces,
  addSource,
  BY_SERVICE,
  listSources,
  renewServerKey,
  switchDebug,
} from '../manage/sources/sources.ts'
import type { Database } from '../platform/database.ts'
import { placesFor } from './attributes.ts'
import type { sendTraffic, TrafficResult } from './contract.ts'
import { type Crowd, type CrowdParts, createCrowd } from './crowd.ts'
import { carryingOf, fittingMix, mixErrors } from './mix.ts'
import { type Mover, tooFar } from './mover.ts'
import { runTraffic, type Sources, type TrafficParts } from './traffic.ts'

type Body = BodyOf<typeof sendTraffic>

export interface VisitsParts extends TrafficParts {
  db: Database
  mover: Mover
  seed: string
  timeZone: string
  node: CrowdParts['node']
}

export interface Visits {
  /** Resolves when the last visitor is gone. */
  send(caller: Pick<AppCaller, 'appId'>, body: Body): Promise<void>
  state(): TrafficResult
  /** Counts what was written, whoever caused it. */
  written(batch: Batch, result: BatchResult): void
}

const DAY_S = 86_400
const MOST_REQUESTS = 2_000_000
/** The sources where visitors request ads; created for the first traffic. */
export const EXCHANGE = 'sandbox-exchange'
export const SITE = 'sandbox-site'
const SITE_DOMAIN = 'site.sandbox.example'

export function createVisits(parts: VisitsParts): Visits {
  const { clock, mover } = parts
  let result = nothing()
  let spendMicros = 0
  let sources: Sources | null = null
  let crowd: Crowd | null = null

  function nothing(): TrafficResult {
    const counted = { imps: 0, views: 0, clicks: 0, actions: 0, spend: 0 }
    return { done: true, now: 0, requests: 0, served: 0, counted, refused: {} }
  }

  async function send(caller: Pick<AppCaller, 'appId'>, body: Body): Promise<void> {
    const declared = await listAttributes(parts.db, caller)
    const { fromMs, toMs, requests } = periodOf(body, declared, clock.nowMs())
    // Done before the catalog is read.
    sources ??= await prepareSources(parts)
    if (declared.length > 0) await addPlaces(parts.db, EXCHANGE, placesFor(declared), clock, BY_SERVICE)
    const asking = sources
    const ours = { ...nothing(), done: false }
    try {
      await mover.alone(toMs, async steps => {
        result = ours
        spendMicros = 0
        await steps.passTo(fromMs)
        const { seed = parts.seed, sites } = body
        clock.crowd = body.crowd ?? 1
        crowd = clock.crowd > 1 ? createCrowd({ ...parts, onWritten: count }, clock.crowd) : null
        const mix = await fittingMix(parts.db, body.mix ?? {})
        const carrying = await carryingOf(parts.db, caller, declared, mix)
        const wanted = { toMs, requests, seed, sites, mix, carrying, crowd }
        try {
          await runTraffic(parts, asking, wanted, steps, ours)
        } finally {
          await crowd?.settled()
        }
        await parts.settled()
      })
    } finally {
      crowd = null
      // Set last, because the reader may move the clock immediately.
      ours.done = true
    }
  }

  /** Returns the events that are new. */
  function count({ events, actions }: Batch, { known, late }: BatchResult): AdEvent[] {
    const { counted } = result
    const isNew = (_: unknown, at: number) => !known.includes(at) && !late.includes(at)
    const fresh = events.filter(isNew)
    for (const { kind, spendMicros: micros } of fresh) {
      counted[({ impression: 'imps', view: 'views', click: 'clicks' } as const)[kind]]++
      spendMicros += micros
    }
    counted.actions += actions.filter(isNew).length
    return fresh
  }

  return {
    send,
    state: () => ({
      ...result,
      now: Math.floor(clock.nowMs() / 1000),
      counted: { ...result.counted, spend: spendMicros / 1_000_000 },
    }),
    written(batch, outcome) {
      const fresh = count(batch, outcome)
      crowd?.seen(fresh)
    },
  }
}

function periodOf({ from, to, perHour, requests, mix }: Body, declared: readonly Attribute[], nowMs: number) {
  const fromMs = from === undefined ? nowMs : from * 1000
  const nowS = Math.floor(nowMs / 1000)
  const toMs = to === undefined ? fromMs + DAY_S * 1000 : to * 1000
  const errors = [
    ...(fromMs < nowS * 1000 ? [fieldError('/from', 'not_in_the_future', { now: nowS })] : []),
    ...(toMs <= fromMs ? [fieldError('/to', 'not_after_start', { start: Math.floor(fromMs / 1000) })] : []),
    ...tooFar('/from', fromMs, nowMs),
    ...tooFar('/to', toMs, nowMs),
    ...(perHour === undefined && requests === undefined ? [fieldError('/perHour', 'required')] : []),
    ...(perHour !== undefined && requests !== undefined
      ? [fieldError('/perHour', 'not_together', { field: 'requests' })]
      : []),
    ...mixErrors(mix ?? {}, declared),
  ]
  const hours = (toMs - fromMs) / 3_600_000
  const wanted = requests ?? Math.round((perHour ?? 0) * hours)
  if (wanted > MOST_REQUESTS) {
    const max = Math.floor(MOST_REQUESTS / hours)
    errors.push(fieldError('/perHour', 'too_large', { expected: 'number', min: 0, max }))
  }
  if (errors.length > 0) throw invalidInput(errors)
  return { fromMs, toMs, requests: wanted }
}

/** Prepares an exchange that says why it got no bid, and a site whose server requests ads for its visitors. */
async function prepareSources({ db, clock }: VisitsParts): Promise<Sources> {
  const known = await listSources(db)
  const exchange =
    known.find(({ name }) => name === EXCHANGE) ??
    (await addSource(db, { kind: 'exchange', name: EXCHANGE }, clock, BY_SERVICE))
  await switchDebug(db, EXCHANGE, true, clock)
  const site = known.some(({ name }) => name === SITE)
    ? await renewServerKey(db, SITE, clock, BY_SERVICE)
    : await addSource(db, { kind: 'site', name: SITE, domain: SITE_DOMAIN }, clock, BY_SERVICE)
  return { exchangeKey: exchange.key, serverKey: site.serverKey!, siteDomain: SITE_DOMAIN }
}
