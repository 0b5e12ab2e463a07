// Freezes a customer for "something is wrong": one call stops its delivery and all changes. What was switched on stays
// switched on, and delivers again after unfreezing.

import { recordChange } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { asRead } from '../../http/etag.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { type FoundCustomer, foundCustomer } from './customers.ts'
import { lockCustomer, updateFrozen } from './queries.ts'

/** Freezing a frozen customer, or unfreezing one that is not frozen, changes nothing. */
export async function setFrozen(
  db: Tx,
  caller: Caller,
  { cuid, frozen }: { cuid: number; frozen: boolean },
  ifMatch: string | null,
  clock: Clock,
): Promise<FoundCustomer> {
  const row = asRead(await lockCustomer(db, cuid), 'customer', cuid, ifMatch)
  if ((row.frozen_at !== null) === frozen) return foundCustomer(row, clock)
  const now = new Date(clock.nowMs())
  const changed = await updateFrozen(db, cuid, frozen ? now : null, now)
  await recordChange(db, {
    at: now,
    noun: 'customer',
    id: cuid,
    action: frozen ? 'freeze' : 'unfreeze',
    cuid,
    cid: null,
    actor: caller.key,
    before: { frozen: !frozen },
    after: { frozen },
  })
  return foundCustomer(changed, clock)
}
