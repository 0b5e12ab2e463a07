// What tracking hands over to be counted, and the results: the types between the data plane and the statistics.

import type { DeviceName, ServedAd } from './ad.ts'

/** A view is an impression that was seen; it is counted, and never billed. */
export type EventKind = 'impression' | 'click' | 'view'

/** What counts, unless the database already has it: once per ad and kind, forever. */
export interface AdEvent {
  kind: EventKind
  ad: ServedAd
  atMs: number
  /** Zero but for an impression, or a click that is paid for; the day of `ad` pays. */
  spendMicros: number
  /** The node whose share pays, if it is not the link's. */
  nodeId?: number
  /** Of an impression: the campaign's cap; none, or 0: it has none. */
  freq?: number
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
  locality: number
  audience: number
  country: string | null
  device: DeviceName | null
  os: string | null
}

/** A conversion that counts, unless its customer has one with the same `dedupe` already. */
export interface AdAction {
  ad: CreditedAd
  creditedTo: 'click' | 'view'
  dedupe: string
  byPixel: boolean
  atMs: number
  name: string
  valueMicros: number | null
}

export type Counter = 'imps' | 'clicks' | 'actions'

/** The number of calls for these ids that were answered but not counted. */
export interface IgnoredCalls {
  /** The customer's first. */
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
 * Positions in the batch of events that the database already had, of events that no budget pays for any more, and of
 * clicks that would be paid for and whose impression was not counted. The last two are not counted. Everything else is
 * new, counted and on disk.
 */
export interface BatchResult {
  known: number[]
  late: number[]
  unseen?: number[]
}

/**
 * Writes a batch of one kind in one transaction. When it throws, nothing is written, or it is not known whether all is.
 */
export type Ingest = (batch: Batch) => Promise<BatchResult>

/** An impression that may be billed: the charge, who pays it, and who gets the result. */
export interface Claim {
  isBillable: true
  chargeMicros: number
  /** The end of the day that pays. */
  lastMs: number
  nodeId: number
  freq: number
  settle(outcome: 'counted' | 'duplicate' | 'found' | 'late' | 'unseen' | 'failed'): void
}

/** A click that may be billed, as `Claim`. */
export interface ClickClaim {
  isBillable: true
  /** The day that pays: that of the click. */
  dayKey: number
  lastMs: number
  nodeId: number
  settle(isCharged: boolean): void
}

/** The budget's side of an impression: claim it before its transaction, settle the claim after it. */
export interface AdClaims {
  claim(
    ad: ServedAd,
    priceMicros: number,
    nowMs: number,
  ): Claim | { isBillable: false; reason: 'late' | 'duplicate' }
  /** A click that is to be paid for; it waits a moment for money that is on its way. */
  claimClick(ad: ServedAd, priceMicros: number): Promise<ClickClaim | { isBillable: false }>
  /** A loss notice. True when it freed money, or another node is told to. */
  release(ad: ServedAd): boolean
}
