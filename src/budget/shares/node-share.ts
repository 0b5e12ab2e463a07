// How large a node's share of a budget should be: what it has spent and reserved, plus what it will promise in the next
// two minutes; a node that is alone gets more than it can sell before the next answer. A node asks before its share is
// used up, and returns idle money. If it runs dry, it asks for four times as much at once. When a budget nears its end,
// the database grants ever smaller parts, down to one impression.

import type { Line, OtherNodes, SpentBy } from './share.ts'

/** What a node knows about its share of one budget, besides the money itself. */
export interface NodeShare {
  /** The database has not answered yet. */
  isNew: boolean
  /** It is known what the others have spent. */
  knowsOthers: boolean
  /** What no node had when the database answered. */
  poolMicros: number
  /** The limit that `poolMicros` is the rest of. */
  shortOf: SpentBy
  /** What the campaign's total and its month have from today on; null: no limit. */
  lifeMicros: number | null
  monthMicros: number | null
  /** What the paying flight has from today on, and what the others have used of it today; null: no flight pays. */
  flight: { lifeMicros: number; othersSpentMicros: number; othersReservedMicros: number } | null
  othersSpentMicros: number
  others: OtherNodes
  /** How many nodes there were, including this one. */
  nodes: number
  /** Room to keep at hand. */
  aheadMicros: number
  /** What was promised since the last ask, and how much that is per millisecond. */
  usedMicros: number
  perMs: number
  /** When something was last promised from it. */
  promisedMs: number
  /** A promise was refused for lack of room; and so it was before the last ask. */
  isShort: boolean
  wasShort: boolean
  /** Another node lacks money of this budget. */
  isWanted: boolean
  askedMs: number
  /** It asks no earlier than this because the budget had nothing left. */
  notBeforeMs: number
  /** It asks no earlier than this because the last ask was not answered. */
  putOffMs: number
  /** Asks in a row that got nothing. */
  refusals: number
  /** It asked for nothing because there was nothing more to promise. */
  isLeaving: boolean
  /** It gave everything back because nothing was promised; the next request asks again. */
  isResting: boolean
  /** When requests were last known to want it, and how long its money may be idle from then on. */
  wantedMs: number
  idleMs: number
  /** Given back, but not yet confirmed by the database: the ask must be repeated. */
  owedMicros: number
  /** What was spent when it asked. */
  markMicros: number
  /** The rate of requests that was reported to the other nodes. */
  reportedRateMicros: number
  /** Where the even line begins; null: the next plan decides. */
  line: Line | null
}

/** The money of an account. */
export interface Money {
  grantedMicros: number
  spentMicros: number
  reservedMicros: number
}

const AHEAD_MS = 120_000
/** The others must learn at least this often what is reserved and requested here. */
const REPORT_MS = 60_000
/** How long money may be idle before it is returned. */
export const IDLE_MS = 20_000
/** A share that was resting when a request came had rested too early: its money may then be idle this times as long. */
const IDLE_FACTOR = 2
/** The same, if another node lacks it. */
const UNUSED_MS = 1_000
const LEAST_IMPRESSIONS = 4
const FIRST_IMPRESSIONS = 16
/** The first share, as a part of the budget. */
const FIRST_PART = 100
/**
 * A node that is alone keeps this much at hand, which is all that is left of a small budget. More of a large budget
 * would only be unavailable if the node crashed.
 */
export const ALONE_IMPRESSIONS = 2_000
/** How much more a node that ran dry asks for. */
const SHORT_FACTOR = 4
const LONGEST_WAIT_MS = 30_000
const FIRST_WAIT_MS = 500
/** A node that got nothing asks again this often even without a request: others may be about to return money. */
const UNASKED_REFUSALS = 4
/** How long a failed ask waits, so that others have their turn. */
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
    monthMicros: null,
    flight: null,
    othersSpentMicros: 0,
    others: NO_OTHERS,
    nodes: 1,
    aheadMicros: 0,
    usedMicros: 0,
    perMs: 0,
    promisedMs: Number.NEGATIVE_INFINITY,
    isShort: false,
    wasShort: false,
    isWanted: false,
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

/** Whether it is time to ask. `nodes`: how many nodes there are. */
export function isAskDue(
  share: NodeShare,
  money: Money,
  rateMicros: number,
  nodes: number,
  nowMs: number,
): boolean {
  if (share.isResting && !share.isShort && share.owedMicros === 0) return false
  // A node that joins or leaves moves money: one that had found nothing asks again, one that was alone gives back.
  if (nodes !== share.nodes && (share.refusals > 0 || share.nodes === 1)) return true
  // A request does not wait because of earlier asks that no request had caused.
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
  // While at least as much is left for the others, there is no hurry.
  const idleMs = share.poolMicros >= room ? share.idleMs : IDLE_MS
  return isUnused && room > 0 && nowMs - share.wantedMs >= idleMs
}

