// Moves the clock: step by step to whatever falls due next, and at each step all repeated work is run that has not been
// for as long as it rests, one after the other. Hours without anything due are passed in one step each; if nobody comes
// either, several at once, and only what may find something by the time alone is run.

import type { Round } from '../kernel/clock.ts'
import { calendarOf } from '../kernel/day.ts'
import { type FieldError, fieldError } from '../kernel/field-error.ts'
import { refusal } from '../kernel/problem.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Afterwards } from './afterwards.ts'
import { type ClockState, MOST_MOVE_S } from './contract.ts'
import type { Happenings } from './happenings.ts'
import { isAnyByClick, prolongStaffSessions, selectNextDue, selectZones, setClock } from './queries.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface MoverParts {
  db: Database
  clock: VirtualClock
  startMs: number
  happenings: Happenings
  afterwards: Pick<Afterwards, 'nextMs' | 'play'>
  /** Sessions are read anew. */
  forgetSessions(): void
  /** The deployment's. */
  timeZone: string
  /** Each hour is exported when it is over. */
  isExporting: boolean
  log: Log
}

export interface Mover {
  state(): ClockState
  /** Moves to this time. Resolves when it is there. */
  moveTo(targetMs: number): Promise<void>
  /** For others that move the clock bit by bit: nobody else moves it meanwhile. */
  alone<T>(targetMs: number, work: (steps: Steps) => Promise<T>): Promise<T>
  /** Nobody moves it any more: the sandbox begins again. How it will be then. */
  end(): ClockState
}

export interface Steps {
  /** Passes everything that falls due until then. */
  passTo(ms: number): Promise<void>
  /** The same with visitors, who are played before each step, which is no longer than this. */
  passWith(ms: number, longestMs: number, play: (untilMs: number) => Promise<void>): Promise<void>
  /** Some work cannot wait for its time. */
  isHurried(): boolean
  /** Runs it. */
  hurry(): Promise<void>
}

const HOUR_MS = 3_600_000
/** How long hours without anything at all are passed at once. */
const IDLE_MS = 3 * HOUR_MS
/**
 * How often work is done while the clock is moved that is only tidying up, or looks for what has not happened for
 * hours. Whether something is due does not matter to it.
 */
const TIDYING_MS: Record<string, number> = {
  folding: 24 * HOUR_MS,
  history: 24 * HOUR_MS,
  'packing of figures': 24 * HOUR_MS,
  // They are made two days ahead.
  partitions: 24 * HOUR_MS,
  queues: 24 * HOUR_MS,
  'review sweep': 6 * HOUR_MS,
  'search texts': 6 * HOUR_MS,
  'signing keys': 6 * HOUR_MS,
  'stopped campaigns': 6 * HOUR_MS,
  sweep: 24 * HOUR_MS,
  traffic: 6 * HOUR_MS,
}
/** Of that, what changes no answer at any moment: it is done while the clock goes on, and waited for at the end. */
const BESIDE = new Set(['folding', 'packing of figures'])
/** Click rates are learned from what is folded: with campaigns that are paid by click it decides something. */
const FOLDING = 'folding'
/** How long other work rests at least, if the statement of what falls due does not call it. */
const REST_MS: Record<string, number> = {
  erasures: 6 * HOUR_MS,
  export: HOUR_MS,
  mails: HOUR_MS,
  proposals: 6 * HOUR_MS,
  reports: 6 * HOUR_MS,
  'saved views': 6 * HOUR_MS,
}
/** Done for each hour: the statement does not know it. */
const HOURLY = 'export'

