// Ceilings: the highest budgets and prices that a caller may set, for a customer or for one of its pairs. They are
// stored under the same names as they are shown, with amounts in micros.

import { fromMicros, toMicros } from './money.ts'

export const AMOUNT_CEILINGS = ['dailySpend', 'dailySpendAll', 'totalSpend', 'cpm', 'cpc'] as const
const NUMBER_CEILINGS = ['increasePercent', 'writesPerHour'] as const
export const CEILINGS = [...AMOUNT_CEILINGS, ...NUMBER_CEILINGS]
export type Ceiling = (typeof CEILINGS)[number]

export type Ceilings = Partial<Record<Ceiling, number | null>>
/** The ceilings that are set. */
export type StoredCeilings = Partial<Record<Ceiling, number>>

const isAmount = (ceiling: Ceiling) => (AMOUNT_CEILINGS as readonly string[]).includes(ceiling)

/** Null if none is set. */
export function storedCeilings(given: Ceilings | null): StoredCeilings | null {
  const set = CEILINGS.flatMap(ceiling => {
    const value = given?.[ceiling]
    return value == null ? [] : [[ceiling, isAmount(ceiling) ? toMicros(value)! : value] as const]
  })
  return set.length === 0 ? null : Object.fromEntries(set)
}

export function shownCeilings(stored: StoredCeilings | null): StoredCeilings | null {
  if (stored === null) return null
  return Object.fromEntries(
    Object.entries(stored).map(([ceiling, value]) => [ceiling, shownValue(ceiling as Ceiling, value)]),
  )
}

export function shownValue(ceiling: Ceiling, value: number): number {
  return isAmount(ceiling) ? fromMicros(value) : value
}
