// Sends due deliveries at least once: a delivery is claimed for a while, sent, and settled. If a worker dies, its claim
// expires and another worker sends the delivery. Webhooks do not wait for each other: each has at most four deliveries
// under way at a time, in all processes together.

import { setMaxListeners } from 'node:events'
import { type Clock, sandboxMark } from '../../kernel/time/clock.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/time/units.ts'
import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { pollQueue } from '../../platform/timer.ts'
import { placeOf, traceparentOf } from '../../platform/trace.ts'
import { NO_TRACES, type Traces } from '../../platform/traces.ts'
import { createTrouble } from '../../platform/trouble.ts'
import { type Claimed, claimDue, isAnyPending, release, settle } from './delivery-queries.ts'
import { type Outcome, send } from './send.ts'
import { signatureHeaders } from './sign.ts'
import { giveUpRest, SWITCHED_OFF, switchOff } from './webhooks.ts'

export interface SenderParts {
  db: Database
  clock: Clock
  log: Log
  metrics: Metrics
  allowPrivate: boolean
  traces?: Traces
}

/**
 * How long to wait after each failed attempt. After the last wait there is one more attempt; then the delivery has
 * failed.
 */
export const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]
export const LEASE_MS = MINUTE_MS
export const TIMEOUT_MS = 15 * SECOND_MS
/** Deliveries written by this process are sent at once; polling is for those written elsewhere or due later. */
const POLL_MS = { waiting: 500, empty: 2_000 }
/** Sending is mostly waiting for other hosts: many deliveries may wait, but few for the same webhook. */
const AT_ONCE = 200
export const AT_ONCE_A_WEBHOOK = 4
/** How long a stop waits for answers before it returns unfinished deliveries to the queue. */
const STOP_GRACE_MS = 2 * SECOND_MS
const GONE_STATUS = 410

/** Returns the function that stops it. */
export function startSender(parts: SenderParts): () => Promise<void> {
  const { db, clock, log, metrics, traces = NO_TRACES } = parts
  const attempts = metrics.counter(
    'marquee_webhook_attempts_total',
    'Webhook delivery attempts, by outcome.',
    ['outcome'],
  )
  const trouble = createTrouble(log, {
    text: 'could not record the outcome of a delivery; it will be sent again',
    again: 'delivery outcomes are recorded again',
    about: { work: 'webhooks' },
  })
  const underWay = new Set<Promise<void>>()
  const givingUp = new Set<number>()
  const hangUp = new AbortController()
  // Every delivery under way listens to this signal; that is not a leak.
  setMaxListeners(0, hangUp.signal)
  let stopped = false

  let taking: Promise<void> | null = null
  /** Never runs twice at once, because two runs would fill the same room. */
  function takeDue(): Promise<void> {
    taking ??= take().finally(() => {
      taking = null
    })
    return taking
  }

  /** Takes as many deliveries as there is room for; nothing here waits for a receiver. */
  async function take(): Promise<void> {
    const limit = AT_ONCE - underWay.size
    if (limit <= 0 || stopped) return
    const nowMs = clock.nowMs()
    const claimed = await claimDue(db, {
      now: new Date(nowMs),
      leaseUntil: new Date(nowMs + LEASE_MS),
      limit,
      perWebhook: AT_ONCE_A_WEBHOOK,
    })
    for (const item of claimed) begin(item)
  }

  function begin(item: Claimed): void {
    const work = deliver(item)
      .catch(trouble.is)
      .finally(() => {
        underWay.delete(work)
        // More may be waiting for the room; if this fails, the next poll reports it.
        takeDue().catch(() => {})
      })
    underWay.add(work)
  }

  async function deliver(item: Claimed): Promise<void> {
    const startedMs = clock.nowMs()
    const outcome = item.wanted ? await post(item, startedMs) : { status: null, error: SWITCHED_OFF }
    if (outcome.error !== null && hangUp.signal.aborted) {
      await release(db, item.did, item.claim, new Date(clock.nowMs()))
      return
    }
    attempts.inc({ outcome: outcome.error === null ? 'delivered' : 'failed' })
    const attempt = { at: Math.floor(startedMs / SECOND_MS), ...outcome }
    const settled = { did: item.did, claim: item.claim, attempt, ...whatNext(item, outcome, clock) }
    if (outcome.status === GONE_STATUS)
      await db.transaction(tx => switchOff(tx, item.wid, clock, () => settle(tx, settled)))
    else await settle(db, settled)
    if (!item.wanted || outcome.status === GONE_STATUS) await giveUp(item.wid)
  }

  /** Runs once at a time per webhook; a second run would only wait for the first. */
  async function giveUp(wid: number): Promise<void> {
    if (givingUp.has(wid)) return
    givingUp.add(wid)
    await giveUpRest(db, wid, clock).finally(() => givingUp.delete(wid))
  }

  async function post(item: Claimed, nowMs: number): Promise<Outcome> {
    const { event_id: eventId, body } = item
    const secrets = item.old_secret ? [item.secret, item.old_secret] : [item.secret]
    const headers = signatureHeaders({ eventId, body, timestampS: Math.floor(nowMs / SECOND_MS) }, secrets)
    const options = { allowPrivate: parts.allowPrivate, timeoutMs: TIMEOUT_MS, signal: hangUp.signal }
    const caller = placeOf(item.traceparent)
    const span = traces.begin('webhook', 'client', caller, {
      'marquee.wid': item.wid,
      'marquee.tries': item.tries,
    })
    const place = span ?? caller
    const trace: Record<string, string> = place === null ? {} : { traceparent: traceparentOf(place) }
    const outcome = await send(item.url, { ...headers, ...trace, ...sandboxMark(clock) }, body, options)
    span?.end({ 'http.response.status_code': outcome.status ?? 0 }, outcome.error ?? undefined)
    return outcome
  }

  async function look(): Promise<boolean> {
    if (!(await isAnyPending(db))) return false
    await takeDue()
    // While the clock is being moved, wait for the answers, so that what follows from them comes in its order.
    while (clock.rounds?.isMoving() && underWay.size > 0) await Promise.all([...underWay, taking])
    return true
  }

  const polling = pollQueue('webhooks', POLL_MS, look, log, clock)
  const stopHearing = db.onAnnounced('webhooks', () => polling.wake())
  return async () => {
    stopped = true
    stopHearing()
    await polling.stop()
    await taking?.catch(() => {})
    const timer = setTimeout(() => hangUp.abort(), STOP_GRACE_MS)
    await Promise.all(underWay)
    clearTimeout(timer)
  }
}

function whatNext(item: Claimed, { status, error }: Outcome, clock: Clock) {
  if (error === null) return { state: 'delivered' as const, nextAt: null }
  const waitMs = RETRY_AFTER_MS[item.tries]
  if (waitMs === undefined || !item.wanted || status === GONE_STATUS) {
    return { state: 'failed' as const, nextAt: null }
  }
  return { state: 'pending' as const, nextAt: new Date(clock.nowMs() + waitMs) }
}
