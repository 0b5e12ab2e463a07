// Which of several fitting banners of one persona is shown: each as often as the others, by weight, or the more often
// the better its results are (Thompson sampling: each banner draws from what its results make likely, and the best draw
// wins). Every banner keeps a part of its even share, and is compared with those of its own size only. Pure: random is
// an argument.

import type { LiveBanner } from '../../budget/live.ts'
import { goalOf, type Results } from '../../kernel/rotation.ts'

/** The part of places that goes to all banners evenly, whatever is known. */
export const EVEN_PART = 0.1
/** Before there are any, about one impression in so many has a success. */
const USUAL_IMPS = 1_000
/** A banner's own mean value counts like the mean of all until it has a few conversions. */
const PRIOR_ACTIONS = 5
const MOST_DRAWS = 20

type Random = () => number

/** `banners` must not be empty. */
export function byWeight(banners: readonly LiveBanner[], random: Random): LiveBanner {
  let left = random() * banners.reduce((sum, { weight = 1 }) => sum + weight, 0)
  for (const banner of banners) {
    left -= banner.weight ?? 1
    if (left < 0) return banner
  }
  return banners[banners.length - 1]!
}

/** `one` was chosen evenly; those of its size compete with it. */
export function byResults(
  one: LiveBanner,
  banners: readonly LiveBanner[],
  resultsOf: (bid: number) => Results,
  random: Random,
): LiveBanner {
  const rivals = banners.filter(({ width, height }) => width === one.width && height === one.height)
  if (rivals.length < 2 || random() < EVEN_PART) return one
  const results = rivals.map(({ bid }) => resultsOf(bid))
  const draw = drawFor(results, random)
  let best = 0
  let highest = -1
  results.forEach((own, at) => {
    const drawn = draw(own)
    if (drawn <= highest) return
    highest = drawn
    best = at
  })
  return rivals[best]!
}

/** What a banner with these results may bring by impression, drawn at random. */
function drawFor(all: readonly Results[], random: Random): (own: Results) => number {
  const goal = goalOf(all)
  const successes = goal === 'clicks' ? 'clicks' : 'actions'
  const sum = (field: keyof Results) => all.reduce((total, one) => total + one[field], 0)
  const usual = (sum(successes) + 1) / (sum('imps') + USUAL_IMPS)
  // One success among as many impressions as one usually needs: a new banner may be much better, and is tried.
  const failures = Math.max(1, 1 / usual - 1)
  const rate = (own: Results) =>
    drawBeta(1 + own[successes], failures + Math.max(0, own.imps - own[successes]), random)
  if (goal !== 'value') return rate
  const mean = sum('value') / sum('actions')
  return own => (rate(own) * (own.value + PRIOR_ACTIONS * mean)) / (own.actions + PRIOR_ACTIONS)
}

function drawBeta(a: number, b: number, random: Random): number {
  const x = drawGamma(a, random)
  return x / (x + drawGamma(b, random))
}

/** By Marsaglia and Tsang, for shapes from 1. */
function drawGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
  return d
}
