// What the create form says a campaign can cost at most: its daily budget on each day, and no more than its total.

import { expect, it } from 'vitest'
import { daysOf, mostCost } from '../web/campaigns/most-cost.ts'

const at = (iso: string) => Date.parse(iso) / 1000

it.each([
  ['two weeks from midnight to midnight', '2026-11-01T00:00:00Z', '2026-11-15T00:00:00Z', 'UTC', 14],
  ['one second past midnight is another day', '2026-11-01T00:00:00Z', '2026-11-15T00:00:01Z', 'UTC', 15],
  ['an hour over midnight is two days', '2026-11-01T23:30:00Z', '2026-11-02T00:30:00Z', 'UTC', 2],
  ['by the days of the zone', '2026-11-01T23:30:00Z', '2026-11-02T00:30:00Z', 'Europe/Berlin', 1],
  ['over the end of summer time', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'Europe/Berlin', 1],
  ['nothing', '2026-11-02T00:00:00Z', '2026-11-02T00:00:00Z', 'UTC', 0],
])('%s', (_, start, end, zone, days) => {
  expect(daysOf(at(start), at(end), zone)).toBe(days)
})

it('multiplies days, takes the total if that is less, and says nothing without a budget or dates', () => {
  const run = { start: at('2026-11-01T00:00:00Z'), end: at('2026-11-15T00:00:00Z') }
  const of = (daily: number | null, total: number | null = null) => mostCost({ ...run, daily, total }, 'UTC')
  expect(of(66)).toEqual({ amount: 924, days: 14 })
  expect(of(0.07)).toEqual({ amount: 0.98, days: 14 })
  expect(of(66, 500)).toEqual({ amount: 500, days: null })
  expect(of(66, 5000)).toEqual({ amount: 924, days: 14 })
  expect(of(null)).toBeNull()
  expect(mostCost({ ...run, start: null, daily: 66, total: null }, 'UTC')).toBeNull()
})
