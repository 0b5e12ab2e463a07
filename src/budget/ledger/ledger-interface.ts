// The types of the ledger: what is asked of it, why it refuses, and what it needs from the node around it.

import type { Calendar, Day } from '../../kernel/time/day.ts'
import type { CapRefusal, Caps, DatedUser } from '../caps/caps.ts'
import type { OpenCapCount, SharedCapRefusal } from '../caps/shared-caps.ts'
import type { LiveCampaign } from '../live.ts'
import type { AdFacts, ClickBill, ClickFacts, ClickRefusal, LedgerLog, Restored } from './ad.ts'
import type { Asking } from './asks.ts'
import type { Billing } from './billing.ts'
import type { Account } from './books.ts'
import type { ClickTerms } from './expected-clicks.ts'

export interface Wish {
  adId: string
  cid: number
  /** One impression at the bid price: cpmMicros / 1000; 0 where clicks are paid for. */
  priceMicros: number
  /** Set where clicks are paid for. */
  click?: ClickTerms
  user: DatedUser | null
  ttlMs: number
  /** In [0, 1); pacing decides by it. */
  random: number
}

export type ReserveRefusal =
  | CapRefusal
  | SharedCapRefusal
  | 'budget_spent'
  | 'month_spent'
  | 'total_spent'
  | 'balance_spent'
  | 'clicks_expected'
  | 'share_wait'
  | 'cut_off'
  | 'caps_elsewhere'
  | 'pacing'
  | 'no_user'
  | 'counts_missing'
  | 'unknown_campaign'
  | 'day_closed'
  | 'duplicate_ad'
  | 'ledger_full'

export interface Ledger extends Billing {
  setCampaign(campaign: LiveCampaign, nowMs: number): void
  removeCampaign(cid: number): void
  /**
   * Checks budget and cap, and with a cap store also pacing, without reserving: for the scan before the choice.
   */
  check(
    cid: number,
    priceMicros: number,
    user: DatedUser | null,
    nowMs: number,
    click?: ClickTerms,
  ): ReserveRefusal | null
  /** Sets the money and the user's cap count aside. A string is the reason for a refusal. */
  reserve(wish: Wish, nowMs: number): AdFacts | ReserveRefusal
  /** Sets the money of a click that must be paid for aside until the database has answered. */
  beginClick(facts: ClickFacts, nowMs: number): ClickBill | ClickRefusal
  /** Frees expired ads and closes days. reserve() and begin() do so too; this is for times without such calls. */
  expire(nowMs: number): void
  /** What a campaign may still spend: today, or, if it is paced, in the ten minutes of its plan. */
  spendable(cid: number, priceMicros: number, nowMs: number): number
  /** How far the campaign is behind its plan, as a part of the day's budget; negative: ahead. */
  paceLag(cid: number, nowMs: number): number
  /** `payer`: a flight that has a total; without it, the account that the campaign alone pays. */
  account(cid: number, dayKey: number, payer?: number): Readonly<Account> | undefined
  /** The current day of its customer, which pays now. */
  today(cid: number, nowMs: number): Day
  /** Campaigns that got a cap after they had served without one: they are refused until loadCounted(). */
  countsMissing(nowMs: number): { cid: number; dayKey: number }[]
  /** The counts that countsMissing() named are in the caps. */
  loadCounted(cid: number, dayKey: number): void
  /** Ads of a campaign whose end is not known. */
  openAds(cid: number): Pick<AdFacts, 'adId' | 'dayKey' | 'user'>[]
  isOpen(adId: string): boolean
  /** The cap counts of open ads, of campaigns that have a cap. */
  openCapCounts(nowMs: number): OpenCapCount[]
  /** To be called once, after the campaigns were set and before anything else. It must be run to its end. */
  restore(restored: Restored, nowMs: number): Generator<void>
  snapshot(): Omit<Restored, 'counted' | 'billedInDatabase'>
  /** What to ask the database for, and its answers. */
  asking: Asking
  /** An ad of ours was billed by another node. */
  heardBilled(adId: string, chargeMicros: number): void
  /** The time until which any ad may be billed, and until which any ad with a cap count may be. */
  lastAds(): { untilMs: number; cappedUntilMs: number }
  /** Ads in memory. */
  size(): number
}

/** What the node may do now; see refill.ts. */
export interface NodeGate {
  /** False when it has not heard from the database for longer than its shares are valid. */
  mayPromise(): boolean
  /** Whether this node may serve capped campaigns, for ads of this length. */
  mayCap(ttlMs: number): boolean
  /** A request was refused because money that may still be granted was missing. */
  hurry(): void
}

export interface LedgerOptions {
  /** The deployment's calendar, for customers without a zone of their own. */
  calendar: Calendar
  caps: Caps
  log: LedgerLog
  nowMs: number
  /** The longest possible reservation; a day is kept this long after its end. */
  maxTtlMs: number
  /** The most ads in memory; beyond that nothing is reserved. */
  maxAds: number
  /** If missing, there is no other node and nothing to ask: every budget is entirely ours. */
  node?: NodeGate
  /** Caps of all nodes are kept in a shared store: the caller passes the counts (shared-caps.ts). */
  hasCapStore?: boolean
}
