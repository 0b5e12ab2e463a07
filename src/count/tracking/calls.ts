// Counts impressions, clicks and losses, given a genuine link. The order is always verdict, claim, batch; the caller
// gets success only when the batch is on disk.

import { withClickId } from '../../kernel/click-parameters.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { clickIdOf, type ServedAd } from './ad.ts'
import { type Batcher, idsOf, reasonOf } from './batcher.ts'
import type { AdClaims, Counter } from './event.ts'
import type { ServedSums } from './served.ts'
import type { SourceOutcomes } from './source-outcomes.ts'
import { type CallFacts, type IgnoreReason, judgeClick, judgeImpression, judgeView } from './verdict.ts'
import type { Visitor, VisitorLimits } from './visitor-limits.ts'

export interface CallParts {
  batcher: Batcher
  claims: AdClaims
  clock: Clock
  tally: Tally
  clickWindowS: number
  visitorLimits: VisitorLimits
  servedSums: ServedSums
  sourceOutcomes: Pick<SourceOutcomes, 'note'>
  /** Whether the database went back in time a moment ago: then missing shares may be granted again. */
  wentBackRecently(): boolean
  /** What a campaign may spend per day; null: it is not live. */
  dailyMicrosOf(cid: number): number | null
  /** The stored address, even for banners that are no longer live; null: there is none. */
  clickUrlOf(bid: number, pid: number): string | null | Promise<string | null>
}

/** Whether the caller may assume that everything is done. 'unacknowledged': not known to be on disk. */
export type Done = 'acknowledged' | 'unacknowledged'

export type CallKind = 'pixel' | 'notice' | 'loss' | 'click' | 'view' | 'action'
/** `unread`: the call was answered before it was read. */
export type Tally = (call: CallKind | 'unread', outcome: string) => void

/** A visitor waits for a picture or a page; a reporting server can wait longer. */
const VISITOR_WAIT_MS = 2000
const SERVER_WAIT_MS = 5000

export function createTally(metrics: Metrics): Tally {
  const counter = metrics.counter(
    'marquee_tracking_calls_total',
    'Tracking calls by outcome: counted, or the reason why not.',
    ['call', 'outcome'],
  )
  const children = new Map<string, { inc(): void }>()
  return (call, outcome) => {
    const key = `${call} ${outcome}`
    let child = children.get(key)
    if (!child) {
      child = counter.labels(call, outcome)
      children.set(key, child)
    }
    child.inc()
  }
}

export function countImpression(
  parts: CallParts,
  ad: ServedAd,
  call: 'pixel' | 'notice',
  facts: CallFacts,
  priceText: string | null,
  /** The visitor whose impressions are limited; null: no limit. */
  visitor: Visitor | null,
): Done | Promise<Done> {
  const { batcher, claims, clock, tally, visitorLimits } = parts
  const verdict = judgeImpression(ad, call, facts, priceText)
  if (!verdict.count) return ignore(parts, ad, call, 'imps', verdict.reason)
  if (!batcher.hasRoom()) return refuse(parts, call)
  const nowMs = clock.nowMs()
  const { cid, dayKey } = ad
  const wish = { cid, dayKey, priceMicros: verdict.priceMicros, dailyMicros: parts.dailyMicrosOf(cid) }
  const refusal = visitor && visitorLimits.takeImpression(visitor, wish, nowMs)
  if (refusal) return ignore(parts, ad, call, 'imps', refusal)
  const giveBack = () => visitor !== null && visitorLimits.giveImpressionBack(visitor, wish, nowMs)
  const claim = claims.claim(ad, verdict.priceMicros, nowMs)
  if (!claim.isBillable) {
    giveBack()
    if (claim.reason === 'late' && parts.wentBackRecently()) return refuse(parts, call, 'come_again')
    return ignore(parts, ad, call, 'imps', claim.reason)
  }
  const { chargeMicros: spendMicros, nodeId, freq } = claim
  const atMs = paidMs(ad, nowMs, claim.lastMs)
  return batcher
    .addEvent({ kind: 'impression', ad, atMs, spendMicros, nodeId, freq }, waitMsOf(call), outcome => {
      tally(call, outcome)
      claim.settle(outcome)
      if (outcome === 'counted') noteSeen(parts, ad, nowMs)
      else if (outcome !== 'found') giveBack()
    })
    .then(answer =>
      answer === 'late' && parts.wentBackRecently() ? 'unacknowledged' : doneBy(parts, call, answer),
    )
}

/**
 * The time at which an impression counts, which is within the day that pays, so that no day shows more than its budget.
 * It differs from now if it is reported after midnight, or before midnight by a node whose clock is behind.
 */
export function paidMs({ servedS }: Pick<ServedAd, 'servedS'>, nowMs: number, lastMs: number): number {
  return Math.min(Math.max(nowMs, servedS * 1000), lastMs)
}

/** For a page's ad: its visitor has one unseen ad less, and its campaign one more that was seen. */
function noteSeen(
  { visitorLimits, servedSums, sourceOutcomes }: CallParts,
  ad: ServedAd,
  nowMs: number,
): void {
  sourceOutcomes.note(ad.sourceId, 'counted', nowMs)
  if (ad.takesPrice) return
  visitorLimits.removeUnseen(ad.adId)
  servedSums.seen(ad.cid, ad.dayKey)
}

