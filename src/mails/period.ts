// The periods of reports: days and weeks (from Monday) of a customer. A report is due in the morning after.

import type { Calendar, Day } from '../kernel/day.ts'
import type { ReportChoice } from './contract.ts'

export type Every = Exclude<ReportChoice, 'off'>

/** Half open. */
export interface ReportPeriod {
  every: Every
  /** Its name: `daily 20261114`, by its first day. */
  about: string
  startS: number
  endS: number
  /** The previous one, to compare with. */
  beforeS: number
}

const DUE_AFTER_MS = 7 * 3_600_000
const DAYS = { daily: 1, weekly: 7 }

/** The last period whose report is due. */
export function duePeriod(every: Every, calendar: Calendar, nowMs: number): ReportPeriod {
  const end = beginning(every, calendar, calendar.dayAt(nowMs - DUE_AFTER_MS))
  const start = back(calendar, end, DAYS[every])
  const before = back(calendar, start, DAYS[every])
  return {
    every,
    about: `${every} ${start.key}`,
    startS: start.startMs / 1000,
    endS: end.startMs / 1000,
    beforeS: before.startMs / 1000,
  }
}

/** When the next report after that is due. */
export function nextDueMs(every: Every, calendar: Calendar, nowMs: number): number {
  let day = beginning(every, calendar, calendar.dayAt(nowMs - DUE_AFTER_MS))
  for (let i = 0; i < DAYS[every]; i++) day = calendar.dayAt(day.endMs)
  return day.startMs + DUE_AFTER_MS
}

/** The first day of the period that this day is in. */
function beginning(every: Every, calendar: Calendar, day: Day): Day {
  return every === 'daily' ? day : back(calendar, day, daysSinceMonday(day.key))
}

function back(calendar: Calendar, from: Day, days: number): Day {
  let day = from
  for (let i = 0; i < days; i++) day = calendar.dayAt(day.startMs - 1)
  return day
}

function daysSinceMonday(key: number): number {
  const date = Date.UTC(Math.floor(key / 10_000), (Math.floor(key / 100) % 100) - 1, key % 100)
  return (new Date(date).getUTCDay() + 6) % 7
}
