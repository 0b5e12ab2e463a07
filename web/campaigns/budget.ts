// What a budget, a price and a cap may be, said at their fields before anything is sent.

import { integer, money } from '../format/format.ts'
import { t } from '../words/words.ts'

const MIN = 0.01

function amountUpTo(max: number): (value: number) => string | undefined {
  return value =>
    value >= MIN && value <= max ? undefined : t('error.amountBetween', { min: money(MIN), max: money(max) })
}

export const budgetProblem = amountUpTo(1_000_000_000)
export const cpmProblem = amountUpTo(1_000_000)
export const cpcProblem = amountUpTo(1_000)

const MAX_CAP = 1_000_000

export function capProblem(value: number): string | undefined {
  if (value >= 0 && value <= MAX_CAP) return undefined
  return t('error.between', { min: integer(0), max: integer(MAX_CAP) })
}
