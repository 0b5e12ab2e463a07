// Packing: figures that are weeks old are moved into one row per month, a few ids at a time, each in a transaction of
// its own. No answer changes at any moment. Any process may pack, one at a time, and nothing is locked in between.

import { DAY_MS } from '../../kernel/time/units.ts'
import type { Database, Db } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import {
  type DimensionRow,
  packDimensions,
  packIds,
  selectDimensions,
  selectIds,
  tryPackLock,
} from './queries.ts'

/** Ids per transaction. */
export const IDS = 200
const LOWEST = Number.MIN_SAFE_INTEGER
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The position of a walk over all ids, first of the quarters and then of the dimensions. */
export interface Walk {
  before: Date
  at: { quarters: number } | { dimensions: DimensionRow } | null
}

/** Packs whole weeks, so that a month's row is rewritten at most five times. */
export function beginWalk(nowMs: number, keptMs: number): Walk {
  const week = Math.floor((nowMs - keptMs - FIRST_MONDAY_MS) / (7 * DAY_MS))
  return { before: new Date(week * 7 * DAY_MS + FIRST_MONDAY_MS), at: { quarters: LOWEST } }
}

export interface Packed {
  rows: number
  /** If its `at` is null, the walk is over. */
  next: Walk
}

/** Packs old figures of the next ids. Null: another process is packing. */
export function packSome(db: Database, walk: Walk, ids = IDS): Promise<Packed | null> {
  return db.transaction(async tx => {
    if (!(await tryPackLock(tx, LOCKS.packing))) return null
    const { at, before } = walk
    if (at === null) return { rows: 0, next: walk }
    if ('quarters' in at) return packSomeQuarters(tx, at.quarters, before, ids)
    return packSomeDimensions(tx, at.dimensions, before, ids)
  })
}

const FIRST: DimensionRow = { id: LOWEST, dimension: '', is_old: false }

async function packSomeQuarters(tx: Db, after: number, before: Date, limit: number): Promise<Packed> {
  const found = await selectIds(tx, after, before, limit)
  const old = found.filter(row => row.is_old).map(row => row.id)
  const rows = old.length === 0 ? 0 : await packIds(tx, old, before)
  const last = found.length < limit ? undefined : found.at(-1)
  return { rows, next: { before, at: last ? { quarters: last.id } : { dimensions: FIRST } } }
}

async function packSomeDimensions(tx: Db, after: DimensionRow, before: Date, limit: number): Promise<Packed> {
  const day = before.toISOString().slice(0, 10)
  const found = await selectDimensions(tx, after, day, limit)
  const old = new Set(found.filter(row => row.is_old).map(row => row.id))
  const rows = old.size === 0 ? 0 : await packDimensions(tx, [...old], day)
  const last = found.length < limit ? undefined : found.at(-1)
  return { rows, next: { before, at: last ? { dimensions: last } : null } }
}

/** Packs everything that is older than `keptMs`. */
export async function packAll(db: Database, nowMs: number, keptMs: number, ids = IDS): Promise<number> {
  let rows = 0
  for (let walk = beginWalk(nowMs, keptMs); walk.at !== null; ) {
    const done = await packSome(db, walk, ids)
    if (!done) break
    rows += done.rows
    walk = done.next
  }
  return rows
}
