// Which of several banners people click more often, and how certain that is: the best against the second, as two
// proportions. Counts are corrected as by Agresti and Caffo (one more click and one more impression without a click for
// each), so that few clicks prove little and zero clicks do not divide by zero.

export interface Counted {
  imps: number
  clicks: number
}

export type Verdict<One extends Counted> =
  /** Too few impressions or clicks to compare. */
  | { kind: 'early' }
  /** Enough impressions, but not one click. */
  | { kind: 'silent' }
  /** Nothing tells them apart. */
  | { kind: 'level'; best: One; second: One }
  /** One leads. `more`: about how many more impressions of both would settle it; null: too many to wait for. */
  | { kind: 'ahead'; best: One; second: One; sure: number; more: number | null }
  | { kind: 'settled'; best: One; second: One; sure: number }

/** A banner with fewer impressions is not compared. */
export const MIN_IMPS = 100
/** The clicks of all compared banners together. */
const MIN_CLICKS = 5
/** Below this certainty, a lead counts as none. */
const LEADS = 0.6
export const SETTLED = 0.95
/** The z value with 95% of the normal distribution below it. */
const SETTLED_AT = 1.6449
const MAX_MORE = 10_000_000

/** Null: there is nothing to compare. */
export function verdictOf<One extends Counted>(banners: readonly One[]): Verdict<One> | null {
  if (banners.length < 2) return null
  const judged = banners.filter(({ imps }) => imps >= MIN_IMPS)
  if (judged.length < 2) return { kind: 'early' }
  const clicks = judged.reduce((sum, one) => sum + one.clicks, 0)
  if (clicks === 0) return { kind: 'silent' }
  if (clicks < MIN_CLICKS) return { kind: 'early' }
  const ranked = judged.toSorted((a, b) => rateOf(b) - rateOf(a) || b.imps - a.imps)
  const [best, second] = [ranked[0]!, ranked[1]!]
  const lead = leadOf(best, second)
  const sure = shareBelow(lead)
  if (sure < LEADS) return { kind: 'level', best, second }
  if (sure >= SETTLED) return { kind: 'settled', best, second, sure }
  return { kind: 'ahead', best, second, sure, more: moreFor(lead, best.imps + second.imps) }
}

export const rateOf = ({ imps, clicks }: Counted) => (imps > 0 ? clicks / imps : 0)

/** The distance between the two proportions, in standard errors. */
function leadOf(best: Counted, second: Counted): number {
  const [a, b] = [corrected(best), corrected(second)]
  return (a.share - b.share) / Math.sqrt(a.variance + b.variance)
}

function corrected({ imps, clicks }: Counted) {
  const all = imps + 2
  // More clicks than impressions are possible: each is counted by its own time.
  const share = Math.min(1, (clicks + 1) / all)
  return { share, variance: Math.max((share * (1 - share)) / all, Number.EPSILON) }
}

/** Assumes that the proportions stay as they are: the standard error shrinks with the root of the impressions. */
function moreFor(lead: number, imps: number): number | null {
  const more = imps * ((SETTLED_AT / lead) ** 2 - 1)
  return more > MAX_MORE ? null : roundUp(more)
}

/** Rounded to one digit: more digits would suggest an exact figure. */
function roundUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(count, 100)))
  return Math.max(100, Math.ceil(count / unit) * unit)
}

/** The share of the normal distribution below z (Abramowitz and Stegun, 26.2.17: correct to seven digits). */
export function shareBelow(z: number): number {
  const k = 1 / (1 + 0.2316419 * Math.abs(z))
  const series =
    k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
  return z >= 0 ? 1 - above : above
}
