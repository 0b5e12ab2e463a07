// SQL of bulk: savepoints, and the locks taken before anything else.

import type { Db } from '../../platform/database.ts'

export async function setSavepoint(db: Db): Promise<void> {
  await db.run('savepoint operation')
}

export async function rollBackToSavepoint(db: Db): Promise<void> {
  await db.run('rollback to savepoint operation')
}

/** Savepoints are released, so that a thousand of them do not nest. */
export async function releaseSavepoint(db: Db): Promise<void> {
  await db.run('release savepoint operation')
}

export function lockCampaigns(db: Db, cuid: number, cids: number[]) {
  return db.run(
    `select cid from campaign where cid = any($2::bigint[]) and cuid = $1 order by cid for update`,
    [cuid, cids],
  )
}
