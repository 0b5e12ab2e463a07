// The verdict on a call: count it, at which price, or ignore it and why.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ServedAd } from './ad.ts'
import { clearingPrice, judgeClick, judgeImpression } from './verdict.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000)
console.log(`verdict: SEED=${seed}`)

const ad = (more: Partial<ServedAd> = {}) =>
  ({ servedS: 1000, priceMicros: 2500, billsOn: 'notice', takesPrice: true, ...more }) as ServedAd
const PERSON = { isBot: false, isPrefetch: false, isOther: false }
const BOT = { isBot: true, isPrefetch: false, isOther: false }
const OTHER = { isBot: false, isPrefetch: false, isOther: true }
const AHEAD = { isBot: false, isPrefetch: true, isOther: false }

describe('an impression', () => {
  test.each([
    ['a notice that bills', ad(), 'notice', PERSON, '1.25', 1250],
    ['a price without a leading zero', ad(), 'notice', PERSON, '.5', 500],
    ['a price that is only a point', ad(), 'notice', PERSON, '.', 2500],
    ['a notice of a bot', ad(), 'notice', BOT, '1.25', 1250],
    ['a pixel beside a notice', ad(), 'pixel', PERSON, null, 'evidence'],
    ["a bot's pixel is no evidence", ad(), 'pixel', BOT, null, 'bot'],
    ['a notice beside a pixel', ad({ billsOn: 'pixel' }), 'notice', PERSON, '1', 'evidence'],
    ['a pixel that bills', ad({ billsOn: 'pixel' }), 'pixel', PERSON, '1', 1000],
    ['a pixel of a tag', ad({ billsOn: 'pixel', takesPrice: false }), 'pixel', PERSON, '1', 2500],
    ['a prefetch', ad({ billsOn: 'pixel' }), 'pixel', AHEAD, null, 'prefetch'],
    ['a pixel of somebody else', ad({ billsOn: 'pixel' }), 'pixel', OTHER, null, 'other_visitor'],
    ['a notice of somebody else', ad(), 'notice', OTHER, '1', 1000],
    ['a test', ad({ test: true, foreignDomain: true }), 'notice', BOT, 'AUDIT', 'test'],
    ['a foreign domain', ad({ foreignDomain: true }), 'pixel', BOT, null, 'foreign_domain'],
    ['an audit', ad(), 'notice', PERSON, ' audit ', 'audit'],
    ['an audit by pixel', ad({ billsOn: 'pixel' }), 'pixel', PERSON, 'AUDIT', 'audit'],
  ] as const)('%s', (_, served, call, facts, price, expected) => {
    const verdict = judgeImpression(served, call, facts, price)
    expect(verdict.count ? verdict.priceMicros : verdict.reason).toBe(expected)
  })

  test('whatever the price says, it costs a whole number from zero to the bid', () => {
    const text = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.float().map(value => value.toFixed(6)),
      fc.integer().map(String),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 1e9 }), (price, bidMicros) => {
        const micros = clearingPrice(price, bidMicros)
        expect(Number.isSafeInteger(micros) && micros >= 0 && micros <= bidMicros).toBe(true)
      }),
      { seed, numRuns: 2000 },
    )
  })
})

describe('a click', () => {
  const WINDOW_S = 100

  test('counts until its window ends', () => {
    expect(judgeClick(ad(), PERSON, 1_099_999, WINDOW_S)).toEqual({ count: true })
    expect(judgeClick(ad(), PERSON, 1_100_000, WINDOW_S)).toEqual({ count: false, reason: 'late' })
  })

  test('does not count for bots, prefetches, tests and foreign domains', () => {
    const reasons = [
      judgeClick(ad(), BOT, 0, WINDOW_S),
      judgeClick(ad(), AHEAD, 0, WINDOW_S),
      judgeClick(ad({ test: true }), PERSON, 0, WINDOW_S),
      judgeClick(ad({ foreignDomain: true }), PERSON, 0, WINDOW_S),
    ].map(verdict => !verdict.count && verdict.reason)
    expect(reasons).toEqual(['bot', 'prefetch', 'test', 'foreign_domain'])
  })
})
