// A total budget and an even pace: each day spends its part of what is left, and no more than a day may.

import { describe, expect, test } from 'vitest'
import type { Day } from '../kernel/day.ts'
import { calendarOf } from '../kernel/day.ts'
import { createBooks } from './books.ts'
import { createCampaign, editCampaign, paceLagOf, replan } from './campaign.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 10, 16)
const calendar = calendarOf('UTC')

/** Ten days of a campaign with 10 a day at most; `lifeMicros`: what its total has from today on. */
function planned(lifeMicros: number | null, atMs = START_MS): number {
  const campaign = createCampaign(calendar)
  const flights = [{ fid: 1, startS: START_MS / 1000, endS: (START_MS + 10 * DAY_MS) / 1000 }]
  const money = {
    dailySpendMicros: 10_000_000,
    cpmMicros: 1_000_000,
    ...(lifeMicros === null ? {} : { totalSpendMicros: 1 }),
  }
  editCampaign(campaign, {
    cid: 1,
    cuid: 1,
    enabled: true,
    flights,
    freq: 0,
    hours: null,
    category: [],
    pacing: 'even',
    ...money,
  })
  const day: Day = calendar.dayAt(atMs)
  const account = createBooks(0).open(day.key, 1, 0, calendar)!
  account.share.lifeMicros = lifeMicros
  replan(campaign, account, day, 1000, atMs)
  // Behind by half a day at noon, when nothing is spent.
  expect(paceLagOf(campaign, account, day, day.startMs + DAY_MS / 2)).toBeCloseTo(lifeMicros === 0 ? 0 : 0.5)
  // Ten minutes of a day, less the last ten that are left for bills to come in.
  return campaign.pace.needMicros * ((DAY_MS - 600_000) / 600_000)
}

describe('what an even plan spends today', () => {
  test.each([
    ['without a total, the budget of the day', null, 0, 10_000_000],
    ['an even part of the total on the first of ten days', 50_000_000, 0, 5_000_000],
    ['what earlier days left over is spread over the days that are left', 20_000_000, 8, 10_000_000],
    ['never more than a day may', 90_000_000, 8, 10_000_000],
    ['on the last day all that is left', 3_000_000, 9, 3_000_000],
    ['nothing of a total that is spent', 0, 3, 0],
  ])('%s', (_, lifeMicros, daysOn, micros) => {
    expect(planned(lifeMicros, START_MS + daysOn * DAY_MS)).toBeCloseTo(micros, -3)
  })
})
