// The ledger's side of its shares: which of them to ask about now, and what to do with the answers. Money given back
// leaves the books before the database learns of it, and granted money enters them afterwards. So the books never have
// more than the database granted.

import type { Day } from '../../kernel/time/day.ts'
import { isOpenAt, nextOpening } from '../../kernel/time/hours.ts'
import { type Pace, rateAt, reportedMeanMicros } from '../pacing/pacing.ts'
import {
  askAfresh,
  isAskDue,
  isIdle,
  isWantedElsewhere,
  learnAnswer,
  NOT_PUT_OFF,
  putOff,
  roomOf,
  targetOf,
} from '../shares/node-share.ts'
import type { Ask, Grant, Want, Wanted } from '../shares/share.ts'
import type { Account, Books } from './books.ts'
import { type Campaign, isPooled, payerAt } from './campaign.ts'

export interface AskParts {
  books: Books
  campaigns: ReadonlyMap<number, Campaign>
  /** Accounts that need money at once. */
  short: Set<Account>
  /** Asks for them without waiting for the next round. */
  hurry(): void
}

/** A share is asked for this early, so that it is there when its campaign or day begins. */
export const EARLY_MS = 30_000
/** Before a day begins, its campaigns ask one after the other over this time. */
const SPREAD_SECONDS = 25
/** What a node without traffic reports. */
export const NOTHING_OFFERED: Offered = { rateMicros: 0, meanMicros: 0, endedMicros: 0, line: null }
type Offered = Pick<Ask, 'rateMicros' | 'meanMicros' | 'endedMicros' | 'line'>

/**
 * An ask is made when it is taken, and the money that it gives back leaves the books then. It is answered before the
 * next ask of its account is taken. `nodes`: how many nodes there are, including this one.
 */
export type Asks = Generator<Ask>

export interface Asking {
  /** All asks that are due. */
  due(nodes: number, nowMs: number): Asks
  /** Asks of accounts that have just run out of money or just begun. */
  short(nodes: number, nowMs: number): Asks
  /** The node stops: it returns everything that no ad has reserved. */
  leaving(nowMs: number): Asks
  granted(grants: readonly Grant[], nodes: number, nowMs: number): void
  /** What requests were refused for since the last call. */
  lacking(): Want[]
  wanted(wanted: readonly Wanted[]): void
  /** It is not known whether the database moved anything. */
  unanswered(asks: readonly Ask[], nowMs: number): void
  waiting(nowMs: number): Waiting
  left(): Left
}

/** How many campaigns deliver today, how many of them wait for their first answer, and how many asks are repeated. */
export interface Waiting {
  campaigns: number
  waiting: number
  unanswered: number
}

/** What could still be given back: it was not asked, or not confirmed. */
export interface Left {
  campaigns: number
  micros: number
}

export function createAsking(parts: AskParts): Asking {
  let lacking: Want[] = []
  return {
    due: (nodes, nowMs) => collectAsks(parts, nodes, nowMs),
    short: (nodes, nowMs) => shortAsks(parts, nodes, nowMs),
    leaving: nowMs => leaveAll(parts, nowMs),
    granted: (grants, nodes, nowMs) => lacking.push(...takeGrants(parts, grants, nodes, nowMs)),
    lacking() {
      const wants = lacking
      lacking = []
      return wants
    },
    wanted: wanted => hearWanted(parts, wanted),
    unanswered: (asks, nowMs) => takeNothing(parts, asks, nowMs),
    waiting: nowMs => countWaiting(parts, nowMs),
    left: () => countLeft(parts),
  }
}

function* collectAsks({ books, campaigns }: AskParts, nodes: number, nowMs: number): Asks {
  openAccounts({ books, campaigns }, nowMs)
  for (const account of todayFirst(books, nowMs)) {
    if (nowMs < account.share.putOffMs) continue
    const campaign = campaigns.get(account.cid)
    const isOver = !campaign || isClosed(campaign, nowMs) || !isPaying(account, campaign, nowMs)
    const ask = isOver ? leave(account, NOTHING_OFFERED) : askOf(account, campaign, nodes, nowMs)
    if (ask) yield ask
    else account.share.putOffMs = NOT_PUT_OFF
  }
}

