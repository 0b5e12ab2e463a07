// How large a node's share of a budget should be: what it has spent and reserved, and what it will promise in the next
// two minutes; a node that is alone has more than it can sell before the next answer. It asks before that is used up,
// and gives back idle money. A node that runs dry asks for four times as much at once; when a budget nears its end, the
// database grants ever smaller parts, down to one impression.

import type { Line, OtherNodes, SpentBy } from './share.ts'

/** What a node knows of its share of one budget, beside the money itself. */
export interface NodeShare {
  /** The database has not answered yet. */
  isNew: boolean
  /** What the others have spent is known. */
  knowsOthers: boolean
  /** What no node had when it answered. */
  poolMicros: number
  /** Which limit that is left of, and what the whole life of the campaign has from today on; null: no limit. */
  shortOf: SpentBy
  lifeMicros: number | null
  /** What the flight that pays has from today on, and what the others have of it today; null: none pays. */
  flight: { lifeMicros: number; othersSpentMicros: number; othersReservedMicros: number } | null
  othersSpentMicros: number
  others: OtherNodes
  /** How many nodes there were, this one included. */
  nodes: number
  /** Room to keep at hand. */
  aheadMicros: number
  /** Promised since the last ask, and the resulting money per millisecond. */
  usedMicros: number
  perMs: number
  /** A promise was refused for lack of room. */
  isShort: boolean
  askedMs: number
  /** Not before: the budget had nothing left. */
  notBeforeMs: number
  /** Not before: the last ask was not answered. */
  putOffMs: number
  /** Asks in a row that got nothing. */
  refusals: number
  /** It asked for nothing: there was nothing more to promise. */
  isLeaving: boolean
  /** It gave everything back because nothing was promised; the next request asks again. */
  isResting: boolean
  /** When it was last known to be wanted, and how long money may lie idle from then on. */
  wantedMs: number
  idleMs: number
  /** Given back, but the database has not confirmed it: to be said again. */
  owedMicros: number
  /** What was spent when it asked. */
  markMicros: number
  /** What was reported to the other nodes as offered here. */
  reportedRateMicros: number
  /** Where the even line begins; null: where the next plan finds it. */
  line: Line | null
}

/** The money of an account. */
export interface Money {
  grantedMicros: number
  spentMicros: number
  reservedMicros: number
}

const AHEAD_MS = 120_000
/** How often the others must at least learn what is held and seen. */
const REPORT_MS = 60_000
/** How long money may lie idle before it goes back. */
const IDLE_MS = 20_000
/** Who rested when a request came was too early: from then on money may lie idle for so many times as long. */
const IDLE_FACTOR = 2
const LEAST_IMPRESSIONS = 4
const FIRST_IMPRESSIONS = 16
/** The first share, as a part of the budget. */
const FIRST_PART = 100
/**
 * A node that is alone has this much at hand: all that is left of a small budget. More of a large one would only be
 * locked if it died.
 */
const ALONE_IMPRESSIONS = 2_000
/** How much more a node that ran dry asks for. */
const SHORT_FACTOR = 4
const LONGEST_WAIT_MS = 30_000
const FIRST_WAIT_MS = 500
/** So often a node that got nothing asks again without a request for it: others may be about to give back. */
const UNASKED_REFUSALS = 4
/** How long an ask that failed waits, so that others have their turn. */
const FAILED_WAIT_MS = 2_000
export const NOT_PUT_OFF = Number.NEGATIVE_INFINITY

export const NO_OTHERS: OtherNodes = {
  reservedMicros: 0,
  rateMicros: 0,
  meanMicros: 0,
  yieldRatio: 0,
  endedMicros: 0,
}

export function createNodeShare(): NodeShare {
  return {
    isNew: true,
    knowsOthers: false,
    poolMicros: Number.POSITIVE_INFINITY,
    shortOf: 'day',
    lifeMicros: null,
    flight: null,
    othersSpentMicros: 0,
    others: NO_OTHERS,
    nodes: 1,
    aheadMicros: 0,
    usedMicros: 0,
    perMs: 0,
    isShort: false,
    askedMs: Number.NEGATIVE_INFINITY,
    notBeforeMs: Number.NEGATIVE_INFINITY,
    putOffMs: NOT_PUT_OFF,
    refusals: 0,
    isLeaving: false,
    isResting: false,
    wantedMs: Number.NEGATIVE_INFINITY,
    idleMs: IDLE_MS,
    owedMicros: 0,
    markMicros: 0,
    reportedRateMicros: 0,
    line: null,
  }
}

export function roomOf({ grantedMicros, spentMicros, reservedMicros }: Money): number {
  return grantedMicros - spentMicros - reservedMicros
}

/** Whether it is time to ask. `nodes`: how many there are. */
export function isAskDue(
  share: NodeShare,
  money: Money,
  rateMicros: number,
  nodes: number,
  nowMs: number,
): boolean {
  if (share.isResting && !share.isShort && share.owedMicros === 0) return false
  // A node that comes or goes moves money: whoever found nothing left asks again, who was alone gives back.
  if (nodes !== share.nodes && (share.refusals > 0 || share.nodes === 1)) return true
  // A request does not wait for what was only tried without one.
  const isWanted = share.isShort && share.refusals <= UNASKED_REFUSALS
  if (isWanted && nowMs - share.askedMs >= FIRST_WAIT_MS) return true
  if (nowMs < share.notBeforeMs) return false
  if (share.isNew || share.isShort || share.owedMicros > 0) return true
  if (share.refusals > 0 && share.refusals <= UNASKED_REFUSALS) return true
  const room = roomOf(money)
  if (room < share.aheadMicros / 4 && share.poolMicros > 0) return true
  if (share.poolMicros < 0 && room > 0) return true
  const sinceMs = nowMs - share.askedMs
  if (room > 2 * share.aheadMicros && sinceMs >= IDLE_MS) return true
  if (sinceMs < REPORT_MS) return false
  const isNews = Math.abs(rateMicros - share.reportedRateMicros) > share.reportedRateMicros / 10
  return isNews || share.usedMicros > 0 || money.reservedMicros > 0 || share.perMs > 0
}

