// From a reported impression to its bill, around the database's transaction: begin before it; commit, duplicate or
// cancel after it. Several notices of one ad may be under way at once; they share its reservation, and only the
// database says which came first. An ad with a pending bill does not expire: as long as the database's answer is
// missing, its money is neither spent nor free.

import type { Ad, AdFacts } from './ad.ts'
import { mustBeMicros } from './books.ts'
import type { OpenAds } from './open-ads.ts'

/**
 * If billable, the caller writes exactly `chargeMicros` to the database by `lastMs`, the end of the day that pays, and
 * then reports the result. Otherwise it bills nothing.
 */
export type Begun =
  | { isBillable: true; chargeMicros: number; lastMs: number }
  | { isBillable: false; reason: 'late' | 'duplicate' }

export interface Billing {
  /** An impression was reported at `priceMicros`. A billable one needs exactly one commit, duplicate or cancel. */
  begin(facts: AdFacts, priceMicros: number, nowMs: number): Begun
  /** The impression is new and on disk. Returns true if this call charged it. */
  commit(adId: string, chargeMicros: number): boolean
  /** The database already had it. Returns true if the ledger did not know that and charged it now. */
  duplicate(adId: string, chargedMicros?: number): boolean
  /** It was rolled back. If the outcome is unknown, the bill stays pending until the database answers. */
  cancel(adId: string): void
  /** A loss notice. Returns true if it freed money. */
  release(adId: string): boolean
}

/** `readmit` takes in an ad that is not open (any more), if there is room for it. */
export function createBilling(
  openAds: OpenAds,
  readmit: (facts: AdFacts, chargeMicros: number, nowMs: number) => Ad | null,
  freed: (ad: Ad) => void,
): Billing {
  function endBill(adId: string): Ad {
    const ad = openAds.get(adId)
    if (!ad || ad.pendingBills === 0) throw new Error(`ad ${adId} was not begun`)
    ad.pendingBills--
    return ad
  }

  return {
    begin(facts, priceMicros, nowMs) {
      mustBeMicros(priceMicros)
      openAds.expire(nowMs)
      const known = openAds.get(facts.adId)
      if (known ? known.state === 'billed' : openAds.wasBilled(facts.adId))
        return { isBillable: false, reason: 'duplicate' }
      if (nowMs >= (known ?? facts).reservedUntilMs) return { isBillable: false, reason: 'late' }
      const ad = known ?? readmit(facts, Math.min(priceMicros, facts.priceMicros), nowMs)
      if (!ad) return { isBillable: false, reason: 'late' }
      ad.pendingBills++
      return {
        isBillable: true,
        chargeMicros: Math.min(priceMicros, ad.priceMicros),
        lastMs: ad.account.endMs - 1,
      }
    },
    commit(adId, chargeMicros) {
      mustBeMicros(chargeMicros)
      const ad = endBill(adId)
      const isFirst = ad.state === 'open'
      if (isFirst) openAds.bill(ad, chargeMicros)
      openAds.tidy(ad)
      return isFirst
    },
    duplicate(adId, chargedMicros) {
      const ad = endBill(adId)
      const wasOpen = ad.state === 'open'
      // It is in the database but not in the books: the answer to its commit was lost, and its money is spent. While
      // another bill is pending, that bill may still report the commit itself.
      if (wasOpen) ad.foundMicros = chargedMicros ?? ad.priceMicros
      openAds.tidy(ad)
      return wasOpen && ad.state === 'billed'
    },
    cancel: adId => openAds.tidy(endBill(adId)),
    release(adId) {
      const ad = openAds.get(adId)
      if (ad?.state !== 'open') return false
      if (ad.pendingBills > 0) {
        ad.freeAfterBills = true
        return false
      }
      openAds.free(ad)
      freed(ad)
      return true
    },
  }
}
