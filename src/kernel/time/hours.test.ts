// Hours of the week, compared with a simple model that asks Intl about each quarter of an hour. SEED replays a run.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { createCalendar } from './day.ts'
import {
  createHours,
  type HoursOfDays,
  hoursOfDays,
  isOpenAt,
  nextOpening,
  openMs,
  plannedOpenMs,
  WEEKDAYS,
  weekHourAt,
  weekOf,
} from './hours.ts'
import { DAY_MS, HOUR_MS } from './units.ts'

const QUARTER_MS = 15 * 60_000
const at = (iso: string) => Date.parse(iso)
const hoursIn = (zone: string, days: HoursOfDays) => createHours(weekOf(days), createCalendar(zone))

describe('hours of the week', () => {
  test('hours are read back in order, without days that have none', () => {
    expect(hoursOfDays(weekOf({ sun: [23, 0], mon: [9], tue: [] }))).toEqual({ mon: [9], sun: [0, 23] })
  })

  test('an hour is open from its first moment to just before the next', () => {
    const hours = hoursIn('Europe/Berlin', { mon: [9] })
    expect(isOpenAt(hours, at('2026-11-16T07:59:59.999Z'))).toBe(false)
    expect(isOpenAt(hours, at('2026-11-16T08:00:00Z'))).toBe(true)
    expect(isOpenAt(hours, at('2026-11-16T08:59:59.999Z'))).toBe(true)
    expect(isOpenAt(hours, at('2026-11-16T09:00:00Z'))).toBe(false)
    expect(nextOpening(hours, at('2026-11-16T09:00:00Z'), Number.POSITIVE_INFINITY)).toBe(
      at('2026-11-23T08:00:00Z'),
    )
  })

  test('a plan of years treats whole weeks as equal: off by at most an hour for each clock change', () => {
    const hours = hoursIn('Europe/Berlin', { sun: [2], mon: [9, 10] })
    const [from, to] = [at('2026-11-16T08:30:00Z'), at('2029-05-01T10:00:00Z')]
    expect(Math.abs(plannedOpenMs(hours, from, to) - openMs(hours, from, to))).toBeLessThanOrEqual(
      5 * HOUR_MS,
    )
    expect(plannedOpenMs(null, 5, 10)).toBe(5)
  })

  test('a week without an hour never opens', () => {
    expect(nextOpening(hoursIn('UTC', {}), 0, Number.POSITIVE_INFINITY)).toBeNull()
    expect(isOpenAt(hoursIn('UTC', {}), 0)).toBe(false)
  })

  test('without hours it is always open', () => {
    expect(isOpenAt(null, 0)).toBe(true)
    expect(nextOpening(null, 5, 10)).toBe(5)
    expect(nextOpening(null, 10, 10)).toBeNull()
    expect(openMs(null, 5, 10)).toBe(5)
  })

  test('an hour that comes twice is open both times', () => {
    const [from, to] = [at('2026-10-25T00:00:00Z'), at('2026-10-25T03:00:00Z')]
    const second = hoursIn('Europe/Berlin', { sun: [2] })
    expect(openMs(second, from, to)).toBe(2 * HOUR_MS)
    expect([0, 1, 2].map(hour => isOpenAt(second, from + hour * HOUR_MS))).toEqual([true, true, false])
    // Clocks go back by half an hour in this zone.
    const half = hoursIn('Australia/Lord_Howe', { sun: [1] })
    expect(openMs(half, at('2026-04-04T12:00:00Z'), at('2026-04-05T12:00:00Z'))).toBe(1.5 * HOUR_MS)
  })

  test('an hour that is skipped does not exist: the next one is a week later', () => {
    const hours = hoursIn('Europe/Berlin', { sun: [2] })
    const from = at('2026-03-28T12:00:00Z')
    expect(openMs(hours, from, from + DAY_MS)).toBe(0)
    expect(nextOpening(hours, from, Number.POSITIVE_INFINITY)).toBe(at('2026-04-05T00:00:00Z'))
  })

  test('the last hour of a day that comes twice belongs to the day that the clock shows', () => {
    const hours = hoursIn('America/Sao_Paulo', { sat: [23] })
    expect(openMs(hours, at('2018-02-17T12:00:00Z'), at('2018-02-18T12:00:00Z'))).toBe(2 * HOUR_MS)
  })

  test('a date that a zone has skipped has no hours', () => {
    const hours = hoursIn('Pacific/Apia', { fri: [12] })
    expect(nextOpening(hours, at('2011-12-29T00:00:00Z'), Number.POSITIVE_INFINITY)).toBe(
      at('2012-01-05T22:00:00Z'),
    )
  })
})

describe('random hours', () => {
  const random = seededRandom('hours')
  const ZONES = [
    ...['UTC', 'Europe/Berlin', 'America/Toronto', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Cairo'],
    ...['Pacific/Auckland', 'Pacific/Honolulu', 'America/Havana', 'Africa/Casablanca', 'America/St_Johns'],
  ]
  /** Times around days on which clocks change somewhere. */
  const TIMES = [
    '2026-03-08',
    '2026-03-29',
    '2026-10-25',
    '2026-11-01',
    '2026-04-05',
    '2026-10-04',
    '2026-04-24',
  ]

  test('agree with the wall clock through both clock changes of a year', () => {
    for (let round = 0; round < 25; round++) {
      const zone = random.pick(ZONES)
      const days: HoursOfDays = {}
      const share = random.pick([0.02, 0.3, 0.9])
      for (const day of WEEKDAYS)
        days[day] = Array.from({ length: 24 }, (_, hour) => hour).filter(() => random.next() < share)
      const week = weekOf(days)
      const calendar = createCalendar(zone)
      const clock = new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        weekday: 'short',
        hour: '2-digit',
        hourCycle: 'h23',
      })
      const isOpenByIntl = (ms: number) => {
        const parts = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, value]))
        const day = parts.weekday!.toLowerCase() as (typeof WEEKDAYS)[number]
        expect(weekHourAt(calendar, ms)).toEqual({ day: WEEKDAYS.indexOf(day), hour: Number(parts.hour) })
        return days[day]!.includes(Number(parts.hour))
      }
      const fromMs = at(random.pick(TIMES)) + (random.int(48) - 24) * QUARTER_MS
      const toMs = fromMs + (1 + random.int(4 * 96)) * QUARTER_MS
      const hours = createHours(week, calendar)
      let sumMs = 0
      let firstMs: number | null = null
      for (let ms = fromMs; ms < toMs; ms += QUARTER_MS) {
        const isOpen = isOpenByIntl(ms)
        if (isOpen) sumMs += QUARTER_MS
        if (isOpen) firstMs ??= ms
        const asked = ms + random.int(QUARTER_MS)
        expect(isOpenAt(hours, asked), `${zone} ${new Date(asked).toISOString()}`).toBe(isOpen)
      }
      expect(openMs(hours, fromMs, toMs)).toBe(sumMs)
      expect(nextOpening(hours, fromMs, toMs)).toBe(firstMs)
      expect(plannedOpenMs(hours, fromMs, toMs)).toBe(sumMs)
      // Also in any order: what is remembered never answers for another time.
      for (let n = 0; n < 50; n++) {
        const ms = fromMs + random.int(toMs - fromMs)
        expect(isOpenAt(hours, ms)).toBe(isOpenByIntl(ms))
      }
    }
  })
})
