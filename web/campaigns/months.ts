// A budget per month: the equivalent daily budget, and the calendar months of a run, each with its part of the budget.

import { addDays, dayOf, startOfDay } from '../period/zone.ts'
import { daysOf } from './most-cost.ts'

export const DAYS_OF_MONTH = 365 / 12
/** No more flights than this are created at once. */
const MOST_MONTHS = 100

export interface Month {
  start: number
  end: number
  totalSpend: number
}

const upToCents = (amount: number) => Math.ceil(amount * 100 - 1e-6) / 100

/** Such that twelve months are spent in a year. */
export function dailyOfMonth(monthly: number): number {
  return Math.max(0.01, upToCents(monthly / DAYS_OF_MONTH))
}

/**
 * The most for one day when a total is spread over days: twice the even part, so that the campaign can catch up after a
 * slow day.
 */
export function dailyOfTotal(total: number, days: number): number {
  return Math.max(0.01, Math.min(total, upToCents((2 * total) / days)))
}

/**
 * The calendar months of a zone that a run touches. A month that is only partly in the run gets a part of the budget by
 * its days.
 */
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

/** The most that all months can cost, if no day costs more than `daily`. */
export function mostOfMonths(months: readonly Month[], daily: number, timeZone: string): number {
  const cents = months.map(({ start, end, totalSpend }) =>
    Math.round(100 * Math.min(totalSpend, daily * daysOf(start, end, timeZone))),
  )
  return cents.reduce((sum, one) => sum + one, 0) / 100
}
