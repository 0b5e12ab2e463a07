// The most that a campaign can cost: its daily budget on each day that it runs, but no more than its monthly budget in
// each month, nor than its total. Days without open hours cost nothing. All pages say this figure.

import { type Hours, WEEKDAYS } from './hours/week.ts'

const DAY_MS = 86_400_000
/** 1970 began on a Thursday. */
const FIRST_WEEKDAY = 3

/** The number of calendar days of a zone that a run touches and that have open hours. */
export function daysOf(startS: number, endS: number, timeZone: string, hours: Hours | null = null): number {
  const { first, last } = datesOf(startS, endS, timeZone)
  return openDays(first, last, hours)
}

/** The first and the last day that a run touches, in days since 1970. */
function datesOf(startS: number, endS: number, timeZone: string): { first: number; last: number } {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const dayAt = (timeS: number) => Math.round(Date.parse(`${format.format(timeS * 1000)}T00:00:00Z`) / DAY_MS)
  if (endS <= startS) return { first: 0, last: -1 }
  return { first: dayAt(startS), last: dayAt(endS - 1) }
}

function openDays(first: number, last: number, hours: Hours | null): number {
  const days = last - first + 1
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
  /** Null: no limit. */
  monthly?: number | null
  total: number | null
  /** Null: always. */
  hours?: Hours | null
}

export interface MostCost {
  amount: number
  /** The days that may cost something. */
  days: number
  /** Which limit decides. */
  by: 'days' | 'months' | 'total'
}

/** Null while it is not known yet. */
export function mostCost(
  { start, end, daily, monthly = null, total, hours = null }: Plan,
  timeZone: string,
): MostCost | null {
  if (start === null || end === null || daily === null) return null
  const { first, last } = datesOf(start, end, timeZone)
  const days = openDays(first, last, hours)
  if (days === 0) return null
  const cents = (amount: number) => Math.round(amount * 100)
  const byDays = cents(daily * days)
  let byMonths = 0
  for (let from = first; monthly !== null && from <= last; ) {
    const date = new Date(from * DAY_MS)
    const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS
    byMonths += Math.min(cents(monthly), cents(daily * openDays(from, Math.min(next - 1, last), hours)))
    from = next
  }
  const sum = monthly === null ? byDays : byMonths
  if (total !== null && cents(total) < sum) return { amount: total, days, by: 'total' }
  return { amount: sum / 100, days, by: sum < byDays ? 'months' : 'days' }
}
