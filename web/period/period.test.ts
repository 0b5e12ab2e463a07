// The periods of the console are those that people mean: weeks begin on Monday, and whole weeks are compared.

import { expect, test } from 'vitest'
import { periodOf, readPeriodSearch } from './period.ts'
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
  const { days, firstDay, compared } = periodOf({}, 'Europe/Berlin', secondsOf('2026-11-17T09:00:00Z'))
  expect([days, firstDay]).toEqual([28, '2026-10-21'])
  expect(compared!.startS).toBe(secondsOf('2026-09-22T22:00:00Z'))
})

test.each([
  ['2028-02-29T09:00:00Z', { range: 'today', against: 'year' }, 'year', '2027-03-01', '2027-03-02'],
  ['2026-11-17T09:00:00Z', { range: 'today', against: 'weekdays' }, 'weekdays', '2026-11-10', '2026-11-11'],
  ['2026-11-17T09:00:00Z', { range: 'week', against: 'weekdays' }, 'weekdays', '2026-11-09', '2026-11-11'],
  ['2026-11-17T09:00:00Z', { range: '7d', against: '2026-08-01' }, '2026-08-01', '2026-08-01', '2026-08-08'],
  // Days of the period itself are not compared with it.
  ['2026-11-17T09:00:00Z', { range: '7d', against: '2026-11-08' }, 'before', '2026-11-04', '2026-11-11'],
] as const)('at %s, %o is compared with %s: %s to %s', (now, search, by, from, to) => {
  expect(periodOf(search, 'UTC', secondsOf(now)).compared).toEqual({
    ...{ by, startS: secondsOf(`${from}T00:00:00Z`), endS: secondsOf(`${to}T00:00:00Z`) },
  })
})

test('all time and what is compared with nothing have no other period; the choice is read from the address', () => {
  expect(periodOf({ range: 'all', against: 'year' }, 'UTC', 0).compared).toBeNull()
  expect(periodOf({ against: 'none' }, 'UTC', 0).compared).toBeNull()
  for (const against of ['before', 'weekdays', 'year', 'none', '2026-08-01'])
    expect(readPeriodSearch({ against })).toEqual({ against })
  for (const against of ['month', '2026-13-01', 5]) expect(readPeriodSearch({ against })).toEqual({})
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
