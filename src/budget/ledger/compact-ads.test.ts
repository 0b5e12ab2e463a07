// Ads kept as rows of numbers: nothing is lost or confused.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { adIdAt, ID_WORDS, readAdId } from './ad-id.ts'
import { type CompactAd, createCompactAds } from './compact-ads.ts'

const idOf = (bytes: number[]) => Buffer.from(bytes).toString('base64url')
/** `n` is in the low bytes only, so that ids are very similar. */
const ad = (n: number, changes: Partial<CompactAd> = {}): CompactAd => ({
  adId: idOf([0, 0, 0, 0, 0, 0, 0, 0, 0, n >>> 16, (n >>> 8) & 255, n & 255]),
  cid: 2 ** 40 + (n % 7),
  payer: n % 2 === 0 ? 0 : 2 ** 41 + n,
  dayKey: 20261115,
  priceMicros: n,
  reservedUntilMs: 1_763_200_000_000 + n,
  user: n % 3 === 0 ? null : { hi: 0xffff_ffff - n, lo: n },
  inCaps: n % 3 === 1,
  ...changes,
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

  test('whatever is added, taken and dropped, the table contains exactly the right ads, with all their facts', () => {
    const random = seededRandom('compact ads')
    const compact = createCompactAds()
    const open = new Map<string, CompactAd>()
    const rows: { row: number; ad: CompactAd }[] = []
    for (let step = 0; step < 60_000; step++) {
      const next = ad(random.int(9_000))
      const known = open.get(next.adId)
      const what = `step ${step}`
      expect(compact.has(next.adId), what).toBe(known !== undefined)
      if (random.next() < 0.3) {
        expect(compact.take(next.adId), what).toEqual(known ?? null)
        open.delete(next.adId)
      } else if (known === undefined) {
        const { inCaps, ...facts } = next
        rows.push({ row: compact.add(facts, inCaps), ad: next })
        open.set(next.adId, next)
      } else if (random.next() < 0.5) {
        const [{ row, ad: was }] = rows.splice(random.int(rows.length), 1) as [(typeof rows)[0]]
        expect(compact.untilMsOf(row), what).toBe(was.reservedUntilMs)
        const { adId, ...reservation } = was
        // A row whose ad was taken is empty, even if the same ad was added again in another row.
        const isIn = open.get(adId) === was
        expect(compact.drop(row), what).toEqual(isIn ? reservation : null)
        if (isIn) open.delete(adId)
      }
      expect(compact.size(), what).toBe(open.size)
    }
    const byId = (a: CompactAd, b: CompactAd) => (a.adId < b.adId ? -1 : 1)
    expect([...compact.all()].sort(byId)).toEqual([...open.values()].sort(byId))
  })

  test('each user of a campaign is counted once, and a user that does not fit is reported', () => {
    const compact = createCompactAds()
    for (let n = 0; n < 100; n++) {
      const { inCaps, ...facts } = ad(n)
      compact.add(facts, inCaps)
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
