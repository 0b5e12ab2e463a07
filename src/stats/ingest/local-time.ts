// Which quarter of an hour a moment is in, and the date and hour that the deployment's clocks show then.
// Zones differ from each other by whole quarters, so a quarter has one date and one hour.

export interface Quarter {
  startMs: number
  /** Quarters since 1970. */
  number: number
  /** `2026-11-15`, by the deployment's clocks; and as days since 1970. */
  day: string
  dayNumber: number
  /** `00` to `23`. */
  hour: string
}

const QUARTER_MS = 15 * 60_000
const DAY_MS = 86_400_000
const KEPT_QUARTERS = 1000

export function createQuarters(timeZone: string): (ms: number) => Quarter {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  const known = new Map<number, Quarter>()

  function read(startMs: number): Quarter {
    const part: Record<string, string> = {}
    for (const { type, value } of format.formatToParts(startMs)) part[type] = value
    const day = `${part.year!.padStart(4, '0')}-${part.month}-${part.day}`
    return {
      startMs,
      number: startMs / QUARTER_MS,
      day,
      dayNumber: Date.parse(day) / DAY_MS,
      hour: part.hour!,
    }
  }

  return ms => {
    const startMs = Math.floor(ms / QUARTER_MS) * QUARTER_MS
    let quarter = known.get(startMs)
    if (!quarter) {
      quarter = read(startMs)
      if (known.size >= KEPT_QUARTERS) known.clear()
      known.set(startMs, quarter)
    }
    return quarter
  }
}
