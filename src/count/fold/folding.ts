// Folding as a part of the service: every few seconds it folds the part of `fresh` that is due, in steps that suit the
// database. The metrics, the log and /readyz report if it fails, if it cannot keep up, or if an open transaction keeps
// the space of folded rows.

import { type Clock, isSandbox } from '../../kernel/time/clock.ts'
import { type Database, QUERY_CANCELED, sqlState } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { every } from '../../platform/timer.ts'
import { createTrouble, loggedError } from '../../platform/trouble.ts'
import { FOLD_AFTER_S, FOLD_LIMIT_MS, type Folded, foldDue, MOST_ROWS } from './fold.ts'
import { repairLeaves } from './lost-leaves.ts'
import { analyzeRollups, LostLeaves, noteEmptyParts, PARTS, selectBacklog } from './queries.ts'
import { createStep } from './step.ts'

export interface FoldingParts {
  db: Database
  clock: Clock
  log: Log
  metrics: Metrics
  everyMs?: number
  lookMs?: number
  troubleS?: number
  /** How long one step may take, in ms. */
  limitMs?: number
}

export interface Folding {
  /** Notes for the operator; almost always empty. */
  notes(): string[]
  stop(): Promise<void>
}

/** A part grows by few rows in this time. While there is more to fold, folding continues immediately. */
const EVERY_MS = 5000
const LOOK_MS = 10_000
/** Limit for a transaction that stays open, and for parts that wait longer than they should. */
const TROUBLE_S = 60

export function startFolding(parts: FoldingParts): Folding {
  const { db, clock, log, metrics, everyMs = EVERY_MS, lookMs = LOOK_MS, troubleS = TROUBLE_S } = parts
  const { limitMs = FOLD_LIMIT_MS } = parts
  const folded = metrics.counter(
    'marquee_folded_rows_total',
    'Events and actions added to the rollups by this process.',
  )
  const repaired = metrics.counter(
    'marquee_folding_repaired_leaves_total',
    'Lost leaves of events that were recreated: the database went back in time and a process did not notice.',
  )
  const waiting = metrics.gauge(
    'marquee_folding_waiting_seconds',
    'Time since the longest-waiting events were last added to the rollups. Figures include them anyway.',
  )
  const open = metrics.gauge(
    'marquee_oldest_transaction_seconds',
    'Age of the oldest open transaction in the database: until it ends, the space of folded events is not reused.',
  )
  const stepRows = metrics.gauge(
    'marquee_folding_step_rows',
    'Rows that this process folds in one transaction: the slower the database, the fewer.',
  )
  const step = createStep({ limitMs, most: MOST_ROWS })
  // Over when this process folded something or nothing is left waiting, but not because another process folded.
  const trouble = createTrouble(log, {
    text: 'folding failed; retrying',
    again: 'folding succeeds again',
    about: { part: 'folding' },
    calmMs: Number.POSITIVE_INFINITY,
  })
  /** All parts are due at once an hour after the first start, and they are folded one after the other. */
  const roundS = (PARTS * everyMs) / 1000
  let stopping = false
  let wasTrouble = ''
  /** A step took too long, and outdated statistics may be the reason. */
  let isToBeAnalyzed = false

  async function fold(): Promise<void> {
    // When a sandbox clock jumps, all parts are due at once, and nearly all of them are empty.
    if (isSandbox(clock)) await noteEmptyParts(db)
    for (let isMore = true; isMore && !stopping; ) isMore = await foldStep()
  }

  /** Returns true if there is more to do immediately. */
  async function foldStep(): Promise<boolean> {
    const startedMs = performance.now()
    const rows = step.rows()
    stepRows.set(rows)
    try {
      const done = await foldDue(db, { mostRows: rows, limitMs })
      if (done) {
        noteDone(done, rows, performance.now() - startedMs)
        await analyze()
      }
      return done !== null && (done.isMore || isSandbox(clock))
    } catch (error) {
      if (error instanceof LostLeaves) return repair(error)
      return tooLarge(error, rows)
    }
  }

  /** Retries with a smaller step; if there is none, only a better plan helps. */
  async function tooLarge(error: unknown, rows: number): Promise<boolean> {
    const isSmaller = step.failed(error)
    if (isSmaller)
      log.warn(
        { rows, next: step.rows(), part: 'folding', ...loggedError(error) },
        'a folding step was too large',
      )
    else trouble.is(error, { rows })
    isToBeAnalyzed ||= isCanceled(error)
    if (!isSmaller) await analyze()
    return isSmaller
  }

  /**
   * Analyzes after the next step that succeeded, not after one that was undone: a table analyzed while it has only dead
   * rows is taken for empty, however much it grows, until it is analyzed again.
   */
  async function analyze(): Promise<void> {
    if (!isToBeAnalyzed) return
    isToBeAnalyzed = false
    // If this takes too long, it is left to autovacuum.
    await analyzeRollups(db).catch(error => {
      if (!isCanceled(error)) throw error
    })
  }

  function noteDone(done: Folded, rows: number, tookMs: number): void {
    folded.inc(done.rows)
    if (done.rows === rows) step.took(tookMs)
    trouble.over()
  }

  async function repair({ part, message }: LostLeaves): Promise<boolean> {
    const leaves = await repairLeaves(db, part)
    repaired.inc(leaves)
    log.warn(
      { leaves, part: 'folding' },
      `${message}: they count for their campaign and customer; run \`marquee verify\``,
    )
    return true
  }

  async function look(): Promise<void> {
    const { waiting_s, open_s } = await selectBacklog(db)
    waiting.set(waiting_s)
    open.set(open_s)
    const found = troubleOf(waiting_s - roundS, open_s, troubleS)
    if (found !== wasTrouble && found !== '') log.warn({ waiting_s, open_s, part: 'folding' }, found)
    if (found !== wasTrouble && found === '') log.info({ part: 'folding' }, 'folding is keeping up again')
    if (waiting_s < FOLD_AFTER_S) trouble.over()
    wasTrouble = found
  }

  const stopFolding = every('folding', everyMs, fold, log, clock)
  // In a sandbox, events wait as long as the clock jumps.
  const stopLooking = isSandbox(clock) ? null : every('folding backlog', lookMs, look, log, clock)
  return {
    notes: () => (wasTrouble === '' ? [] : [wasTrouble]),
    async stop() {
      stopping = true
      await Promise.all([stopFolding(), stopLooking?.()])
    },
  }
}

const isCanceled = (error: unknown) => sqlState(error) === QUERY_CANCELED

function troubleOf(waitingS: number, openS: number, troubleS: number): string {
  if (openS > troubleS)
    return 'a database transaction has been open for a long time; folded events keep their space until it ends'
  if (waitingS > FOLD_AFTER_S + troubleS) return 'events wait to be folded for longer than they should'
  return ''
}
