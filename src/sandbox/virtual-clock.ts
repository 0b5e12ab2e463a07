// The clock of a sandbox: it stands still until it is moved, and it knows all repeated work that lives by it. It never
// goes back.

import type { Clock, Round, Rounds } from '../kernel/clock.ts'

export interface VirtualClock extends Clock {
  rounds: VirtualRounds
  /** For this process only; mover.ts tells the database. */
  setMs(ms: number): void
  /** As the service's own clock has them: nothing ever steps back here. */
  onStepBack(listener: () => void): void
  stop(): Promise<void>
}

export interface VirtualRounds extends Rounds {
  /** In the order in which they were added. */
  list(): readonly Round[]
  /** Until the returned function is called, machine timers begin nothing. */
  pauseTimers(): () => void
}

export function createVirtualClock(startMs: number): VirtualClock {
  let rounds: readonly Round[] = []
  let nowMs = startMs
  let pauses = 0
  return {
    nowMs: () => nowMs,
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
