// Many visitors in one hour: counting accepts a limited number of calls before it writes any.

import { setImmediate as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { DataRoute } from '../http/lane/data-plane.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { HOUR_MS } from '../kernel/time/units.ts'
import { createAfterwards } from './afterwards.ts'
import { createRandom } from './random.ts'
import { runTraffic } from './traffic.ts'
import { createVirtualClock } from './virtual-clock.ts'

const START_MS = Date.parse('2026-10-01T12:00:00Z')

it('a busy hour of visitors waits for its answers before counting would refuse more', async () => {
  let unanswered = 0
  let most = 0
  let counted = 0
  const ads: DataRoute = {
    prefix: '/ad',
    handle: () => ({
      status: 200,
      headers: {},
      body: JSON.stringify({ ad: { impression: '/t/i/x', view: '/t/v/x', click: '/t/c/x' } }),
    }),
  }
  const bids: DataRoute = { prefix: '/openrtb2/', handle: () => ({ status: 204, headers: {}, body: null }) }
  const tracking: DataRoute = {
    prefix: '/t/',
    async handle() {
      unanswered++
      most = Math.max(most, unanswered)
      await pause()
      unanswered--
      counted++
      return { status: 200, headers: {}, body: null }
    },
  }
  const clock = createVirtualClock(START_MS)
  const calls = { routes: [ads, bids, tracking], settled: () => Promise.resolve() }
  const toMs = START_MS + HOUR_MS
  const result = {
    ...{ done: false, now: 0, requests: 0, served: 0, refused: {} },
    counted: { imps: 0, views: 0, clicks: 0, actions: 0, spend: 0 },
  }
  await runTraffic(
    {
      ...calls,
      clock,
      afterwards: createAfterwards(calls),
      deliveryRandom: createRandom('1'),
      arrange: () => {},
      due: new Map(),
      publicUrl: 'http://localhost',
      currency: 'USD',
      calendar: calendarOf('UTC'),
    },
    { exchangeKey: 'exchange', serverKey: 'site', siteDomain: 'site.example' },
    { toMs, requests: 40_000, seed: '1', mix: { sizes: { '300x250': 1 } }, carrying: null, crowd: null },
    {
      passTo: async () => {},
      passWith: (ms, _longestMs, play) => play(ms),
      isHurried: () => false,
      hurry: async () => {},
    },
    result,
  )
  expect(result.served).toBeGreaterThan(19_000)
  expect(counted).toBeGreaterThan(30_000)
  expect(most).toBeLessThanOrEqual(10_000)
})
