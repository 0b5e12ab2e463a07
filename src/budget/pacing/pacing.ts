// Even pacing. Once per minute it sets the chance that a fitting request is taken: what the campaign needs in the next
// ten minutes, divided by what the observed supply would bring in that time. The need is an even part of what is left,
// corrected by how far spending is behind or ahead of the even line. A campaign whose supply does not cover its need is
// never throttled. The ledger guards the budget itself. Several nodes follow one plan: need and supply are their sums.

import { type Hours, plannedOpenMs } from '../../kernel/time/hours.ts'
import { MINUTE_MS } from '../../kernel/time/units.ts'
import type { LiveFlight } from '../live.ts'

const PLAN_MS = 10 * MINUTE_MS
const EMA_WEIGHT = 0.3
/** What remains of the rate after a minute without requests. */
export const MINUTE_FADE = 1 - EMA_WEIGHT
/** As long as no supply was seen, only the need of the next ten minutes limits a campaign. */
const FIRST_CHANCE = 1
/** The first request of each node passes if together they are at most the need of this many times ten minutes. */
const FIRST_PLANS = 6
/** The mean with which a peak is compared reaches back about a day. */
const MEAN_MINUTES = 1_440
/** How fast the share of reserved money that gets billed is forgotten, per minute; half is gone after 35. */
const YIELD_MEMORY = 0.98
/** If there are fewer than these, nothing is forgotten: small campaigns, and those that rarely win, learn all day. */
const YIELD_MIN_IMPRESSIONS = 200
const YIELD_MIN_BILLED = 20
/** Until this many bills have come in at all nodes together, they are assumed. */
const YIELD_PRIOR_IMPRESSIONS = 5
/** What other nodes have reported today is added, with the weight of at most this many impressions. */
const YIELD_REPORTED_IMPRESSIONS = 50
/**
 * The need as a share of the usual supply. Up to AMPLE, the supply of quiet hours suffices for an even plan. From TIGHT
 * on it does not: the plan follows the traffic and runs ahead, so that nothing is left after quiet last hours.
 */
const AMPLE = 0.25
const TIGHT = 0.6
const AHEAD = 0.2
/** A deviation from the even line is corrected in about this time, and by no more than this share of the even need. */
const CORRECT_MS = 60 * MINUTE_MS
const MOST_CORRECTION = 1 / 3
/** A node that adopts the mean of others acts as if it had observed for this long. */
const TAKEN_OVER_MINUTES = 240
/** A mean of fewer minutes is not reported to the others, because they would keep to it for hours. */
const REPORTED_FROM_MINUTES = 60
/** Time for the last bids to be billed, or to be freed and offered again; at most a tenth of what is left. */
const LAST_MS = 10 * MINUTE_MS

export interface Pace {
  chance: number
  /** What this node should spend in the ten minutes after the last planning. */
  needMicros: number
  /** The share of reserved money that gets billed. */
  yieldRatio: number
  minuteStartMs: number
  /** What could have been reserved in this minute, and what was. */
  offeredMicros: number
  takenMicros: number
  /** Money for the requests that came here per minute, recently. */
  rateMicros: number
  /** The same at all nodes, over about a day. */
  meanMicros: number
  minutesSeen: number
  /** Reservations that have ended, and what was billed of them; both fade. */
  endedMicros: number
  billedMicros: number
  /** Ended reservations that were not reported to the others yet. */
  unreportedMicros: number
  /** Something on which the plan depends has changed: plan again without waiting for the next minute. */
  stale: boolean
}

/** What is left to do, for all nodes together. */
export interface Left {
  unspentMicros: number
  reservedMicros: number
  /** How long the campaign may still deliver today. */
  activeMs: number
  /** Spent beyond the even line; negative: behind it. */
  aheadMicros: number
  /**
   * What comes to the other nodes per minute, the mean and the yield that they report (0: unknown), and the sum of
   * ended reservations on which that yield is based.
   */
  others: { rateMicros: number; meanMicros: number; yieldRatio: number; endedMicros: number }
  /** How many nodes there are, including this one. */
  nodes: number
}