/** Nothing was promised just now, and another node lacks money of this budget. Told once. */
export function isWantedElsewhere(share: NodeShare, money: Money, nowMs: number): boolean {
  const { isWanted } = share
  share.isWanted = false
  const isUsed = share.isNew || share.isShort || nowMs - share.promisedMs < UNUSED_MS
  return isWanted && !isUsed && roomOf(money) > 0
}

/** How much should be granted in total, and the smallest increase that is useful. */
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
  // A share that rested needs no more than before.
  const wasShort = share.isShort && !isWoken
  share.wasShort = share.isShort
  share.isShort = false
  share.isResting = false
  share.markMicros = money.spentMicros
  const room = roomOf(money)
  // Remainders too small for an impression are returned, because together they may make one. After a cut everything
  // unused is returned.
  const isDust = share.refusals % 2 === 1 && room > 0 && room < priceMicros
  share.isLeaving = share.poolMicros < 0
  if (isDust || share.isLeaving) return { targetMicros: heldMicros, leastMicros: 0 }
  const byUse = Math.max(
    // A click costs as much as hundreds of impressions and may come to any node, so each node keeps little.
    isByClick && nodes > 1 ? priceMicros : atHand(share, priceMicros, dailySpendMicros, nodes),
    share.perMs * AHEAD_MS,
  )
  // If it is short again and again, for example when a balance is nearly spent, it asks for at most a whole day.
  const byShortage = Math.min(SHORT_FACTOR * share.aheadMicros, Math.max(priceMicros, dailySpendMicros))
  share.aheadMicros = Math.ceil(wasShort ? Math.max(byUse, byShortage) : byUse)
  return {
    targetMicros: heldMicros + share.aheadMicros,
    leastMicros: Math.max(0, priceMicros - room),
  }
}

/** What a node keeps at hand even if it sells nothing. */
function atHand({ isNew }: NodeShare, priceMicros: number, dailySpendMicros: number, nodes: number): number {
  const part = Math.floor(dailySpendMicros / FIRST_PART)
  if (nodes === 1) return Math.max(ALONE_IMPRESSIONS * priceMicros, part)
  return isNew ? Math.max(FIRST_IMPRESSIONS * priceMicros, part) : LEAST_IMPRESSIONS * priceMicros
}

/** The rate rises at once and falls by halves. */
function learnUse(share: NodeShare, nowMs: number): void {
  const sinceMs = Math.min(AHEAD_MS, Math.max(1000, nowMs - share.askedMs))
  const perMs = share.usedMicros / sinceMs
  share.perMs = perMs >= share.perMs ? perMs : (perMs + share.perMs) / 2
  if (share.perMs * AHEAD_MS < 1) share.perMs = 0
  share.usedMicros = 0
  share.askedMs = nowMs
}

/** The request that finds it resting is refused; the next one should not be, even if requests are rare. */
function learnRest(share: NodeShare, nowMs: number): void {
  const sinceMs = nowMs - share.wantedMs
  if (Number.isFinite(sinceMs)) share.idleMs = Math.max(share.idleMs, IDLE_FACTOR * sinceMs)
}

/** After an answer: a node that still has no room for one impression waits before it asks again, longer each time. */
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
  // A remainder was just returned, and with what is left it is enough: the next ask gets it at once. This is done only
  // after every other answer, so that an ask that gets nothing nevertheless is not repeated forever.
  const isEnough = share.refusals % 2 === 1 && share.poolMicros >= priceMicros
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(share.refusals, 10))
  share.notBeforeMs = isEnough ? Number.NEGATIVE_INFINITY : nowMs + waitMs
  share.refusals++
}

/** What is left elsewhere has changed: the next ask is made as if none had been refused. */
export function askAfresh(share: NodeShare): void {
  share.poolMicros = Number.POSITIVE_INFINITY
  share.notBeforeMs = Number.NEGATIVE_INFINITY
  share.refusals = 0
}

/** There was no answer. Asks are absolute, so the next one will show whether the database moved anything. */
export function putOff(share: NodeShare, nowMs: number): void {
  share.putOffMs = nowMs + FAILED_WAIT_MS
}
