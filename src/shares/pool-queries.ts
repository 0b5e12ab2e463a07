// SQL of pools: limits above days. A campaign's or a flight's `totalSpend` is one, and the balance of a customer that
// pays in advance is another. Every grant is drawn from all that apply (money-queries.ts); this is how the limits of
// balances change. The life of a campaign or flight needs no call: its pool follows its row.

import type { Db } from '../platform/database.ts'

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
