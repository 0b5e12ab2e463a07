// The time zones of a customer, for everything that concerns its days.

import { DEPLOYMENT_ZONE, type ZoneBefore, type Zones } from '../kernel/time/zones.ts'
import type { Db } from '../platform/database.ts'

/** The zones of these customers; customers that do not exist are left out. */
export async function zonesOfAll(db: Db, cuids: number[]): Promise<Map<number, Zones>> {
  const rows = await db.rows<{ cuid: number; timezone: string | null; timezone_before: ZoneBefore[] | null }>(
    'select cuid, timezone, timezone_before from customer where cuid = any($1::bigint[])',
    [cuids],
  )
  return new Map(rows.map(row => [row.cuid, { timezone: row.timezone, before: row.timezone_before ?? [] }]))
}

/** For a customer that does not exist, the deployment's zone. */
export async function zonesOf(db: Db, cuid: number): Promise<Zones> {
  return (await zonesOfAll(db, [cuid])).get(cuid) ?? DEPLOYMENT_ZONE
}
