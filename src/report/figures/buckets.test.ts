// Buckets compared with the calendar: days that are known to be difficult, and random ranges against a slow reference.

import { describe, expect, it } from 'vitest'
import { bucketsOf, DAY_S, dateOf, dayNumber, dayStart, INTERVALS, type Interval } from './buckets.ts'
import { openZone } from './zone.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env.RUNS ?? 60)

function at(text: string): number {
  return Date.parse(text) / 1000
}

function buckets(name: string, interval: Interval, start: string, end: string): string[] {
  const range = { zone: openZone(name)!, interval, startS: at(start), endS: at(end) }
  return bucketsOf(range, 10_000)!.map(timeS => new Date(timeS * 1000).toISOString().replace('.000Z', 'Z'))
}

describe('days that are not 24 hours', () => {
  it('a day of 23 hours and one of 25 are one bucket each', () => {
    expect(buckets('Europe/Berlin', 'day', '2026-03-28T23:00:00Z', '2026-03-30T22:00:00Z')).toEqual([
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
    ])
    expect(buckets('Europe/Berlin', 'day', '2026-10-24T22:00:00Z', '2026-10-26T23:00:00Z')).toEqual([
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
    ])
  })

  it('a day whose midnight is skipped begins after the jump of the clocks', () => {
    expect(buckets('America/Sao_Paulo', 'day', '2018-11-03T12:00:00Z', '2018-11-05T12:00:00Z')).toEqual([
      '2018-11-03T03:00:00Z',
      '2018-11-04T03:00:00Z',
      '2018-11-05T02:00:00Z',
    ])
  })

  it('a day whose midnight comes twice begins at the first', () => {
    expect(buckets('America/Havana', 'day', '2025-11-01T12:00:00Z', '2025-11-03T12:00:00Z')).toEqual([
      '2025-11-01T04:00:00Z',
      '2025-11-02T04:00:00Z',
      '2025-11-03T05:00:00Z',
    ])
  })

  it('a day that a zone skipped entirely has no bucket', () => {
    const days = buckets('Pacific/Apia', 'day', '2011-12-29T10:00:00Z', '2012-01-01T09:00:00Z')
    expect(days).toEqual(['2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z'])
    const zone = openZone('Pacific/Apia')!
    expect(days.map(day => dateOf(zone, at(day)))).toEqual(['2011-12-29', '2011-12-31', '2012-01-01'])
  })

  it('clocks that go back over midnight do not begin the day twice', () => {
    // At 00:01, clocks went back to 23:01 of the previous day.
    expect(buckets('America/St_Johns', 'day', '2010-11-06T12:00:00Z', '2010-11-08T12:00:00Z')).toEqual([
      '2010-11-06T02:30:00Z',
      '2010-11-07T02:30:00Z',
      '2010-11-08T03:30:00Z',
    ])
    expect(buckets('America/St_Johns', 'day', '2010-11-07T02:45:00Z', '2010-11-07T02:46:00Z')).toEqual([
      '2010-11-07T02:30:00Z',
    ])
  })
})

describe('hours', () => {
  it('an hour that comes twice is two buckets, a skipped one is none', () => {
    expect(buckets('Europe/Berlin', 'hour', '2026-10-24T23:30:00Z', '2026-10-25T03:00:00Z')).toHaveLength(4)
    expect(buckets('Europe/Berlin', 'hour', '2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z')).toHaveLength(3)
  })

  it('hours of zones offset by a half or three quarters of an hour begin at their own full hour', () => {
    expect(buckets('Asia/Kolkata', 'hour', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z')).toEqual([
      '2025-12-31T23:30:00Z',
      '2026-01-01T00:30:00Z',
    ])
    expect(buckets('Asia/Kathmandu', 'hour', '2026-01-01T00:20:00Z', '2026-01-01T00:30:00Z')).toEqual([
      '2026-01-01T00:15:00Z',
    ])
  })

  it('if clocks change by half an hour, a short hour begins with the change', () => {
    expect(buckets('Australia/Lord_Howe', 'hour', '2026-04-04T13:00:00Z', '2026-04-04T17:00:00Z')).toEqual([
      '2026-04-04T13:00:00Z',
      '2026-04-04T14:00:00Z',
      '2026-04-04T15:00:00Z',
      '2026-04-04T15:30:00Z',
      '2026-04-04T16:30:00Z',
    ])
  })
})

describe('weeks and months', () => {
  it('weeks begin on Monday', () => {
    expect(buckets('UTC', 'week', '2026-01-01T00:00:00Z', '2026-01-13T00:00:00Z')).toEqual([
      '2025-12-29T00:00:00Z',
      '2026-01-05T00:00:00Z',
      '2026-01-12T00:00:00Z',
    ])
    expect(buckets('UTC', 'week', '1970-01-01T00:00:00Z', '1970-01-05T00:00:00Z')).toEqual([
      '1969-12-29T00:00:00Z',
    ])
  })

  it('months begin on the 1st, in leap years too', () => {
    expect(buckets('Pacific/Auckland', 'month', '2028-02-15T00:00:00Z', '2028-04-15T00:00:00Z')).toEqual([
      '2028-01-31T11:00:00Z',
      '2028-02-29T11:00:00Z',
      '2028-03-31T11:00:00Z',
    ])
  })
})

