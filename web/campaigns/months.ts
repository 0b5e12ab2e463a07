// A budget per month: its equal per day, and the calendar months of a run, each with its part of the budget.

import { addDays, dayOf, startOfDay } from '../period/zone.ts'
import { daysOf } from './most-cost.ts'

export const DAYS_OF_MONTH = 365 / 12
/** More flights than this are not made at once. */
const MOST_MONTHS = 100

export interface Month {
  start: number
  end: number
  totalSpend: number
}

const upToCents = (amount: number) => Math.ceil(amount * 100 - 1e-6) / 100

/** Over a year, twelve months are spent. */
export function dailyOfMonth(monthly: number): number {
  return Math.max(0.01, upToCents(monthly / DAYS_OF_MONTH))
}

/** The most of one day where a total is spread over days: twice its even part, so that a slow day can be made up for. */
export function dailyOfTotal(total: number, days: number): number {
  return Math.max(0.01, Math.min(total, upToCents((2 * total) / days)))
}

/** The months of a zone that a run touches. One of which it has only some days gets a part, by days. */
export function monthsOf(startS: number, endS: number, timeZone: string, monthly: number): Month[] {
  const months: Month[] = []
  for (let start = startS; start < endS && months.length < MOST_MONTHS; ) {
    const month = dayOf(start, timeZone).slice(0, 7)
    const first = startOfDay(`${month}-01`, timeZone)
    const next = startOfDay(`${addDays(`${month}-28`, 4).slice(0, 7)}-01`, timeZone)
    const end = Math.min(endS, next)
    const part = daysOf(start, end, timeZone) / daysOf(first, next, timeZone)
    months.push({ start, end, totalSpend: Math.max(0.01, Math.round(monthly * part * 100) / 100) })
    start = next
  }
  return months
}

/** What all of them can cost at most, if no day costs more than `daily`. */
export function mostOfMonths(months: readonly Month[], daily: number, timeZone: string): number {
  const cents = months.map(({ start, end, totalSpend }) =>
    Math.round(100 * Math.min(totalSpend, daily * daysOf(start, end, timeZone))),
  )
  return cents.reduce((sum, one) => sum + one, 0) / 100
}
