// Months of a calendar. A month is a month of its days, so it begins and ends with them, and no moment has two.

import { type Calendar, daysTouched } from './day.ts'

/** The month of a day: 20261115 is in 202611. */
export const monthOf = (dayKey: number): number => Math.floor(dayKey / 100)

export const nextMonth = (month: number): number => (month % 100 === 12 ? month + 89 : month + 1)

/** The first moment of a month. The zone may have skipped its first day. */
export function startOfMonth(calendar: Pick<Calendar, 'dayOfKey'>, month: number): number {
  return (calendar.dayOfKey(month * 100 + 1) ?? calendar.dayOfKey(month * 100 + 2))!.startMs
}

/** How many months of the calendar the period [startS, endS) touches, in Unix seconds; parts of months count. */
export function monthsTouched(calendar: Pick<Calendar, 'dayAt'>, startS: number, endS: number): number {
  if (daysTouched(calendar, startS, endS) === 0) return 0
  const numberAt = (timeS: number) => {
    const month = monthOf(calendar.dayAt(timeS * 1000).key)
    return Math.floor(month / 100) * 12 + (month % 100)
  }
  return numberAt(endS - 1) - numberAt(startS) + 1
}
