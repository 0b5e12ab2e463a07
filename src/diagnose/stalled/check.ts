// The hourly check for stalled campaigns, made by one delivering process, which has everything live in memory.

import type { LiveView } from '../../deliver/process/running.ts'
import { readTraffic } from '../../deliver/sample/traffic.ts'
import { isSandbox } from '../../kernel/time/clock.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { claimCheck, replaceStalled } from './queries.ts'
import { findStalled } from './stalled.ts'

const DAY_HOURS = 24

/** To be called repeatedly: the check runs only when it is due, at full hours. */
export function createStalledCheck({ db, clock, catalog, rates, writeTraffic }: LiveView) {
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
