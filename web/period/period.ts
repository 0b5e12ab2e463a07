// The period that figures are shown for: a preset or two days, in the customer's time zone, as for budgets. It is kept
// in the address, so that a link shows what its sender saw. Half open, in Unix seconds.

import {
  COMPARISONS,
  type Comparison,
  firstComparedDay,
  RANGES,
  type Range,
} from '../../src/report/saved-views/contract.ts'
import { addDays, dayOf, startOfDay } from './zone.ts'

export const PRESETS = RANGES
export type Preset = Range
/** Whole weeks, so that Fridays are compared with Fridays. */
export const DEFAULT_PRESET: Preset = '28d'

/** The period as in the address. */
export interface PeriodSearch {
  range?: Preset
  from?: string
  to?: string
  /** Left out: `before`. A day is the first of as many days. */
  against?: string
}

export interface Period {
  preset: Preset | 'custom'
  /** First and last day, both included. */
  firstDay: string
  lastDay: string
  tz: string
  startS: number
  endS: number
  days: number
  /** The same number of days before it; null: it is compared with nothing. */
  compared: Compared | null
  /** What was chosen, also where nothing or something else can be compared. */
  chosen: Chosen
}

interface Chosen {
  against: Comparison
  /** Instead of `against`. */
  againstDay: string | null
}

export interface Compared {
  /** A day: chosen by the reader. */
  by: string
  startS: number
  endS: number
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value))
/** Figures of "all time" start here: ten years back. */
const MAX_DAYS = 3652

export function readPeriodSearch(search: Record<string, unknown>): PeriodSearch {
  const found: PeriodSearch = {}
  const range = PRESETS.find(preset => preset === search.range)
  if (range) found.range = range
  if (isDay(search.from) && isDay(search.to)) {
    found.from = search.from
    found.to = search.to
  }
  const { against } = search
  if (isDay(against) || COMPARISONS.some(one => one === against)) found.against = against as string
  return found
}

/** A link without a period keeps the current one. */
export function keepPeriod<S extends PeriodSearch>(shown: S, next: S): S {
  const saysSo = next.range !== undefined || next.from !== undefined || next.against !== undefined
  return saysSo ? next : { ...next, ...readPeriodSearch(shown as Record<string, unknown>) }
}

export function periodOf(search: PeriodSearch, tz: string, nowS: number): Period {
  const today = dayOf(nowS, tz)
  if (search.from && search.to) {
    const [firstDay, lastDay] = [search.from, search.to].sort() as [string, string]
    return between('custom', firstDay, lastDay, tz, search.against)
  }
  const preset = search.range ?? DEFAULT_PRESET
  const [firstDay, lastDay] = daysOf(preset, today)
  return between(preset, firstDay, lastDay, tz, search.against)
}

function daysOf(preset: Preset, today: string): [string, string] {
  const firstOfMonth = `${today.slice(0, 7)}-01`
  const endOfLastMonth = addDays(firstOfMonth, -1)
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7))
  switch (preset) {
    case 'today':
      return [today, today]
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)]
    case '7d':
      return [addDays(today, -6), today]
    case '28d':
      return [addDays(today, -27), today]
    case 'week':
      return [monday, today]
    case 'lastWeek':
      return [addDays(monday, -7), addDays(monday, -1)]
    case '30d':
      return [addDays(today, -29), today]
    case 'month':
      return [firstOfMonth, today]
    case 'lastMonth':
      return [`${endOfLastMonth.slice(0, 7)}-01`, endOfLastMonth]
    case 'all':
      return [addDays(today, 1 - MAX_DAYS), today]
  }
}

function between(
  preset: Period['preset'],
  firstDay: string,
  lastDay: string,
  tz: string,
  against: string = COMPARISONS[0],
): Period {
  const days = Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000) + 1
  const chosen: Chosen = isDay(against)
    ? { against: COMPARISONS[0], againstDay: against }
    : { against: COMPARISONS.find(one => one === against) ?? COMPARISONS[0], againstDay: null }
  return {
    preset,
    firstDay,
    lastDay,
    tz,
    startS: startOfDay(firstDay, tz),
    endS: startOfDay(addDays(lastDay, 1), tz),
    days,
    compared: preset === 'all' || against === 'none' ? null : comparedWith(chosen, firstDay, days, tz),
    chosen,
  }
}

function comparedWith(chosen: Chosen, firstDay: string, days: number, tz: string): Compared {
  const from = firstComparedDay(chosen, firstDay, days)
  const by = chosen.againstDay ?? chosen.against
  // Days that are not all before the period are replaced.
  const isChosen = chosen.againstDay === null || chosen.againstDay === from
  return {
    by: isChosen ? by : COMPARISONS[0],
    startS: startOfDay(from, tz),
    endS: startOfDay(addDays(from, days), tz),
  }
}

export type Interval = 'hour' | 'day' | 'week' | 'month'

/** Fine enough to show something, coarse enough to read. */
export function sensibleInterval(days: number): Interval {
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 400 ? 'week' : 'month'
}
