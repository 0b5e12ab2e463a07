// How many ads of a campaign pages got on a day, and how many of them were seen: sums that are written every five
// seconds. They are only shown ("12 of 4,000 ads served today were seen"), never billed; a crash loses the last ones.

import type { Db } from '../../platform/database.ts'
import { addServed, deleteServedBefore, type ServedRow } from './queries.ts'

export interface ServedSums {
  served(cid: number, dayKey: number): void
  seen(cid: number, dayKey: number): void
  /** Writes new counts; if that fails, they are kept for the next time. */
  flush(db: Db): Promise<void>
}

export function createServedSums(options: { maxSums: number }): ServedSums {
  let sums = new Map<string, ServedRow>()

  function add(cid: number, day: number, served: number, seen: number): void {
    const key = `${cid} ${day}`
    const known = sums.get(key)
    if (known) {
      known.served += served
      known.seen += seen
    } else if (sums.size < options.maxSums) sums.set(key, { cid, day, served, seen })
  }

  return {
    served: (cid, dayKey) => add(cid, dayKey, 1, 0),
    seen: (cid, dayKey) => add(cid, dayKey, 0, 1),
    async flush(db) {
      if (sums.size === 0) return
      // Always in the same order, so that processes do not deadlock.
      const rows = [...sums.values()].sort((a, b) => a.cid - b.cid || a.day - b.day)
      sums = new Map()
      try {
        await addServed(db, rows)
      } catch (error) {
        for (const row of rows) add(row.cid, row.day, row.served, row.seen)
        throw error
      }
    },
  }
}

/** Only today's sums are read, in any zone; one more day is kept for ads that are seen after midnight. */
export function sweepServed(db: Db, yesterdayKey: number): Promise<unknown> {
  return deleteServedBefore(db, yesterdayKey)
}
