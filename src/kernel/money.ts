// Money is an integer count of micro-units (1,000,000 are one unit of the deployment's currency). Amounts from outside
// have at most two decimals. A third is refused, never rounded; floating-point noise does not count as one.

export const MICROS_PER_UNIT = 1_000_000
const MICROS_PER_CENT = 10_000
/** The largest amount that the API accepts, far below the limit of exact doubles. */
export const MAX_UNITS = 1_000_000_000

/** How far a sum of floats may be from the intended cent: 0.1 + 0.2 is 0.30000000000000004. */
const NOISE_UNITS = 1e-9
/** From eight million on, neighbouring floats are further apart than that, so a few of those steps are allowed. */
const NOISE_SHARE = 4 * Number.EPSILON

/** Converts an amount with at most two decimals exactly; null if it has more, or is not finite. */
export function toMicros(units: number): number | null {
  if (!Number.isFinite(units) || Math.abs(units) > MAX_UNITS) return null
  const cents = Math.round(units * 100)
  const noise = Math.max(NOISE_UNITS, Math.abs(units) * NOISE_SHARE)
  return Math.abs(cents / 100 - units) <= noise ? cents * MICROS_PER_CENT : null
}

/** The intended amount if only noise separates it from a cent; otherwise unchanged. */
export function withoutNoise(units: number): number {
  const micros = toMicros(units)
  return micros === null ? units : fromMicros(micros)
}

export function fromMicros(micros: number): number {
  return micros / MICROS_PER_UNIT
}
