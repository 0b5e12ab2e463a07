// SQL of what nodes lack while others hold some of it: see decision 445.

import type { Db } from '../../platform/database.ts'
import type { Want, Wanted } from './share.ts'

/** A node that is refused asks again within 30 s while requests come: then it still lacks it. */
const LACKS_FOR = `interval '40 s'`

/** Only what another node holds: a budget that is spent is wanted in vain. */
export function insertWants(db: Db, nodeId: number, wants: readonly Want[]) {
  return db.run(
    `insert into share_want (day, cid, node_id, least_micros, wanted_at)
     select day, cid, $1, least, clock_timestamp()
     from unnest($2::integer[], $3::bigint[], $4::bigint[]) as t(day, cid, least)
     where exists (
       select from share s where s.day = t.day and s.cid = t.cid and s.node_id <> $1
         and s.granted_micros > s.billed_micros
     )
     order by day, cid
     on conflict (node_id, day, cid) do update
       set least_micros = excluded.least_micros, wanted_at = excluded.wanted_at`,
    [
      nodeId,
      wants.map(want => want.dayKey),
      wants.map(want => want.cid),
      wants.map(want => want.leastMicros),
    ],
  )
}

/** What others lack and this node holds; and what this node lacked and is there again, which is told once. */
export function takeWanted(db: Db, nodeId: number) {
  return db.rows<Wanted>(
    `with back as (
       delete from share_want w where node_id = $1 and (wanted_at < clock_timestamp() - ${LACKS_FOR} or exists (
         select from budget b join campaign c using (cid)
         where b.day = w.day and b.cid = w.cid and c.daily_spend_micros - b.granted_micros >= w.least_micros
       )) returning day, cid, wanted_at
     )
     select day as "dayKey", cid, true as "isBack" from back where wanted_at >= clock_timestamp() - ${LACKS_FOR}
     union all
     select distinct day, cid, false from share_want w
     where node_id <> $1 and wanted_at >= clock_timestamp() - ${LACKS_FOR} and exists (
       select from share s where s.day = w.day and s.cid = w.cid and s.node_id = $1
         and s.granted_micros > s.billed_micros
     )`,
    [nodeId],
  )
}

export function sweepWants(db: Db) {
  return db.run(`delete from share_want where wanted_at < clock_timestamp() - ${LACKS_FOR}`)
}
