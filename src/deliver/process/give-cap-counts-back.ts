// If caps are in a shared store, a lost ad returns its cap count there.

import type { CapStore } from '../../budget/caps/shared-caps.ts'
import type { LedgerLog } from '../../budget/ledger/ad.ts'

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