export function createPace(): Pace {
  return {
    chance: FIRST_CHANCE,
    needMicros: 0,
    yieldRatio: 1,
    minuteStartMs: Number.NaN,
    offeredMicros: 0,
    takenMicros: 0,
    rateMicros: 0,
    meanMicros: 0,
    minutesSeen: 0,
    endedMicros: 0,
    billedMicros: 0,
    unreportedMicros: 0,
    stale: true,
  }
}

export function isPlanDue(pace: Pace, nowMs: number): boolean {
  // A clock that is set back must not freeze the plan.
  return pace.stale || nowMs >= pace.minuteStartMs + MINUTE_MS || nowMs < pace.minuteStartMs
}

/** Evaluates the minutes that are over, then sets the chance for the next one. */
export function plan(pace: Pace, left: Left, priceMicros: number, nowMs: number): void {
  pace.stale = false
  if (!(nowMs >= pace.minuteStartMs)) startMinute(pace, nowMs)
  const minutes = Math.floor((nowMs - pace.minuteStartMs) / MINUTE_MS)
  if (minutes > 0) {
    lookBack(pace, minutes, priceMicros, left)
    startMinute(pace, pace.minuteStartMs + minutes * MINUTE_MS)
  }
  learnYield(pace, priceMicros, left)
  const toSpendMicros = Math.max(0, left.unspentMicros - left.reservedMicros * pace.yieldRatio)
  const leftMs = Math.max(MINUTE_MS, left.activeMs - Math.min(LAST_MS, left.activeMs / 10))
  const planMs = Math.min(PLAN_MS, leftMs)
  const evenMicros = (toSpendMicros * planMs) / leftMs
  pace.needMicros = evenMicros / left.nodes
  const rateMicros = pace.rateMicros + left.others.rateMicros
  if (pace.minutesSeen === 0 && rateMicros === 0) {
    // Each node has a first request. If not even an hour needs that many, nodes first observe the supply.
    const isTiny = left.nodes > 1 && left.nodes * priceMicros > FIRST_PLANS * evenMicros
    pace.chance = isTiny ? 0 : FIRST_CHANCE
    return
  }
  const perPlan = pace.yieldRatio * (planMs / MINUTE_MS)
  const meanMicros = (pace.meanMicros || left.others.meanMicros || rateMicros) * perPlan
  const tight = Math.min(1, Math.max(0, (evenMicros / meanMicros - AMPLE) / (TIGHT - AMPLE)))
  const most = evenMicros * MOST_CORRECTION
  const back = Math.min(most, Math.max(-most, (left.aheadMicros * planMs) / CORRECT_MS))
  const wantedMicros = evenMicros * (1 + tight * AHEAD) - (1 - tight) * back
  const needMicros = Math.min(toSpendMicros, wantedMicros)
  // A peak does not last: if supply is tight, count on no more than the usual supply.
  const nowMicros = rateMicros * perPlan
  const supplyMicros = nowMicros - tight * Math.max(0, nowMicros - meanMicros)
  pace.chance = supplyMicros <= needMicros ? 1 : needMicros / supplyMicros
  // A node that is new here, or was quiet, may get its part of the requests at any time.
  const part = rateMicros > 0 ? pace.rateMicros / rateMicros : 0
  pace.needMicros = needMicros * Math.max(part, 1 / left.nodes)
}

function startMinute(pace: Pace, nowMs: number): void {
  pace.minuteStartMs = nowMs
  pace.offeredMicros = 0
  pace.takenMicros = 0
}

