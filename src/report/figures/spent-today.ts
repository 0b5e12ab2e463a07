// What campaigns have spent of today's budget, for their status. Today is the customer's day.

import { zonesOf } from '../../changes/customer-zones.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import { selectSpent } from './queries.ts'

/**
 * Spend is in micros; campaigns without spend today are left out. `timeZone` is the deployment's, for customers without
 * one of their own.
 */
export function createSpentToday({ clock, timeZone }: { clock: Clock; timeZone: string }) {
  const today = async (db: Db, cuid: number): Promise<number> =>
    calendarIn(await zonesOf(db, cuid), timeZone).dayAt(clock.nowMs()).key
  const spentToday = async (db: Db, cuid: number, cids: number[]): Promise<Map<number, number>> => {
    const rows = await selectSpent(db, cids, await today(db, cuid))
    return new Map(rows.map(row => [row.cid, row.spent_micros]))
  }
  return Object.assign(spentToday, { today })
}
