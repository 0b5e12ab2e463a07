// The types between the data plane and the statistics: what tracking hands over to be counted, and the results.

import type { DeviceName, ServedAd } from './ad.ts'

/** A view is an impression that was seen. It is counted, but never billed. */
export type EventKind = 'impression' | 'click' | 'view'

/** An event to count unless the database already has it: once per ad and kind, forever. */
export interface AdEvent {
  kind: EventKind
  ad: ServedAd
  atMs: number
  /** Zero except for impressions and paid clicks; the day of `ad` pays. */
  spendMicros: number
  /** The node whose share pays, if it is not the one in the link. */
  nodeId?: number
  /** For an impression: the campaign's cap; undefined or 0: it has none. */
  freq?: number
}

/** The ad that an action is credited to, as in its event. */
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

/** A conversion to count, unless its customer already has one with the same `dedupe`. */
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
  /** The customer's id comes first. */
  ids: readonly number[]
  /** A moment of the day on which they arrived. */
  atMs: number
  reason: string
  counter: Counter
  calls: number
}

/** A batch of one kind: the other two lists are empty. */
export interface Batch {
  events: AdEvent[]
  actions: AdAction[]
  ignored: IgnoredCalls[]
}

/**
 * Positions in the batch: `known` are events that the database already had, `late` are events that no budget pays for
 * any more, `unseen` are clicks whose impression was not counted. The last two are not counted. All other events
 * are new, counted and on disk.
 */
export interface BatchResult {
  known: number[]
  late: number[]
  unseen?: number[]
}

/** Writes a batch of one kind in one transaction. If it throws, either nothing was written or that is not known. */
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

/** A click that may be billed, like `Claim`. */
export interface ClickClaim {
  isBillable: true
  /** The day that pays: the day of the click. */
  dayKey: number
  lastMs: number
  nodeId: number
  settle(isCharged: boolean): void
}

/** The budget's side of an impression: it is claimed before its transaction, and the claim is settled afterwards. */
export interface AdClaims {
  claim(
    ad: ServedAd,
    priceMicros: number,
    nowMs: number,
  ): Claim | { isBillable: false; reason: 'late' | 'duplicate' }
  /** Claims a paid click; waits a moment for money that is on its way. */
  claimClick(ad: ServedAd, priceMicros: number): Promise<ClickClaim | { isBillable: false }>
  /** Handles a loss notice. True if it freed money, or if another node is sent the news. */
  release(ad: ServedAd): boolean
}
