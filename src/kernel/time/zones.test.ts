// A customer's days, whichever zones it moves between and whenever it does.

import { describe, expect, test } from 'vitest'
import { IS_LONG, seededRandom } from '../../../test/support/random.ts'
import { calendarOf, keysAnywhere, spanAnywhere } from './day.ts'
import { HOUR_MS } from './units.ts'
import { calendarIn, changeZone, DEPLOYMENT_ZONE, pendingZone, type Zones, zoneAt } from './zones.ts'

const at = (iso: string) => Date.parse(iso)
const zoneOf = (timezone: string): Zones => ({ timezone, before: [] })
const ZONES = [
  ...['Pacific/Auckland', 'Pacific/Honolulu', 'Pacific/Kiritimati', 'Etc/GMT+12', 'Pacific/Midway', 'UTC'],
  ...[
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Pacific/Chatham',
  ],
]

describe('a change of the zone', () => {
  test('begins at the first midnight of the new zone after the end of the current day', () => {
    // In Berlin it is the 16th until 23:00 UTC; the next midnight in New York is at 05:00 UTC.
    const nowMs = at('2026-11-16T12:00:00Z')
    const zones = changeZone(zoneOf('Europe/Berlin'), 'America/New_York', 'UTC', nowMs)
    const from = at('2026-11-17T05:00:00Z') / 1000
    expect(pendingZone(zones, nowMs)).toEqual({ timezone: 'America/New_York', from })
    expect(zoneAt(zones, nowMs)).toBe('Europe/Berlin')
    expect(zoneAt(zones, from * 1000 - 1)).toBe('Europe/Berlin')
    expect(zoneAt(zones, from * 1000)).toBe('America/New_York')
    const calendar = calendarIn(zones, 'UTC')
    expect([from * 1000 - 1, from * 1000].map(calendar.zoneAt)).toEqual(['Europe/Berlin', 'America/New_York'])
    expect(pendingZone(zones, from * 1000)).toBeNull()
  })

  test('to the west continues the date: one day that is longer than others', () => {
    const nowMs = at('2026-11-17T00:00:00Z')
    const zones = changeZone(zoneOf('Pacific/Auckland'), 'Pacific/Honolulu', 'UTC', nowMs)
    const calendar = calendarIn(zones, 'UTC')
    const day = calendar.dayAt(at('2026-11-17T11:00:00Z'))
    expect(day.key).toBe(20261118)
    expect(day.endMs - day.startMs).toBe(47 * HOUR_MS)
    expect(calendar.dayAt(day.endMs).key).toBe(20261119)
  })

  test('to the east cuts a day short', () => {
    const nowMs = at('2026-11-17T00:00:00Z')
    const zones = changeZone(zoneOf('Pacific/Honolulu'), 'Pacific/Auckland', 'UTC', nowMs)
    const calendar = calendarIn(zones, 'UTC')
    const day = calendar.dayAt(at('2026-11-17T10:00:00Z'))
    expect(day.key).toBe(20261117)
    expect(day.endMs - day.startMs).toBe(1 * HOUR_MS)
    expect(calendar.dayAt(day.endMs).key).toBe(20261118)
  })

  test('across the whole world never returns to a date that is over', () => {
    const nowMs = at('2026-11-17T00:00:00Z')
    const zones = changeZone(zoneOf('Pacific/Kiritimati'), 'Etc/GMT+12', 'UTC', nowMs)
    const calendar = calendarIn(zones, 'UTC')
    const day = calendar.dayAt(at('2026-11-17T10:00:00Z'))
    expect(day.key).toBe(20261118)
    expect(day.endMs).toBe(at('2026-11-19T12:00:00Z'))
    expect(calendar.dayOfKey(20261118)).toEqual(day)
  })

  test('can be replaced or withdrawn until it begins', () => {
    const nowMs = at('2026-11-16T12:00:00Z')
    const asked = changeZone(zoneOf('Europe/Berlin'), 'America/New_York', 'UTC', nowMs)
    const replaced = changeZone(asked, 'Asia/Tokyo', 'UTC', nowMs)
    expect(pendingZone(replaced, nowMs)?.timezone).toBe('Asia/Tokyo')
    expect(zoneAt(replaced, nowMs)).toBe('Europe/Berlin')
    expect(changeZone(replaced, 'Europe/Berlin', 'UTC', nowMs)).toEqual(zoneOf('Europe/Berlin'))
    expect(changeZone(replaced, 'Asia/Tokyo', 'UTC', nowMs)).toBe(replaced)
  })

  test('in the last minute of a day waits for the end of the next, so that all processes hear of it', () => {
    const nowMs = at('2026-11-16T22:59:30Z')
    const zones = changeZone(zoneOf('Europe/Berlin'), 'Pacific/Kiritimati', 'UTC', nowMs)
    expect(pendingZone(zones, nowMs)!.from * 1000).toBeGreaterThanOrEqual(at('2026-11-17T23:00:00Z'))
  })

  test('to the zone of the deployment, by name or as null, is no change if that zone already applies', () => {
    const nowMs = at('2026-11-16T12:00:00Z')
    expect(changeZone(DEPLOYMENT_ZONE, 'UTC', 'UTC', nowMs)).toEqual(zoneOf('UTC'))
    expect(pendingZone(changeZone(zoneOf('Asia/Tokyo'), null, 'UTC', nowMs), nowMs)?.timezone).toBeNull()
  })
})

