// Reads over all customers of an app look up each customer by an index, whatever else the tables contain.

import type { Database, Db } from './database.ts'

/**
 * PostgreSQL expects each customer to have as many rows as the average one. If nearly all rows belong to one customer,
 * it would read the whole table for each of the others; this prevents that.
 */
export function byLookup<T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction(async tx => {
    await tx.run('set local enable_seqscan = off')
    return work(tx)
  })
}
