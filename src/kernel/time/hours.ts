// Hours of the week by the wall clock of a zone, and when they are open. Exact over every clock change: an hour that
// occurs twice is open both times, and a skipped one does not exist. Clocks change at whole quarters of an hour, as
// days do (day.ts). Asking about the same stretch again costs two comparisons, cheap enough for every request.

import type { Calendar } from './day.ts'
import { DAY_MS, HOUR_MS } from './units.ts'

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** One number per day, Monday first; bit 0 is the hour that begins at midnight. */
export type Week = number[]

/** As people and apps write them; a day that is left out has no hours. */
export type HoursOfDays = Partial<Record<Weekday, number[]>>

export interface Hours {
  readonly week: Week
  /** The zone by whose clock they are read. */
  readonly calendar: Calendar
  /** The stretch that was last asked about, which is open or closed throughout. */
  isOpen: boolean
  fromMs: number
  untilMs: number
}

/** Half open. */
interface Stretch {
  startMs: number
  endMs: number
}

/** A stretch during which the wall clock has a constant offset from UTC. */
interface Piece extends Stretch {
  offsetMs: number
}

const QUARTER_MS = 15 * 60_000
const DAY_HOURS = 24
const WEEK_HOURS = 168
const WEEK_MS = WEEK_HOURS * HOUR_MS
/** 1970 began on a Thursday. */
const FIRST_MONDAY_HOURS = 4 * DAY_HOURS
/** A stretch is computed no further ahead than this, so that an endless one has an end. */
const LONGEST_MS = 2 * DAY_MS
const KEPT_DAYS = 1_000

export function createHours(week: Week, calendar: Calendar): Hours {
  return { week, calendar, isOpen: false, fromMs: 0, untilMs: 0 }
}

/** Null means always open. */
export function isOpenAt(hours: Hours | null, ms: number): boolean {
  if (hours === null) return true
  if (ms < hours.fromMs || ms >= hours.untilMs) learnStretch(hours, ms)
  return hours.isOpen
}

/** The first open moment from `fromMs` on; null if there is none before `toMs`. */
export function nextOpening(hours: Hours | null, fromMs: number, toMs: number): number | null {
  if (hours === null) return fromMs < toMs ? fromMs : null
  if (hours.week.every(bits => bits === 0)) return null
  let foundMs: number | null = null
  eachHour(hours.calendar, fromMs, toMs, (weekHour, startMs) => {
    if (hasHour(hours.week, weekHour)) foundMs = startMs
    return foundMs === null
  })
  return foundMs
}

/** How much of the period is open, in milliseconds. */
export function openMs(hours: Hours | null, fromMs: number, toMs: number): number {
  if (hours === null) return Math.max(0, toMs - fromMs)
  let sumMs = 0
  eachHour(hours.calendar, fromMs, toMs, (weekHour, startMs, endMs) => {
    if (hasHour(hours.week, weekHour)) sumMs += endMs - startMs
    return true
  })
  return sumMs
}

/**
 * The same for plans, which look years ahead. It is exact up to two weeks. Further weeks are treated as equal, although
 * in two weeks of each year one hour occurs twice or not at all.
 */
export function plannedOpenMs(hours: Hours | null, fromMs: number, toMs: number): number {
  if (hours === null) return Math.max(0, toMs - fromMs)
  const farMs = Math.max(0, Math.floor((toMs - fromMs) / WEEK_MS) - 1) * WEEK_MS
  return openMs(hours, fromMs, toMs - farMs) + (farMs / WEEK_MS) * openHours(hours.week) * HOUR_MS
}

function openHours(week: Week): number {
  let count = 0
  for (let weekHour = 0; weekHour < WEEK_HOURS; weekHour++) if (hasHour(week, weekHour)) count++
  return count
}

/** The day (0 is Monday) and the hour that the clock shows. */
export function weekHourAt(calendar: Calendar, ms: number): { day: number; hour: number } {
  const piece = piecesOf(calendar, Math.floor(ms / DAY_MS) * DAY_MS).find(({ endMs }) => ms < endMs)!
  const weekHour = weekHourOf(ms + piece.offsetMs)
  return { day: Math.floor(weekHour / DAY_HOURS), hour: weekHour % DAY_HOURS }
}

