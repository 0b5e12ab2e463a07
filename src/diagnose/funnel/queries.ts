// SQL for explanations: a campaign's books of today.

import type { Db } from '../../platform/database.ts'

/** What all nodes have billed of a budget, and what those that are not gone for good report as reserved. */
export async function selectAccount(db: Db, dayKey: number, cid: number) {
  const row = await db.row<{ billed: number; reserved: number; ended: number }>(
    `select coalesce(sum(s.billed_micros), 0)::bigint as billed,
       coalesce(sum(s.reserved_micros) filter (where not n.gone), 0)::bigint as reserved,
       coalesce(sum(s.ended_micros), 0)::bigint as ended
     from share s join node n using (node_id) where s.day = $1 and s.cid = $2`,
    [dayKey, cid],
  )
  return row!
}

/** The limits above days that a campaign draws from. */
export function selectPools(db: Db, ids: number[]) {
  return ids.length === 0
    ? []
    : db.rows<{ id: number; limit_micros: number; spent_micros: number; reserved_micros: number }>(
        'select * from pools_used($1)',
        [ids],
      )
}

/** How often these users have seen a campaign that has a cap. */
export function selectSeen(
  db: Db,
  dayKey: number,
  cid: number,
  users: readonly { hi: number; lo: number }[],
) {
  return db.rows<{ user_hi: number; user_lo: number; imps: number }>(
    `select user_hi, user_lo, imps from cap_day where day = $1 and cid = $2
       and (user_hi, user_lo) in (select * from unnest($3::integer[], $4::integer[]))`,
    [dayKey, cid, users.map(user => user.hi | 0), users.map(user => user.lo | 0)],
  )
}
