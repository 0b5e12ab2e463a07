// The clicks that are still to be expected of ads that are out, for a campaign that is paid by click: how many, and how
// far that may be off. Most clicks come within minutes of their ad, so what was expected of it fades. The true number
// is nearly always within two standard deviations: as long as the money covers those, nearly no click finds none.

export interface ExpectedClicks {
  mean: number
  variance: number
  atMs: number
}

/** What is paid by click, and how often an ad of it is clicked. */
export interface ClickTerms {
  /** One click. */
  priceMicros: number
  rate: number
}

/** After this time a third of the clicks of an ad is still expected. */
const FADE_MS = 5 * 60_000
const DEVIATIONS = 2

export function createExpectedClicks(): ExpectedClicks {
  return { mean: 0, variance: 0, atMs: Number.NEGATIVE_INFINITY }
}

/** One more ad is out. */
export function expectClick(expected: ExpectedClicks, rate: number, nowMs: number): void {
  const left = fadeAt(expected, nowMs)
  expected.mean = expected.mean * left + rate
  expected.variance = expected.variance * left + rate * (1 - rate)
  expected.atMs = Math.max(expected.atMs, nowMs)
}

/** How many clicks must be covered before one more ad at this rate goes out: one at least. */
export function clicksToCover(expected: ExpectedClicks, rate: number, nowMs: number): number {
  const left = fadeAt(expected, nowMs)
  const variance = expected.variance * left + rate * (1 - rate)
  return Math.max(1, expected.mean * left + rate + DEVIATIONS * Math.sqrt(variance))
}

function fadeAt({ atMs }: ExpectedClicks, nowMs: number): number {
  return nowMs > atMs ? Math.exp((atMs - nowMs) / FADE_MS) : 1
}

/** What an ad is expected to cost, at least one micro: pacing and asks reckon with it. */
export function expectedMicrosOf({ priceMicros, rate }: ClickTerms): number {
  return Math.max(1, Math.round(priceMicros * rate))
}
