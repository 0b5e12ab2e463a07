// Rows of events carry the number of the transaction that wrote them. A database that was dumped and restored keeps its
// rows, but the cluster it lives in counts its transactions anew: there what is new is numbered from behind the old, and
// changes of the catalog that the old one numbered are forgotten (whoever starts reads the catalog whole).

import { type Database, lockInTransaction } from '../platform/database.ts'
import { LOCKS } from '../platform/locks.ts'
import { forgetChanges, saveNumbering, selectNextNumber, selectNumbering } from './queries.ts'

/** At each start, before anything is counted. */
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
