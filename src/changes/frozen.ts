// Frozen customers: nothing that belongs to them can be changed, however it is asked for. The lookup runs in the
// transaction of the change itself, so no process relies on what it remembers.

import { refusal } from '../kernel/errors/problem.ts'
import type { Db } from '../platform/database.ts'

/** Throws 403 while this customer is frozen. A deleted customer can be restored even if it is frozen. */
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