export function createMover(parts: MoverParts): Mover {
  const { db, clock, startMs, happenings, afterwards, timeZone, log } = parts
  const { rounds } = clock
  /** When each last ran. */
  const ranMs = new Map<Round, number>()
  /** What is being done beside. */
  const beside = new Map<string, Promise<void>>()
  let move: { fromMs: number; targetMs: number } | null = null
  let zones: string[] = []
  let isByClick = false

  async function setTime(ms: number): Promise<void> {
    clock.setMs(ms)
    await setClock(db, clock.nowMs())
  }

  async function runDue({ isDue, isIdle }: { isDue: boolean; isIdle: boolean }): Promise<void> {
    for (const round of rounds.list()) {
      const lastMs = ranMs.get(round)
      const isFolding = isByClick && round.name === FOLDING
      const tidyingMs = isFolding ? HOUR_MS : TIDYING_MS[round.name]
      if (isIdle && tidyingMs === undefined && round.name !== HOURLY) continue
      const restMs = tidyingMs ?? (isDue ? 0 : Math.max(round.everyMs, REST_MS[round.name] ?? 0))
      if (lastMs !== undefined && clock.nowMs() - lastMs < restMs) continue
      ranMs.set(round, clock.nowMs())
      await beside.get(round.name)
      const running = round.run()
      if (BESIDE.has(round.name) && !isFolding) beside.set(round.name, running)
      else await running
    }
  }

  async function nextOf(mostMs: number, gridMs = HOUR_MS): Promise<{ ms: number; isDue: boolean }> {
    const nowMs = clock.nowMs()
    const { nextMs, isLate } = await selectNextDue(db, nowMs)
    // A statement sees microseconds, and this clock has none.
    const dueMs = Math.max(nowMs + 1, Math.ceil(nextMs ?? Number.POSITIVE_INFINITY))
    const midnightMs = midnightAfter(nowMs)
    const laterMs = Math.max(nowMs + 1, afterwards.nextMs())
    const ms = Math.min(mostMs, (Math.floor(nowMs / gridMs) + 1) * gridMs, dueMs, midnightMs, laterMs)
    return { ms, isDue: isLate || ms === dueMs || ms === midnightMs }
  }

  function midnightAfter(nowMs: number): number {
    return Math.min(...zones.map(zone => calendarOf(zone).dayAt(nowMs).endMs))
  }

  async function passTo(targetMs: number): Promise<void> {
    // The hour of whatever happened before is closed by itself.
    let wasIdle = false
    while (clock.nowMs() < targetMs) {
      const { ms, isDue } = await nextOf(targetMs, wasIdle && !parts.isExporting ? IDLE_MS : HOUR_MS)
      const isIdle = await arrive(ms, { isDue, isIdle: !isDue && ms < targetMs })
      wasIdle = isIdle && ms % HOUR_MS === 0
    }
  }

  async function passWith(targetMs: number, longestMs: number, play: (untilMs: number) => Promise<void>) {
    while (clock.nowMs() < targetMs) {
      const { ms, isDue } = await nextOf(Math.min(targetMs, clock.nowMs() + longestMs))
      await play(ms)
      await arrive(ms, { isDue, isIdle: false })
    }
  }

  /** True: nothing happened. */
  async function arrive(ms: number, step: { isDue: boolean; isIdle: boolean }): Promise<boolean> {
    await setTime(ms)
    for (const zone of zones)
      if (calendarOf(zone).dayAt(ms).startMs === ms) happenings.add({ kind: 'midnight', zone })
    const isVisited = await afterwards.play(ms)
    const isIdle = step.isIdle && !isVisited
    await runDue({ ...step, isIdle })
    return isIdle
  }

  function isHurried(): boolean {
    return rounds.list().some(round => round.isHurried?.())
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
      await prolongStaffSessions(db, targetMs - clock.nowMs())
      parts.forgetSessions()
      zones = [...new Set([timeZone, ...(await selectZones(db))])]
      isByClick = await isAnyByClick(db)
      // What was changed just now, and what waited for a timer.
      ranMs.clear()
      await runDue({ isDue: true, isIdle: false })
      return await work({ passTo, passWith, isHurried, hurry })
    } catch (error) {
      log.error({ err: error }, 'the clock could not be moved as far as it should')
      throw error
    } finally {
      await Promise.all(beside.values())
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
    end() {
      if (move) throw refusal('clock_moving')
      move = { fromMs: startMs, targetMs: startMs }
      rounds.pauseTimers()
      const start = Math.floor(startMs / 1000)
      return { now: start, start, target: null, progress: null, events: [] }
    },
    moveTo: targetMs => alone(targetMs, steps => steps.passTo(targetMs)),
  }
}

/** Of a time that is too far ahead for one move; none if it is not. */
export function tooFar(path: string, ms: number, nowMs: number): FieldError[] {
  const min = Math.ceil(nowMs / 1000)
  const max = min + MOST_MOVE_S
  return ms <= max * 1000 ? [] : [fieldError(path, 'too_large', { expected: 'integer', min, max })]
}

function partOf({ fromMs, targetMs }: { fromMs: number; targetMs: number }, nowMs: number): number {
  return targetMs === fromMs ? 1 : Math.round((1000 * (nowMs - fromMs)) / (targetMs - fromMs)) / 1000
}
