// The status of a campaign, from its dates, flights and spend.

import { expect, it } from 'vitest'
import { type CampaignRecord, type Run, statusOf } from './status.ts'

const campaign: CampaignRecord = {
  cid: 2,
  cuid: 1,
  start: 1000,
  end: 2000,
  name: 'Bikes',
  enabled: true,
  freq: 0,
  frequency: 0,
  externalId: null,
  metadata: {},
  dailySpend: 1,
  totalSpend: null,
  cpm: 3,
  pricing: 'cpm',
  cpc: null,
  category: [],
  hours: null,
  pacing: 'even',
  created: 0,
  updated: 0,
}
const flights: Run[] = [
  { startS: 1100, endS: 1200 },
  { startS: 1300, endS: 1400 },
]

it.each([
  [999, 'scheduled'],
  [1000, 'running'],
  [1999, 'running'],
  [2000, 'ended'],
] as const)('follows the dates of the campaign, half open: at %i it is %s', (nowS, status) => {
  expect(statusOf(campaign, [], nowS, 0)).toBe(status)
})

it.each([
  [1000, 'scheduled'],
  [1100, 'running'],
  [1200, 'scheduled'],
  [1399, 'running'],
  [1400, 'ended'],
] as const)('follows its own flights if it has any: at %i it is %s', (nowS, status) => {
  expect(statusOf(campaign, flights, nowS, 0)).toBe(status)
})

it('is spent once the rest of the daily budget buys no impression', () => {
  const priceMicros = 3000
  expect(statusOf(campaign, [], 1500, 1_000_000 - priceMicros)).toBe('running')
  expect(statusOf(campaign, [], 1500, 1_000_000 - priceMicros + 1)).toBe('spent')
  expect(statusOf(campaign, [], 1500, 1_000_000)).toBe('spent')
})

it('is paused rather than spent or scheduled, and ended rather than paused', () => {
  const paused = { ...campaign, enabled: false }
  expect(statusOf(paused, [], 1500, 1_000_000)).toBe('paused')
  expect(statusOf(paused, [], 500, 0)).toBe('paused')
  expect(statusOf(paused, [], 2000, 0)).toBe('ended')
})
