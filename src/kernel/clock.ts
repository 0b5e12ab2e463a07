// The time is an argument: code that needs it gets a Clock, and tests pass one they can set.

export interface Clock {
  nowMs(): number
}

/** The clocks of a machine: one that can be set, and a monotonic one. */
export interface MachineClock extends Clock {
  monotonicMs(): number
  /** Stands in for the database's clock, in tests. */
  databaseMs?(): number
}

export const systemClock: MachineClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** Unix seconds of the API. A larger value is certainly milliseconds (or nonsense). */
export const MAX_TIME_SECONDS = 100_000_000_000

export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

export function fromSeconds(seconds: number): Date {
  return new Date(seconds * 1000)
}