/** Counts an impression that was also seen, once per ad. Uncounted views are only in the metrics. */
export function countView(parts: CallParts, ad: ServedAd, facts: CallFacts): Done | Promise<Done> {
  const { batcher, clock, tally } = parts
  const atMs = clock.nowMs()
  const verdict = judgeView(ad, facts, atMs)
  if (!verdict.count) {
    tally('view', verdict.reason)
    return 'acknowledged'
  }
  if (!batcher.hasRoom()) return refuse(parts, 'view')
  const event = { kind: 'view' as const, ad, atMs, spendMicros: 0 }
  return batcher
    .addEvent(event, VISITOR_WAIT_MS, outcome => tally('view', outcome))
    .then(answer => doneBy(parts, 'view', answer))
}

export interface ClickResult {
  location: string
  done: Done
}

/** Null if the click leads nowhere. */
export async function countClick(
  parts: CallParts,
  ad: ServedAd,
  facts: CallFacts,
  /** The browser that clicked; see `browserMark`. */
  browser: number,
  /** The visitor whose clicks are limited, if they are paid for; null: no limit. */
  visitor: Visitor | null,
): Promise<ClickResult | null> {
  const { batcher, clock, tally, clickWindowS } = parts
  const clickUrl = await parts.clickUrlOf(ad.bid, ad.pid)
  if (clickUrl === null) {
    tally('click', 'no_address')
    return null
  }
  const location = withClickId(clickUrl, clickIdOf(ad))
  const atMs = clock.nowMs()
  const verdict = judgeClick(ad, facts, atMs, clickWindowS)
  if (!verdict.count) return { location, done: ignore(parts, ad, 'click', 'clicks', verdict.reason) }
  if (!batcher.hasRoom()) return { location, done: refuse(parts, 'click') }
  const clicked = { ...ad, user: { hi: 0, lo: browser } }
  if (ad.clickMicros) return { location, done: await billClick(parts, clicked, ad.clickMicros, visitor) }
  const event = { kind: 'click' as const, ad: clicked, atMs, spendMicros: 0 }
  const answer = await batcher.addEvent(event, VISITOR_WAIT_MS, outcome => tally('click', outcome))
  return { location, done: doneBy(parts, 'click', answer) }
}

/** Bills a click. The day of the click pays, and only if the impression was counted, which the database knows. */
async function billClick(
  parts: CallParts,
  ad: ServedAd,
  priceMicros: number,
  visitor: Visitor | null,
): Promise<Done> {
  const { batcher, claims, clock, tally, visitorLimits } = parts
  const { cid } = ad
  const wish = { cid, dayKey: ad.dayKey, priceMicros, dailyMicros: parts.dailyMicrosOf(cid) }
  const nowMs = clock.nowMs()
  const refusal = visitor && visitorLimits.takeClick(visitor, wish, nowMs)
  if (refusal) return ignore(parts, ad, 'click', 'clicks', refusal)
  const giveBack = () => visitor !== null && visitorLimits.giveClickBack(visitor, wish, nowMs)
  const claim = await claims.claimClick(ad, priceMicros)
  if (!claim.isBillable) {
    giveBack()
    return ignore(parts, ad, 'click', 'clicks', 'unbilled_budget')
  }
  const { dayKey, nodeId, lastMs } = claim
  const atMs = Math.min(clock.nowMs(), lastMs)
  const event = { kind: 'click' as const, ad: { ...ad, dayKey }, atMs, spendMicros: priceMicros, nodeId }
  const answer = await batcher.addEvent(event, VISITOR_WAIT_MS, outcome => {
    tally('click', outcome === 'late' || outcome === 'unseen' ? reasonOf({ event }, outcome) : outcome)
    claim.settle(outcome === 'counted' || outcome === 'found')
    if (outcome !== 'counted' && outcome !== 'found') giveBack()
  })
  return doneBy(parts, 'click', answer)
}

export function noteLoss({ claims, tally }: CallParts, ad: ServedAd): void {
  tally('loss', claims.release(ad) ? 'released' : 'nothing_reserved')
}

function ignore(
  parts: CallParts,
  ad: ServedAd,
  call: CallKind,
  counter: Counter,
  reason: IgnoreReason,
): Done {
  const nowMs = parts.clock.nowMs()
  parts.tally(call, reason)
  if (reason !== 'evidence') parts.batcher.ignore(idsOf(ad), counter, reason, nowMs)
  if (counter === 'imps') parts.sourceOutcomes.note(ad.sourceId, reason, nowMs)
  return 'acknowledged'
}

function refuse(parts: CallParts, call: CallKind, outcome = 'overloaded'): Done {
  parts.tally(call, outcome)
  return 'unacknowledged'
}

/** A call that got 'waiting' is tallied again with its outcome when the database answers. */
function doneBy(parts: CallParts, call: CallKind, answer: string): Done {
  if (answer !== 'waiting' && answer !== 'failed') return 'acknowledged'
  if (answer === 'waiting') parts.tally(call, 'unacknowledged')
  return 'unacknowledged'
}

function waitMsOf(call: 'pixel' | 'notice'): number {
  return call === 'pixel' ? VISITOR_WAIT_MS : SERVER_WAIT_MS
}
