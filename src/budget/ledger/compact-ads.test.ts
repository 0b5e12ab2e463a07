// Ads kept as rows of numbers: nothing is lost or confused.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import type { AdFacts } from './ad.ts'
import { adIdAt, ID_WORDS, readAdId } from './ad-id.ts'
import { createCompactAds, type Reservation } from './compact-ads.ts'

const idOf = (bytes: number[]) => Buffer.from(bytes).toString('base64url')
/** `n` is in the low bytes only, so that ids are very similar. */
const ad = (n: number): AdFacts & Reservation => ({
  adId: idOf([0, 0, 0, 0, 0, 0, 0, 0, 0, n >>> 16, (n >>> 8) & 255, n & 255]),
  cid: 2 ** 40 + (n % 7),
  payer: n % 2 === 0 ? 0 : 2 ** 41 + n,
  dayKey: 20261115,
  priceMicros: n,
  reservedUntilMs: 1_763_200_000_000 + n,
  user: n % 3 === 0 ? null : { hi: 0xffff_ffff - n, lo: n },
  inCaps: n % 3 === 1,
})

describe('compact ads', () => {
  test('an id survives the conversion to numbers and back', () => {
    const random = seededRandom('ad ids')
    const words = new Int32Array(ID_WORDS + 3)
    for (let run = 0; run < 1000; run++) {
      const adId = idOf(Array.from({ length: 12 }, () => random.int(256)))
      readAdId(adId, words)
      words.copyWithin(3, 0, ID_WORDS)
      expect(adIdAt(words, 3)).toBe(adId)
    }
  })

  test.each(['', 'short', 'x'.repeat(17), `${'x'.repeat(15)}!`, `${'x'.repeat(15)}é`])(
    '%j is not an ad id',
    adId => {
      expect(() => createCompactAds().has(adId)).toThrow(RangeError)
    },
  )

  test('whatever is added, taken, billed, freed and dropped, each row stands for exactly its ad, with all its facts', () => {
    const random = seededRandom('compact ads')
    const compact = createCompactAds()
    type State = 'open' | 'taken' | 'billed' | 'freed'
    /** Of each id, its last row. */
    const known = new Map<string, { row: number; state: State; ad: ReturnType<typeof ad> }>()
    const rows: { row: number; state: State; ad: ReturnType<typeof ad> }[] = []
    const isIn = (one: { state: State }) => one.state === 'open' || one.state === 'billed'
    for (let step = 0; step < 30_000; step++) {
      const next = ad(random.int(6_000))
      const one = known.get(next.adId)
      const what = `step ${step}`
      expect(compact.has(next.adId), what).toBe(one !== undefined && isIn(one))
      expect(compact.wasBilled(next.adId), what).toBe(one?.state === 'billed')
      if (one === undefined || one.state === 'freed') {
        const { inCaps, ...facts } = next
        const state = random.next() < 0.1 ? 'billed' : 'open'
        const made = { row: compact.add(facts, state, inCaps), state: state as State, ad: next }
        known.set(next.adId, made)
        rows.push(made)
      } else if (random.next() < 0.4) {
        const taken = compact.take(next.adId)
        expect(taken, what).toEqual(one.state === 'open' ? { ...one.ad, row: one.row } : null)
        if (one.state === 'open') one.state = 'taken'
      } else if (one.state === 'taken') {
        one.state = random.next() < 0.5 ? 'billed' : 'freed'
        compact[one.state === 'billed' ? 'bill' : 'free'](one.row)
      } else {
        const [dropped] = rows.splice(random.int(rows.length), 1) as [(typeof rows)[0]]
        const { row, state } = dropped
        const { adId, ...reservation } = dropped.ad
        expect(compact.untilMsOf(row), what).toBe(reservation.reservedUntilMs)
        expect(compact.takenFrom(row), what).toBe(state === 'taken' ? adId : null)
        // A row whose ad is elsewhere is empty, even if the same ad was added again in another row.
        expect(compact.drop(row), what).toEqual(state === 'open' ? reservation : null)
        if (known.get(adId) === dropped) known.delete(adId)
      }
      if (step % 500 === 0) expect(compact.size(), what).toBe([...known.values()].filter(isIn).length)
    }
    const byId = (a: AdFacts, b: AdFacts) => (a.adId < b.adId ? -1 : 1)
    const expected = [...known.values()].filter(isIn).map(({ ad, row, state }) => ({ ...ad, row, state }))
    expect([...compact.all()].sort(byId)).toEqual(expected.sort(byId))
  })

  test('each user of a campaign is counted once, and a user that does not fit is reported', () => {
    const compact = createCompactAds()
    for (let n = 0; n < 100; n++) {
      const { inCaps, ...facts } = ad(n)
      compact.add(facts, 'open', inCaps)
    }
    const uncounted = (n: number) => n % 3 === 2 && n % 7 === 5
    const expected = Array.from({ length: 100 }, (_, n) => n).filter(uncounted)
    const asked: number[] = []
    const count = (fits: boolean) =>
      compact.countUsers(2 ** 40 + 5, reservation => {
        asked.push(reservation.priceMicros)
        return fits
      })
    expect(count(false)).toBe(false)
    expect(asked.splice(0)).toEqual(expected)
    expect(count(true)).toBe(true)
    expect(asked.splice(0)).toEqual(expected)
    expect(count(true)).toBe(true)
    expect(asked).toEqual([])
  })
})
