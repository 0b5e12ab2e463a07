// The days of a customer whose time zone changes. Each instant belongs to exactly one day, days adjoin, and their dates
// only rise. A date that the new zone shows again continues as one day, however long; a day that the new zone cuts off
// is shorter. So a change never gives an instant two budgets, or none.

import { type Calendar, calendarOf, type Day } from './day.ts'

/** A zone and when it ends; the last one has no end. */
export interface ZonePart {
  zone: string
  untilMs: number
}

interface Part {
  calendar: Calendar
  fromMs: number
  untilMs: number
  /** The day under way when the part began; no date in the part is earlier. */
  under: { key: number; startMs: number }
}

const KEPT_DAYS = 8
const KEPT_CALENDARS = 1_000

/** The zones are in order of time; the last has no end. */
export function createZonedCalendar(zones: readonly ZonePart[]): Calendar {
  const parts: Part[] = []
  const recent: Day[] = []
  let last: Day = { key: 0, startMs: 0, endMs: 0 }
  for (const { zone, untilMs } of zones) {
    const before = parts.at(-1)
    const fromMs = before?.untilMs ?? Number.NEGATIVE_INFINITY
    const under = before ? beginningOf(before, before.untilMs - 1) : { key: 0, startMs: fromMs }
    parts.push({ calendar: calendarOf(zone), fromMs, untilMs, under })
  }

  function partAt(ms: number): Part {
    return parts.find(part => ms < part.untilMs)!
  }

  function build(ms: number): Day {
    let at = parts.indexOf(partAt(ms))
    const day = { ...beginningOf(parts[at]!, ms), endMs: endIn(parts[at]!, ms) }
    // The date may continue in the next zone.
    while (day.endMs >= parts[at]!.untilMs) {
      const next = parts[at + 1]!
      day.endMs = next.fromMs
      if (beginningOf(next, next.fromMs).key !== day.key) break
      day.endMs = endIn(next, next.fromMs)
      at++
    }
    return day
  }

  function dayAt(ms: number): Day {
    if (ms >= last.startMs && ms < last.endMs) return last
    last = recent.find(day => ms >= day.startMs && ms < day.endMs) ?? keep(build(ms))
    return last
  }

  function keep(day: Day): Day {
    recent.push(day)
    if (recent.length > KEPT_DAYS) recent.shift()
    return day
  }

  return {
    zone: zones.at(-1)!.zone,
    zoneAt: ms => partAt(ms).calendar.zone,
    dayAt,
    dayOfKey(key) {
      const known = recent.find(day => day.key === key)
      if (known) return known
      for (const { calendar, fromMs, untilMs } of parts) {
        const plain = calendar.dayOfKey(key)
        if (!plain) continue
        const startMs = Math.max(plain.startMs, fromMs)
        if (startMs >= Math.min(plain.endMs, untilMs)) continue
        const day = build(startMs)
        if (day.key === key) return keep(day)
      }
      return null
    },
    wallMs: ms => partAt(ms).calendar.wallMs(ms),
  }
}

/** The date at an instant of a part, and when that date began. */
function beginningOf({ calendar, fromMs, under }: Part, ms: number): { key: number; startMs: number } {
  const { key, startMs } = calendar.dayAt(ms)
  return key > under.key ? { key, startMs: Math.max(startMs, fromMs) } : { ...under }
}

/** When the part's zone would show a date later than the day's, if there were no next part. */
function endIn({ calendar, under }: Part, ms: number): number {
  let day = calendar.dayAt(ms)
  const key = Math.max(day.key, under.key)
  while (day.key <= key) day = calendar.dayAt(day.endMs)
  return day.startMs
}

const calendars = new Map<string, Calendar>()

/** Created once, so that all campaigns with the same days share the days that are already known. */
export function zonedCalendarOf(zones: readonly ZonePart[]): Calendar {
  if (zones.length === 1) return calendarOf(zones[0]!.zone)
  const name = JSON.stringify(zones)
  const known = calendars.get(name)
  if (known) return known
  const made = createZonedCalendar(zones)
  const oldest = calendars.keys().next()
  if (calendars.size >= KEPT_CALENDARS && !oldest.done) calendars.delete(oldest.value)
  calendars.set(name, made)
  return made
}
