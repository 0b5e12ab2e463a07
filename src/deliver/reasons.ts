// Why a request gets no ad: every reason is a metric label, an answer to `POST /ad` and the name of test cases.

import type { ReserveRefusal } from '../budget/ledger/ledger-interface.ts'

/**
 * Why a place on the page gets no ad, once the request was understood. In the order of the tests: the later the
 * reason, the nearer the place came to an ad.
 */
export const SLOT_REASONS = [
  /** No live persona fits the request in any of its sizes. */
  'no_match',
  /** A persona matches, but its price is below the floor. */
  'floor',
  /** It is paid by click, but this exchange wants impressions to be paid. */
  'cpc_on_exchange',
  'paused',
  /** Its customer is frozen. */
  'frozen',
  'not_in_flight',
  /** Outside the hours of the week in which the campaign delivers. */
  'off_hours',
  /** Its `sites`, or those of its customer, do not allow this site, app or source. */
  'site_not_allowed',
  'category_blocked',
  'size',
  'type_not_allowed',
  'attribute_blocked',
  'advertiser_blocked',
  /** The request demands to know the advertiser (DSA), and its customer has no company name. */
  'dsa_not_possible',
  'unknown_campaign',
  'day_closed',
  'budget_spent',
  /** Its `monthlySpend` is spent. */
  'month_spent',
  /** The `totalSpend` of the campaign is spent. */
  'total_spent',
  /** The customer has used up what it paid in advance. */
  'balance_spent',
  /** It is paid by click, and what is left may be needed for clicks on ads already served. */
  'clicks_expected',
  /** This process has not heard from the database for too long to promise anything. */
  'cut_off',
  /** This process has used up its share of the budget, and the next part is on its way. */
  'share_wait',
  /** Another process serves the campaigns that have a cap. */
  'caps_elsewhere',
  /** The server at `CAPS_URL` does not answer, or was emptied and does not know yet what was seen today. */
  'caps_away',
  /** Too many campaigns with a cap fit: this one's count was not asked for. */
  'caps_unasked',
  'no_user',
  'counts_missing',
  'caps_full',
  'capped',
  'duplicate_ad',
  'ledger_full',
  'pacing',
  /** The visitor's address already has as many unseen ads as it may. */
  'too_many_unseen',
  /** The visitor's address or network has had its part of the campaign's day. */
  'visitor_share',
] as const

export type SlotReason = (typeof SLOT_REASONS)[number]

/** Why a single place on the page cannot be served. */
export type SlotRefusal =
  | 'no_imp_id'
  | 'no_banner'
  | 'no_size'
  | 'banner_type_blocked'
  | 'block_list_too_long'
  | 'block_list_unreadable'
  | 'insecure'
  | 'floor_currency'
  | 'private_auction'

/** Why the whole request gets no bid before any campaign is considered. */
export type RequestRefusal =
  | SlotRefusal
  | 'seat_not_allowed'
  | 'currency'
  | 'too_little_time'
  | 'bot'
  | 'category_allow_list'

/** Why the whole request gets no ad. */
export type NoAdReason = SlotReason | RequestRefusal | 'overload' | 'not_ready' | 'prefetch' | 'failed'

const RANK = new Map<string, number>(SLOT_REASONS.map((reason, rank) => [reason, rank]))

/** The reason that came nearer to an ad. */
export function nearer(a: SlotReason, b: SlotReason): SlotReason {
  return RANK.get(b)! > RANK.get(a)! ? b : a
}

/** Every refusal of the ledger is a reason of ours. */
export function ofLedger(refusal: ReserveRefusal): SlotReason {
  return refusal
}
