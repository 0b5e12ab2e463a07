// What follows when a customer gets another email.

import { emailKey } from '../../kernel/address.ts'
import type { Db } from '../../platform/database.ts'
import { removeByEmail, upsertOwner } from './members/queries.ts'
import { type CustomerRow, deleteWaysIn } from './queries.ts'

/**
 * Removes the member with the old address, which ends their sessions, and makes the new address an owner. What the old
 * one was sent opens nothing any more: a passcode belongs to the customer, and would be good for the new address too.
 */
export async function changeFirstOwner(
  db: Db,
  before: CustomerRow,
  after: CustomerRow,
  now: Date,
): Promise<void> {
  const { cuid, email, name } = after
  await removeByEmail(db, cuid, emailKey(before.email), now)
  await deleteWaysIn(db, cuid)
  await upsertOwner(db, { cuid, email, emailKey: emailKey(email), name, createdAt: now })
}
