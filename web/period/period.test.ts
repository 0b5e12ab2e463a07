// The periods of the console are those that people mean: weeks begin on Monday, and whole weeks are compared.

import { expect, test } from 'vitest'
import { periodOf } from './period.ts'
import { unixToWall, wallToUnix } from './zone.ts'

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

test.each([
  // Skipped hours, west and east of Greenwich: one at night, and the first of a day.
  ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
  ['2026-09-06T00:00', 'America/Santiago', '2026-09-06T04:00:00Z'],
  ['2026-03-29T00:00', 'Atlantic/Azores', '2026-03-29T01:00:00Z'],
  ['2026-04-24T00:00', 'Africa/Cairo', '2026-04-23T22:00:00Z'],
  // Shown twice: the first time.
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
])('%s in %s is %s', (wall, zone, time) => {
  expect(wallToUnix(wall, zone)).toBe(secondsOf(time))
})

test.each(['0002', '0020', '0202', '2027'])('a year that is being typed stays as it is: %s', year => {
  const wall = `${year}-03-05T10:00`
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'])
    expect(unixToWall(wallToUnix(wall, zone), zone)).toBe(wall)
})
