// The rules that decide whether a call is counted, or ignored and why. Pure, without input or output. Only the database
// knows whether the ad was counted before, and only the ledger knows whether its money is still there.

import type { ServedAd } from './ad.ts'

/** Each is a label in the metrics and a row in `GET /stats/:id/filtered`; `evidence` is in the metrics only. */
export const IGNORE_REASONS = [
  'test',
  'foreign_domain',
  'bot',
  'prefetch',
  'other_visitor',
  'too_many_seen',
  'visitor_share',
  'audit',
  'late',
  'duplicate',
  'unbilled_budget',
  'no_impression',
  'evidence',
] as const
export type IgnoreReason = (typeof IGNORE_REASONS)[number]

export interface CallFacts {
  isBot: boolean
  isPrefetch: boolean
  /** Whether the call comes from another network or agent than the request for the ad. */
  isOther: boolean
}

export type ImpressionVerdict = { count: true; priceMicros: number } | { count: false; reason: IgnoreReason }
/** The verdict on a click or a view. */
export type ClickVerdict = { count: true } | { count: false; reason: IgnoreReason }

/** Notices come from servers, so agent lists do not apply to them. */
export function judgeImpression(
  ad: ServedAd,
  call: 'pixel' | 'notice',
  facts: CallFacts,
  priceText: string | null,
): ImpressionVerdict {
  const unwanted = unwantedBy(ad, call === 'pixel' ? facts : null)
  if (unwanted) return { count: false, reason: unwanted }
  if (call !== ad.billsOn) return { count: false, reason: 'evidence' }
  if (!ad.takesPrice) return { count: true, priceMicros: ad.priceMicros }
  if (priceText !== null && priceText.trim().toUpperCase() === 'AUDIT')
    return { count: false, reason: 'audit' }
  return { count: true, priceMicros: clearingPrice(priceText, ad.priceMicros) }
}

export function judgeClick(
  ad: ServedAd,
  facts: CallFacts,
  nowMs: number,
  clickWindowS: number,
): ClickVerdict {
  const unwanted = unwantedBy(ad, facts)
  if (unwanted) return { count: false, reason: unwanted }
  if (nowMs >= (ad.servedS + clickWindowS) * 1000) return { count: false, reason: 'late' }
  return { count: true }
}

/** A view counts within a day: a page that was left open is seen by then, or never. */
const VIEW_WINDOW_S = 86_400

/** Only the database knows whether it was an impression that counted: see count/ingest. */
export function judgeView(ad: ServedAd, facts: CallFacts, nowMs: number): ClickVerdict {
  const unwanted = unwantedBy(ad, facts)
  if (unwanted) return { count: false, reason: unwanted }
  if (nowMs >= (ad.servedS + VIEW_WINDOW_S) * 1000) return { count: false, reason: 'late' }
  return { count: true }
}

function unwantedBy(ad: ServedAd, facts: CallFacts | null): IgnoreReason | null {
  if (ad.test) return 'test'
  if (ad.foreignDomain) return 'foreign_domain'
  if (facts?.isBot) return 'bot'
  if (facts?.isPrefetch) return 'prefetch'
  if (facts?.isOther) return 'other_visitor'
  return null
}

const PRICE = /^(?:[0-9]{1,12}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:e[+-]?[0-9]{1,3})?$/i

/**
 * What one impression costs at an auction price per thousand. The price is not signed (the exchange fills it in), so
 * the bid counts if it is missing, not a number, negative or above the bid.
 */
export function clearingPrice(priceText: string | null, bidMicros: number): number {
  const text = priceText?.trim() ?? ''
  if (!PRICE.test(text)) return bidMicros
  // One unit per thousand is a thousand micros for each impression.
  return Math.min(Math.round(Number(text) * 1000), bidMicros)
}
