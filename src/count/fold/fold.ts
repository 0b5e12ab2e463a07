// Folding: fresh rows become figures, in bulk, after the answers. A row is deleted from `fresh` and added to the
// rollups in one transaction, so it is always in exactly one of them, and no reader can tell when it moved. Any process
// may fold, one at a time, and nothing is locked between its transactions.

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
 * When a part is emptied: rarely enough that many events share a row of the rollups, but often enough that reads of
 * figures, which also read `fresh`, stay fast.
 */
export const DUE: Due = { afterS: 3600, atRows: 60_000 }
export const FOLD_AFTER_S = DUE.afterS
/** A busy part is emptied when it has this many rows. */
export const FOLD_AT_ROWS = DUE.atRows
/** Rows per transaction: one or two seconds of work on a fast database; step.ts finds what a slow one can do. */
export const MOST_ROWS = 80_000
/** How long a transaction may take. One that takes longer is undone and repeated in smaller steps. */
export const FOLD_LIMIT_MS = 20_000

/** After chunks of at least this many rows, the part is vacuumed each time. */
const VACUUM_FROM = 20_000

export interface FoldLimits {
  mostRows?: number
  limitMs?: number
}

export interface Folded {
  rows: number
  /** Whether there is more to be done immediately. */
  isMore: boolean
}

/** Folds rows of the part that has waited longest, if any has waited long enough. Null: there is nothing to do. */
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
  // Between small chunks, vacuuming would read the part more often than folding does.
  if (done && done.rows > 0 && (!done.isMore || mostRows >= VACUUM_FROM)) await clear(db, done.part)
  return done
}

/** Vacuums a part. If that takes too long, it is left to autovacuum; the rows are folded anyway. */
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
