// Time is an argument: code that needs it gets a Clock, and tests pass one that they can set.

export interface Clock {
  nowMs(): number
  /** Only a clock that is moved by calls (src/sandbox/) has rounds; any other clock runs by itself. */
  rounds?: Rounds
  /** How many people each visitor of a sandbox stands for, now or last. */
  crowd?: number
}

/** Repeated work on a clock that is moved: whoever moves it runs what falls due on the way. */
export interface Rounds {
  /** Returns the function that removes the round. */
  add(round: Round): () => void
  /** True while the clock is being moved: then the machine's timers start nothing. */
  isMoving(): boolean
}

export interface Round {
  name: string
  everyMs: number
  /** Runs the work once and settles when it is done. Failures are only logged. */
  run(): Promise<void>
  /** It has work that cannot wait for its time. */
  isHurried?(): boolean
}

/** The clocks of a machine: one that can be set, and a monotonic one. */
export interface MachineClock extends Clock {
  monotonicMs(): number
  /** Stands in for the database's clock in tests. */
  databaseMs?(): number
}

export const systemClock: MachineClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** Milliseconds for durations that decide something: from the monotonic clock, or from a clock that is moved. */
export function steadyMsOf(clock: Clock): () => number {
  return clock.rounds ? clock.nowMs : () => performance.now()
}

/** Only the clock of a sandbox is moved by calls. */
export function isSandbox(clock: Clock): boolean {
  return clock.rounds !== undefined
}

/** Header of everything that leaves a sandbox: the time of its clock, in Unix seconds. */
export const SANDBOX_HEADER = 'x-marquee-sandbox'

export function sandboxMark(clock: Clock): Record<string, string> {
  return isSandbox(clock) ? { [SANDBOX_HEADER]: String(nowSeconds(clock)) } : {}
}

export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** The largest Unix time of the API in seconds. A larger value is certainly in milliseconds, or nonsense. */
export const MAX_TIME_SECONDS = 100_000_000_000

export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

export function fromSeconds(seconds: number): Date {
  return new Date(seconds * 1000)
}
