// Shares for tests around the ledger: by default, node 0 is granted more than any test spends.

import type { Ingest } from '../../src/count/tracking/event.ts'
import type { Db } from '../../src/platform/database.ts'

const PLENTY_MICROS = 1_000_000_000_000_000

export async function grantPlenty(
  db: Db,
  budgets: { cid: number; dayKey: number }[],
  nodeId = 0,
): Promise<void> {
  // One statement, so that a concurrent check sees both changes or neither.
  await db.run(
    `with wanted as (
       select distinct day, cid from unnest($1::bigint[], $2::integer[]) as t(cid, day)
     ), limits as (
       insert into budget (day, cid, limit_micros, granted_micros)
       select day, cid, $3::bigint, $3::bigint from wanted order by 1, 2
       on conflict (day, cid) do update set limit_micros = $3, granted_micros = $3
     )
     insert into share (day, cid, node_id, granted_micros)
     select day, cid, $4::integer, $3::bigint from wanted
     order by 1, 2 on conflict (day, cid, fid, node_id) do update set granted_micros = $3`,
    [budgets.map(one => one.cid), budgets.map(one => one.dayKey), PLENTY_MICROS, nodeId],
  )
}

/** An ingest that never lacks money. */
export function withPlenty(db: Db, ingest: Ingest, nodeId = 0): Ingest {
  const granted = new Set<string>()
  return async batch => {
    const budgets = batch.events.map(({ ad }) => ({ cid: ad.cid, dayKey: ad.dayKey }))
    const fresh = budgets.filter(one => !granted.has(`${one.dayKey} ${one.cid}`))
    if (fresh.length > 0) await grantPlenty(db, fresh, nodeId)
    for (const one of fresh) granted.add(`${one.dayKey} ${one.cid}`)
    return ingest(batch)
  }
}

/** Spends from a budget, as if a campaign had delivered. */
export async function spend(db: Db, cid: number, dayKey: number, micros: number): Promise<void> {
  await grantPlenty(db, [{ cid, dayKey }])
  await db.run('update share set billed_micros = $3 where cid = $1 and day = $2 and node_id = 0', [
    cid,
    dayKey,
    micros,
  ])
}
