// Lists everything of a customer that can still be restored, over all nouns of its campaigns.

import { deletionOf, type RestoreTimes, restorableSince } from '../../../http/deleted.ts'
import { whoActed } from '../../../identity/who.ts'
import type { Db } from '../../../platform/database.ts'
import type { DeletedObject } from './contract.ts'
import { selectBin } from './queries.ts'

export async function listBin(
  db: Db,
  cuid: number,
  after: number,
  limit: number,
  times: RestoreTimes,
): Promise<DeletedObject[]> {
  const rows = await selectBin(db, cuid, after, limit, restorableSince(times))
  const who = await whoActed(
    db,
    cuid,
    rows.map(({ actor }) => actor),
  )
  return rows.map(row => ({
    id: row.audit_id,
    noun: row.noun,
    nounId: row.id,
    name: row.name,
    cid: row.cid,
    campaign: row.campaign,
    pid: row.pid,
    by: who.get(row.actor)!,
    ...deletionOf(row.deleted_at, times),
  }))
}
