// The periods of reports: days, weeks (from Monday) and months of a customer. A report is due at 07:00 on the day after
// its period.

import type { Calendar, Day } from './time/day.ts'

export type Every = 'daily' | 'weekly' | 'monthly'

/** Half open. */
export interface ReportPeriod<E extends Every = Every> {
  every: E
  /** Names the period by its first day: `daily 20261114`. */
  about: string
  startS: number
  endS: number
  /** The start of the previous period, for comparison. */
  beforeS: number
}

const DUE_AFTER_MS = 7 * 3_600_000

/** The last period whose report is due. */
export function duePeriod<E extends Every>(every: E, calendar: Calendar, nowMs: number): ReportPeriod<E> {
  const end = dueDay(every, calendar, nowMs)
  const start = beginning(every, calendar, calendar.dayAt(end.startMs - 1))
  const before = beginning(every, calendar, calendar.dayAt(start.startMs - 1))
  return {
    every,
    about: `${every} ${start.key}`,
    startS: start.startMs / 1000,
    endS: end.startMs / 1000,
    beforeS: before.startMs / 1000,
  }
}

/** The day on whose morning the last report was due. */
export function dueDay(every: Every, calendar: Calendar, nowMs: number): Day {
  return beginning(every, calendar, calendar.dayAt(nowMs - DUE_AFTER_MS))
}

/** When the next report after that one is due. */
export function nextDueMs(every: Every, calendar: Calendar, nowMs: number): number {
  const last = dueDay(every, calendar, nowMs)
  let day = last
  do day = calendar.dayAt(day.endMs)
  while (beginning(every, calendar, day).key === last.key)
  return day.startMs + DUE_AFTER_MS
}

/** The first day of the period that contains this day. */
function beginning(every: Every, calendar: Calendar, day: Day): Day {
  if (every === 'daily') return day
  return back(calendar, day, every === 'weekly' ? daysSinceMonday(day.key) : (day.key % 100) - 1)
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
