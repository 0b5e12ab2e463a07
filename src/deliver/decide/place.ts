// What one place of a request is decided by and with, and what comes of it.

import type { DatedUser, UserHash } from '../../budget/caps/caps.ts'
import type { CappedUser } from '../../budget/caps/shared-caps.ts'
import type { ClickTerms } from '../../budget/ledger/expected-clicks.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { LiveBanner, LiveCampaign } from '../../budget/live.ts'
import type { UnseenRefusal } from '../../count/tracking/visitor-limits.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import type { ClickRates } from '../click-rates/rates.ts'
import type { SlotReason } from '../reasons.ts'
import type { OutcomeNotes } from '../sample/outcome.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'
import type { PreparedRequest } from '../targeting/prepare.ts'
import type { Slot } from '../targeting/request.ts'
import type { Blocks } from './blocks.ts'

export interface DecideParts {
  catalog: Pick<ReadonlyCatalog, 'personas'>
  /** Personas that are paid by click are ordered by the most that each may be worth. */
  index: Pick<TargetingIndex, 'prepare' | 'search' | 'searchBest'>
  ledger: Pick<Ledger, 'check' | 'reserve' | 'paceLag' | 'spendable' | 'today'>
  /** Missing: no campaign is paid by click. */
  byClick?: ByClickParts
  /** A fresh id for each ad. */
  nextAdId: () => string
  /** In [0, 1). */
  random: () => number
}

export interface ByClickParts {
  /** The personas in the index that are paid by click. */
  pids: ReadonlySet<number>
  rates: () => ClickRates
}

export interface Terms {
  nowMs: number
  user: DatedUser | null
  /** Cap counts are taken in a shared store: the choice waits if a campaign with a cap may win. */
  hasCapStore: boolean
  /** The time within which the ad of a slot must be seen. */
  ttlMsOf: (slotId: string) => number
  /** Never billed (a test, a foreign page): nothing is reserved, so that requests alone cannot block a budget. */
  isFree: boolean
  /** The source, and whether campaigns that are paid by click may be shown there; null: they may not. */
  source: { sourceId: number; allowsCpc: boolean; domain?: string | null } | null
  /** What the source refuses, besides what the request does; missing: nothing. */
  refused?: Blocks | null
  /** Set if anyone can send the request: limits the unseen ads of its visitor. */
  allowance: VisitorAllowance | null
  /** If the request is kept in the sample, its outcome is noted here. */
  notes: OutcomeNotes | null
}

/** One place while its ad is chosen. */
export interface Place {
  slot: Slot
  prepared: PreparedRequest
  blocks: Blocks
  user: DatedUser | null
  /** The user, if cap counts are taken in a shared store. */
  cappedUser: CappedUser | null
  /** Prefers banners about which too little is known. */
  isLearning: boolean
  parts: DecideParts
  terms: Terms
  /** Why it has no ad yet. */
  reason: SlotReason
  /** Campaigns that were refused this place, for example by pacing. */
  heldBack: Set<number> | null
}

/** What a campaign that is paid by click is worth in a place, and with which banner. */
export interface ClickWorth {
  /** The figure by which it is ranked. */
  cpmMicros: number
  click: ClickTerms
  banner: LiveBanner
  isNew: boolean
}

/** What a visitor's address may still get unseen. */
export interface VisitorAllowance {
  isFull(nowMs: number): boolean
  /** Why the visitor may not get this ad; null: it may. */
  refusalOf(ad: Offer, spendableMicros: number, terms: Terms): UnseenRefusal | null
  addUnseen(adId: string, ad: Offer, terms: Terms): void
  /** The visitor would have got this ad, but gets none. */
  refused(ad: Offer, reason: UnseenRefusal): void
}

export interface Offer {
  campaign: Pick<LiveCampaign, 'cid' | 'cuid' | 'dailySpendMicros' | 'cpcMicros'>
  fid: number
  banner: Pick<LiveBanner, 'pid' | 'bid'>
  priceMicros: number
  /** The day whose budget pays. */
  dayKey: number
}

export interface DecidedAd {
  slotId: string
  adId: string
  campaign: LiveCampaign
  fid: number
  banner: LiveBanner
  priceMicros: number
  /** The price of a thousand impressions; where clicks are paid for, what they are expected to bring. */
  cpmMicros: number
  /** The price of its click; missing: its click costs nothing. */
  clickMicros?: number
  ttlMs: number
  /** The day whose budget pays. */
  dayKey: number
  /** Its flight has a total of its own, which pays, too. */
  flightPays: boolean
  /** The user on that day; null: there is none, or nothing is reserved. */
  user: UserHash | null
}

export type Decision = DecidedAd | { slotId: string; noAd: SlotReason }

/** Campaigns with a cap may win: once the cap store has answered for them, the choice is made again. */
export interface Undecided {
  slotId: string
  cappedUser: CappedUser
  again: () => Decision | Undecided
}
