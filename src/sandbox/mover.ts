// Moves the clock: step by step to whatever falls due next, and at each step all repeated work is run that has not been
// for as long as it rests, one after the other. Hours without anything due are passed in one step each.

import { calendarOf } from '../kernel/day.ts'
import { refusal } from '../kernel/problem.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { ClockState } from './contract.ts'
import type { Happenings } from './happenings.ts'
import { selectNextDueMs, selectZones, setClock } from './queries.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface MoverParts {
  db: Database
  clock: VirtualClock
  startMs: number
  happenings: Happenings
  /** The deployment's. */
  timeZone: string
  log: Log
}

export interface Mover {
  state(): ClockState
  /** Moves to this time. Resolves when it is there. */
  moveTo(targetMs: number): Promise<void>
  /** For others that move the clock bit by bit: nobody else moves it meanwhile. */
  alone<T>(targetMs: number, work: (steps: Steps) => Promise<T>): Promise<T>
}

export interface Steps {
  /** Passes everything that falls due until then. */
  passTo(ms: number): Promise<void>
  /** Runs work that cannot wait for its time. */
  hurry(): Promise<void>
}

const HOUR_MS = 3_600_000
/** Tidying up that nobody sees from outside: while the clock is moved, it rests this long at least. */
const TIDY_MS = 6 * HOUR_MS
const TIDYING = new Set([
  'erasures',
  'folding',
  'folding backlog',
  'history',
  'packing of figures',
  'partitions',
  'queues',
  'review sweep',
  'search texts',
  'signing keys',
  'sweep',
  'traffic',
])

export function createMover({ db, clock, startMs, happenings, timeZone, log }: MoverParts): Mover {
  const { rounds } = clock
  /** When each last ran. */
  const ranMs = new Map<string, number>()
  let move: { fromMs: number; targetMs: number } | null = null
  let zones: string[] = []

  async function setTime(ms: number): Promise<void> {
    clock.setMs(ms)
    await setClock(db, clock.nowMs())
  }

  async function runDue(): Promise<void> {
    for (const round of rounds.list()) {
      const lastMs = ranMs.get(round.name)
      const restMs = Math.max(round.everyMs, TIDYING.has(round.name) ? TIDY_MS : 0)
      if (lastMs !== undefined && clock.nowMs() - lastMs < restMs) continue
      ranMs.set(round.name, clock.nowMs())
      await round.run()
    }
  }

  async function nextMs(targetMs: number): Promise<number> {
    const nowMs = clock.nowMs()
    const dueMs = (await selectNextDueMs(db, nowMs)) ?? Number.POSITIVE_INFINITY
    // A statement sees microseconds, and this clock has none.
    return Math.min(
      targetMs,
      (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS,
      Math.max(nowMs + 1, Math.ceil(dueMs)),
      midnightAfter(nowMs),
    )
  }

  function midnightAfter(nowMs: number): number {
    return Math.min(...zones.map(zone => calendarOf(zone).dayAt(nowMs).endMs))
  }

  async function passTo(targetMs: number): Promise<void> {
    while (clock.nowMs() < targetMs) {
      const next = await nextMs(targetMs)
      await setTime(next)
      for (const zone of zones)
        if (calendarOf(zone).dayAt(next).startMs === next) happenings.add({ kind: 'midnight', zone })
      await runDue()
    }
  }

  async function hurry(): Promise<void> {
    for (const round of rounds.list()) if (round.isHurried?.()) await round.run()
  }

  async function alone<T>(targetMs: number, work: (steps: Steps) => Promise<T>): Promise<T> {
    if (move) throw refusal('clock_moving')
    move = { fromMs: clock.nowMs(), targetMs }
    happenings.clear()
    const release = rounds.pauseTimers()
    try {
      zones = [...new Set([timeZone, ...(await selectZones(db))])]
      // What was changed just now, and what waited for a timer.
      ranMs.clear()
      await runDue()
      return await work({ passTo, hurry })
    } catch (error) {
      log.error({ err: error }, 'the clock could not be moved as far as it should')
      throw error
    } finally {
      release()
      move = null
    }
  }

  return {
    state: () => ({
      now: Math.floor(clock.nowMs() / 1000),
      start: Math.floor(startMs / 1000),
      target: move && Math.floor(move.targetMs / 1000),
      progress: move && partOf(move, clock.nowMs()),
      events: happenings.list(),
    }),
    alone,
    moveTo: targetMs => alone(targetMs, steps => steps.passTo(targetMs)),
  }
}

function partOf({ fromMs, targetMs }: { fromMs: number; targetMs: number }, nowMs: number): number {
  return targetMs === fromMs ? 1 : Math.round((1000 * (nowMs - fromMs)) / (targetMs - fromMs)) / 1000
}
