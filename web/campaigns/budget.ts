// What a daily budget may be, said at its field before anything is sent.

import { money } from '../format/format.ts'
import { t } from '../words/words.ts'

const [MIN, MAX] = [0.01, 1_000_000_000]

export function budgetProblem(value: number): string | undefined {
  if (value >= MIN && value <= MAX) return undefined
  return t('error.amountBetween', { min: money(MIN), max: money(MAX) })
}
