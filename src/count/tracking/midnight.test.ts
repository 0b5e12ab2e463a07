// Impressions around midnight belong to the day that pays for them, whatever the clocks say.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Counting, startCounting, trialAd } from '../../../bench/counting-service.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type TestClock, testClock } from '../../../test/support/service.ts'
import type { ServedAd } from './ad.ts'

let database: TestDatabase
let counting: Counting
let clock: TestClock

beforeAll(async () => {
  database = await createTestDatabase()
  clock = testClock()
  counting = await startCounting({
    databaseUrl: database.url,
    clock,
    clickUrlOf: () => null,
    onTrouble: error => console.error(error),
  })
})
afterAll(async () => {
  await counting.stop()
  await database.drop()
})
beforeEach(() => counting.db.run('truncate event'))

const pixel = (ad: ServedAd) => counting.handle({ path: `/t/i/${counting.sign(ad).impression}` })

test('an impression reported after midnight is in the figures of the day that paid for it', async () => {
  const { endMs } = counting.calendar.dayAt(clock.nowMs())
  clock.advance(endMs - 2000 - clock.nowMs())
  await pixel(trialAd(counting))
  const late = trialAd(counting)
  clock.advance(5000)
  expect((await pixel(late)).status).toBe(200)
  const rows = await counting.db.rows<{ at: Date }>('select at from event')
  expect(rows.map(row => row.at.getTime() < endMs)).toEqual([true, true])
})

test('so is one served after midnight by one clock, and reported before midnight by another clock', async () => {
  const { endMs } = counting.calendar.dayAt(clock.nowMs())
  clock.advance(endMs + 1000 - clock.nowMs())
  await pixel(trialAd(counting))
  const early = trialAd(counting)
  clock.advance(-3000)
  expect((await pixel(early)).status).toBe(200)
  const rows = await counting.db.rows<{ at: Date }>('select at from event')
  expect(rows.map(row => row.at.getTime() >= endMs)).toEqual([true, true])
})
