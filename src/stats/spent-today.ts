// What campaigns have spent of today's budget, for their status.

import { type Clock, nowSeconds } from '../kernel/clock.ts'
import type { Db } from '../platform/database.ts'
import { dayNumber } from './buckets.ts'
import { selectSpent } from './queries.ts'
import { zoneOfSetting } from './zone.ts'

/** `timeZone`: whose days budgets are for. In micros; campaigns that have spent nothing today are left out. */
export function createSpentToday({ clock, timeZone }: { clock: Clock; timeZone: string }) {
  const zone = zoneOfSetting(timeZone)
  let known = { timeS: -1, day: 0 }
  /** Asking for a zone's date costs microseconds, and the answer holds for the second. */
  const today = () => {
    const timeS = nowSeconds(clock)
    if (known.timeS !== timeS) known = { timeS, day: dayNumber(zone, timeS) }
    return known.day
  }
  const spentToday = async (db: Db, cids: number[]): Promise<Map<number, number>> => {
    const rows = await selectSpent(db, cids, today())
    return new Map(rows.map(row => [row.cid, row.spent_micros]))
  }
  return Object.assign(spentToday, { today })
}