describe('random changes', () => {
  const random = seededRandom('zones')

  test('give each instant exactly one day: days adjoin, dates rise, and a key finds its day', () => {
    for (let run = 0; run < (IS_LONG ? 2_000 : 60); run++) {
      // Includes both clock changes of a year.
      const firstMs = at('2026-01-01T00:00:00Z') + random.int(700 * 24) * HOUR_MS
      let zones = zoneOf(random.pick(ZONES))
      let askedMs = firstMs
      const answers = new Map<number, number>()
      for (let change = 0; change < 4; change++) {
        const calendar = calendarIn(zones, 'UTC')
        const nextMs = askedMs + random.int(60 * 60) * 60_000
        // The day of an instant before a change must stay the same after it.
        for (let ms = askedMs; ms <= nextMs; ms += HOUR_MS) answers.set(ms, calendar.dayAt(ms).key)
        askedMs = nextMs
        zones = changeZone(zones, random.pick(ZONES), 'UTC', askedMs)
      }
      const calendar = calendarIn(zones, 'UTC')
      for (const [ms, key] of answers) expect(calendar.dayAt(ms).key, `${random.seed} ${ms}`).toBe(key)
      const endMs = askedMs + 100 * HOUR_MS
      for (let day = calendar.dayAt(firstMs); day.startMs < endMs; ) {
        const next = calendar.dayAt(day.endMs)
        expect(next.startMs).toBe(day.endMs)
        expect(next.key).toBeGreaterThan(day.key)
        expect(calendarIn(zones, 'UTC').dayOfKey(day.key)).toEqual(day)
        expect(calendar.dayAt(day.endMs - 1)).toEqual(day)
        const span = spanAnywhere(day.key)!
        expect(day.startMs).toBeGreaterThanOrEqual(span.startMs)
        expect(day.endMs).toBeLessThanOrEqual(span.endMs)
        expect(keysAnywhere(day.startMs + random.int(day.endMs - day.startMs))).toContain(day.key)
        day = next
      }
    }
  })

  test('end in exactly the days of the new zone', () => {
    for (let run = 0; run < 60; run++) {
      const nowMs = at('2026-01-01T00:00:00Z') + random.int(700 * 24 * 60) * 60_000
      const to = random.pick(ZONES)
      const zones = changeZone(zoneOf(random.pick(ZONES)), to, 'UTC', nowMs)
      const laterMs = nowMs + 120 * HOUR_MS
      expect(calendarIn(zones, 'UTC').dayAt(laterMs)).toEqual(calendarOf(to).dayAt(laterMs))
    }
  })
})