export function weekOf(days: HoursOfDays): Week {
  return WEEKDAYS.map(day => (days[day] ?? []).reduce((bits, hour) => bits | (1 << hour), 0))
}

/** The inverse of `weekOf`: in order, without days that have no hours. */
export function hoursOfDays(week: Week): HoursOfDays {
  const days: HoursOfDays = {}
  for (const [index, day] of WEEKDAYS.entries()) {
    const hours = Array.from({ length: DAY_HOURS }, (_, hour) => hour).filter(
      hour => ((week[index]! >> hour) & 1) === 1,
    )
    if (hours.length > 0) days[day] = hours
  }
  return days
}

/** Looks only ahead, because questions move forward with time. */
function learnStretch(hours: Hours, ms: number): void {
  let isOpen: boolean | null = null
  let untilMs = ms
  eachHour(hours.calendar, ms, ms + LONGEST_MS, (weekHour, _startMs, endMs) => {
    const isOpenThen = hasHour(hours.week, weekHour)
    isOpen ??= isOpenThen
    if (isOpenThen !== isOpen) return false
    untilMs = endMs
    return true
  })
  hours.isOpen = isOpen === true
  hours.fromMs = ms
  hours.untilMs = untilMs
}

function hasHour(week: Week, weekHour: number): boolean {
  return ((week[Math.floor(weekHour / DAY_HOURS)]! >> (weekHour % DAY_HOURS)) & 1) === 1
}

/** Visits each hour of the wall clock that touches [fromMs, toMs), cut to that period, until `visit` returns false. */
function eachHour(
  calendar: Calendar,
  fromMs: number,
  toMs: number,
  visit: (weekHour: number, startMs: number, endMs: number) => boolean,
): void {
  for (let dayMs = Math.floor(fromMs / DAY_MS) * DAY_MS; dayMs < toMs; dayMs += DAY_MS) {
    for (const piece of piecesOf(calendar, dayMs)) {
      const lastMs = Math.min(piece.endMs, toMs)
      let startMs = Math.max(piece.startMs, fromMs)
      while (startMs < lastMs) {
        const wallMs = startMs + piece.offsetMs
        const endMs = Math.min(lastMs, startMs - (wallMs % HOUR_MS) + HOUR_MS)
        if (!visit(weekHourOf(wallMs), startMs, endMs)) return
        startMs = endMs
      }
    }
  }
}

/** The hour of the week that a wall clock shows; 0 begins at midnight on Monday. */
function weekHourOf(wallMs: number): number {
  return (Math.floor(wallMs / HOUR_MS) - FIRST_MONDAY_HOURS + WEEK_HOURS) % WEEK_HOURS
}

const known = new WeakMap<Calendar, Map<number, Piece[]>>()

/** The pieces of a UTC day, nearly always one. Computed once for each calendar. */
function piecesOf(calendar: Calendar, dayMs: number): Piece[] {
  let days = known.get(calendar)
  if (!days) {
    days = new Map()
    known.set(calendar, days)
  }
  let pieces = days.get(dayMs)
  if (!pieces) {
    if (days.size >= KEPT_DAYS) days.clear()
    pieces = buildPieces(calendar, dayMs)
    days.set(dayMs, pieces)
  }
  return pieces
}

function buildPieces(calendar: Calendar, dayMs: number): Piece[] {
  const pieces: Piece[] = []
  const offsetAt = (ms: number) => calendar.wallMs(ms) - ms
  let offsetMs = offsetAt(dayMs)
  for (let hourMs = dayMs; hourMs < dayMs + DAY_MS; hourMs += HOUR_MS) {
    const nextMs = offsetAt(hourMs + HOUR_MS)
    // Only an hour in which clocks change is examined by quarters.
    const stepMs = nextMs === offsetMs ? HOUR_MS : QUARTER_MS
    for (let ms = hourMs; ms < hourMs + HOUR_MS; ms += stepMs) {
      offsetMs = stepMs === HOUR_MS ? offsetMs : offsetAt(ms)
      const last = pieces.at(-1)
      if (last?.offsetMs === offsetMs) last.endMs = ms + stepMs
      else pieces.push({ startMs: ms, endMs: ms + stepMs, offsetMs })
    }
    offsetMs = nextMs
  }
  return pieces
}
