// A total budget and an even pace: each day spends its part of what is left, and never more than the daily budget.

import { describe, expect, test } from 'vitest'
import type { Day } from '../../kernel/time/day.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/time/units.ts'
import { createBooks } from './books.ts'
import { createCampaign, editCampaign, paceLagOf, payerAt, replan } from './campaign.ts'

const START_MS = Date.UTC(2026, 10, 16)
const calendar = calendarOf('UTC')

/** Ten days of a campaign with at most 10 a day; `lifeMicros`: what its total has left from today on. */
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
  // At noon, if nothing is spent, it is behind by half a day.
  expect(paceLagOf(campaign, account, day, day.startMs + DAY_MS / 2)).toBeCloseTo(lifeMicros === 0 ? 0 : 0.5)
  // The plan is for ten minutes; the last ten minutes of the day are left for bills to come in.
  return campaign.pace.needMicros * ((DAY_MS - 600_000) / 600_000)
}

describe('what an even plan spends today', () => {
  test.each([
    ['without a total, the budget of the day', null, 0, 10_000_000],
    ['an even part of the total on the first of ten days', 50_000_000, 0, 5_000_000],
    ['what earlier days left over is spread over the days that are left', 20_000_000, 8, 10_000_000],
    ['never more than the daily budget', 90_000_000, 8, 10_000_000],
    ['on the last day, all that is left', 3_000_000, 9, 3_000_000],
    ['nothing of a total that is spent', 0, 3, 0],
  ])('%s', (_, lifeMicros, daysOn, micros) => {
    expect(planned(lifeMicros, START_MS + daysOn * DAY_MS)).toBeCloseTo(micros, -3)
  })
})

type Part = { startMs: number; endMs: number; totalMicros?: number }

/** A campaign with a total of 12 and at most 10 a day, and its account. */
function flown(parts: Part[], atMs: number) {
  const campaign = createCampaign(calendar)
  const flights = parts.map(({ startMs, endMs, totalMicros }, n) => ({
    ...{ fid: 7 + n, startS: startMs / 1000, endS: endMs / 1000 },
    ...(totalMicros === undefined ? {} : { totalSpendMicros: totalMicros }),
  }))
  const money = { dailySpendMicros: 10_000_000, cpmMicros: 1_000_000, totalSpendMicros: 12_000_000 }
  const rest = { freq: 0, hours: null, category: [], pacing: 'even' as const }
  editCampaign(campaign, { cid: 1, cuid: 1, enabled: true, flights, ...money, ...rest })
  const day = calendar.dayAt(atMs)
  const payer = payerAt(campaign, atMs)
  const account = createBooks(0).open(day.key, 1, 0, calendar, payer)!
  account.share.lifeMicros = 12_000_000
  const lifeMicros = flights.find(({ fid }) => fid === payer)?.totalSpendMicros
  if (lifeMicros) account.share.flight = { lifeMicros, othersSpentMicros: 0, othersReservedMicros: 0 }
  return { campaign, account, day }
}

/** What its plan needs per hour. */
function plannedPerHour(parts: Part[], atMs: number): number {
  const { campaign, account, day } = flown(parts, atMs)
  replan(campaign, account, day, 1000, atMs)
  return campaign.pace.needMicros * 6
}

describe('what the time that is left cannot take is due now', () => {
  const noonMs = START_MS + 12 * HOUR_MS
  const endMs = START_MS + 24 * HOUR_MS
  const part = (startMs: number, toMs: number, totalMicros?: number): Part =>
    totalMicros === undefined ? { startMs, endMs: toMs } : { startMs, endMs: toMs, totalMicros }

  test('the last hour of a day, before a day that may spend 10', () => {
    const whole = [part(endMs - HOUR_MS, endMs + 24 * HOUR_MS)]
    // 2 of 12, and nothing in the last tenth of the hour.
    expect(plannedPerHour(whole, endMs - HOUR_MS)).toBeCloseTo(2_000_000 / 0.9, -3)
    // A flight with a total of 12 does the same.
    const paying = [part(endMs - HOUR_MS, endMs + 24 * HOUR_MS, 12_000_000)]
    expect(plannedPerHour(paying, endMs - HOUR_MS)).toBeCloseTo(2_000_000 / 0.9, -3)
  })

  test('a morning, before a flight with a small total', () => {
    // 10 a day, of which 1 in the afternoon: 9 in the morning, and nothing in its last ten minutes.
    const flights = [part(START_MS, noonMs), part(noonMs, endMs, 1_000_000)]
    expect(plannedPerHour(flights, START_MS)).toBeCloseTo((9_000_000 * 6) / 71, -3)
  })

  test('a campaign that has spent half of it in the middle of the morning is neither behind nor ahead', () => {
    const atMs = START_MS + 6 * HOUR_MS
    const { campaign, account, day } = flown([part(START_MS, noonMs), part(noonMs, endMs, 1_000_000)], atMs)
    account.spentMicros = 4_500_000
    expect(paceLagOf(campaign, account, day, atMs)).toBeCloseTo(0)
    expect(paceLagOf(campaign, account, day, atMs + 3 * HOUR_MS)).toBeCloseTo(0.25)
  })

  test('a flight has no more than its own total', () => {
    const flights = [part(START_MS, noonMs, 3_000_000), part(noonMs, endMs, 1_000_000)]
    expect(plannedPerHour(flights, START_MS)).toBeCloseTo((3_000_000 * 6) / 71, -3)
  })

  test('time that no flight limits can take everything', () => {
    const flights = [
      part(START_MS, noonMs),
      part(noonMs, noonMs + HOUR_MS, 1_000_000),
      part(noonMs + HOUR_MS, endMs),
    ]
    expect(plannedPerHour(flights, START_MS)).toBeCloseTo((10_000_000 * 6) / 143, -3)
  })
})
