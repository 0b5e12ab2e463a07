// The period that figures are shown for: a preset or two days, in the customer's time zone, as for budgets. It is kept
// in the address, so that a link shows what its sender saw. Half open, in Unix seconds.

import { RANGES, type Range } from '../../src/report/saved-views/contract.ts'
import { addDays, dayOf, startOfDay } from './zone.ts'

export const PRESETS = RANGES
export type Preset = Range
/** Whole weeks, so that Fridays are compared with Fridays. */
export const DEFAULT_PRESET: Preset = '28d'

/** What a period is compared with: as many days just before it, on the same weekdays, or a year before; or nothing. */
export const COMPARISONS = ['before', 'weekdays', 'year', 'none'] as const
export type Comparison = (typeof COMPARISONS)[number]

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
  return {
    preset,
    firstDay,
    lastDay,
    tz,
    startS: startOfDay(firstDay, tz),
    endS: startOfDay(addDays(lastDay, 1), tz),
    days,
    compared: preset === 'all' || against === 'none' ? null : comparedWith(against, firstDay, days, tz),
  }
}

/** Days that are not all before the period are not compared with it: that is what `before` is for. */
function comparedWith(against: string, firstDay: string, days: number, tz: string): Compared {
  const justBefore = addDays(firstDay, -days)
  const first = firstComparedDay(against, firstDay, days)
  const isBefore = first <= justBefore
  const from = isBefore ? first : justBefore
  return {
    by: isBefore ? against : COMPARISONS[0],
    startS: startOfDay(from, tz),
    endS: startOfDay(addDays(from, days), tz),
  }
}

function firstComparedDay(against: string, firstDay: string, days: number): string {
  if (isDay(against)) return against
  if (against === 'weekdays') return addDays(firstDay, -7 * Math.ceil(days / 7))
  if (against !== 'year') return addDays(firstDay, -days)
  const day = new Date(firstDay)
  day.setUTCFullYear(day.getUTCFullYear() - 1)
  return day.toISOString().slice(0, 10)
}

export type Interval = 'hour' | 'day' | 'week' | 'month'

/** Fine enough to show something, coarse enough to read. */
export function sensibleInterval(days: number): Interval {
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 400 ? 'week' : 'month'
}
