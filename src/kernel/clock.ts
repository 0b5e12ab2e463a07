// The time is an argument: whoever needs it asks a Clock, and tests hand in one they can turn.

export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** Unix seconds of the interface. Above this it is surely milliseconds (or nonsense). */
export const MAX_TIME_SECONDS = 100_000_000_000

export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

export function fromSeconds(seconds: number): Date {
  return new Date(seconds * 1000)
}
