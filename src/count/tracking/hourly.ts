// Limits how often an address, and the networks around it, may do something that counts per hour (see rangesOf). In
// memory only and of bounded size: the oldest entries are dropped first. Each process counts for itself.

import { createRecent } from '../../kernel/recent.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { RANGE_ALLOWANCES } from '../../platform/network.ts'

export interface Hourly {
  /** Takes one; false if none is left. */
  take(ranges: readonly string[], nowMs: number): boolean
  /** Returns one that was not counted after all. */
  giveBack(ranges: readonly string[], nowMs: number): void
}

interface Hour {
  number: number
  taken: number
}

/** `most`: the limit of one address; 0: no limit. */
export function createHourly(most: number, maxEntries: number): Hourly {
  const hours = createRecent<string, Hour>(maxEntries)

  function hourOf(range: string, nowMs: number): Hour {
    const number = Math.floor(nowMs / HOUR_MS)
    const known = hours.get(range)
    if (known?.number === number) return known
    const hour = { number, taken: 0 }
    hours.set(range, hour)
    return hour
  }

  return {
    take(ranges, nowMs) {
      if (most === 0) return true
      // Checks the widest range first, so that a caller who has used up a network leaves no entries for ever new
      // addresses.
      for (let n = ranges.length - 1; n >= 0; n--)
        if (hourOf(ranges[n]!, nowMs).taken >= most * RANGE_ALLOWANCES[n]!) return false
      for (const range of ranges) hourOf(range, nowMs).taken++
      return true
    },
    giveBack(ranges, nowMs) {
      if (most === 0) return
      for (const range of ranges) {
        const hour = hourOf(range, nowMs)
        if (hour.taken > 0) hour.taken--
      }
    },
  }
}
