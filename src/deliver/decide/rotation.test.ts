// Which banner of a persona is shown, in many places: by weight as the weights say, by results with less regret than
// evenly, and never without the part that each keeps.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPrng as createRandom } from '../../../test/support/prng.ts'
import type { LiveBanner } from '../../budget/live.ts'
import type { Results } from '../../kernel/rotation.ts'
import { byResults, byWeight, EVEN_PART } from './rotation.ts'

const banner = (bid: number, more: Partial<LiveBanner> = {}): LiveBanner => ({
  bid,
  pid: 1,
  width: 300,
  height: 250,
  type: 'image/png',
  animated: false,
  imagePath: '/creative/a.png',
  clickUrl: 'https://a.example/',
  adomain: 'a.example',
  ...more,
})
const nothing = (): Results => ({ imps: 0, clicks: 0, actions: 0, value: 0 })

/** What banners truly bring: clicks an impression, conversions a click, and the value of one. */
interface Truth {
  ctr: number
  cvr?: number
  value?: number
}

/** Shows banners in so many places; results are known a batch later, as in a service. */
function play(truths: Truth[], places: number, seed: number, pick: typeof byResults, batch = 500) {
  const random = createRandom(seed)
  const banners = truths.map((_, at) => banner(at))
  const own = truths.map(nothing)
  let known = own.map(one => ({ ...one }))
  for (let place = 0; place < places; place++) {
    if (place % batch === 0) known = own.map(one => ({ ...one }))
    const even = banners[Math.floor(random() * banners.length)]!
    const { bid } = pick(even, banners, at => known[at]!, random)
    const [truth, results] = [truths[bid]!, own[bid]!]
    results.imps++
    if (random() >= truth.ctr) continue
    results.clicks++
    if (random() >= (truth.cvr ?? 0)) continue
    results.actions++
    results.value += truth.value ?? 0
  }
  return own
}
const evenly: typeof byResults = one => one
const regretOf = (truths: Truth[], shown: Results[], worth: (truth: Truth) => number) => {
  const best = Math.max(...truths.map(worth))
  return truths.reduce((sum, truth, at) => sum + (best - worth(truth)) * shown[at]!.imps, 0)
}

describe('by results', () => {
  it.each([1, 2, 3, 4, 5])(
    'shows what is clicked more with less than half the regret of even turns (seed %i)',
    seed => {
      const truths = [{ ctr: 0.01 }, { ctr: 0.02 }, { ctr: 0.005 }]
      const ctr = (truth: Truth) => truth.ctr
      const ours = regretOf(truths, play(truths, 60_000, seed, byResults), ctr)
      const even = regretOf(truths, play(truths, 60_000, seed, evenly), ctr)
      expect(ours).toBeLessThan(even / 2)
    },
  )

  it('prefers what sells to what is clicked, and what brings more to what sells more often', () => {
    const sells = [
      { ctr: 0.03, cvr: 0.02 },
      { ctr: 0.02, cvr: 0.2 },
    ]
    const sold = play(sells, 200_000, 7, byResults)
    expect(sold[1]!.imps).toBeGreaterThan(3 * sold[0]!.imps)
    const brings = [
      { ctr: 0.05, cvr: 0.2, value: 5 },
      { ctr: 0.05, cvr: 0.1, value: 50 },
    ]
    const brought = play(brings, 200_000, 8, byResults)
    expect(brought[1]!.imps).toBeGreaterThan(3 * brought[0]!.imps)
  })

  it('a new banner gets its chance, and the part of a better one', () => {
    const random = createRandom(9)
    const banners = [banner(0), banner(1)]
    const results = [{ ...nothing(), imps: 50_000, clicks: 500 }, nothing()]
    let shown = 0
    for (let place = 0; place < 20_000; place++) {
      const one = banners[Math.floor(random() * 2)]!
      if (byResults(one, banners, at => ({ ...results[at]! }), random).bid !== 1) continue
      shown++
      results[1]!.imps++
      if (random() < 0.03) results[1]!.clicks++
    }
    expect(shown).toBeGreaterThan(14_000)
  })

  it('every banner keeps about a tenth of its even share, however bad its results are', () => {
    const random = createRandom(10)
    const banners = [banner(0), banner(1)]
    const results = [
      { ...nothing(), imps: 1_000_000, clicks: 20_000 },
      { ...nothing(), imps: 1_000_000, clicks: 100 },
    ]
    let shown = 0
    for (let place = 0; place < 50_000; place++) {
      const one = banners[Math.floor(random() * 2)]!
      if (byResults(one, banners, at => results[at]!, random).bid === 1) shown++
    }
    expect(shown / 50_000).toBeGreaterThan((EVEN_PART / 2) * 0.9)
    expect(shown / 50_000).toBeLessThan((EVEN_PART / 2) * 1.1)
  })

  it('banners of another size are no rivals, and any counts and random numbers give one of the size', () => {
    const wide = banner(5, { width: 728, height: 90 })
    const all = [banner(0), banner(1), wide]
    const count = fc.integer({ min: 0, max: 1_000_000_000 })
    const results = fc.record({ imps: count, clicks: count, actions: count, value: count })
    fc.assert(
      fc.property(
        fc.array(results, { minLength: 2, maxLength: 2 }),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
          minLength: 1,
          maxLength: 50,
        }),
        (known, numbers) => {
          let at = 0
          const random = () => numbers[at++ % numbers.length]!
          expect(byResults(wide, all, bid => known[bid]!, random)).toBe(wide)
          expect([0, 1]).toContain(byResults(all[0]!, all, bid => known[bid]!, random).bid)
        },
      ),
    )
  })
})

it('by weight, each is shown as often as its weight says', () => {
  const random = createRandom(11)
  const banners = [banner(0), banner(1, { weight: 3 }), banner(2, { weight: 6 })]
  const shown = [0, 0, 0]
  for (let place = 0; place < 50_000; place++) shown[byWeight(banners, random).bid]!++
  for (const [at, part] of [0.1, 0.3, 0.6].entries()) expect(shown[at]! / 50_000).toBeCloseTo(part, 1)
})
