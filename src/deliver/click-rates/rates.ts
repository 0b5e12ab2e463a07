// How often people click: the usual rate of a source and size, and what is known about each banner. The rates rank
// campaigns that are paid by click, and say how many clicks are still expected. Memory only.

import type { Results } from '../../kernel/rotation.ts'

/** Impressions and clicks of the last 28 days. */
export interface Clicked {
  imps: number
  clicks: number
}

export interface ClickRates {
  /** The usual rate of a source and size; `sourceId` null: of all sources. */
  usual(sourceId: number | null, size: SizeOf): number
  banner(bid: number): Results
  /** The highest known usual rate. */
  highest(): number
}

interface SizeOf {
  width: number
  height: number
}

export interface UsualRow extends Clicked, SizeOf {
  sourceId: number
}

export interface BannerRow extends Results {
  bid: number
}

/** The rate if nothing is known: one click in a thousand impressions, with the weight of 2,000 impressions. */
export const DEFAULT_RATE = 0.001
const DEFAULT_WEIGHT = 2_000
/** The limits of a usual rate. */
export const LOWEST_RATE = 0.0001
export const HIGHEST_RATE = 0.05
/** A banner's own figures are combined with the usual rate, which has the weight of this many impressions. */
export const PRIOR_IMPS = 500
const NOTHING: Results = { imps: 0, clicks: 0, actions: 0, value: 0 }

export const NO_CLICK_RATES: ClickRates = clickRatesOf([], [])

export function clickRatesOf(usual: readonly UsualRow[], banners: readonly BannerRow[]): ClickRates {
  const bySource = new Map<string, number>()
  const ofSize = new Map<string, Clicked>()
  let highest = DEFAULT_RATE
  for (const row of usual) {
    const rate = usualRate(row)
    bySource.set(`${row.sourceId} ${row.width} ${row.height}`, rate)
    highest = Math.max(highest, rate)
    const size = `${row.width} ${row.height}`
    const sum = ofSize.get(size) ?? NOTHING
    ofSize.set(size, { imps: sum.imps + row.imps, clicks: sum.clicks + row.clicks })
  }
  const byBanner = new Map(banners.map(({ bid, ...results }) => [bid, results]))
  return {
    usual(sourceId, { width, height }) {
      if (sourceId === null) return usualRate(ofSize.get(`${width} ${height}`) ?? NOTHING)
      return bySource.get(`${sourceId} ${width} ${height}`) ?? DEFAULT_RATE
    },
    banner: bid => byBanner.get(bid) ?? NOTHING,
    highest: () => highest,
  }
}

function usualRate({ imps, clicks }: Clicked): number {
  const rate = (clicks + DEFAULT_WEIGHT * DEFAULT_RATE) / (imps + DEFAULT_WEIGHT)
  return Math.min(HIGHEST_RATE, Math.max(LOWEST_RATE, rate))
}

/** The expected click rate of a banner, where `usual` is the usual rate. */
export function expectedRate({ imps, clicks }: Clicked, usual: number): number {
  return Math.min(1, (clicks + PRIOR_IMPS * usual) / (imps + PRIOR_IMPS))
}

/** The expected income of a thousand impressions, in micros. */
export function expectedCpmMicros(cpcMicros: number, rate: number): number {
  return Math.round(1000 * cpcMicros * rate)
}

/** The banner has too few impressions to know its rate. */
export function isNewBanner({ imps }: Clicked): boolean {
  return imps < PRIOR_IMPS
}
