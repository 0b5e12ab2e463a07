// The clicks still expected from ads already served, for a campaign that is paid by click: how many, and how far that
// may be off. Most clicks come within minutes of their ad, so the expectation fades. The true number is nearly always
// within two standard deviations: if the money covers those, hardly any click goes unpaid.

export interface ExpectedClicks {
  mean: number
  variance: number
  atMs: number
}

/** What a campaign that is paid by click pays, and how often its ads are clicked. */
export interface ClickTerms {
  /** The price of one click. */
  priceMicros: number
  rate: number
}

/** After this time about a third of an ad's clicks are still expected. */
const FADE_MS = 5 * 60_000
const DEVIATIONS = 2

export function createExpectedClicks(): ExpectedClicks {
  return { mean: 0, variance: 0, atMs: Number.NEGATIVE_INFINITY }
}

/** One more ad was served. */
export function expectClick(expected: ExpectedClicks, rate: number, nowMs: number): void {
  const left = fadeAt(expected, nowMs)
  expected.mean = expected.mean * left + rate
  expected.variance = expected.variance * left + rate * (1 - rate)
  expected.atMs = Math.max(expected.atMs, nowMs)
}

/** How many clicks the money must cover before one more ad at this rate is served: at least one. */
export function clicksToCover(expected: ExpectedClicks, rate: number, nowMs: number): number {
  const left = fadeAt(expected, nowMs)
  const variance = expected.variance * left + rate * (1 - rate)
  return Math.max(1, expected.mean * left + rate + DEVIATIONS * Math.sqrt(variance))
}

function fadeAt({ atMs }: ExpectedClicks, nowMs: number): number {
  return nowMs > atMs ? Math.exp((atMs - nowMs) / FADE_MS) : 1
}

/** What an ad is expected to cost, at least one micro; used by pacing and asks. */
export function expectedMicrosOf({ priceMicros, rate }: ClickTerms): number {
  return Math.max(1, Math.round(priceMicros * rate))
}
