// Days in a time zone: when they begin, in Unix seconds, with daylight saving.

const formats = new Map<string, Intl.DateTimeFormat>()

function partsAt(unixMs: number, timeZone: string): Record<string, number> {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timeZone, format)
  }
  return Object.fromEntries(format.formatToParts(unixMs).map(part => [part.type, Number(part.value)]))
}

function offsetMs(unixMs: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsAt(unixMs, timeZone)
  const wall = new Date(0)
  // Not Date.UTC, which takes the year 20 for 1920: a year that is being typed starts like that.
  wall.setUTCFullYear(year!, month! - 1, day!)
  return wall.setUTCHours(hour!, minute!, second!) - Math.floor(unixMs / 1000) * 1000
}

const DAY_MS = 86_400_000

/**
 * The moment when a wall clock in the zone shows `2026-03-29T00:00`. If it shows it twice, the first; if the clock
 * skips it, the result is later by the skipped time, so that a day without its first hour begins with its second.
 */
export function wallToUnix(wall: string, timeZone: string): number {
  const asUtcMs = Date.parse(`${wall}Z`)
  const before = asUtcMs - offsetMs(asUtcMs - DAY_MS, timeZone)
  const after = asUtcMs - offsetMs(asUtcMs + DAY_MS, timeZone)
  const shows = (unixMs: number) => unixMs + offsetMs(unixMs, timeZone) === asUtcMs
  return Math.floor((!shows(before) && shows(after) ? after : before) / 1000)
}

/** `2026-03-29T14:05` for a field of type datetime-local. */
export function unixToWall(unixS: number, timeZone: string): string {
  const { year, month, day, hour, minute } = partsAt(unixS * 1000, timeZone)
  const two = (value: number | undefined) => String(value).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`
}

/** `2026-03-29`. */
export function dayOf(unixS: number, timeZone: string): string {
  return unixToWall(unixS, timeZone).slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)
}

export function startOfDay(day: string, timeZone: string): number {
  return wallToUnix(`${day}T00:00:00`, timeZone)
}
