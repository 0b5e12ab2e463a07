// The rewind check: is the database still the one that this process learned from? Each process raises its own mark
// about once per second, and checks for what it wrote last. If either is missing, the database went back in time
// (restored, or failed over with a loss): nothing is written until all memory of it was dropped; the database itself
// checks statements that rely on memory (must_be_witnessed). After a failed one, none is sent until the next look.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, sqlState } from './database.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { insertMark, noteWentBack, raiseMark } from './rewind-queries.ts'
import { createTrouble } from './trouble.ts'
import { within } from './within.ts'

/** The mark that a statement which relies on memory is checked against; with nulls, nothing is checked. */
export interface DatabaseMark {
  process: string | null
  mark: number
  place: string | null
}

export interface RewindCheck {
  /**
   * Rejects after the database went back, until this process has restarted; when in doubt, until a look was possible.
   */
  known(): Promise<DatabaseMark>
  /** A statement failed or a connection broke: looks at once. A database cannot go back without ending connections. */
  doubt(): void
  /** Registers a check, run with each look, whether what this process wrote last is in the database. */
  onLook(isThere: () => Promise<boolean>): void
  /** False from the moment a fault is noticed until everything was dropped. */
  isTrusted(): boolean
  /** How long ago this process restarted because of it; infinite if it never did. */
  sinceMs(): number
  /**
   * Registers work that drops or rebuilds what was learned. All of it runs, in this order, before anything is trusted.
   */
  onWentBack(startAnew: () => unknown): void
}

export interface RunningRewindCheck extends RewindCheck {
  stop(): Promise<void>
}

export interface RewindCheckOptions {
  db: Database
  log: Log
  metrics: Pick<Metrics, 'reading'>
  everyMs: number
  /** The same checks as at the start of a process; rejects while the database cannot be used yet. */
  prepare: () => Promise<void>
}

/** For callers that remember nothing. */
export const NOTHING_KNOWN: DatabaseMark = { process: null, mark: 0, place: null }
/** SQLSTATE of a statement that relies on what another database said. */
export const WENT_BACK = 'MQ002'
/** A table or function is missing: the database is empty, or older than this program. */
const MISSING = /^(42P01|42883)$/
const RETRY_MS = 1_000
/** How long a caller that wants to write waits for a look. */
const LOOK_MS = 5_000
const NOT_THERE = 'what this process wrote last is not there'

class WentBack extends Error {
  readonly code = WENT_BACK
}

export async function startRewindCheck(options: RewindCheckOptions): Promise<RunningRewindCheck> {
  const { db, log, everyMs } = options
  const listeners: (() => unknown)[] = []
  const written: (() => Promise<boolean>)[] = []
  const trouble = createTrouble(log, {
    text: 'cannot restart on the database that went back in time; retrying',
    again: 'this process can restart',
  })
  const stopping = new AbortController()
  let known = await begin()
  let trusted = true
  let doubts = 0
  let times = 0
  let restartedAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let checking: Promise<string | null> = Promise.resolve(null)
  options.metrics.reading(
    'marquee_database_went_back_total',
    'How often this process found that the database went back in time or was replaced.',
    () => times,
  )

  async function begin(): Promise<DatabaseMark & { system: string }> {
    const process = randomUUID()
    return { process, ...(await insertMark(db, process)) }
  }

  /** Returns the fault. Null if all is well, or if nothing is known because the database is away. */
  async function faultOf(): Promise<string | null> {
    const doubtsBefore = doubts
    try {
      const { mark, place, system } = await raiseMark(db, known.process!, known.mark)
      if (mark === null) return NOT_THERE
      if (system !== known.system) return 'it is another server'
      if (place !== null && known.place !== null && place !== known.place)
        return 'it is another database, or on another timeline'
      for (const isThere of written) if (!(await isThere())) return NOT_THERE
      known = { ...known, mark, place: place ?? known.place }
      if (doubts === doubtsBefore) doubts = 0
      return null
    } catch (error) {
      return MISSING.test(sqlState(error) ?? '') ? 'its tables are missing' : null
    }
  }

  async function check(): Promise<string | null> {
    const fault = stopping.signal.aborted ? null : await faultOf()
    if (fault === null || stopping.signal.aborted) return null
    trusted = false
    return fault
  }

  async function startAnew(fault: string): Promise<void> {
    times++
    log.error(
      { fault },
      'the database went back in time: this process drops what it knows and starts anew; then run `marquee verify`',
    )
    while (!stopping.signal.aborted) {
      try {
        await options.prepare()
        await noteWentBack(db, fault)
        known = await begin()
        doubts = 0
        for (const listener of listeners) await listener()
        trusted = true
        restartedAtMs = performance.now()
        trouble.over()
        log.warn('this process has restarted on the current database')
        return
      } catch (error) {
        trouble.is(error)
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  function run(): void {
    if (looking) return
    clearTimeout(timer)
    checking = check()
    looking = checking
      .then(fault => (fault === null ? undefined : startAnew(fault)))
      .finally(() => {
        looking = null
        if (!stopping.signal.aborted) timer = setTimeout(run, everyMs).unref()
      })
  }

  /** A look that began before the doubt does not settle it; the next one does. */
  async function settleDoubt(): Promise<void> {
    for (let looks = 0; looks < 2 && doubts > 0 && trusted; looks++) {
      if (looks > 0) await looking
      run()
      await checking
    }
  }

  timer = setTimeout(run, everyMs).unref()
  return {
    async known() {
      if (doubts > 0) await within(LOOK_MS, settleDoubt).catch(() => {})
      if (!trusted) throw new WentBack('the database went back in time; this process starts anew')
      if (doubts > 0) throw new Error('the database does not answer')
      return known
    },
    doubt() {
      doubts++
      run()
    },
    onLook: isThere => void written.push(isThere),
    isTrusted: () => trusted,
    sinceMs: () => performance.now() - restartedAtMs,
    onWentBack: listener => void listeners.push(listener),
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      // A part that is starting anew is stopped later by its own closer, so it is not awaited here.
      if (trusted) await looking
    },
  }
}
