// Rows of events carry the number of the transaction that wrote them. A database that was dumped and restored keeps its
// rows, but its new cluster counts transactions from the beginning: there, new rows are numbered after the old ones,
// and catalog changes with old numbers are deleted (every start reads the whole catalog).

import { type Database, lockInTransaction } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import { forgetChanges, saveNumbering, selectNextNumber, selectNumbering } from './queries.ts'

/** Runs at each start, before anything is counted. */
export async function ensureNumbering(db: Database): Promise<void> {
  const { cluster, known } = await selectNumbering(db)
  if (cluster === known) return
  await db.transaction(async tx => {
    await lockInTransaction(tx, LOCKS.numbering)
    const now = await selectNumbering(tx)
    if (now.cluster === now.known) return
    const txOffset = now.known === null ? 0 : await selectNextNumber(tx)
    if (now.known !== null) await forgetChanges(tx)
    await saveNumbering(tx, { cluster, txOffset })
  })
}
