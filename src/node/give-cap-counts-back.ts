// Cap counts that are kept in a shared store, and ads that are lost.

import type { CapStore } from '../caps/shared-caps.ts'
import type { LedgerLog } from '../ledger/ad.ts'

/** An ad that was lost gives the user's cap count back. */
export function givingCapCountsBack(log: LedgerLog, capStore: Pick<CapStore, 'giveBack'>): LedgerLog {
  return {
    ...log,
    ended(ad, how) {
      log.ended(ad, how)
      const { cid, dayKey, adId, user } = ad
      if (how === 'freed' && user) capStore.giveBack({ cid, dayKey, adId, user })
    },
  }
}