/** Money that can still be sold comes first; what is left of past days can wait. */
function* todayFirst(books: Books, nowMs: number): Generator<Account> {
  const over: Account[] = []
  for (const accounts of books.days()) {
    for (const account of accounts.values()) {
      if (account.endMs > nowMs) yield account
      else over.push(account)
    }
  }
  for (const account of over) if (books.find(account.dayKey, account.cid, account.payer)) yield account
}

function* shortAsks({ books, campaigns, short }: AskParts, nodes: number, nowMs: number): Asks {
  const accounts = [...short]
  short.clear()
  for (const account of accounts) {
    if (nowMs < account.share.putOffMs) continue
    const campaign = campaigns.get(account.cid)
    if (!campaign) continue
    const isOpen = !isClosed(campaign, nowMs) && isPaying(account, campaign, nowMs)
    if (isOpen) yield* leaveOthers(books, account, campaign, nowMs)
    // An ad of a campaign that is paid by click may be clicked after the campaign has stopped.
    const ask = isOpen || campaign.isByClick ? askOf(account, campaign, nodes, nowMs) : null
    if (ask) yield ask
  }
}

/** Accounts of the same day that no longer pay leave first: this account asks for the money that they return. */
function* leaveOthers(books: Books, account: Account, campaign: Campaign, nowMs: number): Asks {
  for (const other of books.ofCampaign(account.dayKey, account.cid)) {
    if (other === account || nowMs < other.share.putOffMs || isPaying(other, campaign, nowMs)) continue
    const ask = leave(other, NOTHING_OFFERED)
    if (ask) yield ask
  }
}

function countWaiting({ books, campaigns }: AskParts, nowMs: number): Waiting {
  const count = { campaigns: 0, waiting: 0, unanswered: 0 }
  for (const accounts of books.days()) {
    for (const { cid, payer, dayKey, share } of accounts.values()) {
      if (share.putOffMs !== NOT_PUT_OFF) count.unanswered++
      const campaign = campaigns.get(cid)
      if (!campaign || isClosed(campaign, nowMs) || dayKey !== campaign.calendar.dayAt(nowMs).key) continue
      if (payer !== payerAt(campaign, nowMs)) continue
      count.campaigns++
      if (share.isNew) count.waiting++
    }
  }
  return count
}

/** Opens the accounts of today and of a day that is about to begin, but not of all campaigns in the same second. */
function openAccounts({ books, campaigns }: Pick<AskParts, 'books' | 'campaigns'>, nowMs: number): void {
  const toMs = nowMs + EARLY_MS
  const open = (cid: number, campaign: Campaign, { key }: Day, fromMs: number) => {
    const payer = payerAt(campaign, fromMs)
    if (!books.find(key, cid, payer) && touches(campaign, fromMs, toMs))
      books.open(key, cid, 0, campaign.calendar, payer)
  }
  for (const [cid, campaign] of campaigns) {
    if (!campaign.enabled) continue
    const today = campaign.calendar.dayAt(nowMs)
    open(cid, campaign, today, nowMs)
    if (campaign.payers.length > 0) {
      if (payerAt(campaign, toMs) > 0) open(cid, campaign, campaign.calendar.dayAt(toMs), toMs)
      // The campaign's own account is opened when the flight is over.
      if (payerAt(campaign, nowMs) > 0 && payerAt(campaign, today.endMs) === 0) continue
    }
    if (today.endMs > toMs - (cid % SPREAD_SECONDS) * 1000) continue
    open(cid, campaign, campaign.calendar.dayAt(today.endMs), today.endMs)
  }
}

/** Its day is not over, and what it pays for is running or about to begin. */
function isPaying({ payer, dayKey, endMs }: Account, campaign: Campaign, nowMs: number): boolean {
  if (endMs <= nowMs) return false
  if (campaign.payers.length === 0) return payer === 0
  const fromMs = Math.max(nowMs, campaign.calendar.dayOfKey(dayKey)?.startMs ?? nowMs)
  return payerAt(campaign, fromMs) === payer || (payer > 0 && payerAt(campaign, fromMs + EARLY_MS) === payer)
}

