// Folding: fresh rows become figures, in bulk, after the answers. A row is deleted from `fresh` and added to the
// rollups in one transaction, so it is in exactly one of them whatever dies, and no reader can tell when it moved. Any
// process may fold, one at a time, and nothing is held between its transactions.

import type { Database } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import { type Due, foldPart, lockDuePart, noteEmptied, PARTS, vacuumPart } from './queries.ts'

/**
 * When a part is emptied: rarely, so that many events share a row of the rollups; often, because every read of figures
 * also reads the rest.
 */
const DUE: Due = { afterS: 3600, atRows: 60_000 }
export const FOLD_AFTER_S = DUE.afterS
/** When a busy part is emptied. */
export const FOLD_AT_ROWS = DUE.atRows
/** Rows of one transaction: a second or two of work. */
export const MOST_ROWS = 80_000

export interface Folded {
  rows: number
  /** There is more to be done at once. */
  isMore: boolean
}

/** Empties the part that has waited longest, if any has waited for long enough. Null: there is nothing to do. */
export async function foldDue(
  db: Database,
  { mostRows = MOST_ROWS, ...due }: Partial<Due> & { mostRows?: number } = {},
): Promise<Folded | null> {
  const done = await db.transaction(async tx => {
    const part = await lockDuePart(tx, LOCKS.folding, { ...DUE, ...due })
    if (part === null) return null
    const rows = await foldPart(tx, part, mostRows)
    const isMore = rows === mostRows
    if (!isMore) await noteEmptied(tx, part)
    return { part, rows, isMore }
  })
  if (done && done.rows > 0) await vacuumPart(db, done.part)
  return done
}

/** Folds everything that is fresh now. */
export async function foldAll(db: Database): Promise<number> {
  let folded = 0
  for (let part = 0; part < PARTS; part++) {
    for (let rows = MOST_ROWS; rows === MOST_ROWS; folded += rows)
      rows = await db.transaction(tx => foldPart(tx, part, MOST_ROWS))
    await vacuumPart(db, part)
  }
  return folded
}
