// The types of the ledger: an ad with its reservation, and what is recorded about it.

import type { UserHash } from '../caps/caps.ts'
import type { Account } from './books.ts'

/** What a signed link says of its ad. */
export interface AdFacts {
  /** The 12 random bytes of the decision as base64url: 16 characters. */
  readonly adId: string
  readonly cid: number
  /** The flight whose total pays; 0: the campaign alone does. */
  readonly payer: number
  /** The day it was served, which pays for it. */
  readonly dayKey: number
  /** The most it may cost: one impression at the bid price. */
  readonly priceMicros: number
  /** The end of its reservation; an impression at or after it is late. */
  readonly reservedUntilMs: number
  readonly user: UserHash | null
}

export const AD_ID_CHARS = 16

/** An ad in the books. `priceMicros` is what is reserved for it there. */
export interface Ad extends AdFacts {
  readonly account: Account
  state: 'open' | 'billed' | 'freed'
  /** Notices that the database has not answered yet. */
  pendingBills: number
  /** Ran out, or was lost, while begun: to be freed when the last pending bill has come to nothing. */
  freeAfterBills: boolean
  /** Its time is over: nothing of it needs to be remembered. */
  over: boolean
  /** The database had it, says a bill that ended before the others. */
  foundMicros: number | null
  inCaps: boolean
}

/** Where reservations and their ends are recorded, for the next start. */
export interface LedgerLog {
  reserved(ad: AdFacts, grantedMicros: number): void
  ended(ad: AdFacts, how: 'billed' | 'freed'): void
  budget(account: Account): void
}

export interface SpentRow {
  cid: number
  /** None: 0. */
  payer?: number
  dayKey: number
  spentMicros: number
}

/** What a node may spend of a budget. */
export interface BudgetRow {
  cid: number
  payer?: number
  dayKey: number
  grantedMicros: number
}

export interface CountedRow {
  cid: number
  dayKey: number
  user: UserHash
  impressions: number
}

/** What the journal knows. */
export interface Journaled {
  open: Iterable<AdFacts>
  billed: Iterable<AdFacts>
  budgets: Iterable<BudgetRow>
}

/**
 * What a start knows: ads from the journal, money and counts from the database, read in one transaction so that they
 * belong to one moment. If a commit of the former process lands later, it is charged to the same share, and the
 * database never bills more than the share was granted.
 */
export interface Restored extends Journaled {
  /** Of today and of every day whose ads may still be billed. */
  spent: Iterable<SpentRow>
  /** Which of the open ads the database has billed. */
  billedInDatabase: ReadonlySet<string>
  /** Of the campaigns that have a cap, for the same days as `spent`. */
  counted: Iterable<CountedRow>
}

export interface ClickFacts {
  adId: string
  cid: number
  /** The flight of its ad, if that has a total; none: the campaign alone pays. */
  payer?: number
  priceMicros: number
}

/** `share_wait`: money may be on its way. `held_elsewhere`: what is left may be with other nodes. */
export type ClickRefusal = 'share_wait' | 'held_elsewhere' | 'unbilled_budget'

/** Put exactly the price into the database, of the day `dayKey` and not later than `lastMs`; then say how it went. */
export interface ClickBill {
  dayKey: number
  lastMs: number
  /** True: it is on disk, and charged. */
  settle(isCharged: boolean): void
}
