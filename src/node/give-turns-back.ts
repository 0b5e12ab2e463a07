// Turns of users that are kept in a shared store, and ads that are lost.

import type { TurnStore } from '../caps/turns.ts'
import type { LedgerLog } from '../ledger/ad.ts'

/** An ad that was lost gives the user's turn back. */
export function givingTurnsBack(log: LedgerLog, turns: Pick<TurnStore, 'giveBack'>): LedgerLog {
  return {
    ...log,
    ended(ad, how) {
      log.ended(ad, how)
      const { cid, dayKey, adId, user } = ad
      if (how === 'freed' && user) turns.giveBack({ cid, dayKey, adId, user })
    },
  }
}