function lookBack(pace: Pace, minutes: number, priceMicros: number, { others }: Left): void {
  // Of the minutes without any request, at most ten are counted.
  const idleMinutes = Math.min(minutes - 1, 10)
  const isFirst = pace.minutesSeen === 0
  // Requests that move here from other nodes fade there, so the sum of all rates stays right.
  const isAlone = isFirst && others.rateMicros === 0
  pace.rateMicros = isAlone
    ? pace.offeredMicros
    : pace.rateMicros + EMA_WEIGHT * (pace.offeredMicros - pace.rateMicros)
  pace.rateMicros *= MINUTE_FADE ** idleMinutes
  if (isFirst && others.meanMicros > 0) {
    pace.meanMicros = others.meanMicros
    pace.minutesSeen = TAKEN_OVER_MINUTES
  }
  pace.minutesSeen += 1 + idleMinutes
  const weight = (1 + idleMinutes) / Math.min(pace.minutesSeen, MEAN_MINUTES)
  pace.meanMicros += weight * (pace.rateMicros + others.rateMicros - pace.meanMicros)
  if (
    pace.endedMicros > YIELD_MIN_IMPRESSIONS * priceMicros &&
    pace.billedMicros > YIELD_MIN_BILLED * priceMicros
  ) {
    const fade = YIELD_MEMORY ** Math.min(minutes, 60)
    pace.endedMicros *= fade
    pace.billedMicros *= fade
  }
}

/** The mean that other nodes may adopt; 0: none yet. */
export function reportedMeanMicros(pace: Pace): number {
  return pace.minutesSeen < REPORTED_FROM_MINUTES ? 0 : pace.meanMicros
}

/** Which part of the money that ads had reserved was billed; 0: not known. */
export function yieldOf(billedMicros: number, endedMicros: number): number {
  return endedMicros > 0 && billedMicros > 0 ? Math.min(1, billedMicros / endedMicros) : 0
}

function learnYield(pace: Pace, priceMicros: number, { others, nodes }: Left): void {
  const priorMicros = Math.max(0, (YIELD_PRIOR_IMPRESSIONS / nodes) * priceMicros - pace.billedMicros)
  const reportedMicros = Math.min(others.endedMicros, YIELD_REPORTED_IMPRESSIONS * priceMicros)
  const asBilledMicros = priorMicros + reportedMicros * others.yieldRatio
  pace.yieldRatio = (pace.billedMicros + asBilledMicros) / (pace.endedMicros + priorMicros + reportedMicros)
}

/** The current rate, for other nodes: minutes without a plan had no requests. */
export function rateAt(pace: Pace, nowMs: number): number {
  const minutes = Math.floor((nowMs - pace.minuteStartMs) / MINUTE_MS)
  if (!(minutes > 0)) return pace.rateMicros
  const first = pace.rateMicros + EMA_WEIGHT * (pace.offeredMicros - pace.rateMicros)
  return first * MINUTE_FADE ** Math.min(minutes - 1, 60)
}

/** Decides about a fitting request, which counts as supply whether it passes or not. `random` is in [0, 1). */
export function passes(pace: Pace, priceMicros: number, random: number): boolean {
  pace.offeredMicros += priceMicros
  // A burst within one minute may take the need of the next ten minutes, but not that of the day.
  if (pace.takenMicros > 0 && (pace.takenMicros + priceMicros) * pace.yieldRatio > pace.needMicros)
    return false
  if (random >= pace.chance) return false
  pace.takenMicros += priceMicros
  return true
}

/** A reservation has ended, billed or (0) not. */
export function learnEnd(pace: Pace, reservedMicros: number, billedMicros: number): void {
  pace.endedMicros += reservedMicros
  pace.billedMicros += billedMicros
  pace.unreportedMicros += reservedMicros
}

/** A half-open span of time. */
export interface Span {
  startMs: number
  endMs: number
}

/** Flights in order and without overlaps, so that times can be added up. */
export function mergeFlights(flights: readonly LiveFlight[]): Span[] {
  const merged: Span[] = []
  for (const flight of [...flights].sort((a, b) => a.startS - b.startS)) {
    const last = merged.at(-1)
    const endMs = flight.endS * 1000
    if (last && flight.startS * 1000 <= last.endMs) last.endMs = Math.max(last.endMs, endMs)
    else merged.push({ startMs: flight.startS * 1000, endMs })
  }
  return merged
}

/** How much of [fromMs, toMs) is inside both the flights and the hours. */
export function activeMs(
  flights: readonly Span[],
  fromMs: number,
  toMs: number,
  hours: Hours | null = null,
): number {
  let sumMs = 0
  for (const flight of flights)
    sumMs += plannedOpenMs(hours, Math.max(flight.startMs, fromMs), Math.min(flight.endMs, toMs))
  return sumMs
}
