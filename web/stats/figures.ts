// The figures: their names, how they add up and how they are written. Unit costs, value per action and return on spend
// are computed from the API's figures. Without any events they are unknown, not zero, and so are rates: what was never
// shown has no click rate.

import { SHOWN_FIGURES } from '../../src/report/saved-views/contract.ts'
import * as format from '../format/format.ts'
import { t } from '../words/words.ts'

/** As the API returns them. */
export interface Figures {
  imps: number
  /** Ads of our own tag that were at least half visible for one second. */
  views: number
  clicks: number
  actions: number
  spend: number
  ctr: number
  cnvr: number
  /** The value of the conversions. */
  value: number
}

/** The figures of an hour, day, week or month. */
export interface Bucket extends Figures {
  /** Its first second. */
  date: number
}

export const METRICS = SHOWN_FIGURES
export type Metric = (typeof METRICS)[number]
/** The figures that are amounts of money. */
export const MONEY_METRICS: readonly Metric[] = ['spend', 'cpm', 'cpc', 'cpa', 'value', 'vpa']

export const NO_FIGURES: Figures = {
  imps: 0,
  views: 0,
  clicks: 0,
  actions: 0,
  spend: 0,
  ctr: 0,
  cnvr: 0,
  value: 0,
}

export function readMetric(metric: Metric, figures: Figures): number | null {
  const { spend, imps, clicks, actions, value } = figures
  switch (metric) {
    case 'ctr':
      return imps > 0 ? figures.ctr : null
    case 'cnvr':
      return clicks > 0 ? figures.cnvr : null
    case 'cpm':
      return imps > 0 ? (spend / imps) * 1000 : null
    case 'cpc':
      return clicks > 0 ? spend / clicks : null
    case 'cpa':
      return actions > 0 ? spend / actions : null
    case 'roas':
      return spend > 0 ? value / spend : null
    case 'vpa':
      return actions > 0 ? value / actions : null
    default:
      return figures[metric]
  }
}

const MICROS = 1e6

/** Ratios are recomputed from the sums, never added; money is added in micro-units, as the service does. */
export function sumFigures(list: readonly Figures[]): Figures {
  const sum = { ...NO_FIGURES }
  let spendMicros = 0
  let valueMicros = 0
  for (const { imps, views, clicks, actions, spend, value } of list) {
    sum.imps += imps
    sum.views += views
    sum.clicks += clicks
    sum.actions += actions
    spendMicros += Math.round(spend * MICROS)
    valueMicros += Math.round(value * MICROS)
  }
  sum.spend = spendMicros / MICROS
  sum.value = valueMicros / MICROS
  sum.ctr = sum.imps > 0 ? sum.clicks / sum.imps : 0
  sum.cnvr = sum.clicks > 0 ? sum.actions / sum.clicks : 0
  return sum
}

const WRITTEN: Record<Metric, (value: number) => string> = {
  spend: format.money,
  cpm: format.price,
  cpc: format.price,
  cpa: format.price,
  value: format.money,
  roas: format.times,
  vpa: format.price,
  imps: format.integer,
  views: format.integer,
  clicks: format.integer,
  actions: format.integer,
  ctr: format.percent,
  cnvr: format.percent,
}
const WRITTEN_SHORT: Record<Metric, (value: number) => string> = {
  ...WRITTEN,
  spend: format.compactMoney,
  value: format.compactMoney,
  imps: format.compact,
  views: format.compact,
  clicks: format.compact,
  actions: format.compact,
}

const UNKNOWN = '–'
export const write = (metric: Metric, value: number | null) =>
  value === null ? UNKNOWN : WRITTEN[metric](value)
export const writeShort = (metric: Metric, value: number) => WRITTEN_SHORT[metric](value)

/** More of MORE is better, less of LESS; rising spend is neither. */
const MORE: readonly Metric[] = ['imps', 'views', 'clicks', 'ctr', 'actions', 'cnvr', 'value', 'roas', 'vpa']
const LESS: readonly Metric[] = ['cpm', 'cpc', 'cpa']

export function toneOf(metric: Metric, difference: number): 'up' | 'down' | 'flat' {
  if (difference === 0 || !(MORE.includes(metric) || LESS.includes(metric))) return 'flat'
  return difference > 0 === MORE.includes(metric) ? 'up' : 'down'
}

/** The six figures of a period: with value and return if conversions have values, otherwise with rates. */
const COMMON: readonly Metric[] = ['spend', 'imps', 'clicks', 'actions']
export const figuresShown = (isWorth: boolean): Metric[] =>
  isWorth ? [...COMMON, 'value', 'roas'] : [...COMMON, 'ctr', 'cpa']

/** For narrow places: amounts without cents. */
export const writeRound = (metric: Metric, value: number | null) =>
  value !== null && (metric === 'spend' || metric === 'value')
    ? format.roundMoney(value)
    : write(metric, value)
export const shortName = (metric: Metric) =>
  metric === 'roas' ? t('stats.return') : metric === 'cpa' ? t('stats.perAction') : metricName(metric)
export const metricName = (metric: Metric) => t(`metric.${metric}`)
