// The books: one account per campaign and day, and one for each flight with a total that paid on that day. An account
// is kept until none of its ads can be billed any more. Days are the customers' own, so one date begins and ends at
// different times. A closed account is never reopened, so a clock that is set back cannot spend a budget twice.

import { type Calendar, keysAnywhere, spanAnywhere } from '../../kernel/time/day.ts'
import { createNodeShare, type NodeShare } from '../shares/node-share.ts'

export interface Account {
  readonly cid: number
  /** The flight whose total pays; 0: the campaign alone pays. */
  readonly payer: number
  readonly dayKey: number
  /** When its day ends. */
  endMs: number
  /** This node's share of the day's budget: what it may spend. */
  grantedMicros: number
  spentMicros: number
  reservedMicros: number
  /** Ads that still hold money here. */
  openAds: number
  /** The time until which any of its ads may be billed. */
  latestUntilMs: number
  /** Ads were served without counting users: its cap cannot be kept until the counts are loaded. */
  countsMissing: boolean
  readonly share: NodeShare
}

export interface Books {
  find(dayKey: number, cid: number, payer?: number): Account | undefined
  /** All accounts of a campaign on a day, whoever pays. */
  ofCampaign(dayKey: number, cid: number): Account[]
  /**
   * The account, opened if need be; null if it is closed or there is no such date. `calendar`: its campaign's; null if
   * that is not known.
   */
  open(
    dayKey: number,
    cid: number,
    grantedMicros: number,
    calendar: Calendar | null,
    payer?: number,
  ): Account | null
  /** The days of a campaign have changed. */
  setCalendar(cid: number, calendar: Calendar): void
  /** Closes accounts whose day is over for good. Returns true if it checked them all. */
  closeDays(nowMs: number, closed: (account: Account) => void): boolean
  all(): Iterable<Account>
  /** All accounts by day, for callers that look at all of them every second. */
  days(): Iterable<ReadonlyMap<number, Account>>
  /** Whether there is any account of the day. */
  hasDay(dayKey: number): boolean
  /** Whether any ad of this campaign holds money, on any day. */
  hasOpenAds(cid: number): boolean
}

/** `graceMs`: how long after its end a day's ads may still be billed. */
export function createBooks(graceMs: number): Books {
  /** By day, then by payer: a flight never has the same id as a campaign. */
  const books = new Map<number, Map<number, Account>>()
  /** Flights that pay, by campaign. */
  const payers = new Map<number, Set<number>>()
  /** The last closed day: for all campaigns, and for those whose day ended earlier than elsewhere. */
  let closedThroughKey = 0
  const closedThrough = new Map<number, number>()
  let nextCloseMs = Number.NEGATIVE_INFINITY

  function isClosed(dayKey: number, cid: number): boolean {
    return dayKey <= Math.max(closedThroughKey, closedThrough.get(cid) ?? 0)
  }

  function close({ dayKey, cid, payer }: Account): void {
    const accounts = books.get(dayKey)
    accounts?.delete(payer || cid)
    if (accounts?.size === 0) books.delete(dayKey)
    if (payer !== 0 && ![...books.values()].some(day => day.has(payer))) forgetPayer(cid, payer)
    closedThrough.set(cid, Math.max(dayKey, closedThrough.get(cid) ?? 0))
  }

  function forgetPayer(cid: number, payer: number): void {
    const known = payers.get(cid)
    known?.delete(payer)
    if (known?.size === 0) payers.delete(cid)
  }

  function ofCampaign(dayKey: number, cid: number): Account[] {
    const day = books.get(dayKey)
    if (!day) return []
    const found: Account[] = []
    for (const key of [cid, ...(payers.get(cid) ?? [])]) {
      const account = day.get(key)
      if (account) found.push(account)
    }
    return found
  }

  /** A day that is over everywhere need not be remembered for each campaign. */
  function forgetClosed(nowMs: number): void {
    const firstOpenKey = keysAnywhere(nowMs - graceMs)[0]!
    for (const [cid, dayKey] of closedThrough) {
      if (dayKey >= firstOpenKey) continue
      closedThroughKey = Math.max(closedThroughKey, dayKey)
      closedThrough.delete(cid)
    }
  }

  return {
    find: (dayKey, cid, payer = 0) => books.get(dayKey)?.get(payer || cid),
    ofCampaign,
    open(dayKey, cid, grantedMicros, calendar, payer = 0) {
      const known = books.get(dayKey)?.get(payer || cid)
      if (known) return known
      const endMs = isClosed(dayKey, cid) ? null : endOf(dayKey, calendar)
      if (endMs === null) return null
      const account: Account = {
        cid,
        payer,
        dayKey,
        endMs,
        grantedMicros,
        spentMicros: 0,
        reservedMicros: 0,
        openAds: 0,
        latestUntilMs: 0,
        // Users are counted for the campaign, whoever pays.
        countsMissing: ofCampaign(dayKey, cid).some(account => account.countsMissing),
        share: createNodeShare(),
      }
      const accounts = books.get(dayKey) ?? new Map<number, Account>()
      books.set(dayKey, accounts.set(payer || cid, account))
      if (payer !== 0) payers.set(cid, (payers.get(cid) ?? new Set()).add(payer))
      nextCloseMs = Math.min(nextCloseMs, endMs + graceMs)
      return account
    },
    setCalendar(cid, calendar) {
      for (const dayKey of books.keys()) {
        for (const account of ofCampaign(dayKey, cid)) {
          account.endMs = endOf(dayKey, calendar)!
          nextCloseMs = Math.min(nextCloseMs, account.endMs + graceMs)
        }
      }
    },
    closeDays(nowMs, closed) {
      if (nowMs < nextCloseMs) return false
      let soonestMs = Number.POSITIVE_INFINITY
      for (const accounts of books.values()) {
        for (const account of accounts.values()) {
          const dueMs = account.endMs + graceMs
          if (dueMs <= nowMs && account.openAds === 0) {
            close(account)
            closed(account)
          } else {
            // An account that is due but still has open ads is checked again in a second.
            soonestMs = Math.min(soonestMs, dueMs > nowMs ? dueMs : nowMs + 1000)
          }
        }
      }
      nextCloseMs = soonestMs
      forgetClosed(nowMs)
      return true
    },
    hasDay: dayKey => books.has(dayKey),
    hasOpenAds(cid) {
      for (const dayKey of books.keys())
        if (ofCampaign(dayKey, cid).some(account => account.openAds > 0)) return true
      return false
    },
    days: () => books.values(),
    *all() {
      for (const accounts of books.values()) yield* accounts.values()
    },
  }
}

/** If the calendar has no such day or is not known: when the date is over everywhere. Null: it is not a date. */
function endOf(dayKey: number, calendar: Calendar | null): number | null {
  return (calendar?.dayOfKey(dayKey) ?? spanAnywhere(dayKey))?.endMs ?? null
}

export function hasRoom(account: Account, priceMicros: number): boolean {
  return account.spentMicros + account.reservedMicros + priceMicros <= account.grantedMicros
}

export function mustBeMicros(micros: number): void {
  if (!Number.isSafeInteger(micros) || micros < 0)
    throw new RangeError(`${micros} is not an amount in micro-units`)
}