/** It is running, or about to begin. */
export function isDue(campaign: Campaign, nowMs: number): boolean {
  return campaign.enabled && touches(campaign, nowMs, nowMs + EARLY_MS)
}

/** Paused, or outside its hours and not about to open. */
function isClosed({ enabled, hours }: Campaign, nowMs: number): boolean {
  return !enabled || !(isOpenAt(hours, nowMs) || isOpenAt(hours, nowMs + EARLY_MS))
}

/** For a span of seconds: nothing opens and closes within it. */
function touches({ flights, hours }: Campaign, fromMs: number, toMs: number): boolean {
  if (!isOpenAt(hours, fromMs) && !isOpenAt(hours, toMs)) return false
  for (const { startMs, endMs } of flights)
    if (nextOpening(hours, Math.max(startMs, fromMs), Math.min(endMs, toMs + 1)) !== null) return true
  return false
}

function askOf(account: Account, campaign: Campaign, nodes: number, nowMs: number): Ask | null {
  const { share } = account
  const { priceMicros, dailySpendMicros, pace } = campaign
  const rateMicros = Math.round(rateAt(pace, nowMs))
  const isSharedMoney = campaign.creditedMicros !== null || (campaign.isByClick && nodes > 1)
  const mayRest = isWantedElsewhere(share, account, nowMs) || (isSharedMoney && isIdle(share, account, nowMs))
  if (mayRest) return rest(account, isPooled(campaign))
  if (!isAskDue(share, account, rateMicros, nodes, nowMs)) return null
  // A flight that is about to begin gets no requests yet: its campaign does.
  const isNow = account.payer === payerAt(campaign, nowMs)
  share.reportedRateMicros = isNow ? rateMicros : 0
  // Campaigns with a common balance compete as nodes do: none takes more than it is about to sell.
  const among = campaign.creditedMicros === null ? nodes : Math.max(2, nodes)
  const target = targetOf(share, account, priceMicros, dailySpendMicros, among, nowMs, campaign.isByClick)
  lower(account, target.targetMicros)
  return {
    cid: account.cid,
    payer: account.payer,
    dayKey: account.dayKey,
    ...target,
    reservedMicros: account.reservedMicros,
    ...(isNow ? offeredOf(account, pace, nowMs) : NOTHING_OFFERED),
    isNew: share.isNew,
    isPooled: isPooled(campaign),
    atMs: nowMs,
  }
}

/** No requests come for it now, and another campaign with the same balance, or another node, may need the money. */
function rest(account: Account, isPooledToo: boolean): Ask | null {
  const ask = leave(account, NOTHING_OFFERED)
  if (ask) account.share.isResting = true
  return ask && { ...ask, isPooled: isPooledToo }
}

/** Ended reservations are reported at most once: if the ask is lost, so is the report. */
function offeredOf({ share }: Account, pace: Pace, nowMs: number): Offered {
  const endedMicros = pace.unreportedMicros
  pace.unreportedMicros = 0
  return {
    rateMicros: Math.round(rateAt(pace, nowMs)),
    meanMicros: reportedMeanMicros(pace),
    endedMicros,
    line: share.knowsOthers ? share.line : null,
  }
}

/** Money that is given back leaves the books at once. */
function lower(account: Account, toMicros: number): void {
  const lessMicros = account.grantedMicros - toMicros
  if (lessMicros <= 0) return
  account.grantedMicros = toMicros
  account.share.owedMicros += lessMicros
}

/** Nothing more will be promised from it: it returns everything that no ad has reserved. */
function leave(account: Account, offered: Offered): Ask | null {
  if (account.share.isNew || (roomOf(account) <= 0 && account.share.owedMicros === 0)) return null
  lower(account, account.spentMicros + account.reservedMicros)
  account.share.markMicros = account.spentMicros
  account.share.isLeaving = true
  return {
    cid: account.cid,
    payer: account.payer,
    dayKey: account.dayKey,
    targetMicros: account.grantedMicros,
    leastMicros: 0,
    reservedMicros: account.reservedMicros,
    ...offered,
    isNew: false,
  }
}

