// The table of events has a partition for each day (in UTC) on which ads were served. Partitions are made ahead of time
// and on demand; old ones are dropped as a whole. Rollups are never touched: figures stay when their events are gone.

import { DAY_MS } from '../../kernel/time/units.ts'
import { type Database, type Db, lockInTransaction, sqlState } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import { leastRetentionS } from '../../platform/setting-kinds.ts'
import { firstAdOf } from '../tracking/ad.ts'
import { createPartition, dropPartition, selectPartitions } from './partition-queries.ts'

const DAYS_BEFORE = 1
const DAYS_AHEAD = 2
/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

export interface Retention {
  eventRetentionS: number
  clickWindowS: number
}

/**
 * How long an ad's events are kept. Events must exist as long as they may be reported again, and clicks as long as an
 * action may be credited to them. With a shorter retention they would count twice, so it is lengthened.
 */
function keptMs({ eventRetentionS, clickWindowS }: Retention): number {
  return 1000 * Math.max(eventRetentionS, leastRetentionS(clickWindowS))
}

/** Creates the partitions of today and the next days, and drops old ones. Must be repeated every hour. */
export async function keepPartitions(db: Database, nowMs: number, retention: Retention): Promise<void> {
  const today = dayOf(nowMs)
  await ensurePartitions(
    db,
    Array.from({ length: DAYS_BEFORE + 1 + DAYS_AHEAD }, (_, i) => today + i - DAYS_BEFORE),
  )
  await prunePartitions(db, nowMs, retention)
}

/** The time before which no event exists any more, neither of an ad nor a later one of the same ad. */
export async function goneBeforeMs(db: Db, nowMs: number, retention: Retention): Promise<number> {
  const oldest = (await selectPartitions(db)).map(startOf).reduce((a, b) => Math.min(a, b), nowMs)
  return Math.min(nowMs - keptMs(retention), oldest)
}

/** Creates the partitions of these days (since 1970) that are missing. */
export async function ensurePartitions(db: Database, days: Iterable<number>): Promise<void> {
  const existing = new Set(await selectPartitions(db))
  const missing = [...new Set(days)].filter(day => !existing.has(nameOf(day)))
  if (missing.length === 0) return
  await db.transaction(async tx => {
    const present = await lockedPartitions(tx)
    for (const day of missing) {
      if (!present.has(nameOf(day)))
        await createPartition(tx, nameOf(day), firstAdOf(day * DAY_MS), firstAdOf((day + 1) * DAY_MS))
    }
  })
}

async function prunePartitions(db: Database, nowMs: number, retention: Retention): Promise<void> {
  // A retention of "forever" is a number of days that would lead beyond any date.
  const firstKept = nameOf(Math.max(0, dayOf(nowMs - keptMs(retention))))
  for (const name of await selectPartitions(db)) if (name < firstKept && !(await drop(db, name))) return
}

/**
 * False while the events are being read; the next hour is early enough. Waiting for the lock would make all counting
 * wait.
 */
async function drop(db: Database, name: string): Promise<boolean> {
  try {
    await db.transaction(async tx => {
      const present = await lockedPartitions(tx)
      if (present.has(name)) await dropPartition(tx, name)
    })
    return true
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

async function lockedPartitions(tx: Db): Promise<Set<string>> {
  await lockInTransaction(tx, LOCKS.partitions)
  return new Set(await selectPartitions(tx))
}

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

function startOf(name: string): number {
  return Date.parse(name.replace(/^event_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3T00:00:00Z'))
}

function nameOf(day: number): string {
  return `event_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`
}
