// Even pacing: a budget lasts for its day or flight, and is spent by its end.

import { describe, expect, test } from 'vitest'
import { randomOf } from '../../../test/support/random.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/units.ts'
import {
  activeMs,
  createPace,
  isPlanDue,
  learnEnd,
  MINUTE_FADE,
  mergeFlights,
  type Pace,
  passes,
  plan,
  reportedMeanMicros,
} from './pacing.ts'

const PRICE = 1000
const ALONE = {
  others: { rateMicros: 0, meanMicros: 0, yieldRatio: 0, endedMicros: 0 },
  nodes: 1,
  aheadMicros: 0,
}

/** Plays minutes of steady supply, in which everything is billed at once. Returns what was spent. */
function run(
  pace: Pace,
  more: { budgetMicros: number; perMinute: number; minutes: number; activeMs: number },
): number {
  const random = randomOf(7)
  let spentMicros = 0
  for (let minute = 0; minute < more.minutes; minute++) {
    for (let i = 0; i < more.perMinute; i++) {
      const nowMs = minute * MINUTE_MS + (i * MINUTE_MS) / more.perMinute
      const left = {
        unspentMicros: more.budgetMicros - spentMicros,
        ...ALONE,
        reservedMicros: 0,
        activeMs: more.activeMs - nowMs,
      }
      if (left.unspentMicros < PRICE) return spentMicros
      if (isPlanDue(pace, nowMs)) plan(pace, left, PRICE, nowMs)
      if (!passes(pace, PRICE, random.next())) continue
      spentMicros += PRICE
      learnEnd(pace, PRICE, PRICE)
    }
  }
  return spentMicros
}

