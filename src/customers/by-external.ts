// A customer by the id of the app's own system: created or changed, and never twice within the app. It gets no pair
// here, because a call that may be repeated must not issue one each time: `…/auth` does.

import {
  bodyToCreate,
  checkSameId,
  type ExternalKey,
  MOST_NAMED,
  onlyOne,
  readExternalId,
  upsert,
} from '../http/external-id.ts'
import type { AppCaller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Db } from '../platform/database.ts'
import { type Customer, type CustomerEdit, NewCustomer } from './contract.ts'
import { addCustomer, editCustomer, type FoundCustomer, foundCustomer } from './customers.ts'
import { lockCustomersByExternalId } from './queries.ts'

export function customerKey(appId: number, externalIdText: string): ExternalKey {
  return { noun: 'customer', parent: appId, externalId: readExternalId(externalIdText) }
}

/** As it is shown now; null: there is none yet. */
export async function presentCustomer(db: Db, key: ExternalKey): Promise<Customer | null> {
  const row = onlyOne(key, await lockRows(db, key), idOf)
  return row && foundCustomer(row).customer
}

export function putCustomer(
  db: Db,
  caller: AppCaller,
  key: ExternalKey,
  body: CustomerEdit,
  ifMatch: string | null,
  clock: Clock,
): Promise<{ result: FoundCustomer; created: boolean }> {
  checkSameId(body, key)
  return upsert(db, key, {
    ifMatch,
    idOf,
    lock: () => lockRows(db, key),
    create: async () => {
      const { apiAccess, ...fields } = body
      const added = await addCustomer(
        db,
        key.parent,
        bodyToCreate<NewCustomer>(NewCustomer, fields, key),
        clock,
      )
      return apiAccess === false
        ? editCustomer(db, caller, added.customer.cuid, { apiAccess }, null, clock)
        : added
    },
    change: ({ cuid }) => editCustomer(db, caller, cuid, body, ifMatch, clock),
  })
}

const idOf = (row: { cuid: number }) => row.cuid
const lockRows = (db: Db, { parent, externalId }: ExternalKey) =>
  lockCustomersByExternalId(db, parent, externalId, MOST_NAMED)
