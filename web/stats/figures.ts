// The six figures: their names, how they add up and how they are written.

import * as format from '../format/format.ts'
import { t } from '../words/words.ts'

export interface Figures {
  imps: number
  clicks: number
  actions: number
  spend: number
  ctr: number
  cnvr: number
}

export const METRICS = ['spend', 'imps', 'clicks', 'ctr', 'actions', 'cnvr'] as const
export type Metric = (typeof METRICS)[number]

export const NO_FIGURES: Figures = { imps: 0, clicks: 0, actions: 0, spend: 0, ctr: 0, cnvr: 0 }

/** Ratios are made anew from the sums, never added. */
export function sumFigures(list: readonly Figures[]): Figures {
  const sum = { ...NO_FIGURES }
  for (const { imps, clicks, actions, spend } of list) {
    sum.imps += imps
    sum.clicks += clicks
    sum.actions += actions
    sum.spend += spend
  }
  sum.ctr = sum.imps > 0 ? sum.clicks / sum.imps : 0
  sum.cnvr = sum.clicks > 0 ? sum.actions / sum.clicks : 0
  return sum
}

const WRITTEN: Record<Metric, (value: number) => string> = {
  spend: format.money,
  imps: format.integer,
  clicks: format.integer,
  actions: format.integer,
  ctr: format.percent,
  cnvr: format.percent,
}
const WRITTEN_SHORT: Record<Metric, (value: number) => string> = {
  ...WRITTEN,
  spend: format.compactMoney,
  imps: format.compact,
  clicks: format.compact,
  actions: format.compact,
}

export const write = (metric: Metric, value: number) => WRITTEN[metric](value)
export const writeShort = (metric: Metric, value: number) => WRITTEN_SHORT[metric](value)
export const metricName = (metric: Metric) => t(`metric.${metric}`)