describe('even pacing', () => {
  test('after half of the time, about half of the budget is spent', () => {
    const day = { budgetMicros: 2000 * PRICE, perMinute: 100, activeMs: 24 * HOUR_MS }
    const spentMicros = run(createPace(), { ...day, minutes: 720 })
    expect(spentMicros / day.budgetMicros).toBeGreaterThan(0.45)
    expect(spentMicros / day.budgetMicros).toBeLessThan(0.55)
  })

  test('a budget left for two hours is spent in two hours, not in a day', () => {
    const flight = { budgetMicros: 2000 * PRICE, perMinute: 100, activeMs: 2 * HOUR_MS }
    const spentMicros = run(createPace(), { ...flight, minutes: 60 })
    expect(spentMicros / flight.budgetMicros).toBeGreaterThan(0.4)
    expect(run(createPace(), { ...flight, minutes: 120 })).toBeGreaterThan(0.99 * flight.budgetMicros)
  })

  test('a campaign with less supply than need is not throttled after its first minute', () => {
    const pace = createPace()
    run(pace, { budgetMicros: 1e9, perMinute: 2, minutes: 5, activeMs: 24 * HOUR_MS })
    expect(pace.chance).toBe(1)
  })

  test('the first request of a new campaign passes, and no burst takes more than ten minutes of need before supply is known', () => {
    const pace = createPace()
    const day = { unspentMicros: 1440 * PRICE, ...ALONE, reservedMicros: 0, activeMs: 24 * HOUR_MS }
    plan(pace, day, PRICE, 0)
    expect(passes(pace, PRICE, 0.999)).toBe(true)
    let passed = 1
    for (let i = 0; i < 1000; i++) if (passes(pace, PRICE, 0.999)) passed++
    expect(passed).toBeLessThanOrEqual(11)
  })

  test('with five impressions a day, not every node shows one at its first request', () => {
    const day = { unspentMicros: 5 * PRICE, ...ALONE, reservedMicros: 0, activeMs: 24 * HOUR_MS }
    const among = (nodes: number, impressions = 5) => {
      const pace = createPace()
      plan(pace, { ...day, unspentMicros: impressions * PRICE, nodes }, PRICE, 0)
      return pace
    }
    expect(passes(among(1), PRICE, 0)).toBe(true)
    expect(passes(among(8, 200), PRICE, 0)).toBe(true)
    expect(passes(among(8, 180), PRICE, 0)).toBe(false)
    const pace = among(4)
    expect(passes(pace, PRICE, 0)).toBe(false)
    // A minute later the supply is known: one request per minute.
    plan(pace, { ...day, nodes: 4 }, PRICE, MINUTE_MS)
    expect(pace.chance).toBeGreaterThan(0)
    expect(pace.chance).toBeLessThan(0.01)
  })

  test('a request every half hour passes', () => {
    const pace = createPace()
    const left = { unspentMicros: 100 * PRICE, ...ALONE, reservedMicros: 0, activeMs: 12 * HOUR_MS }
    let passed = 0
    for (let i = 0; i < 24; i++) {
      const nowMs = i * 30 * MINUTE_MS
      if (isPlanDue(pace, nowMs)) plan(pace, { ...left, activeMs: left.activeMs - nowMs }, PRICE, nowMs)
      if (passes(pace, PRICE, 0.999)) passed++
    }
    expect(passed).toBe(24)
  })

  test('a burst within one minute takes no more than the need of ten minutes', () => {
    const pace = createPace()
    const left = { unspentMicros: 1440 * PRICE, ...ALONE, reservedMicros: 0, activeMs: 24 * HOUR_MS }
    run(pace, { budgetMicros: left.unspentMicros, perMinute: 1, minutes: 3, activeMs: left.activeMs })
    let passed = 0
    for (let i = 0; i < 10_000; i++) if (passes(pace, PRICE, 0)) passed++
    expect(passed).toBeGreaterThan(5)
    expect(passed).toBeLessThanOrEqual(12)
  })

  test('a campaign that rarely wins bids more often: the pace follows the bills, not the bids', () => {
    const pace = createPace()
    const random = randomOf(3)
    let spentMicros = 0
    for (let minute = 0; minute < 720; minute++) {
      for (let i = 0; i < 100; i++) {
        const nowMs = minute * MINUTE_MS + i * 600
        const left = {
          unspentMicros: 2000 * PRICE - spentMicros,
          ...ALONE,
          reservedMicros: 0,
          activeMs: 24 * HOUR_MS - nowMs,
        }
        if (isPlanDue(pace, nowMs)) plan(pace, left, PRICE, nowMs)
        if (!passes(pace, PRICE, random.next())) continue
        const billedMicros = random.next() < 0.2 ? PRICE : 0
        spentMicros += billedMicros
        learnEnd(pace, PRICE, billedMicros)
      }
    }
    expect(spentMicros / PRICE).toBeGreaterThan(900)
    expect(spentMicros / PRICE).toBeLessThan(1150)
    expect(pace.yieldRatio).toBeGreaterThan(0.12)
    expect(pace.yieldRatio).toBeLessThan(0.3)
  })

  test('if one bid in a hundred is won, the day is even nevertheless', () => {
    const pace = createPace()
    const random = randomOf(5)
    const budgetMicros = 100 * PRICE
    let spentMicros = 0
    let farthest = 0
    for (let nowMs = 0; nowMs < 24 * HOUR_MS; nowMs += 1_000) {
      const dueMicros = (budgetMicros * nowMs) / (24 * HOUR_MS)
      if (nowMs % HOUR_MS === 0) farthest = Math.max(farthest, Math.abs(spentMicros - dueMicros))
      const left = {
        ...ALONE,
        unspentMicros: budgetMicros - spentMicros,
        reservedMicros: 0,
        activeMs: 24 * HOUR_MS - nowMs,
        aheadMicros: spentMicros - dueMicros,
      }
      if (isPlanDue(pace, nowMs)) plan(pace, left, PRICE, nowMs)
      if (left.unspentMicros < PRICE || !passes(pace, PRICE, random.next())) continue
      const billedMicros = random.next() < 0.01 ? PRICE : 0
      spentMicros += billedMicros
      learnEnd(pace, PRICE, billedMicros)
    }
    expect(farthest / budgetMicros).toBeLessThan(0.12)
    expect(spentMicros / budgetMicros).toBeGreaterThan(0.95)
  })

  test('a campaign ahead of or behind the even line is back on it within hours, not at the end of the day', () => {
    for (const headStart of [0.05, -0.05]) {
      const pace = createPace()
      const random = randomOf(11)
      const budgetMicros = 2400 * PRICE
      let spentMicros = budgetMicros * (0.25 + headStart)
      for (let nowMs = 6 * HOUR_MS; nowMs < 10 * HOUR_MS; nowMs += 600) {
        const left = {
          ...ALONE,
          unspentMicros: budgetMicros - spentMicros,
          reservedMicros: 0,
          activeMs: 24 * HOUR_MS - nowMs,
          aheadMicros: spentMicros - (budgetMicros * nowMs) / (24 * HOUR_MS),
        }
        if (isPlanDue(pace, nowMs)) plan(pace, left, PRICE, nowMs)
        if (passes(pace, PRICE, random.next())) spentMicros += PRICE
      }
      expect(Math.abs(spentMicros / budgetMicros - 10 / 24)).toBeLessThan(0.02)
    }
  })

  test('a node that is new to a campaign that others know throttles it from the first request on', () => {
    const left = {
      ...ALONE,
      unspentMicros: 1440 * PRICE,
      reservedMicros: 0,
      activeMs: 24 * HOUR_MS,
      nodes: 2,
    }
    const pace = createPace()
    plan(
      pace,
      {
        ...left,
        others: {
          rateMicros: 100 * PRICE,
          meanMicros: 100 * PRICE,
          yieldRatio: 1,
          endedMicros: 1000 * PRICE,
        },
      },
      PRICE,
      0,
    )
    expect(pace.chance).toBeLessThan(0.02)
  })

  test('requests that move from a dead node to another leave the sum of the rates unchanged', () => {
    const left = { ...ALONE, unspentMicros: 1e6 * PRICE, reservedMicros: 0, activeMs: 24 * HOUR_MS, nodes: 2 }
    const pace = createPace()
    let ofTheDead = 60 * PRICE
    for (let minute = 0; minute <= 10; minute++) {
      const others = {
        rateMicros: ofTheDead,
        meanMicros: ofTheDead,
        yieldRatio: 0.5,
        endedMicros: 1000 * PRICE,
      }
      plan(pace, { ...left, others }, PRICE, minute * MINUTE_MS)
      if (minute > 0) expect(pace.rateMicros + others.rateMicros).toBeCloseTo(60 * PRICE, 0)
      for (let i = 0; i < 60; i++) passes(pace, PRICE, 0.5)
      ofTheDead *= MINUTE_FADE
    }
  })

  test('a mean is reported to others after an hour, not after a first minute that may be untypical', () => {
    const pace = createPace()
    const left = { ...ALONE, unspentMicros: 1e6 * PRICE, reservedMicros: 0, activeMs: 24 * HOUR_MS }
    for (let minute = 0; minute <= 60; minute++) {
      plan(pace, left, PRICE, minute * MINUTE_MS)
      const reported = reportedMeanMicros(pace)
      if (minute < 60) expect(reported).toBe(0)
      else expect(reported).toBeCloseTo(10 * PRICE, 0)
      for (let i = 0; i < 10; i++) passes(pace, PRICE, 0.5)
    }
  })

  test('a clock set back does not freeze the plan', () => {
    const pace = createPace()
    const left = { unspentMicros: 1e9, ...ALONE, reservedMicros: 0, activeMs: HOUR_MS }
    plan(pace, left, PRICE, 10 * HOUR_MS)
    expect(isPlanDue(pace, 9 * HOUR_MS)).toBe(true)
    plan(pace, left, PRICE, 9 * HOUR_MS)
    expect(pace.minuteStartMs).toBe(9 * HOUR_MS)
    expect(isPlanDue(pace, 9 * HOUR_MS + 1)).toBe(false)
  })
})

describe('time inside flights', () => {
  test('flights that overlap or touch count once, gaps do not count', () => {
    const spans = mergeFlights([
      { fid: 2, startS: 50, endS: 60 },
      { fid: 1, startS: 0, endS: 10 },
      { fid: 3, startS: 5, endS: 20 },
      { fid: 4, startS: 20, endS: 30 },
    ])
    expect(spans).toEqual([
      { startMs: 0, endMs: 30_000 },
      { startMs: 50_000, endMs: 60_000 },
    ])
    expect(activeMs(spans, 10_000, 55_000)).toBe(25_000)
    expect(activeMs(spans, 30_000, 50_000)).toBe(0)
  })
})
