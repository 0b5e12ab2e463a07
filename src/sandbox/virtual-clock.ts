// The clock of a sandbox. It stands still until it is moved, never goes back, and knows all repeated work that runs by
// it.

import type { Clock, Round, Rounds } from '../kernel/time/clock.ts'

export interface VirtualClock extends Clock {
  crowd: number
  rounds: VirtualRounds
  /** Sets the clock of this process only; mover.ts writes it to the database. */
  setMs(ms: number): void
  /** Exists because the service's own clock has it; a virtual clock never steps back. */
  onStepBack(listener: () => void): void
  stop(): Promise<void>
}

export interface VirtualRounds extends Rounds {
  /** In the order in which they were added. */
  list(): readonly Round[]
  /** Keeps machine timers from starting anything until the returned function is called. */
  pauseTimers(): () => void
}

export function createVirtualClock(startMs: number): VirtualClock {
  let rounds: readonly Round[] = []
  let nowMs = startMs
  let pauses = 0
  return {
    nowMs: () => nowMs,
    crowd: 1,
    setMs(ms) {
      nowMs = Math.max(nowMs, ms)
    },
    rounds: {
      add(round) {
        rounds = [...rounds, round]
        return () => {
          rounds = rounds.filter(one => one !== round)
        }
      },
      isMoving: () => pauses > 0,
      list: () => rounds,
      pauseTimers() {
        pauses++
        return () => void pauses--
      },
    },
    onStepBack: () => {},
    stop: () => Promise.resolve(),
  }
}
