// The ledger's side of its shares: which of them to ask about now, and what to do with the answers. Money given back
// leaves the books before the database learns of it, and granted money enters them afterwards: so the books never hold
// more than the database has granted.

import type { Account, Books } from './books.ts'
import type { Campaign } from './campaign.ts'
import { type Pace, rateAt, type Span } from './pacing.ts'
import { isAskDue, learnAnswer, roomOf, targetOf } from './portion.ts'
import type { Ask, Grant } from './shares.ts'

export interface AskParts {
  books: Books
  campaigns: ReadonlyMap<number, Campaign>
}

/** So a campaign or a day that begins already has its share. */
const EARLY_MS = 5_000
/** What a node without traffic reports. */
export const NOTHING_OFFERED: Offered = { rateMicros: 0, meanMicros: 0, endedMicros: 0, line: null }
type Offered = Pick<Ask, 'rateMicros' | 'meanMicros' | 'endedMicros' | 'line'>

/** Whatever is due. */
export function collectAsks({ books, campaigns }: AskParts, nowMs: number): Ask[] {
  const today = books.today(nowMs)
  openAccounts({ books, campaigns }, today.key, nowMs, nowMs + EARLY_MS)
  const tomorrow = books.today(nowMs + EARLY_MS)
  if (tomorrow.key !== today.key)
    openAccounts({ books, campaigns }, tomorrow.key, tomorrow.startMs, nowMs + EARLY_MS)
  const asks: Ask[] = []
  for (const account of books.all()) {
    const campaign = campaigns.get(account.cid)
    const isOver = !campaign?.enabled || account.dayKey < today.key
    const ask = isOver ? leave(account, NOTHING_OFFERED) : askOf(account, campaign, nowMs)
    if (ask) asks.push(ask)
  }
  return asks
}

function openAccounts({ books, campaigns }: AskParts, dayKey: number, fromMs: number, toMs: number): void {
  for (const [cid, campaign] of campaigns) {
    if (campaign.enabled && !books.find(dayKey, cid) && touches(campaign.flights, fromMs, toMs))
      books.open(dayKey, cid, 0)
  }
}

function touches(flights: readonly Span[], fromMs: number, toMs: number): boolean {
  for (const { startMs, endMs } of flights) if (startMs <= toMs && endMs > fromMs) return true
  return false
}

function askOf(account: Account, campaign: Campaign, nowMs: number): Ask | null {
  const { portion } = account
  const { priceMicros, dailySpendMicros, pace } = campaign
  const rateMicros = Math.round(rateAt(pace, nowMs))
  if (!isAskDue(portion, account, rateMicros, nowMs)) return null
  portion.toldRateMicros = rateMicros
  const target = targetOf(portion, account, priceMicros, dailySpendMicros, nowMs)
  if (target.targetMicros < account.grantedMicros) account.grantedMicros = target.targetMicros
  return {
    cid: account.cid,
    dayKey: account.dayKey,
    ...target,
    reservedMicros: account.reservedMicros,
    ...offeredOf(account, pace, nowMs),
    isNew: portion.isNew,
  }
}

/** Ended reservations are reported at most once: a lost ask loses them. */
function offeredOf({ portion }: Account, pace: Pace, nowMs: number): Offered {
  const endedMicros = pace.untoldMicros
  pace.untoldMicros = 0
  return {
    rateMicros: Math.round(rateAt(pace, nowMs)),
    meanMicros: pace.meanMicros,
    endedMicros,
    line: portion.knowsOthers ? portion.line : null,
  }
}

/** Nothing more will be promised: everything that no ad holds goes back. */
function leave(account: Account, offered: Offered): Ask | null {
  if (account.portion.isNew || roomOf(account) <= 0) return null
  account.grantedMicros = account.spentMicros + account.reservedMicros
  account.portion.markMicros = account.spentMicros
  account.portion.isLeaving = true
  return {
    cid: account.cid,
    dayKey: account.dayKey,
    targetMicros: account.grantedMicros,
    leastMicros: 0,
    reservedMicros: account.reservedMicros,
    ...offered,
    isNew: false,
  }
}

/**
 * The node ends. Its requests will come to the others: what it was offered fades in their sum as it grows with them.
 */
export function leaveAll({ books, campaigns }: AskParts, nowMs: number): Ask[] {
  const todayKey = books.today(nowMs).key
  const asks: Ask[] = []
  for (const account of books.all()) {
    const pace = account.dayKey === todayKey ? campaigns.get(account.cid)?.pace : undefined
    const ask = leave(account, pace ? offeredOf(account, pace, nowMs) : NOTHING_OFFERED)
    if (ask) asks.push(ask)
  }
  return asks
}

/** Money billed here since the ask is missing from the answer, or counts twice until the next one: the safe side. */
export function takeGrants(parts: AskParts, grants: readonly Grant[], nodes: number, nowMs: number): void {
  for (const grant of grants) {
    const account = parts.books.find(grant.dayKey, grant.cid)
    if (!account) continue
    const { portion } = account
    account.grantedMicros = grant.grantedMicros
    account.spentMicros += grant.billedMicros - portion.markMicros
    portion.markMicros = account.spentMicros
    portion.poolMicros = grant.poolMicros
    portion.othersSpentMicros = grant.allBilledMicros - grant.billedMicros
    portion.others = grant.others
    const campaign = parts.campaigns.get(grant.cid)
    if (campaign && (portion.nodes !== nodes || !portion.knowsOthers)) campaign.pace.stale = true
    if (!portion.knowsOthers) portion.line = grant.line
    portion.nodes = nodes
    portion.knowsOthers = true
    learnAnswer(portion, account, campaign?.priceMicros ?? 0, nowMs)
  }
}
