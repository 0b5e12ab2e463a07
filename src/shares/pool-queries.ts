// SQL of pools: limits above days. A campaign's `totalSpend` is one, and the balance of a customer that pays in advance
// is another. Every grant is drawn from all that apply (money-queries.ts); this is how their limits change, and what
// was spent of them. The life of a campaign needs no call: its pool follows the campaign's row.

import type { Db } from '../platform/database.ts'

export interface PoolUse {
  id: number
  limit_micros: number
  spent_micros: number
  /** For open ads, as far as nodes have reported them. */
  reserved_micros: number
}

/** By the ids of campaigns and customers; those without a pool are left out. */
export function poolsUsed(db: Db, ids: readonly number[]) {
  return db.rows<PoolUse>('select * from pools_used($1)', [ids])
}

/**
 * Only in a transaction that makes the customer `prepaid`: its balance begins at zero. What its campaigns had not been
 * billed goes back: ads that are open now are not billed.
 */
export function openBalance(tx: Db, cuid: number, accountNo: number) {
  return tx.run('select open_balance($1, $2)', [cuid, accountNo])
}

/** Only in a transaction that makes the customer pay afterwards again. */
export function closeBalance(tx: Db, cuid: number) {
  return tx.run('select close_balance($1)', [cuid])
}

/** False, and nothing is changed: less would be left than was spent or granted. */
export async function raiseBalance(db: Db, cuid: number, byMicros: number): Promise<boolean> {
  const raised = await db.run(
    `update pool set limit_micros = limit_micros + $2
     where id = $1 and ($2::bigint > 0 or limit_micros + $2 >= granted_micros)`,
    [cuid, byMicros],
  )
  return raised === 1
}
