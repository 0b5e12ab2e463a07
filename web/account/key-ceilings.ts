// The ceilings of a key, as written in its form and in the list of keys.

import { CEILING_RANGES } from '../../src/manage/customers/ceilings/contract.ts'
import { amountWithin, within } from '../form/range.ts'
import { currencySign, decimal, exactMoney, integer } from '../format/format.ts'
import { t } from '../words/words.ts'

export const CEILINGS = [
  'dailySpend',
  'dailySpendAll',
  'totalSpend',
  'cpm',
  'cpc',
  'increasePercent',
  'writesPerHour',
] as const
export type Ceiling = (typeof CEILINGS)[number]

export const decimalsOf = (ceiling: Ceiling) => (ceiling === 'writesPerHour' ? 0 : 2)

/** Shown before the number. */
export function signOf(ceiling: Ceiling): string | undefined {
  if (ceiling === 'writesPerHour') return undefined
  return ceiling === 'increasePercent' ? '%' : currencySign()
}

/** What is wrong with a value. */
export function ceilingProblem(ceiling: Ceiling, value: number): string | undefined {
  const range = CEILING_RANGES[ceiling]
  const isAmount = ceiling !== 'writesPerHour' && ceiling !== 'increasePercent'
  return (isAmount ? amountWithin(range) : within(range, most => writeCeiling(ceiling, most)))(value)
}

export function writeCeiling(ceiling: Ceiling, value: number): string {
  if (ceiling === 'writesPerHour') return integer(value)
  return ceiling === 'increasePercent' ? t('keys.percent', { value: decimal(value, 2) }) : exactMoney(value)
}
