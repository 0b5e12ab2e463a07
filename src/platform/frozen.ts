// Frozen customers: nothing of them can be changed, whichever way it is asked for. Looked up in the transaction of the
// change itself, so that no process goes on by what it remembers.

import { refusal } from '../kernel/problem.ts'
import type { Db } from './database.ts'

/** Throws 403 while this customer is frozen. One that is deleted is not in the way of its being restored. */
export async function refuseFrozen(db: Db, cuid: number): Promise<void> {
  const row = await db.row<{ frozen_at: Date | null }>(
    'select frozen_at from customer where cuid = $1 and deleted_at is null',
    [cuid],
  )
  if (row && row.frozen_at !== null) throw customerFrozen(cuid)
}

export function customerFrozen(cuid: number) {
  return refusal('frozen', { cuid })
}
