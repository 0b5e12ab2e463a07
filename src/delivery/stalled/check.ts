// The hourly check for stalled campaigns, made by one delivering process, which has everything live in memory.

import type { ReadonlyCatalog } from '../../catalog/live-catalog.ts'
import type { ClickRates } from '../../click-rates/rates.ts'
import { type Clock, isSandbox } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database.ts'
import { readTraffic } from '../funnel/shared.ts'
import { claimCheck, replaceStalled } from './queries.ts'
import { findStalled } from './stalled.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24

export interface StalledCheckParts {
  db: Database
  clock: Clock
  catalog: ReadonlyCatalog
  rates: () => ClickRates
  /** Writes what this process has seen to the database, so that a check does not depend on when that was last done. */
  writeTraffic: (isExact: boolean) => Promise<void>
}

/** To be called repeatedly: the check runs only when it is due, at full hours. */
export function createStalledCheck({ db, clock, catalog, rates, writeTraffic }: StalledCheckParts) {
  // A sandbox may pass months within a minute.
  const everyMs = isSandbox(clock) ? 6 * HOUR_MS : HOUR_MS
  let lastMs = Number.NaN
  return async (): Promise<void> => {
    const nowMs = clock.nowMs()
    const dueMs = nowMs - (nowMs % everyMs)
    if (dueMs === lastMs) return
    const isOurs = await claimCheck(db, new Date(dueMs))
    lastMs = dueMs
    if (!isOurs) return
    await writeTraffic(true)
    const traffic = await readTraffic(db, DAY_HOURS, nowMs)
    const stalled = await findStalled(catalog, traffic, rates(), nowMs)
    const rows = stalled.map(({ cid, finding: { code, params } }) => ({ cid, code, params }))
    const dayBefore = new Date(nowMs - DAY_HOURS * HOUR_MS)
    await db.transaction(tx => replaceStalled(tx, rows, new Date(nowMs), dayBefore))
  }
}
