// The time zones of a customer, for everything that is about its days.

import { DEPLOYMENT_ZONE, type ZoneBefore, type Zones } from '../kernel/zones.ts'
import type { Db } from './database.ts'

/** Of a customer that does not exist: the deployment's. */
export async function zonesOf(db: Db, cuid: number): Promise<Zones> {
  const row = await db.row<{ timezone: string | null; timezone_before: ZoneBefore[] | null }>(
    'select timezone, timezone_before from customer where cuid = $1',
    [cuid],
  )
  return row ? { timezone: row.timezone, before: row.timezone_before ?? [] } : DEPLOYMENT_ZONE
}
