// What is wrong with a number that is too small or too large, shown at its field before anything is sent.

import { integer, money } from '../format/format.ts'
import { t } from '../words/words.ts'

interface Range {
  minimum: number
  maximum: number
}

type Check = (value: number) => string | undefined

const isWithin = (value: number, { minimum, maximum }: Range) => value >= minimum && value <= maximum

/** `range` is in currency units. */
export function amountWithin(range: Range): Check {
  const words = () => ({ min: money(range.minimum), max: money(range.maximum) })
  return value => (isWithin(value, range) ? undefined : t('error.amountBetween', words()))
}

export function within(range: Range, show: (value: number) => string = integer): Check {
  const words = () => ({ min: show(range.minimum), max: show(range.maximum) })
  return value => (isWithin(value, range) ? undefined : t('error.between', words()))
}
