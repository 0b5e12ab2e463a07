// The ceilings of a key, as its form and the list of keys write them.

import { decimal, integer, money } from '../format/format.ts'
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

export const isAmount = (ceiling: Ceiling) => ceiling !== 'increasePercent' && ceiling !== 'writesPerHour'
export const decimalsOf = (ceiling: Ceiling) => (ceiling === 'writesPerHour' ? 0 : 2)

export function writeCeiling(ceiling: Ceiling, value: number): string {
  if (ceiling === 'writesPerHour') return integer(value)
  return ceiling === 'increasePercent' ? t('keys.percent', { value: decimal(value, 2) }) : money(value)
}
