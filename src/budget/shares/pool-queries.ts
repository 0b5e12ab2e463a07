// SQL for pools, which are limits above days: the `totalSpend` of a campaign or flight, the `monthlySpend` of a
// campaign in one month, or the balance of a customer that pays in advance. Every grant is drawn from all pools that
// apply (money-queries.ts). Here the limits of balances change; the pool of a campaign or flight follows its row.

import { monthOf } from '../../kernel/time/months.ts'
import type { Db } from '../../platform/database.ts'

/**
 * Only in a transaction that makes the customer `prepaid`: its balance begins at zero. What its campaigns were granted
 * but not billed is returned, so ads that are open now are not billed.
 */
export function openBalance(tx: Db, cuid: number, accountNo: number) {
  return tx.run('select open_balance($1, $2)', [cuid, accountNo])
}

/** Only in a transaction that ends the customer's paying in advance. */
export function closeBalance(tx: Db, cuid: number) {
  return tx.run('select close_balance($1)', [cuid])
}

/** Returns false and changes nothing if the limit would fall below what was spent or granted. */
export async function raiseBalance(db: Db, cuid: number, byMicros: number): Promise<boolean> {
  const raised = await db.run(
    `update pool set limit_micros = limit_micros + $2
     where id = $1 and ($2::bigint > 0 or limit_micros + $2 >= granted_micros)`,
    [cuid, byMicros],
  )
  return raised === 1
}

/** The id of the pool of a campaign's month, as the function of the database makes it (migrations/0160). */
export function monthPool(cid: number, dayKey: number): number {
  return -(cid * 10_000 + (monthOf(dayKey) % 10_000))
}
