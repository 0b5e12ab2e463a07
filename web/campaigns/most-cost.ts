// The most that a campaign can cost: its daily budget on each day that it runs, but no more than its total. Days
// without open hours cost nothing.

import { type Hours, WEEKDAYS } from './hours/week.ts'

const DAY_MS = 86_400_000
/** 1970 began on a Thursday. */
const FIRST_WEEKDAY = 3

/** The number of calendar days of a zone that a run touches and that have open hours. */
export function daysOf(startS: number, endS: number, timeZone: string, hours: Hours | null = null): number {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const dateMs = (timeS: number) => Date.parse(`${format.format(timeS * 1000)}T00:00:00Z`)
  if (endS <= startS) return 0
  const first = Math.round(dateMs(startS) / DAY_MS)
  const days = Math.round(dateMs(endS - 1) / DAY_MS) - first + 1
  if (hours === null) return days
  const weekday = (first + FIRST_WEEKDAY) % 7
  return WEEKDAYS.reduce((sum, day, index) => {
    if (!hours[day]) return sum
    const untilFirst = (index - weekday + 7) % 7
    return sum + Math.max(0, Math.ceil((days - untilFirst) / 7))
  }, 0)
}

interface Plan {
  start: number | null
  end: number | null
  /** Null: nothing usable was typed. */
  daily: number | null
  total: number | null
  /** Null: always. */
  hours?: Hours | null
}

/** `days` null: the total is less than the sum of the daily budgets. The answer is null while it is not known yet. */
export function mostCost(
  { start, end, daily, total, hours = null }: Plan,
  timeZone: string,
): { amount: number; days: number | null } | null {
  if (start === null || end === null || daily === null) return null
  const days = daysOf(start, end, timeZone, hours)
  if (days === 0) return null
  const sum = Math.round(daily * 100 * days) / 100
  return total !== null && total < sum ? { amount: total, days: null } : { amount: sum, days }
}
