// The books: one account per campaign and day, kept until no ad of that day can be billed any more. A closed day is
// never reopened, so a clock that is set back cannot spend a budget twice.

import type { Calendar, Day } from '../kernel/day.ts'
import { createNodeShare, type NodeShare } from '../shares/node-share.ts'

export interface Account {
  readonly cid: number
  readonly dayKey: number
  /** This node's share of the day's budget: what it may spend. */
  grantedMicros: number
  spentMicros: number
  reservedMicros: number
  /** Ads that still hold money here. */
  openAds: number
  /** Until when any of its ads may be billed. */
  latestUntilMs: number
  /** Ads were served without counting users: its cap cannot hold until the counts are loaded. */
  countsMissing: boolean
  readonly share: NodeShare
}

export interface Books {
  today(nowMs: number): Day
  find(dayKey: number, cid: number): Account | undefined
  /** The account, opened if need be; null when its day is closed or does not exist. */
  open(dayKey: number, cid: number, grantedMicros: number): Account | null
  /** Closes days that are over for good; returns their keys to parts that keep more about them. */
  closeDays(nowMs: number, closed: (dayKey: number) => void): void
  all(): Iterable<Account>
  /** Whether any ad of this campaign holds money, on whatever day. */
  hasOpenAds(cid: number): boolean
}

interface Book {
  day: Day
  accounts: Map<number, Account>
}

/** `graceMs`: how long after its end a day's ads may still be billed. */
export function createBooks(calendar: Calendar, graceMs: number): Books {
  const books = new Map<number, Book>()
  let closedThroughKey = 0
  let nextCloseMs = Number.NEGATIVE_INFINITY

  function isDone(book: Book, nowMs: number): boolean {
    if (book.day.endMs + graceMs > nowMs) return false
    for (const account of book.accounts.values()) if (account.openAds > 0) return false
    return true
  }

  return {
    today: nowMs => calendar.dayAt(nowMs),
    find: (dayKey, cid) => books.get(dayKey)?.accounts.get(cid),
    open(dayKey, cid, grantedMicros) {
      let book = books.get(dayKey)
      if (!book) {
        const day = dayKey > closedThroughKey ? calendar.dayOfKey(dayKey) : null
        if (!day) return null
        book = { day, accounts: new Map() }
        books.set(dayKey, book)
        nextCloseMs = Number.NEGATIVE_INFINITY
      }
      const known = book.accounts.get(cid)
      if (known) return known
      const account: Account = {
        cid,
        dayKey,
        grantedMicros,
        spentMicros: 0,
        reservedMicros: 0,
        openAds: 0,
        latestUntilMs: 0,
        countsMissing: false,
        share: createNodeShare(),
      }
      book.accounts.set(cid, account)
      return account
    },
    closeDays(nowMs, closed) {
      if (nowMs < nextCloseMs) return
      let soonestMs = Number.POSITIVE_INFINITY
      for (const [dayKey, book] of books) {
        if (isDone(book, nowMs)) {
          books.delete(dayKey)
          closedThroughKey = Math.max(closedThroughKey, dayKey)
          closed(dayKey)
        } else {
          // An ad that is due but has a pending bill is checked again in a second.
          const dueMs = book.day.endMs + graceMs
          soonestMs = Math.min(soonestMs, dueMs > nowMs ? dueMs : nowMs + 1000)
        }
      }
      nextCloseMs = soonestMs
    },
    hasOpenAds(cid) {
      for (const { accounts } of books.values()) if ((accounts.get(cid)?.openAds ?? 0) > 0) return true
      return false
    },
    *all() {
      for (const book of books.values()) yield* book.accounts.values()
    },
  }
}

export function hasRoom(account: Account, priceMicros: number): boolean {
  return account.spentMicros + account.reservedMicros + priceMicros <= account.grantedMicros
}

export function mustBeMicros(micros: number): void {
  if (!Number.isSafeInteger(micros) || micros < 0)
    throw new RangeError(`${micros} is not an amount in micro-units`)
}
