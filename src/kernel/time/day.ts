// Days of a time zone (an IANA name): half open [startMs, endMs), gapless, exact over every clock change. A day that
// has begun does not end and begin again: if clocks fall back over midnight, the hour belongs to the new day. Asking
// for the same day again costs two comparisons.

import { DAY_MS, HOUR_MS } from './units.ts'

export interface Day {
  /** The local date as a number: 20261115. */
  key: number
  startMs: number
  endMs: number
}

export interface Calendar {
  /** The newest zone. */
  zone: string
  /** The zone that applies at an instant. */
  zoneAt(ms: number): string
  dayAt(ms: number): Day
  /** The day with this date; null if there is none (no date, or one that the zone skipped). */
  dayOfKey(key: number): Day | null
  /** The local wall clock at an instant, as if it were UTC. Slow: callers keep the result. */
  wallMs(ms: number): number
}

const QUARTER_MS = 15 * 60_000
const KEPT_DAYS = 8
/** More than there are zone names. */
const KEPT_ZONES = 1_000
/** The clocks of the world are between UTC−12 and UTC+14. */
const EASTMOST_MS = 14 * HOUR_MS
const WESTMOST_MS = 12 * HOUR_MS

/** Throws a RangeError for a zone that does not exist; config reports that in its own words. */
export function createCalendar(zone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const recent: Day[] = []
  let last: Day = { key: 0, startMs: 0, endMs: 0 }

  function wallMs(ms: number): number {
    const part: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(ms)) part[type] = Number(value)
    return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute)
  }

  /**
   * The first instant whose local date is `dateMs` (UTC midnight of the date) or later. Offsets are whole quarters of
   * an hour, and so are the moments at which dates change; 3 h before the guess is earlier than any shift.
   */
  function startOf(dateMs: number): number {
    const guessMs = dateMs - (wallMs(dateMs) - dateMs)
    let ms = guessMs - 3 * HOUR_MS
    while (wallMs(ms) >= dateMs) ms -= 3 * HOUR_MS
    while (wallMs(ms) < dateMs) ms += QUARTER_MS
    return ms
  }

  function build(dateMs: number): Day {
    return { key: keyOf(dateMs), startMs: startOf(dateMs), endMs: startOf(dateMs + DAY_MS) }
  }

  function keep(day: Day): Day {
    recent.push(day)
    if (recent.length > KEPT_DAYS) recent.shift()
    return day
  }

  function find(ms: number): Day {
    const known = recent.find(day => ms >= day.startMs && ms < day.endMs)
    if (known) return known
    let dateMs = Math.floor(wallMs(ms) / DAY_MS) * DAY_MS
    let day = build(dateMs)
    // Clocks that fell back over midnight show yesterday's date again.
    while (ms >= day.endMs) {
      dateMs += DAY_MS
      day = build(dateMs)
    }
    return keep(day)
  }

  return {
    zone,
    zoneAt: () => zone,
    dayAt(ms) {
      if (ms >= last.startMs && ms < last.endMs) return last
      last = find(ms)
      return last
    },
    dayOfKey(key) {
      const known = recent.find(day => day.key === key)
      if (known) return known
      const dateMs = dateOfKey(key)
      if (dateMs === null) return null
      const day = build(dateMs)
      return day.startMs < day.endMs ? keep(day) : null
    },
    wallMs,
  }
}

const calendars = new Map<string, Calendar>()

/** The calendar of a zone, created once. */
export function calendarOf(zone: string): Calendar {
  const known = calendars.get(zone)
  if (known) return known
  const made = createCalendar(zone)
  const oldest = calendars.keys().next()
  if (calendars.size >= KEPT_ZONES && !oldest.done) calendars.delete(oldest.value)
  calendars.set(zone, made)
  return made
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** Whether the text is the IANA name of a time zone, in upper or lower case. */
export function isTimeZone(name: string): boolean {
  try {
    return ZONE_NAME.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** Whether the text is a date such as 2026-11-10, from 1970 on. */
export function isDay(text: string): boolean {
  const [, year, month, date] = DATE.exec(text) ?? []
  return Number(year) >= 1970 && dateOfKey(Number(`${year}${month}${date}`)) !== null
}

export function dayOf(zone: string, ms: number): Day {
  return calendarOf(zone).dayAt(ms)
}

/** How many days of the calendar the period [startS, endS) touches, in Unix seconds; parts of days count. */
export function daysTouched({ dayAt }: Pick<Calendar, 'dayAt'>, startS: number, endS: number): number {
  if (endS <= startS) return 0
  const dateMs = (timeS: number) => dateOfKey(dayAt(timeS * 1000).key)!
  return Math.round((dateMs(endS - 1) - dateMs(startS)) / DAY_MS) + 1
}

/** All dates that it currently is somewhere on Earth, as keys in order. */
export function keysAnywhere(ms: number): number[] {
  const keys = new Set<number>()
  for (let at = ms - WESTMOST_MS; at < ms + EASTMOST_MS; at += HOUR_MS) keys.add(keyOf(at))
  return [...keys.add(keyOf(ms + EASTMOST_MS))]
}

/** From when to when it is this date anywhere on Earth; null if there is no such date. */
export function spanAnywhere(key: number): Omit<Day, 'key'> | null {
  const dateMs = dateOfKey(key)
  if (dateMs === null) return null
  return { startMs: dateMs - EASTMOST_MS, endMs: dateMs + DAY_MS + WESTMOST_MS }
}

function keyOf(dateMs: number): number {
  const date = new Date(dateMs)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}

function dateOfKey(key: number): number | null {
  const dateMs = Date.UTC(Math.floor(key / 10_000), (Math.floor(key / 100) % 100) - 1, key % 100)
  return keyOf(dateMs) === key ? dateMs : null
}
