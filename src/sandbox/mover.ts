// Moves the clock step by step to whatever falls due next. At each step, it runs all repeated work that is due to run
// again, one after the other. An hour in which nothing is due is one step. If no visitors come either, several hours
// are one step, and only work that may find something because of the time is run.

import { type FieldError, fieldError } from '../kernel/errors/field-error.ts'
import { refusal } from '../kernel/errors/problem.ts'
import type { Round } from '../kernel/time/clock.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { HOUR_MS } from '../kernel/time/units.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Afterwards } from './afterwards.ts'
import type { Hurrying } from './answered.ts'
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
  /** Makes the service read sessions again. */
  forgetSessions(): void
  /** The deployment's time zone. */
  timeZone: string
  /** Whether each hour is exported when it is over. */
  isExporting: boolean
  log: Log
}

export interface Mover {
  state(): ClockState
  /** Moves the clock to this time; resolves when it is there. */
  moveTo(targetMs: number): Promise<void>
  /** For callers that move the clock bit by bit; nobody else moves it meanwhile. */
  alone<T>(targetMs: number, work: (steps: Steps) => Promise<T>): Promise<T>
  /** Stops all moves, because the sandbox is reset. Returns the state after the reset. */
  end(): ClockState
}

export interface Steps extends Hurrying {
  /** Moves to this time, and does everything that falls due before. */
  passTo(ms: number): Promise<void>
  /** `passTo` with visitors: before each step, which is at most `longestMs` long, `play` runs them. */
  passWith(ms: number, longestMs: number, play: (untilMs: number) => Promise<void>): Promise<void>
}

/** The length of a step through hours without anything to do. */
const IDLE_MS = 3 * HOUR_MS
/**
 * How often work is done during a move that only tidies up, or looks for what has not happened for hours. It does not
 * depend on what is due.
 */
const TIDYING_MS: Record<string, number> = {
  folding: 24 * HOUR_MS,
  history: 24 * HOUR_MS,
  'packing of figures': 24 * HOUR_MS,
  // They are created two days ahead.
  partitions: 24 * HOUR_MS,
  queues: 24 * HOUR_MS,
  'review sweep': 6 * HOUR_MS,
  'search texts': 6 * HOUR_MS,
  'signing keys': 6 * HOUR_MS,
  'stopped campaigns': 6 * HOUR_MS,
  sweep: 24 * HOUR_MS,
  thresholds: HOUR_MS,
  traffic: 6 * HOUR_MS,
}
/** The part of that work which never changes an answer. It runs while the clock moves on, and is awaited at the end. */
const BESIDE = new Set(['folding', 'packing of figures'])
/** Click rates are learned from folded figures, so with campaigns that are paid by click, folding affects decisions. */
const FOLDING = 'folding'
/** The least time between two runs of other work, unless something is due. */
const REST_MS: Record<string, number> = {
  erasures: 6 * HOUR_MS,
  export: HOUR_MS,
  mails: HOUR_MS,
  proposals: 6 * HOUR_MS,
  reports: 6 * HOUR_MS,
  'saved views': 6 * HOUR_MS,
}
/** Runs for each hour, because the query of what is due does not include it. */
const HOURLY = 'export'

export function createMover(parts: MoverParts): Mover {
  const { db, clock, startMs, happenings, afterwards, timeZone, log } = parts
  const { rounds } = clock
  /** When each round last ran. */
  const ranMs = new Map<Round, number>()
  /** Work that is running while the clock moves on. */
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

  async function runAll(): Promise<void> {
    ranMs.clear()
    await runDue({ isDue: true, isIdle: false })
  }

  async function nextOf(mostMs: number, gridMs = HOUR_MS): Promise<{ ms: number; isDue: boolean }> {
    const nowMs = clock.nowMs()
    const { nextMs, isLate } = await selectNextDue(db, nowMs)
    // A statement returns microseconds, which this clock does not have.
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
    // False at first: the hour of what happened before must be closed in a step of its own.
    let wasIdle = false
    while (clock.nowMs() < targetMs) {
      const { ms, isDue } = await nextOf(targetMs, wasIdle && !parts.isExporting ? IDLE_MS : HOUR_MS)
      const isIdle = await arrive(ms, { isDue, isIdle: !isDue && ms < targetMs })
      wasIdle = isIdle && ms % HOUR_MS === 0
    }
  }

  async function passWith(targetMs: number, longestMs: number, play: (untilMs: number) => Promise<void>) {
    while (clock.nowMs() < targetMs) {
      const gridMs = parts.isExporting ? HOUR_MS : longestMs
      const { ms, isDue } = await nextOf(Math.min(targetMs, clock.nowMs() + longestMs), gridMs)
      await play(ms)
      await arrive(ms, { isDue, isIdle: false })
    }
  }

  /** Returns true if nothing happened. */
  async function arrive(ms: number, step: { isDue: boolean; isIdle: boolean }): Promise<boolean> {
    await setTime(ms)
    for (const zone of zones)
      if (calendarOf(zone).dayAt(ms).startMs === ms) happenings.add({ kind: 'midnight', zone })
    const isVisited = await afterwards.play(ms, { isHurried, hurry })
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
      // For changes made just now, and work that waited for a timer.
      const { isLate } = await selectNextDue(db, clock.nowMs())
      await runAll()
      // What that work changed, such as a banner that was reviewed only now.
      if (isLate) await runAll()
      return await work({ passTo, passWith, isHurried, hurry })
    } catch (error) {
      log.error({ err: error }, 'the clock could not be moved as far as it should')
      throw error
    } finally {
      await Promise.all(beside.values())
      release()
      move = null
      // For calls from outside that came while the clock was moved and wait for a share.
      await hurry()
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

/** The error for a time that is too far ahead for one move; empty if it is not. */
export function tooFar(path: string, ms: number, nowMs: number): FieldError[] {
  const min = Math.ceil(nowMs / 1000)
  const max = min + MOST_MOVE_S
  return ms <= max * 1000 ? [] : [fieldError(path, 'too_large', { expected: 'integer', min, max })]
}

function partOf({ fromMs, targetMs }: { fromMs: number; targetMs: number }, nowMs: number): number {
  return targetMs === fromMs ? 1 : Math.round((1000 * (nowMs - fromMs)) / (targetMs - fromMs)) / 1000
}
