// The time is an argument: code that needs it gets a Clock, and tests pass one they can set.

export interface Clock {
  nowMs(): number
  /** Only a clock that somebody moves has them (src/sandbox/); any other goes on by itself. */
  rounds?: Rounds
}

/** Repeated work by a clock that somebody moves: whoever moves it runs what falls due on the way. */
export interface Rounds {
  /** Returns the function that takes it out again. */
  add(round: Round): () => void
  /** While the clock is moved, timers of the machine begin nothing. */
  isMoving(): boolean
}

export interface Round {
  name: string
  everyMs: number
  /** Once, from now on; settles when it is done. Failures are only logged. */
  run(): Promise<void>
  /** It has work that does not wait for its time. */
  isHurried?(): boolean
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

/** Milliseconds for durations that decide something: monotonic, or of the clock that is moved. */
export function steadyMsOf(clock: Clock): () => number {
  return clock.rounds ? clock.nowMs : () => performance.now()
}

/** The clock of a sandbox: no other is moved. */
export function isSandbox(clock: Clock): boolean {
  return clock.rounds !== undefined
}

/** What everything that leaves a sandbox carries: the time of its clock, in Unix seconds. */
export const SANDBOX_HEADER = 'x-marquee-sandbox'

export function sandboxMark(clock: Clock): Record<string, string> {
  return isSandbox(clock) ? { [SANDBOX_HEADER]: String(nowSeconds(clock)) } : {}
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
