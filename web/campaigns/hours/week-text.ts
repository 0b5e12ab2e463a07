// The hours of a week in words.

import { hour as clockTime } from '../../format/format.ts'
import { locale, t } from '../../words/words.ts'
import { HOURS, type Hours, WEEKDAYS, type Weekday } from './week.ts'

const DAY_S = 86_400
/** A Monday. */
const FIRST_S = 4 * DAY_S

export function dayName(day: Weekday, style: 'short' | 'long'): string {
  const at = (FIRST_S + WEEKDAYS.indexOf(day) * DAY_S) * 1000
  return new Intl.DateTimeFormat(locale(), { weekday: style, timeZone: 'UTC' }).format(at)
}

/** From the first to the last minute, such as 9:00 AM – 12:00 PM. */
export function rangeText(from: number, to: number): string {
  return `${clockTime(from * 3600, 'UTC')} – ${clockTime(to * 3600, 'UTC')}`
}

/** Such as: Mon – Fri 9:00 AM – 5:00 PM; Sat 10:00 AM – 12:00 PM. Consecutive days with the same hours are combined. */
export function weekText(hours: Hours): string {
  const groups: { first: Weekday; last: Weekday; hours: number[] }[] = []
  for (const day of WEEKDAYS) {
    const own = hours[day] ?? []
    const group = groups.at(-1)
    const isNext = group && WEEKDAYS.indexOf(group.last) === WEEKDAYS.indexOf(day) - 1
    if (isNext && group.hours.join() === own.join()) group.last = day
    else if (own.length > 0) groups.push({ first: day, last: day, hours: own })
  }
  return groups.map(group => `${daysText(group.first, group.last)} ${rangesText(group.hours)}`).join('; ')
}

function daysText(first: Weekday, last: Weekday): string {
  const name = dayName(first, 'short')
  return first === last ? name : `${name} – ${dayName(last, 'short')}`
}

function rangesText(hours: number[]): string {
  if (hours.length === HOURS.length) return t('hours.allDay')
  const ranges: [number, number][] = []
  for (const hour of hours) {
    const last = ranges.at(-1)
    if (last?.[1] === hour) last[1] = hour + 1
    else ranges.push([hour, hour + 1])
  }
  return ranges.map(([from, to]) => rangeText(from, to)).join(', ')
}
