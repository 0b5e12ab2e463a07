// The outcome of a request that is kept in the sample, place by place: which persona won it, and why others did not. It
// is noted while the request is decided, so that the funnel can say what was true then, not what is true now.

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
