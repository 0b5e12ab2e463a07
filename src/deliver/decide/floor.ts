// A floor (CPM) in micros, rounded up: a price that reaches it is never below the given floor, and an equal price
// reaches it.

import { MICROS_PER_UNIT } from '../../kernel/money.ts'

/** The highest floor: above the price of every campaign, and small enough to stay exact. */
const HIGHEST_FLOOR_MICROS = Number.MAX_SAFE_INTEGER

export function microsOfFloor(floor: number): number {
  // Rounded first: 4.03 times a million is a little more than 4,030,000.
  const micros = Math.min(Math.round(floor * MICROS_PER_UNIT), HIGHEST_FLOOR_MICROS)
  return micros / MICROS_PER_UNIT < floor && micros < HIGHEST_FLOOR_MICROS ? micros + 1 : micros
}
