// SQL for stalled campaigns: what the last check found, and whose turn it is to check.

import type { Db } from '../../platform/database.ts'

/** True for exactly one process at each time when a check is due, even if a clock was set back. */
export async function claimCheck(db: Db, due: Date): Promise<boolean> {
  const row = await db.row('update stalled_check set at = $1 where at <> $1 returning at', [due])
  return row !== undefined
}

/** Replaces what was found before. A campaign is not reported again if it is still stalled, or again within a day. */
export async function replaceStalled(
  db: Db,
  found: { cid: number; code: string; params: object }[],
  now: Date,
  dayBefore: Date,
): Promise<void> {
  await db.run(
    `with found as materialized (
       select f.cid, f.code, f.params from jsonb_to_recordset($1) as f (cid bigint, code text, params jsonb)
     ), ended as (
       update stalled set ended_at = $2 where ended_at is null and cid <> all (select cid from found)
     )
     insert into stalled (cid, code, params, since, checked_at)
     select f.cid, f.code, f.params, $2, $2 from found f join campaign using (cid)
     on conflict (cid) do update set code = excluded.code, params = excluded.params, checked_at = excluded.checked_at,
       since = case when stalled.code = excluded.code and stalled.ended_at is null then stalled.since else excluded.since end,
       reported_at = case when stalled.code = excluded.code and (stalled.ended_at is null or stalled.reported_at > $3)
         then stalled.reported_at end,
       ended_at = null`,
    [JSON.stringify(found), now, dayBefore],
  )
  await db.run('delete from stalled where ended_at < $1', [dayBefore])
}
