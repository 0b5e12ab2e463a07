// A campaign's books of today as the database knows them, for processes that keep none: what all nodes have billed,
// what they report as reserved, and how often users have seen it. Open ads count as money, not for the caps of users.

import type { UserHash } from '../../caps/caps.ts'
import type { LiveCampaign } from '../../catalog/live.ts'
import type { Calendar } from '../../kernel/day.ts'
import { createCampaign, editCampaign, evenPaceLagOf } from '../../ledger/campaign.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { yieldOf } from '../../pacing/pacing.ts'
import type { Db } from '../../platform/database.ts'
import { selectAccount, selectSeen } from './queries.ts'

export type AccountCheck = Pick<Ledger, 'check' | 'paceLag'>

/** Of one campaign, and of these users. */
export async function readAccount(
  db: Db,
  live: LiveCampaign,
  users: readonly UserHash[],
  calendar: Calendar,
  nowMs: number,
): Promise<AccountCheck> {
  const day = calendar.dayAt(nowMs)
  const row = await selectAccount(db, day.key, live.cid)
  const seen = new Map<string, number>()
  if (live.freq > 0 && users.length > 0) {
    const rows = await selectSeen(db, day.key, live.cid, users)
    for (const { user_hi, user_lo, imps } of rows) seen.set(`${user_hi} ${user_lo}`, imps)
  }
  const campaign = createCampaign()
  editCampaign(campaign, live)
  const heldMicros = row.billed + row.reserved
  return {
    check(_cid, priceMicros, user) {
      if (heldMicros + priceMicros > live.dailySpendMicros) return 'budget_spent'
      if (live.freq === 0) return null
      if (!user) return 'no_user'
      return (seen.get(`${user.hi | 0} ${user.lo | 0}`) ?? 0) >= live.freq ? 'capped' : null
    },
    paceLag(_cid, atMs) {
      const yieldShare = yieldOf(row.billed, row.ended) || 1
      return evenPaceLagOf(campaign, row.billed, row.reserved * yieldShare, day, atMs)
    },
  }
}
