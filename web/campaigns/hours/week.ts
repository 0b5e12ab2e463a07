// The hours of a week as the API writes them, and how they change.

import type { Campaign } from '../../../src/manage/campaigns/contract.ts'

export type Hours = NonNullable<Campaign['hours']>
export type Weekday = keyof Hours

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies Weekday[]
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** One hour of the week. */
export interface Cell {
  day: Weekday
  hour: number
}

const OFFICE_DAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri']
const OFFICE_HOURS = [9, 10, 11, 12, 13, 14, 15, 16]

export function officeHours(): Hours {
  return Object.fromEntries(OFFICE_DAYS.map(day => [day, OFFICE_HOURS]))
}

export function hasHour(hours: Hours, { day, hour }: Cell): boolean {
  return hours[day]?.includes(hour) ?? false
}

/** As the API returns them: in order, without days that have no hours. */
export function withHours(hours: Hours, cells: readonly Cell[], isOn: boolean): Hours {
  const changed: Hours = {}
  for (const day of WEEKDAYS) {
    const own = new Set(cells.filter(cell => cell.day === day).map(cell => cell.hour))
    const kept = HOURS.filter(hour => (own.has(hour) ? isOn : hasHour(hours, { day, hour })))
    if (kept.length > 0) changed[day] = kept
  }
  return changed
}

export function countHours(hours: Hours): number {
  return WEEKDAYS.reduce((sum, day) => sum + (hours[day]?.length ?? 0), 0)
}
