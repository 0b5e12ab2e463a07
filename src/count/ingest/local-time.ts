// The quarter of an hour of a moment, and the date and hour on the customer's clocks. Zones differ from each other by
// whole quarters, so a quarter has one date and one hour.

import { zonesOfAll } from '../../changes/customer-zones.ts'
import { createRecent } from '../../kernel/recent.ts'
import { type Calendar, calendarOf } from '../../kernel/time/day.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/time/units.ts'
import { calendarIn, DEPLOYMENT_ZONE } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'

export interface Quarter {
  startMs: number
  /** In quarters since 1970. */
  number: number
  /** The date on the customer's clocks, `2026-11-15`; `dayNumber` is the same in days since 1970. */
  day: string
  dayNumber: number
  /** `00` to `23`. */
  hour: string
}

/** The customer must have been loaded before. */
export type QuarterOf = (cuid: number, ms: number) => Quarter

export interface CustomerQuarters {
  /** Must be called before the quarters of these customers are requested. */
  load(db: Db, cuids: Iterable<number>): Promise<void>
  quarterOf: QuarterOf
}

const QUARTER_MS = 15 * 60_000
const KEPT_QUARTERS = 1000
const MOST_CUSTOMERS = 50_000
/** Shorter than the time in which every process learns of a change (kernel/time/zones.ts). */
const VALID_MS = 30_000

interface Known {
  quarterOf: (ms: number) => Quarter
  readMs: number
}

/** `timeZone` is the deployment's. */
export function createCustomerQuarters(timeZone: string, now: () => number = Date.now): CustomerQuarters {
  const customers = createRecent<number, Known>(MOST_CUSTOMERS)
  const byCalendar = new WeakMap<Calendar, (ms: number) => Quarter>()

  function quartersOf(calendar: Calendar): (ms: number) => Quarter {
    const known = byCalendar.get(calendar) ?? quartersIn(calendar)
    byCalendar.set(calendar, known)
    return known
  }
  const own = quartersOf(calendarOf(timeZone))

  return {
    async load(db, cuids) {
      const nowMs = now()
      const missing = new Set<number>()
      // If the clock was set back, old entries must not stay valid.
      const isValid = ({ readMs }: Known) => readMs <= nowMs && nowMs < readMs + VALID_MS
      for (const cuid of cuids) {
        const known = customers.get(cuid)
        if (!known || !isValid(known)) missing.add(cuid)
      }
      if (missing.size === 0) return
      const found = await zonesOfAll(db, [...missing])
      for (const cuid of missing) {
        const calendar = calendarIn(found.get(cuid) ?? DEPLOYMENT_ZONE, timeZone)
        customers.set(cuid, { quarterOf: quartersOf(calendar), readMs: nowMs })
      }
    },
    quarterOf: (cuid, ms) => (customers.get(cuid)?.quarterOf ?? own)(ms),
  }
}

export function createQuarters(timeZone: string): (ms: number) => Quarter {
  return quartersIn(calendarOf(timeZone))
}

function quartersIn(calendar: Calendar): (ms: number) => Quarter {
  const known = new Map<number, Quarter>()

  function read(startMs: number): Quarter {
    const key = String(calendar.dayAt(startMs).key).padStart(8, '0')
    const day = `${key.slice(0, 4)}-${key.slice(4, 6)}-${key.slice(6)}`
    const hour = Math.floor((calendar.wallMs(startMs) % DAY_MS) / HOUR_MS)
    return {
      startMs,
      number: startMs / QUARTER_MS,
      day,
      dayNumber: Date.parse(day) / DAY_MS,
      hour: String(hour).padStart(2, '0'),
    }
  }

  return ms => {
    const startMs = Math.floor(ms / QUARTER_MS) * QUARTER_MS
    let quarter = known.get(startMs)
    if (!quarter) {
      quarter = read(startMs)
      if (known.size >= KEPT_QUARTERS) known.clear()
      known.set(startMs, quarter)
    }
    return quarter
  }
}
