// How often something of one address counts within an hour, and of the networks around it (see rangesOf()). Memory only
// and of bounded size: the oldest entries are dropped first. Each process keeps its own.

import { createRecent } from '../kernel/recent.ts'
import { RANGE_ALLOWANCES } from '../platform/network.ts'

export interface Hourly {
  /** Takes one; false: there is none left. */
  take(ranges: readonly string[], nowMs: number): boolean
  /** It was not counted after all. */
  giveBack(ranges: readonly string[], nowMs: number): void
}

interface Hour {
  number: number
  taken: number
}

const HOUR_MS = 3_600_000

/** `most`: for one address; 0: any number. */
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
      // The widest first: whoever has used up a network leaves no traces of ever new addresses.
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