describe('ranges', () => {
  it('the end is excluded, and an empty range has no bucket', () => {
    expect(buckets('UTC', 'day', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')).toHaveLength(1)
    expect(buckets('UTC', 'day', '2026-01-01T00:00:00Z', '2026-01-02T00:00:01Z')).toHaveLength(2)
    expect(buckets('UTC', 'day', '2026-01-01T12:00:00Z', '2026-01-01T12:00:00Z')).toEqual([])
  })

  it('exactly as many buckets as allowed pass, one more does not', () => {
    const range = { zone: openZone('UTC')!, interval: 'hour' as const, startS: 0, endS: 10_000 * 3600 }
    expect(bucketsOf(range, 10_000)).toHaveLength(10_000)
    expect(bucketsOf({ ...range, endS: range.endS + 1 }, 10_000)).toBeNull()
  })

  it('10,000 days need fewer than 10,000 offsets of the zone', () => {
    const berlin = openZone('Europe/Berlin')!
    let asked = 0
    const zone = {
      name: berlin.name,
      offsetAt: (timeS: number) => {
        asked++
        return berlin.offsetAt(timeS)
      },
    }
    expect(bucketsOf({ zone, interval: 'day', startS: 0, endS: 10_000 * DAY_S - 7200 }, 10_000)).toHaveLength(
      10_000,
    )
    expect(asked).toBeLessThan(9_500)
  })
})

describe('zones', () => {
  it('only IANA names are accepted, in any case', () => {
    expect(openZone('europe/BERLIN')?.name).toBe('Europe/Berlin')
    for (const name of ['', 'Mars/Base', '+05:30', 'Europe/Berlin ', '../etc', 'x'.repeat(100), 'é']) {
      expect(openZone(name), name).toBeNull()
    }
  })

  it('an offset with seconds is read to the second', () => {
    expect(openZone('Africa/Monrovia')!.offsetAt(0)).toBe(-(44 * 60 + 30))
    expect(dayStart(openZone('Africa/Monrovia')!, 0)).toBe(44 * 60 + 30 - DAY_S)
  })

  it('the day of a moment has a number', () => {
    expect(dayNumber(openZone('Asia/Tokyo')!, at('2026-02-28T15:00:00Z'))).toBe(20_260_301)
  })
})

describe('against the calendar', () => {
  it('every bucket begins where the calendar says, for random zones, intervals and times', () => {
    console.log(`buckets: SEED=${SEED}`)
    const random = seeded(SEED)
    const names = Intl.supportedValuesOf('timeZone')
    for (let i = 0; i < RUNS; i++) {
      const zone = openZone(names[Math.floor(random() * names.length)]!)!
      const interval = INTERVALS[i % INTERVALS.length]!
      const days = interval === 'hour' ? 3 : interval === 'day' ? 8 : 40
      // Half of them are at times of the year when clocks are likely to change.
      const anchor = Math.floor(random() * 70) * 365.2425 * DAY_S
      const season = random() < 0.5 ? (random() < 0.5 ? 80 : 290) * DAY_S : 0
      const startS = Math.floor(anchor + season + random() * 40 * DAY_S)
      const endS = startS + Math.floor(random() * days * DAY_S)
      const label = `${zone.name} ${interval} ${startS} ${endS}`
      expect(bucketsOf({ zone, interval, startS, endS }, 10_000), label).toEqual(
        reference(zone.name, interval, startS, endS),
      )
    }
  })

  it('the bucket of any moment in it is the same bucket', () => {
    const random = seeded(SEED + 1)
    const names = Intl.supportedValuesOf('timeZone')
    for (const name of names) {
      const zone = openZone(name)!
      for (const interval of INTERVALS) {
        const startS = Math.floor(random() * 4_000_000_000)
        const all = bucketsOf({ zone, interval, startS, endS: startS + 20 * DAY_S }, 10_000)!
        const index = Math.floor(random() * (all.length - 1))
        const [from, to] = [all[index]!, all[index + 1] ?? all[index]! + 1]
        const insideS = from + Math.floor(random() * (to - from))
        const label = `${name} ${interval} ${insideS}`
        expect(bucketsOf({ zone, interval, startS: insideS, endS: insideS + 1 }, 1), label).toEqual([from])
      }
    }
  })
})

/** Walks the zone's clocks minute by minute (second by second where something changes), without using offsets. */
function reference(name: string, interval: Interval, startS: number, endS: number): number[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: name,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const shown = (timeS: number) => Date.parse(`${format.format(timeS * 1000).replace(' ', 'T')}Z`) / 1000
  const label = (timeS: number) => {
    const local = shown(timeS)
    if (interval === 'hour') return Math.floor(local / 3600) + (timeS - local) / 1e6
    const date = new Date(local * 1000)
    if (interval === 'month') return date.getUTCFullYear() * 12 + date.getUTCMonth()
    if (interval === 'day') return Math.floor(local / DAY_S)
    return Math.floor((local / DAY_S + 3) / 7)
  }
  // Far enough back to see the beginning of the bucket that contains the start.
  const back = { hour: 3 * 3600, day: 3 * DAY_S, week: 9 * DAY_S, month: 33 * DAY_S }[interval]
  const step = interval === 'hour' ? 60 : 300
  const starts: number[] = []
  const fromS = Math.floor((startS - back) / step) * step
  let last = label(fromS)
  for (let timeS = fromS + step; timeS < endS + step; timeS += step) {
    const now = label(timeS)
    const begins = interval === 'hour' ? now !== last : now > last
    if (!begins) continue
    let secondS = timeS - step + 1
    while (interval === 'hour' ? label(secondS) === last : label(secondS) <= last) secondS++
    starts.push(secondS)
    last = now
  }
  const first = starts.findLastIndex(timeS => timeS <= startS)
  return startS >= endS ? [] : starts.slice(first).filter(timeS => timeS < endS)
}

function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
