// A time zone: how far its clocks are from UTC at any second. Uses Intl, and so the runtime's tz database; everything
// else about local time is arithmetic (buckets.ts).

export interface Zone {
  name: string
  /** How many seconds the zone's clocks are ahead of UTC at this moment. */
  offsetAt(timeS: number): number
}

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/
/** Limited because a formatter is large, and callers choose the names. */
const MAX_CACHED = 100
const cached = new Map<string, Zone>()

/** The zone with this IANA name, in any case; null if there is none. */
export function openZone(name: string): Zone | null {
  const known = cached.get(name)
  if (known) return known
  const format = NAME.test(name) ? formatOf(name) : null
  if (!format) return null
  const zone = { name: format.resolvedOptions().timeZone, offsetAt: (timeS: number) => offset(format, timeS) }
  if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value!)
  cached.set(name, zone)
  return zone
}

/** The zone of a setting that was checked at the start. */
export function zoneOfSetting(name: string): Zone {
  const zone = openZone(name)
  if (!zone) throw new Error(`no time zone ${name}`)
  return zone
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', timeZoneName: 'longOffset' })
  } catch {
    return null
  }
}

/** Reads `GMT`, `GMT+05:45` or `GMT-00:44:30` at the end of the text. */
function offset(format: Intl.DateTimeFormat, timeS: number): number {
  const text = format.format(timeS * 1000)
  const at = text.lastIndexOf('GMT') + 3
  if (at === text.length) return 0
  const [hours, minutes, seconds = 0] = text
    .slice(at + 1)
    .split(':')
    .map(Number)
  const size = hours! * 3600 + minutes! * 60 + seconds
  return text[at] === '+' ? size : -size
}
