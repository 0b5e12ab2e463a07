// The time zone of a customer, and its changes. A change takes effect at the first midnight of the new zone after the
// end of the current day, so that no moment belongs to two days, or to none (zoned-calendar.ts).

import type { Calendar } from './day.ts'
import { type ZonePart, zonedCalendarOf } from './zoned-calendar.ts'

/** An earlier zone and when it ends, in Unix seconds. Null is the zone of the deployment. */
export type ZoneBefore = [zone: string | null, untilS: number]

export interface Zones {
  /** The newest zone, which may not have begun. Null is the zone of the deployment. */
  timezone: string | null
  /** The zones before it, in order, of about the last year. */
  before: readonly ZoneBefore[]
}

export interface PendingZone {
  timezone: string | null
  /** Unix seconds. */
  from: number
}

export const DEPLOYMENT_ZONE: Zones = { timezone: null, before: [] }

/** By then, every process has learned of a change. */
const HEARD_MS = 60_000
/** How long earlier zones are kept, to know by whose days figures were counted. */
const KEPT_MS = 400 * 86_400_000

/** The zone that applies now; null is the deployment's. */
export function zoneAt({ timezone, before }: Zones, nowMs: number): string | null {
  const present = before.find(([, untilS]) => nowMs < untilS * 1000)
  return present ? present[0] : timezone
}

/** The change that has not yet begun, or null. */
export function pendingZone({ timezone, before }: Zones, nowMs: number): PendingZone | null {
  const last = before.at(-1)
  return last && nowMs < last[1] * 1000 ? { timezone, from: last[1] } : null
}

/** `ownZone`: the deployment's zone. */
export function calendarIn({ timezone, before }: Zones, ownZone: string): Calendar {
  const parts: ZonePart[] = before.map(([zone, untilS]) => ({
    zone: zone ?? ownZone,
    untilMs: untilS * 1000,
  }))
  return zonedCalendarOf([...parts, { zone: timezone ?? ownZone, untilMs: Number.POSITIVE_INFINITY }])
}

/**
 * Requests another zone. It replaces a change that has not begun; requesting the present zone withdraws that change.
 */
export function changeZone(zones: Zones, timezone: string | null, ownZone: string, nowMs: number): Zones {
  const pending = pendingZone(zones, nowMs)
  if (pending && pending.timezone === timezone) return zones
  const present = zoneAt(zones, nowMs)
  const past = zones.before.filter(([, untilS]) => untilS * 1000 <= nowMs)
  const before = past.filter(([, untilS]) => untilS * 1000 > nowMs - KEPT_MS)
  if ((timezone ?? ownZone) === (present ?? ownZone)) return { timezone, before }
  const today = calendarIn({ timezone: present, before }, ownZone).dayAt(nowMs + HEARD_MS)
  const fromMs = firstMidnight(calendarIn({ timezone, before: [] }, ownZone), today.endMs)
  return { timezone, before: [...before, [present, fromMs / 1000]] }
}

/** The first midnight at or after this instant. */
function firstMidnight(calendar: Calendar, ms: number): number {
  const { startMs, endMs } = calendar.dayAt(ms)
  return startMs === ms ? startMs : endMs
}
