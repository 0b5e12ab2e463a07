// What tracking hands over to be counted, and how that went. The words between the data plane and the statistics.

import type { DeviceName, ServedAd, UserHash } from './ad.ts'

/** A view is an impression that was seen; it is counted, and never billed. */
export type EventKind = 'impression' | 'click' | 'view'

/** What counts, unless the database has it already: once an ad and kind, for ever. */
export interface AdEvent {
  kind: EventKind
  ad: ServedAd
  atMs: number
  /** Zero but for an impression. */
  spendMicros: number
}

/** The ad that an action is credited to, as its event has it. */
export interface CreditedAd {
  adId: string
  servedS: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
  placeHash: number | null
  country: string | null
  device: DeviceName | null
  os: string | null
}

/** A conversion that counts, unless its customer has one with the same `dedupe` already. */
export interface AdAction {
  ad: CreditedAd
  creditedTo: 'click' | 'view'
  dedupe: string
  atMs: number
  name: string
  valueMicros: number | null
}

export type Counter = 'imps' | 'clicks' | 'actions'

/** So many calls concerning these ids were answered but not counted. */
export interface IgnoredCalls {
  ids: readonly number[]
  /** A moment of the day they fell in. */
  atMs: number
  reason: string
  counter: Counter
  calls: number
}

/** Of one kind only: the other two lists are empty. */
export interface Batch {
  events: AdEvent[]
  actions: AdAction[]
  ignored: IgnoredCalls[]
}

/**
 * Positions in the batch of what the database had before, and of what nobody pays for any more, which is not counted.
 * Everything else is new, counted and on disk.
 */
export interface BatchResult {
  known: number[]
  late: number[]
}

/** Writes a batch of one kind in one transaction. When it throws, nothing is written, or it is not known whether all is. */
export type Ingest = (batch: Batch) => Promise<BatchResult>

/** What the ledger must know of an ad to bill it. */
export interface AdFacts {
  adId: string
  cid: number
  dayKey: number
  priceMicros: number
  reservedUntilMs: number
  user: UserHash | null
}

/** The budget's side of an impression: begin before its transaction, one of commit, duplicate or cancel after it. */
export interface BudgetLedger {
  begin(
    facts: AdFacts,
    priceMicros: number,
    nowMs: number,
  ): { hold: true; chargeMicros: number; lastMs: number } | { hold: false; reason: 'late' | 'duplicate' }
  commit(adId: string, chargeMicros: number): unknown
  duplicate(adId: string): unknown
  cancel(adId: string): void
  release(adId: string): unknown
}
