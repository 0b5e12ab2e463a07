// The days of a saved view in an email: only whole days. A period that would include today ends with yesterday instead.

import type { Calendar } from '../../kernel/time/day.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { firstComparedDay, type Range, type SavedView } from './contract.ts'

/** Half open. */
export interface MailedPeriod {
  startS: number
  endS: number
  /** The same number of days to compare with; null: there are none. */
  beforeS: number | null
  beforeEndS: number | null
}

/** Figures of "all time" start here: ten years back. */
const MOST_DAYS = 3652

export const addDays = (day: string, count: number) =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)
const keyOf = (day: string) => Number(day.replaceAll('-', ''))
const dayOfKey = (key: number) =>
  `${Math.floor(key / 10_000)}-${String(Math.floor(key / 100) % 100).padStart(2, '0')}-${String(key % 100).padStart(2, '0')}`

/** The period as emailed on the day of `nowMs`; null: none of its days is over yet. */
export function mailedPeriod(
  view: Pick<SavedView, 'range' | 'firstDay' | 'lastDay'> &
    Partial<Pick<SavedView, 'against' | 'againstDay'>>,
  calendar: Calendar,
  nowMs: number,
): MailedPeriod | null {
  const today = dayOfKey(calendar.dayAt(nowMs).key)
  const [first, last] = view.range ? daysOf(view.range, today) : fixedDays(view, today)
  if (first > last) return null
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1
  const startOf = (day: string) => startMs(calendar, day) / 1000
  const { against = 'before', againstDay = null } = view
  const isAlone = view.range === 'all' || against === 'none'
  const earliest = addDays(first, -MOST_DAYS)
  const wanted = isAlone ? null : firstComparedDay({ against, againstDay }, first, days)
  const compared = wanted !== null && wanted < earliest ? earliest : wanted
  return {
    startS: startOf(first),
    endS: startOf(addDays(last, 1)),
    beforeS: compared === null ? null : startOf(compared),
    beforeEndS: compared === null ? null : startOf(addDays(compared, days)),
  }
}

/** The start of a day; if the zone skipped it, the start of the next one. */
function startMs(calendar: Calendar, day: string): number {
  return (calendar.dayOfKey(keyOf(day)) ?? calendar.dayOfKey(keyOf(addDays(day, 1))))!.startMs
}

/** The days that are over, and no more than for all time: any days up to the year 9999 can be asked for. */
function fixedDays(
  { firstDay, lastDay }: Pick<SavedView, 'firstDay' | 'lastDay'>,
  today: string,
): [string, string] {
  const yesterday = addDays(today, -1)
  const last = lastDay !== null && lastDay < yesterday ? lastDay : yesterday
  const earliest = addDays(last, 1 - MOST_DAYS)
  return [firstDay !== null && firstDay > earliest ? firstDay : earliest, last]
}

function daysOf(range: Range, today: string): [string, string] {
  const yesterday = addDays(today, -1)
  switch (range) {
    case 'today':
    case 'yesterday':
      return [yesterday, yesterday]
    case 'week':
      return [mondayOf(yesterday), yesterday]
    case 'lastWeek':
      return [addDays(mondayOf(today), -7), addDays(mondayOf(today), -1)]
    case '7d':
      return [addDays(today, -7), yesterday]
    case '28d':
      return [addDays(today, -28), yesterday]
    case '30d':
      return [addDays(today, -30), yesterday]
    case 'month':
      return [firstOf(yesterday), yesterday]
    case 'lastMonth':
      return [firstOf(addDays(firstOf(today), -1)), addDays(firstOf(today), -1)]
    case 'all':
      return [addDays(today, -MOST_DAYS), yesterday]
  }
}

const firstOf = (day: string) => `${day.slice(0, 7)}-01`
const mondayOf = (day: string) => addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
