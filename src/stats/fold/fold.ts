// Folding: fresh rows become figures, in bulk, after the answers. A row is deleted from `fresh` and added to the
// rollups in one transaction, so it is in exactly one of them whatever dies, and no reader can tell when it moved. Any
// process may fold, one at a time, and nothing is held between its transactions.

import { type Database, QUERY_CANCELED, sqlState } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import { repairLeaves } from './lost-leaves.ts'
import {
  type Due,
  foldPart,
  LostLeaves,
  limitStatements,
  lockDuePart,
  noteEmptied,
  PARTS,
  vacuumPart,
} from './queries.ts'

/**
 * When a part is emptied: rarely, so that many events share a row of the rollups; often, because every read of figures
 * also reads the rest.
 */
const DUE: Due = { afterS: 3600, atRows: 60_000 }
export const FOLD_AFTER_S = DUE.afterS
/** When a busy part is emptied. */
export const FOLD_AT_ROWS = DUE.atRows
/** Rows of one transaction: a second or two of work on a quick database; step.ts finds what a slow one can do. */
export const MOST_ROWS = 80_000
/** How long a transaction may take. What does not fit is undone and tried again in smaller steps. */
export const FOLD_LIMIT_MS = 20_000

/** Chunks of at least this many rows are cleared one by one. */
const VACUUM_FROM = 20_000

export interface FoldLimits {
  mostRows?: number
  limitMs?: number
}

export interface Folded {
  rows: number
  /** There is more to be done at once. */
  isMore: boolean
}

/** Empties the part that has waited longest, if any has waited for long enough. Null: there is nothing to do. */
export async function foldDue(
  db: Database,
  { mostRows = MOST_ROWS, limitMs = FOLD_LIMIT_MS, ...due }: Partial<Due> & FoldLimits = {},
): Promise<Folded | null> {
  const done = await db.transaction(async tx => {
    const part = await lockDuePart(tx, LOCKS.folding, { ...DUE, ...due })
    if (part === null) return null
    await limitStatements(tx, limitMs)
    const rows = await foldPart(tx, part, mostRows)
    const isMore = rows === mostRows
    if (!isMore) await noteEmptied(tx, part)
    return { part, rows, isMore }
  }, limitMs)
  // Between small chunks it would read the part more often than folding does.
  if (done && done.rows > 0 && (!done.isMore || mostRows >= VACUUM_FROM)) await clear(db, done.part)
  return done
}

/** One that takes too long is left to autovacuum: the rows are folded all the same. */
async function clear(db: Database, part: number): Promise<void> {
  await vacuumPart(db, part).catch(error => {
    if (sqlState(error) !== QUERY_CANCELED) throw error
  })
}

/** Folds everything that is fresh now. */
export async function foldAll(db: Database): Promise<number> {
  let folded = 0
  for (let part = 0; part < PARTS; part++) {
    for (let rows = MOST_ROWS; rows === MOST_ROWS; folded += rows) rows = await foldOrRepair(db, part)
    await vacuumPart(db, part)
  }
  return folded
}

async function foldOrRepair(db: Database, part: number): Promise<number> {
  const fold = () => db.transaction(tx => foldPart(tx, part, MOST_ROWS))
  return fold().catch(async error => {
    if (!(error instanceof LostLeaves)) throw error
    await repairLeaves(db, part)
    return fold()
  })
}
