// Creates or changes a customer by the id of the app's own system, and never creates it twice within the app. It issues
// no pair, because a call that may be repeated must not issue one each time: `…/auth` does that.

import type { Tx } from '../../changes/tx.ts'
import { bodyToCreate, byExternalId, type ExternalKey } from '../../http/external-id.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type Customer, type CustomerEdit, NewCustomer } from './contract.ts'
import { addCustomer, type EditParts, editCustomer, type FoundCustomer, foundCustomer } from './customers.ts'
import { lockCustomersByExternalId } from './queries.ts'

const customers = byExternalId('customer', row => row.cuid, lockCustomersByExternalId)
export const customerKey = customers.key

/** The customer as it is now; null if there is none yet. */
export async function presentCustomer(db: Db, key: ExternalKey, clock: Clock): Promise<Customer | null> {
  const row = await customers.find(db, key)
  return row && foundCustomer(row, clock).customer
}

export function putCustomer(
  db: Tx,
  caller: AppCaller,
  key: ExternalKey,
  body: CustomerEdit,
  ifMatch: string | null,
  parts: EditParts,
): Promise<{ result: FoundCustomer; created: boolean }> {
  return customers.upsert(db, key, {
    body,
    ifMatch,
    create: async () => {
      if (caller.cuids !== null) throw refusal('some_customers_only')
      const { apiAccess, ceilings, ...fields } = body
      const added = await addCustomer(db, caller, bodyToCreate<NewCustomer>(NewCustomer, fields, key), parts)
      return apiAccess === false || ceilings
        ? editCustomer(db, caller, added.customer.cuid, { apiAccess, ceilings }, null, parts)
        : added
    },
    change: ({ cuid }) => editCustomer(db, caller, cuid, body, ifMatch, parts),
  })
}