/**
 * The node stops, and its requests will come to the others. What it was offered fades from their sum while theirs
 * grows.
 */
function* leaveAll({ books, campaigns }: AskParts, nowMs: number): Asks {
  for (const account of todayFirst(books, nowMs)) {
    const campaign = campaigns.get(account.cid)
    const isToday = campaign && account.dayKey === campaign.calendar.dayAt(nowMs).key
    const pace = isToday && account.payer === payerAt(campaign, nowMs) ? campaign.pace : undefined
    const ask = leave(account, pace ? offeredOf(account, pace, nowMs) : NOTHING_OFFERED)
    if (ask) yield ask
  }
}

function countLeft({ books }: AskParts): Left {
  const left = { campaigns: 0, micros: 0 }
  for (const account of books.all()) {
    const micros = account.share.owedMicros + Math.max(0, roomOf(account))
    if (micros === 0) continue
    left.campaigns++
    left.micros += micros
  }
  return left
}

/**
 * Money billed here since the ask is not in the answer, or counts twice until the next one, which is safe. Returns what
 * requests still lack.
 */
function takeGrants(parts: AskParts, grants: readonly Grant[], nodes: number, nowMs: number): Want[] {
  const lacking: Want[] = []
  for (const grant of grants) {
    const account = parts.books.find(grant.dayKey, grant.cid, grant.payer)
    if (!account) continue
    const { share } = account
    account.grantedMicros = grant.grantedMicros
    account.spentMicros += grant.billedMicros - share.markMicros
    share.markMicros = account.spentMicros
    share.poolMicros = grant.poolMicros
    share.shortOf = grant.shortOf
    share.lifeMicros = grant.lifeMicros
    share.monthMicros = grant.monthMicros
    share.flight = grant.flight && {
      lifeMicros: grant.flight.lifeMicros,
      othersSpentMicros: grant.flight.billedMicros - grant.billedMicros,
      othersReservedMicros: grant.flight.othersReservedMicros,
    }
    share.othersSpentMicros = grant.allBilledMicros - grant.billedMicros
    share.others = grant.others
    const campaign = parts.campaigns.get(grant.cid)
    if (campaign && (share.nodes !== nodes || !share.knowsOthers)) campaign.pace.stale = true
    if (!share.knowsOthers) share.line = grant.line
    share.nodes = nodes
    share.knowsOthers = true
    if (share.isLeaving) askForNextFlight(parts, account)
    learnAnswer(share, account, campaign?.priceMicros ?? 0, nowMs)
    const lacksMicros = (campaign?.priceMicros ?? 0) - Math.max(0, roomOf(account))
    if (share.wasShort && lacksMicros > 0) {
      const { cid, dayKey } = account
      lacking.push({ cid, dayKey, leastMicros: share.shortOf === 'day' ? lacksMicros : null })
    }
    share.wasShort = false
  }
  return lacking
}

/** Asks are made in the same round: to give back what lies idle here, or to get what is there again. */
function hearWanted({ books }: AskParts, wanted: readonly Wanted[]): void {
  for (const { cid, dayKey, isBack } of wanted)
    for (const { share } of books.ofCampaign(dayKey, cid)) {
      if (isBack) askAfresh(share)
      else share.isWanted = true
    }
}

/** What a day or a flight leaves of a total is there for the next one, which may have been refused before. */
function askForNextFlight({ campaigns, short, hurry }: AskParts, left: Account): void {
  const next = campaigns.get(left.cid)?.account
  if (!next || next === left || next.share.refusals === 0) return
  askAfresh(next.share)
  short.add(next)
  hurry()
}

function takeNothing({ books }: AskParts, asks: readonly Ask[], nowMs: number): void {
  for (const { dayKey, cid, payer } of asks) {
    const account = books.find(dayKey, cid, payer)
    if (account) putOff(account.share, nowMs)
  }
}
