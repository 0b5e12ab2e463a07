// The time of the service: the monotonic clock plus an offset that follows the machine's clock in small steps. A step
// of more than a minute is accepted only if the database's clock agrees; until then time continues as before. So one
// wrong reading changes nothing, and timeouts last as long as promised.

import type { Clock, MachineClock } from '../kernel/time/clock.ts'
import type { Log } from './log.ts'
import { every } from './timer.ts'

export interface SteadyClock extends Clock {
  /** Called when a step back was accepted: state based on the wrong time must be rebuilt. */
  onStepBack(listener: () => void): void
  stop(): Promise<void>
}

export interface SteadyClockOptions {
  machine: MachineClock
  /** The database's clock. */
  databaseMs: () => Promise<number>
  log: Log
}

/** A smaller step is only a correction, and two clocks that differ by less agree. */
const STEP_MS = 60_000
const LOOK_MS = 10_000
/** While the machine's clock is doubted, the database is asked at most this often. */
const DOUBT_MS = 1_000
/** A slower answer says too little about the time. */
const SLOW_MS = 20_000
/** How many times in a row both clocks must differ from ours and from each other before the database's is used. */
const LOST_LOOKS = 5

/** Resolves when the database was asked once; if the two clocks differ at the start, the database's counts. */
export async function startSteadyClock(options: SteadyClockOptions): Promise<SteadyClock> {
  const { machine, log } = options
  const listeners: (() => void)[] = []
  /** The difference to the monotonic clock: as of now, and as of the last time machine and database agreed. */
  let offsetMs = machineOffset()
  let agreedMs = offsetMs
  let lookedMs = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null
  let lostLooks = 0
  let complaint: string | null = null

  function machineOffset(): number {
    return machine.nowMs() - machine.monotonicMs()
  }

  function nowMs(): number {
    const monotonicMs = machine.monotonicMs()
    const givenMs = machine.nowMs() - monotonicMs
    if (isNear(givenMs, agreedMs)) offsetMs = givenMs
    else if (monotonicMs - lookedMs >= DOUBT_MS) void look()
    return Math.round(monotonicMs + offsetMs)
  }

  /** Never rejects: while the database is away, nothing is learned from it. */
  function look(): Promise<void> {
    lookedMs = machine.monotonicMs()
    looking ??= askDatabase()
      .then(judge, () => undefined)
      .finally(() => {
        looking = null
      })
    return looking
  }

  /** Returns the database's time as an offset; null if the answer came too late to say anything. */
  async function askDatabase(): Promise<number | null> {
    const askedMs = machine.monotonicMs()
    const answerMs = await options.databaseMs()
    const tookMs = machine.monotonicMs() - askedMs
    return tookMs > SLOW_MS ? null : answerMs - askedMs - tookMs / 2
  }

  function judge(databaseMs: number | null): void {
    if (databaseMs === null) return
    const givenMs = machineOffset()
    const isLost = !isNear(givenMs, agreedMs) && !isNear(databaseMs, agreedMs)
    if (isNear(givenMs, databaseMs)) {
      complain(null, 0)
      agree(givenMs)
    } else {
      const odd = isNear(givenMs, agreedMs) ? "the database's clock" : "this machine's clock"
      complain(odd, givenMs - databaseMs)
      lostLooks = isLost ? lostLooks + 1 : 0
      if (lostLooks >= LOST_LOOKS) agree(databaseMs)
    }
  }

  function agree(nextMs: number): void {
    const stepMs = nextMs - offsetMs
    offsetMs = nextMs
    agreedMs = nextMs
    lostLooks = 0
    if (Math.abs(stepMs) <= STEP_MS) return
    log.warn(
      { stepSeconds: Math.round(stepMs / 1000) },
      'the clock was changed, in agreement with the database',
    )
    if (stepMs < 0) for (const listener of listeners) listener()
  }

  /** Logs a doubted clock once, not at every look. */
  function complain(odd: string | null, apartMs: number): void {
    if (odd !== null && odd !== complaint)
      log.error(
        { apartSeconds: Math.round(apartMs / 1000) },
        `${odd} is not trusted: it has drifted from the other; keep both in sync by NTP`,
      )
    complaint = odd
  }

  const atStartMs = await askDatabase()
  if (atStartMs !== null && !isNear(atStartMs, offsetMs)) {
    complain("this machine's clock", offsetMs - atStartMs)
    agreedMs = atStartMs
    offsetMs = atStartMs
  }
  const stop = every('clock', LOOK_MS, look, log, machine)
  return { nowMs, onStepBack: listener => void listeners.push(listener), stop }
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= STEP_MS
}
