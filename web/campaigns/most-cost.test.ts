// What all pages say a campaign can cost at most: its daily budget on each day, no more than its month and its total; and
// when it asks whether the budget is meant.

import { expect, it } from 'vitest'
import { dailyOfMonth, dailyOfTotal } from './months.ts'
import { daysOf, mostCost } from './most-cost.ts'
import { isUnusual, usualBudget } from './usual-budget.ts'

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
  expect(of(66)).toEqual({ amount: 924, days: 14, by: 'days' })
  expect(of(0.07)).toEqual({ amount: 0.98, days: 14, by: 'days' })
  expect(of(66, 500)).toEqual({ amount: 500, days: 14, by: 'total' })
  expect(of(66, 5000)).toEqual({ amount: 924, days: 14, by: 'days' })
  expect(of(null)).toBeNull()
  expect(mostCost({ ...run, start: null, daily: 66, total: null }, 'UTC')).toBeNull()
})

it('days without an hour cost nothing', () => {
  // From a Sunday to a Saturday, two weeks later.
  const [start, end] = [at('2026-11-01T00:00:00Z'), at('2026-11-15T00:00:00Z')]
  expect(daysOf(start, end, 'UTC', { mon: [9], tue: [9, 10], sun: [1] })).toBe(6)
  expect(daysOf(start, start + 1, 'UTC', { mon: [9] })).toBe(0)
  expect(daysOf(start, start + 1, 'UTC', { sun: [9] })).toBe(1)
  const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
  for (let days = 1; days < 20; days++) {
    for (let shift = 0; shift < 7; shift++) {
      const from = start + shift * 86_400
      const each = WEEK.map(day => daysOf(from, from + days * 86_400, 'UTC', { [day]: [0] }))
      expect(each.reduce((a, b) => a + b)).toBe(days)
    }
  }
  const plan = { start, end, daily: 10, total: null, hours: { mon: [9] } }
  expect(mostCost(plan, 'UTC')).toEqual({ amount: 20, days: 2, by: 'days' })
})

it.each([
  ['the first campaign has nothing to compare with', [], 10_000, false],
  ['ten times is asked about when it is exceeded', [50], 500, false],
  ['and then it is', [50], 500.01, true],
  ['one large campaign does not make large ones usual', [5, 5, 900], 60, true],
  ['many do', [5, 900, 900], 60, false],
])('an unusual budget: %s', (_name, budgets, daily, expected) => {
  expect(isUnusual(daily, usualBudget(budgets.map(dailySpend => ({ dailySpend }))))).toBe(expected)
})

it('a month is divided by its days, rounded up; a total has at most two even days', () => {
  const november = at('2026-11-16T00:00:00Z')
  expect([dailyOfMonth(500, november, 'UTC'), 30 * dailyOfMonth(500, november, 'UTC') >= 500]).toEqual([
    16.67,
    true,
  ])
  expect(dailyOfMonth(2800, at('2027-02-01T00:00:00Z'), 'UTC')).toBe(100)
  expect(dailyOfMonth(310, at('2027-02-28T23:30:00Z'), 'Europe/Berlin')).toBe(10)
  expect(dailyOfMonth(0.02, november, 'UTC')).toBe(0.01)
  expect([dailyOfTotal(300, 30), dailyOfTotal(300, 1), dailyOfTotal(0.01, 30)]).toEqual([20, 300, 0.01])
})

it('no calendar month of the zone costs more than the month, nor more than its days', () => {
  const run = { start: at('2026-11-16T00:00:00Z'), end: at('2027-02-08T00:00:00Z'), total: null }
  const of = (daily: number, monthly: number, total: number | null = null) =>
    mostCost({ ...run, daily, monthly, total }, 'UTC')
  // November and February are reached by their days: 15 × 100 and 7 × 100.
  expect(of(100, 2800)).toEqual({ amount: 1500 + 2 * 2800 + 700, days: 84, by: 'months' })
  expect(of(10, 2800)).toEqual({ amount: 840, days: 84, by: 'days' })
  expect(of(100, 2800, 5000)).toEqual({ amount: 5000, days: 84, by: 'total' })
  // 500 a month, with a daily budget rounded up, is never a cent more than 500.
  const december = { start: at('2026-12-01T00:00:00Z'), end: at('2027-01-01T00:00:00Z'), total: null }
  const daily = dailyOfMonth(500, december.start, 'UTC')
  expect(mostCost({ ...december, daily, monthly: 500 }, 'UTC')?.amount).toBe(500)
  const berlin = { start: at('2026-10-31T22:00:00Z'), end: at('2026-11-30T23:00:00Z'), total: null }
  expect(mostCost({ ...berlin, daily: 700, monthly: 620 }, 'Europe/Berlin')?.amount).toBe(1240)
  expect(mostCost({ ...run, daily: 10, monthly: 20, hours: { mon: [9] } }, 'UTC')?.amount).toBe(70)
})
