// The types of the ledger: an ad with its reservation, and what is recorded about it.

import type { UserHash } from '../caps/caps.ts'
import type { Account } from './books.ts'

/** What a signed link says of its ad. */
export interface AdFacts {
  /** The 12 random bytes of the decision as base64url: 16 characters. */
  readonly adId: string
  readonly cid: number
  /** The flight whose total pays; 0: the campaign alone pays. */
  readonly payer: number
  /** The day on which it was served, which pays for it. */
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
  /** Its row among the compact ads, until its reservation has expired. */
  readonly row: number
  state: 'open' | 'billed' | 'freed'
  /** Notices that the database has not answered yet. */
  pendingBills: number
  /** It expired or was lost while a bill was pending: it is freed if the last pending bill does not charge it. */
  freeAfterBills: boolean
  /** Its reservation has expired: it need not be remembered once its bills have ended. */
  over: boolean
  /** What the database had already charged for it, as one bill found while others were pending. */
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
  /** If missing: 0. */
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

/** What the journal recorded. */
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
  /** For today and every day whose ads may still be billed. */
  spent: Iterable<SpentRow>
  /** Which of the open ads the database has billed. */
  billedInDatabase: ReadonlySet<string>
  /** For the campaigns that have a cap, and for the same days as `spent`. */
  counted: Iterable<CountedRow>
}

export interface ClickFacts {
  adId: string
  cid: number
  /** The flight of its ad, if it has a total; if missing, the campaign alone pays. */
  payer?: number
  priceMicros: number
}

/** `share_wait`: money may be on its way. `held_elsewhere`: what is left may be with other nodes. */
export type ClickRefusal = 'share_wait' | 'held_elsewhere' | 'unbilled_budget'

/** The caller writes exactly the price to the database, for the day `dayKey` and by `lastMs`, then calls settle(). */
export interface ClickBill {
  dayKey: number
  lastMs: number
  /** `isCharged`: it is on disk and charged. */
  settle(isCharged: boolean): void
}
