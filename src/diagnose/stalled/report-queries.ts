// SQL for those who report stalled campaigns: which were not reported yet.

import type { FindingCode } from '../../kernel/errors/finding.ts'
import type { Db } from '../../platform/database.ts'

export interface StalledRow {
  cid: number
  cuid: number
  code: FindingCode
  params: object
  since: Date
}

/** Stalled campaigns that were not reported yet. */
export function selectStalled(db: Db, afterCid: number, limit: number) {
  return db.rows<StalledRow>(
    `select s.cid, c.cuid, s.code, s.params, s.since
     from stalled s join campaign c using (cid) join customer u using (cuid)
     where s.reported_at is null and s.ended_at is null and s.cid > $1 and c.deleted_at is null and u.deleted_at is null
     order by s.cid limit $2`,
    [afterCid, limit],
  )
}

/** False: another process has already reported it. */
export async function noteStalled(db: Db, cid: number, at: Date): Promise<boolean> {
  const row = await db.row(
    'update stalled set reported_at = $2 where cid = $1 and reported_at is null returning cid',
    [cid, at],
  )
  return row !== undefined
}
