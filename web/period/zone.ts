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
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - Math.floor(unixMs / 1000) * 1000
}

/** `2026-03-29T00:00` as a wall clock in that zone shows it. */
export function wallToUnix(wall: string, timeZone: string): number {
  const asUtcMs = Date.parse(`${wall}Z`)
  const first = asUtcMs - offsetMs(asUtcMs, timeZone)
  return Math.floor((asUtcMs - offsetMs(first, timeZone)) / 1000)
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
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10)
}

export function startOfDay(day: string, timeZone: string): number {
  return wallToUnix(`${day}T00:00:00`, timeZone)
}
