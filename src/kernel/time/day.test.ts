// Days of a time zone, through every change of its clocks.

import { describe, expect, test } from 'vitest'
import { createCalendar, type Day, dayOf } from './day.ts'
import { HOUR_MS } from './units.ts'

const hours = (day: Day) => (day.endMs - day.startMs) / HOUR_MS
const at = (iso: string) => Date.parse(iso)

describe('days of a time zone', () => {
  test('an ordinary day is named by its local date and is half open', () => {
    const day = dayOf('America/Toronto', at('2026-11-15T04:59:59.999Z'))
    expect(day.key).toBe(20261114)
    expect(day.endMs).toBe(at('2026-11-15T05:00:00Z'))
    expect(dayOf('America/Toronto', at('2026-11-15T05:00:00Z')).key).toBe(20261115)
  })

  test('the day on which clocks go forward has 23 hours, the day they go back 25', () => {
    expect(hours(dayOf('America/Toronto', at('2026-03-08T17:00:00Z')))).toBe(23)
    expect(hours(dayOf('America/Toronto', at('2026-11-01T17:00:00Z')))).toBe(25)
    expect(hours(dayOf('UTC', at('2026-11-01T17:00:00Z')))).toBe(24)
    expect(hours(dayOf('Australia/Lord_Howe', at('2026-10-04T00:00:00Z')))).toBe(23.5)
  })

  test('a day whose midnight does not exist begins at the first instant after the gap', () => {
    const cairo = dayOf('Africa/Cairo', at('2026-04-24T10:00:00Z'))
    expect(cairo).toEqual({
      key: 20260424,
      startMs: at('2026-04-23T22:00:00Z'),
      endMs: at('2026-04-24T21:00:00Z'),
    })
    const saoPaulo = dayOf('America/Sao_Paulo', at('2018-11-04T10:00:00Z'))
    expect(saoPaulo.startMs).toBe(at('2018-11-04T03:00:00Z'))
    expect(hours(saoPaulo)).toBe(23)
  })

  test('a day whose last hour comes twice is 25 hours long', () => {
    expect(hours(dayOf('America/Sao_Paulo', at('2018-02-17T12:00:00Z')))).toBe(25)
  })

  test('clocks that fall back over midnight do not bring yesterday back', () => {
    // St John's went from 00:01 back to 23:01 on 2010-11-07.
    const blip = at('2010-11-07T02:30:30Z')
    const again = at('2010-11-07T02:45:00Z')
    expect(dayOf('America/St_Johns', blip).key).toBe(20101107)
    expect(dayOf('America/St_Johns', again).key).toBe(20101107)
    expect(hours(createCalendar('America/St_Johns').dayAt(again))).toBe(25)
  })

  test('a date that the zone skipped is not a day, and its neighbours adjoin', () => {
    const samoa = createCalendar('Pacific/Apia')
    expect(samoa.dayOfKey(20111230)).toBeNull()
    expect(samoa.dayOfKey(20111229)?.endMs).toBe(samoa.dayOfKey(20111231)?.startMs)
  })

  test('a key gives the same day as an instant in it, and nonsense gives none', () => {
    const calendar = createCalendar('Europe/Berlin')
    const day = calendar.dayAt(at('2026-03-29T12:00:00Z'))
    expect(createCalendar('Europe/Berlin').dayOfKey(day.key)).toEqual(day)
    for (const key of [0, 20260230, 20261301, -1, Number.NaN]) expect(calendar.dayOfKey(key)).toBeNull()
  })

  test('a zone that does not exist is refused', () => {
    expect(() => createCalendar('Mars/Olympus')).toThrow(RangeError)
  })

  test('over a year of quarter hours, days agree with the wall clock and follow each other without a gap', () => {
    const zones = [
      'UTC',
      'America/Havana',
      'Asia/Beirut',
      'Pacific/Chatham',
      'Africa/Cairo',
      'Asia/Kathmandu',
    ]
    const wrong: string[] = []
    for (const zone of zones) {
      const wall = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
      const calendar = createCalendar(zone)
      let previous: Day | null = null
      let highest = 0
      for (let ms = at('2026-01-01T00:00:00Z'); ms < at('2027-01-01T00:00:00Z'); ms += 900_000) {
        highest = Math.max(highest, Number(wall.format(ms).replaceAll('-', '')))
        const day = calendar.dayAt(ms)
        const follows =
          !previous || previous === day || (day.startMs === previous.endMs && day.startMs === ms)
        if (day.key !== highest || !follows) wrong.push(`${zone} ${new Date(ms).toISOString()} ${day.key}`)
        previous = day
      }
    }
    expect(wrong).toEqual([])
  })
})
