// The rewind check: is the database still the one that this process learned from? Each process raises a mark of its own
// about once per second. A database whose mark is missing or lower went back in time (restored, or failed over with a
// loss), and one on another timeline may have. Then nothing is written from memory before everything learned was
// dropped: statements that rely on it are checked against the mark by the database itself (must_be_witnessed).

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, sqlState } from './database.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { insertMark, noteWentBack, raiseMark } from './rewind-queries.ts'
import { createTrouble } from './trouble.ts'

/** What a statement that relies on memory is checked against; nulls: nothing is to be checked. */
export interface DatabaseMark {
  process: string | null
  mark: number
  place: string | null
}

export interface RewindCheck {
  /** Throws after the database went back, until this process has restarted. */
  known(): DatabaseMark
  /** A statement was refused for it: looks at once. */
  doubt(): void
  /** False from when it was noticed until everything was dropped. */
  isTrusted(): boolean
  /** How long ago this process restarted because of it; infinite: it never did. */
  sinceMs(): number
  /** Drops or rebuilds what was learned. All are run, in this order, before anything is trusted again. */
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
  /** As at the start of a process; fails while the database is not yet one to work with. */
  prepare: () => Promise<void>
}

/** For those who remember nothing. */
export const NOTHING_KNOWN: DatabaseMark = { process: null, mark: 0, place: null }
/** SQLSTATE of a statement that relies on what another database has said. */
export const WENT_BACK = 'MQ002'
/** A table or function is missing: the database is empty, or older than this program. */
const MISSING = /^(42P01|42883)$/
const RETRY_MS = 1_000

class WentBack extends Error {
  readonly code = WENT_BACK
}

export async function startRewindCheck(options: RewindCheckOptions): Promise<RunningRewindCheck> {
  const { db, log, everyMs } = options
  const listeners: (() => unknown)[] = []
  const trouble = createTrouble(log, {
    text: 'cannot restart on the database that went back in time; retrying',
    again: 'this process can restart',
  })
  const stopping = new AbortController()
  let known = await begin()
  let trusted = true
  let times = 0
  let restartedAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  options.metrics.reading(
    'marquee_database_went_back_total',
    'How often this process found that the database went back in time or was replaced.',
    () => times,
  )

  async function begin(): Promise<DatabaseMark & { system: string }> {
    const process = randomUUID()
    return { process, ...(await insertMark(db, process)) }
  }

  /** Null: all is well, or nothing is known because the database is away. */
  async function faultOf(): Promise<string | null> {
    try {
      const { mark, place, system } = await raiseMark(db, known.process!, known.mark)
      if (mark === null) return 'what this process wrote last is not there'
      if (system !== known.system) return 'it is another server'
      if (place !== null && known.place !== null && place !== known.place)
        return 'it is another database, or on another timeline'
      known = { ...known, mark, place: place ?? known.place }
      return null
    } catch (error) {
      return MISSING.test(sqlState(error) ?? '') ? 'its tables are missing' : null
    }
  }

  async function look(): Promise<void> {
    const fault = await faultOf()
    if (fault !== null && !stopping.signal.aborted) await startAnew(fault)
  }

  async function startAnew(fault: string): Promise<void> {
    trusted = false
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
    clearTimeout(timer)
    looking ??= look().finally(() => {
      looking = null
      if (!stopping.signal.aborted) timer = setTimeout(run, everyMs).unref()
    })
  }

  timer = setTimeout(run, everyMs).unref()
  return {
    known() {
      if (!trusted) throw new WentBack('the database went back in time; this process starts anew')
      return known
    },
    doubt: run,
    isTrusted: () => trusted,
    sinceMs: () => performance.now() - restartedAtMs,
    onWentBack: listener => void listeners.push(listener),
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      // A part that starts anew is stopped by its own closer, which comes later: it is not waited for here.
      if (trusted) await looking
    },
  }
}
