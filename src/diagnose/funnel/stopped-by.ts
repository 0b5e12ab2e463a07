// What stopped a persona at a request of the sample: read from what was noted when the request was decided.

import type { SlotReason } from '../../deliver/reasons.ts'
import type { PlaceOutcome } from '../../deliver/sample/outcome.ts'
import type { Stage } from './contract.ts'

/** The stage of the funnel to which a refusal belongs. Other refusals are judged again, by the persona as it is now. */
const STAGE_OF: Partial<Record<SlotReason, Stage>> = {
  unknown_campaign: 'budget',
  day_closed: 'budget',
  budget_spent: 'budget',
  month_spent: 'budget',
  total_spent: 'budget',
  balance_spent: 'budget',
  clicks_expected: 'budget',
  cut_off: 'budget',
  share_wait: 'budget',
  ledger_full: 'budget',
  duplicate_ad: 'budget',
  caps_elsewhere: 'cap',
  caps_away: 'cap',
  caps_unasked: 'cap',
  no_user: 'cap',
  counts_missing: 'cap',
  caps_full: 'cap',
  capped: 'cap',
  too_many_unseen: 'cap',
  visitor_share: 'cap',
  pacing: 'pacing',
}

/**
 * What stopped a fitting persona at that time: money, cap, pace, or a price at least as high. Null: it won, or nothing
 * would have stopped it. 'unknown': more personas were refused than are noted.
 */
export function stoppedBy(
  place: PlaceOutcome,
  pid: number,
  cpmMicros: number,
): Stage | 'outbid' | 'unknown' | null {
  if (place.won?.pid === pid) return null
  for (const [reason, pids] of Object.entries(place.refused)) {
    const stage = STAGE_OF[reason as SlotReason]
    if (stage && pids.includes(pid)) return stage
  }
  if (place.won && place.won.cpmMicros >= cpmMicros) return 'outbid'
  return place.hasMore ? 'unknown' : null
}
