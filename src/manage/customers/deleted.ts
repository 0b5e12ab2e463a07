// Lists the deleted customers that their app can still restore.

import { deletionOf, type RestoreTimes, restorableSince } from '../../http/deleted.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import type { Db } from '../../platform/database.ts'
import type { Customer } from './contract.ts'
import { toCustomer } from './object.ts'
import { selectDeletedCustomers } from './queries.ts'

export async function listDeletedCustomers(
  db: Db,
  { appId, cuids }: AppCaller,
  after: number,
  limit: number,
  times: RestoreTimes,
): Promise<Customer[]> {
  const rows = await selectDeletedCustomers(db, appId, cuids, after, limit, restorableSince(times))
  return rows.map(row => ({ ...toCustomer(row, times.clock), ...deletionOf(row.deleted_at, times) }))
}
