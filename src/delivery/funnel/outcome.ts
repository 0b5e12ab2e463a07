// The outcome of a request that is kept in the sample, place by place: which persona won it, and why others did not. It
// is noted while the request is decided, so that the funnel can say what was true then, not what is true now.

import type { Stage } from '../contract.ts'
import type { SlotReason } from '../reasons.ts'

export interface PlaceOutcome {
  /** The persona whose ad was served, and its price for a thousand impressions; null: no ad was served. */
  won: { pid: number; cpmMicros: number } | null
  /** Personas that fitted and were refused, by reason. */
  refused: Partial<Record<SlotReason, number[]>>
  /** More personas were refused than are noted. */
  hasMore?: boolean
}

/** Written to while a request is decided. */
export interface OutcomeNotes {
  refused(slotId: string, pid: number, reason: SlotReason): void
  won(slotId: string, pid: number, cpmMicros: number): void
}

/** The most refusals that are noted for one place. */
const MOST_REFUSED = 200

export function createOutcomeNotes(slotIds: readonly string[], places: PlaceOutcome[]): OutcomeNotes {
  const noted = slotIds.map(() => new Set<number>())
  return {
    refused(slotId, pid, reason) {
      const at = slotIds.indexOf(slotId)
      // Only the first reason counts: deciding a place again brings nothing new.
      if (at < 0 || noted[at]!.has(pid)) return
      const place = places[at]!
      if (noted[at]!.size === MOST_REFUSED) {
        place.hasMore = true
        return
      }
      noted[at]!.add(pid)
      place.refused[reason] ??= []
      place.refused[reason].push(pid)
    },
    won(slotId, pid, cpmMicros) {
      const place = places[slotIds.indexOf(slotId)]
      if (place) place.won = { pid, cpmMicros }
    },
  }
}

/** The stage of the funnel to which a refusal belongs. Other refusals are judged again, by the persona as it is now. */
const STAGE_OF: Partial<Record<SlotReason, Stage>> = {
  unknown_campaign: 'budget',
  day_closed: 'budget',
  budget_spent: 'budget',
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
