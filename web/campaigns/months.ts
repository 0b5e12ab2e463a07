// The daily budget that follows from an amount per month or in total.

import { dayOf } from '../period/zone.ts'

const upToCents = (amount: number) => Math.max(0.01, Math.ceil(amount * 100 - 1e-6) / 100)

/** The number of days of the month in which a run begins. */
export function daysOfMonth(startS: number, timeZone: string): number {
  const [year, month] = dayOf(startS, timeZone).split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The month divided by its days: each day may spend its part, and none is left over. */
export function dailyOfMonth(monthly: number, startS: number, timeZone: string): number {
  return upToCents(monthly / daysOfMonth(startS, timeZone))
}

/**
 * The most for one day when a total is spread over days: twice the even part, so that the campaign can catch up after a
 * slow day.
 */
export function dailyOfTotal(total: number, days: number): number {
  return Math.min(Math.max(0.01, total), upToCents((2 * total) / days))
}
