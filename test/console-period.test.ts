// The periods of the console are those that people mean: weeks begin on Monday, and whole weeks are compared.

import { expect, test } from 'vitest'
import { periodOf } from '../web/period/period.ts'

const secondsOf = (time: string) => Date.parse(time) / 1000

test.each([
  ['2026-11-16T09:00:00Z', 'week', '2026-11-16', '2026-11-16'],
  ['2026-11-22T23:30:00Z', 'week', '2026-11-16', '2026-11-22'],
  ['2026-11-22T23:30:00Z', 'lastWeek', '2026-11-09', '2026-11-15'],
  ['2026-11-22T23:30:00Z', '28d', '2026-10-26', '2026-11-22'],
  ['2027-01-01T00:00:00Z', 'lastMonth', '2026-12-01', '2026-12-31'],
] as const)('at %s the period %s is %s to %s', (now, range, firstDay, lastDay) => {
  expect(periodOf({ range }, 'UTC', secondsOf(now))).toMatchObject({ firstDay, lastDay })
})

test('without a choice it has whole weeks: it and the one before have the same weekdays, summer time or not', () => {
  const { days, firstDay, previousStartS } = periodOf({}, 'Europe/Berlin', secondsOf('2026-11-17T09:00:00Z'))
  expect([days, firstDay]).toEqual([28, '2026-10-21'])
  expect(previousStartS).toBe(secondsOf('2026-09-22T22:00:00Z'))
})
