// From a reported impression to its bill, around the database's transaction: begin before it, one of commit, duplicate
// or cancel after it. Several notices of one ad may be under way at once; they share one hold of its money, and only
// the database says which was first. A begun ad does not expire: while an answer of the database is lost, its money is
// neither spent nor free.

import type { Ad, AdFacts } from './ad.ts'
import { mustBeMicros } from './books.ts'
import type { OpenAds } from './open-ads.ts'

/**
 * Hold: put exactly `chargeMicros` into the database, not later than `lastMs`, the end of the day that pays; then say
 * how it went. Otherwise bill nothing.
 */
export type Begun =
  | { hold: true; chargeMicros: number; lastMs: number }
  | { hold: false; reason: 'late' | 'duplicate' }

export interface Holds {
  /** An impression was reported at `priceMicros`. Every hold needs exactly one commit, duplicate or cancel. */
  begin(facts: AdFacts, priceMicros: number, nowMs: number): Begun
  /** The impression is new and on disk. True when this call charged it. */
  commit(adId: string, chargeMicros: number): boolean
  /** The database had it before. True when the ledger had not known and charged it now. */
  duplicate(adId: string, chargedMicros?: number): boolean
  /** Surely not on disk: rolled back. An unknown outcome is not this; keep the hold until the database answers. */
  cancel(adId: string): void
  /** A loss notice. True when it freed money. */
  release(adId: string): boolean
}

/** `readmit` takes in an ad that is not among the open ones (any more), if there is room for it. */
export function createHolds(
  openAds: OpenAds,
  readmit: (facts: AdFacts, chargeMicros: number, nowMs: number) => Ad | null,
  freed: (ad: Ad) => void,
  lastMsOf: (dayKey: number) => number,
): Holds {
  function endHold(adId: string): Ad {
    const ad = openAds.get(adId)
    if (!ad || ad.holds === 0) throw new Error(`ad ${adId} was not begun`)
    ad.holds--
    return ad
  }

  return {
    begin(facts, priceMicros, nowMs) {
      mustBeMicros(priceMicros)
      openAds.expire(nowMs)
      const known = openAds.get(facts.adId)
      if (known?.state === 'billed') return { hold: false, reason: 'duplicate' }
      if (nowMs >= (known ?? facts).reservedUntilMs) return { hold: false, reason: 'late' }
      const ad = known ?? readmit(facts, Math.min(priceMicros, facts.priceMicros), nowMs)
      if (!ad) return { hold: false, reason: 'late' }
      ad.holds++
      return { hold: true, chargeMicros: Math.min(priceMicros, ad.priceMicros), lastMs: lastMsOf(ad.dayKey) }
    },
    commit(adId, chargeMicros) {
      mustBeMicros(chargeMicros)
      const ad = endHold(adId)
      const isFirst = ad.state === 'open'
      if (isFirst) openAds.bill(ad, chargeMicros)
      openAds.tidy(ad)
      return isFirst
    },
    duplicate(adId, chargedMicros) {
      const ad = endHold(adId)
      const wasOpen = ad.state === 'open'
      // In the database but not in the books: a commit whose answer was lost. Its money is spent. While another
      // hold is out, that one may still say so itself.
      if (wasOpen) ad.foundMicros = chargedMicros ?? ad.priceMicros
      openAds.tidy(ad)
      return wasOpen && ad.state === 'billed'
    },
    cancel: adId => openAds.tidy(endHold(adId)),
    release(adId) {
      const ad = openAds.get(adId)
      if (ad?.state !== 'open') return false
      if (ad.holds > 0) {
        ad.freeAfterHolds = true
        return false
      }
      openAds.free(ad)
      freed(ad)
      return true
    },
  }
}
