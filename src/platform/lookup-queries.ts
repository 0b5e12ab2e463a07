// Reads about all customers of an app look each of them up by an index, whatever else the tables hold.

import type { Database, Db } from './database.ts'

/**
 * PostgreSQL expects of each customer as many rows as of the average one. If nearly all rows are one customer's, it
 * would read the whole table for each of the others; here it does not.
 */
export function byLookup<T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction(async tx => {
    await tx.run('set local enable_seqscan = off')
    return work(tx)
  })
}