/** Nothing was promised for a while, and there is money to give back. */
export function isIdle(share: NodeShare, money: Money, nowMs: number): boolean {
  const isUnused = share.usedMicros === 0 && !share.isShort && !share.isNew
  const room = roomOf(money)
  // While as much is left for the others, it need not hurry.
  const idleMs = share.poolMicros >= room ? share.idleMs : IDLE_MS
  return isUnused && room > 0 && nowMs - share.wantedMs >= idleMs
}

/** How much should be granted in total, and the smallest increase that is of any use. */
export function targetOf(
  share: NodeShare,
  money: Money,
  priceMicros: number,
  dailySpendMicros: number,
  nodes: number,
  nowMs: number,
  isByClick = false,
): { targetMicros: number; leastMicros: number } {
  const heldMicros = money.spentMicros + money.reservedMicros
  const isWoken = share.isResting && share.isShort
  if (isWoken) learnRest(share, nowMs)
  if (share.isNew || share.isShort || share.usedMicros > 0) share.wantedMs = nowMs
  learnUse(share, nowMs)
  // One that rested needs no more than before.
  const wasShort = share.isShort && !isWoken
  share.isShort = false
  share.isResting = false
  share.markMicros = money.spentMicros
  const room = roomOf(money)
  // Remainders too small for an impression go back, so that together they make one; a lowered budget gets everything
  // back.
  const isDust = share.refusals % 2 === 1 && room > 0 && room < priceMicros
  share.isLeaving = share.poolMicros < 0
  if (isDust || share.isLeaving) return { targetMicros: heldMicros, leastMicros: 0 }
  const byUse = Math.max(
    // A click costs as much as hundreds of impressions, and may come to any node: little is kept from the others.
    isByClick && nodes > 1 ? priceMicros : atHand(share, priceMicros, dailySpendMicros, nodes),
    share.perMs * AHEAD_MS,
  )
  // Short again and again, as of a balance that is nearly spent, it wants no more than a whole day.
  const byShortage = Math.min(SHORT_FACTOR * share.aheadMicros, Math.max(priceMicros, dailySpendMicros))
  share.aheadMicros = Math.ceil(wasShort ? Math.max(byUse, byShortage) : byUse)
  return {
    targetMicros: heldMicros + share.aheadMicros,
    leastMicros: Math.max(0, priceMicros - room),
  }
}

/** Whatever is being sold. */
function atHand({ isNew }: NodeShare, priceMicros: number, dailySpendMicros: number, nodes: number): number {
  const part = Math.floor(dailySpendMicros / FIRST_PART)
  if (nodes === 1) return Math.max(ALONE_IMPRESSIONS * priceMicros, part)
  return isNew ? Math.max(FIRST_IMPRESSIONS * priceMicros, part) : LEAST_IMPRESSIONS * priceMicros
}

/** It rises at once and falls by halves. */
function learnUse(share: NodeShare, nowMs: number): void {
  const sinceMs = Math.min(AHEAD_MS, Math.max(1000, nowMs - share.askedMs))
  const perMs = share.usedMicros / sinceMs
  share.perMs = perMs >= share.perMs ? perMs : (perMs + share.perMs) / 2
  if (share.perMs * AHEAD_MS < 1) share.perMs = 0
  share.usedMicros = 0
  share.askedMs = nowMs
}

/** The request that finds it resting is refused: the next one shall not be, though requests are rare. */
function learnRest(share: NodeShare, nowMs: number): void {
  const sinceMs = nowMs - share.wantedMs
  if (Number.isFinite(sinceMs)) share.idleMs = Math.max(share.idleMs, IDLE_FACTOR * sinceMs)
}

/** After an answer: a node without room for one impression that got none waits before asking again, ever longer. */
export function learnAnswer(share: NodeShare, money: Money, priceMicros: number, nowMs: number): void {
  share.isNew = false
  share.owedMicros = 0
  share.putOffMs = NOT_PUT_OFF
  const wasLeaving = share.isLeaving
  share.isLeaving = false
  if (wasLeaving || roomOf(money) >= priceMicros) {
    share.refusals = 0
    share.notBeforeMs = Number.NEGATIVE_INFINITY
    return
  }
  // A remainder has just gone back, and makes one with what is left: whoever waits for it gets it at once. Every other
  // answer only, so that an ask that gets nothing nevertheless is not repeated without end.
  const isEnough = share.refusals % 2 === 1 && share.poolMicros >= priceMicros
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(share.refusals, 10))
  share.notBeforeMs = isEnough ? Number.NEGATIVE_INFINITY : nowMs + waitMs
  share.refusals++
}

/** What is left elsewhere has changed: it is asked for as if it had never been refused. */
export function askAfresh(share: NodeShare): void {
  share.poolMicros = Number.POSITIVE_INFINITY
  share.notBeforeMs = Number.NEGATIVE_INFINITY
  share.refusals = 0
}

/** There was no answer. Whether the database has moved anything, the next ask tells, which is absolute. */
export function putOff(share: NodeShare, nowMs: number): void {
  share.putOffMs = nowMs + FAILED_WAIT_MS
}
