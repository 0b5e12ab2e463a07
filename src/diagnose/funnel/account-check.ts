// A campaign's books of today as the database knows them, to explain what is served: what all nodes have billed, what
// they report as reserved, and how often users have seen it. Open ads count as money, but not for caps.

import { type DatedUser, userOn } from '../../budget/caps/caps.ts'
import { createCampaign, editCampaign, evenPaceLagOf } from '../../budget/ledger/campaign.ts'
import type { LiveCampaign } from '../../budget/live.ts'
import { yieldOf } from '../../budget/pacing/pacing.ts'
import { monthPool } from '../../budget/shares/pool-queries.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { calendarIn, DEPLOYMENT_ZONE } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import { selectAccount, selectPools, selectSeen } from './queries.ts'

export type AccountRefusal =
  | 'budget_spent'
  | 'month_spent'
  | 'total_spent'
  | 'flight_spent'
  | 'balance_spent'
  | 'no_user'
  | 'capped'

export interface AccountCheck {
  /** Checks budget and cap; null: neither refuses. */
  check(priceMicros: number, user: DatedUser | null): AccountRefusal | null
  /** How far it is behind the even line of its day, as a part of the day's budget; negative: ahead. */
  paceLag(nowMs: number): number
}

/** Reads the books of one campaign, and how often these users have seen it. `ownCalendar`: the deployment's. */
export async function readAccount(
  db: Db,
  live: LiveCampaign,
  users: readonly DatedUser[],
  ownCalendar: Calendar,
  nowMs: number,
): Promise<AccountCheck> {
  const calendar = calendarIn(live.zones ?? DEPLOYMENT_ZONE, ownCalendar.zone)
  const day = calendar.dayAt(nowMs)
  const row = await selectAccount(db, day.key, live.cid)
  const pools = await selectPools(db, poolsOf(live, nowMs, day.key))
  const seen = new Map<string, number>()
  if (live.freq > 0 && users.length > 0) {
    const hashes = users.map(user => userOn(user, day.key))
    const rows = await selectSeen(db, day.key, live.cid, hashes)
    for (const { user_hi, user_lo, imps } of rows) seen.set(`${user_hi} ${user_lo}`, imps)
  }
  const campaign = createCampaign(calendar)
  editCampaign(campaign, live)
  const heldMicros = row.billed + row.reserved
  return {
    check(priceMicros, user) {
      if (heldMicros + priceMicros > live.dailySpendMicros) return 'budget_spent'
      for (const pool of pools)
        if (pool.spent_micros + pool.reserved_micros + priceMicros > pool.limit_micros)
          return refusalBy(pool.id, live)
      if (live.freq === 0) return null
      if (!user) return 'no_user'
      const { hi, lo } = userOn(user, day.key)
      return (seen.get(`${hi | 0} ${lo | 0}`) ?? 0) >= live.freq ? 'capped' : null
    },
    paceLag(atMs) {
      const yieldRatio = yieldOf(row.billed, row.ended) || 1
      return evenPaceLagOf(campaign, live.dailySpendMicros, row.billed, row.reserved * yieldRatio, day, atMs)
    },
  }
}

function refusalBy(poolId: number, { cid, cuid }: LiveCampaign): AccountRefusal {
  if (poolId < 0) return 'month_spent'
  if (poolId === cuid) return 'balance_spent'
  return poolId === cid ? 'total_spent' : 'flight_spent'
}

/** The limits above its day: its month, its total, that of the flight that runs now, and its customer's balance. */
function poolsOf(live: LiveCampaign, nowMs: number, dayKey: number): number[] {
  const { cid, cuid, flights, monthlySpendMicros, totalSpendMicros, creditedMicros } = live
  const running = flights.filter(
    flight =>
      flight.totalSpendMicros !== undefined && flight.startS * 1000 <= nowMs && nowMs < flight.endS * 1000,
  )
  return [
    ...(monthlySpendMicros === undefined ? [] : [monthPool(cid, dayKey)]),
    ...(totalSpendMicros === undefined ? [] : [cid]),
    ...running.map(({ fid }) => fid),
    ...(creditedMicros === undefined ? [] : [cuid]),
  ]
}
