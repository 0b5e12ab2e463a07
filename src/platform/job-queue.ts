// Background work that survives restarts: graphile-worker on the same database. A job is added in the transaction of
// the change that needs it, so it exists exactly if the change was made. It may run more than once, and its task must
// tolerate that. Jobs of a process that died are freed, and a runner that breaks is restarted.

import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type Runner, run, runMigrations, runOnce, type TaskList } from 'graphile-worker'
import pg from 'pg'
import type { Clock } from '../kernel/time/clock.ts'
import { type Database, type Db, outliveConnections } from './database.ts'
import { DatabaseClient } from './database-client.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { WITHOUT_LIMITS } from './session.ts'
import { every } from './timer.ts'
import { beginTrace } from './trace.ts'
import { NO_TRACES, type Traces } from './traces.ts'
import { brokenConnection, createTrouble, reasonOf } from './trouble.ts'

export type Task = (payload: unknown) => Promise<void>

export interface JobsOptions {
  db: Database
  databaseUrl: string
  tasks: Record<string, Task>
  /** How many jobs run at once in this process. */
  concurrency: number
  clock: Clock
  log: Log
  metrics?: Pick<Metrics, 'pool'>
  traces?: Traces
}

export interface NewJob {
  task: string
  payload: object
  /** A waiting job with the same key is replaced. */
  key: string
  /** Jobs of one queue run one after the other. */
  queue?: string
  /** Jobs with smaller numbers run first. */
  priority?: number
  delayMs?: number
}

const SCHEMA = 'graphile_worker'
/** The name of the runners' connections; a starting process sees by it whether another one is working. */
const APPLICATION = 'marquee jobs'
/** No task may take longer; a job locked for much longer belongs to a process that died. */
const TASK_LIMIT_MS = 90_000
const LOST_AFTER_S = 180
/** New jobs are announced; runners poll only for delayed ones. */
const POLL_MS = 3_000
/** How long a stop waits for running jobs before it sends them back to the queue. */
const STOP_GRACE_MS = 3_000
const RESTART_MS = 1_000
const QUEUE_MS = 30_000
const CHECK_MS = 30_000
/** With a clock that is moved, nothing is announced to a runner, so it looks for due jobs. */
const LOOK_MS = 100

const ADD = `${SCHEMA}.add_job($1, payload => $2::json, job_key => $3, priority => $4,
  run_at => now() + $5::float8 * interval '1 millisecond', queue_name => $6)`

export async function addJob(db: Db, { task, payload, key, queue, priority = 0, delayMs = 0 }: NewJob) {
  await db.run(`select ${ADD}`, [task, JSON.stringify(payload), key, priority, delayMs, queue ?? null])
}

/** Adds many jobs of one task in one statement. */
export async function addJobs(db: Db, jobs: Pick<NewJob, 'task' | 'payload' | 'key' | 'priority'>[]) {
  if (jobs.length === 0) return
  await db.run(
    `select ${SCHEMA}.add_job(task, payload => payload, job_key => key, priority => priority)
     from json_to_recordset($1) as job(task text, payload json, key text, priority integer)`,
    [JSON.stringify(jobs)],
  )
}

/** Creates the tables of the queue; on a database that has them, this is one short query. */
export async function migrateJobs(databaseUrl: string, log: Log): Promise<void> {
  // The library's own pool stops listening for errors before it closes, so a connection cut then would end the process.
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: databaseUrl,
    application_name: 'marquee migrate',
    max: 1,
    onConnect: withoutLimits,
  })
  outliveConnections(pool, brokenConnection(log, { part: 'jobs' }))
  try {
    await runMigrations({ pgPool: pool, schema: SCHEMA, logger: loggerOver(log) })
  } finally {
    await pool.end()
  }
}

/** Needs the tables of the queue. Returns the function that stops it. */
export async function startJobs(options: JobsOptions): Promise<() => Promise<void>> {
  const { db, clock, log } = options
  await freeLostJobs(db)
  if (clock.rounds) return runDueJobs(options)
  const stopping = new AbortController()
  const trouble = createTrouble(log, {
    text: 'the job runner failed; restarting it',
    again: 'the job runner works again',
    about: { part: 'jobs' },
  })
  let current: Running = await begin(options)
  const supervised = supervise()
  const stopChecking = every('lost jobs', CHECK_MS, () => freeLostJobs(db), log, clock)
  return async () => {
    stopping.abort()
    await stopChecking()
    await current.stop()
    await supervised
  }

  /** A connection lost at the wrong moment ends the runner, but must not end the work. */
  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      const error = await current.ended
      if (stopping.signal.aborted) return
      trouble.is(error)
      await current.stop()
      current = (await restartRunner()) ?? current
    }
  }

  async function restartRunner(): Promise<Running | null> {
    while (!stopping.signal.aborted) {
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return null
      try {
        const begun = await begin(options)
        trouble.over()
        return begun
      } catch (error) {
        trouble.is(error)
      }
    }
    return null
  }
}

interface Running {
  /** Settles when the runner has ended, with the error if there was one. */
  ended: Promise<unknown>
  /** May be called more than once. */
  stop(): Promise<void>
}

/** Each task limits its own time, and the library's own statements are short. */
async function withoutLimits(client: pg.ClientBase): Promise<void> {
  await client.query(WITHOUT_LIMITS)
}

function openPool({ databaseUrl, concurrency, log, metrics }: JobsOptions): pg.Pool {
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: databaseUrl,
    application_name: APPLICATION,
    // One connection listens.
    max: concurrency + 1,
    connectionTimeoutMillis: 10_000,
    onConnect: withoutLimits,
  })
  metrics?.pool('jobs', pool)
  outliveConnections(pool, brokenConnection(log, { part: 'jobs' }))
  return pool
}

/**
 * With a clock that is moved: runs whatever is due until nothing is. One job at a time, so that every run is the same.
 */
function runDueJobs(options: JobsOptions): () => Promise<void> {
  const { db, clock, log } = options
  const pool = openPool(options)
  const shared = { pgPool: pool, schema: SCHEMA, noHandleSignals: true, logger: loggerOver(log) }
  const taskList = taskListOf(options)
  async function runDue(): Promise<void> {
    const due = await db.row(
      `select 1 from ${SCHEMA}.jobs where run_at <= now() and attempts < max_attempts and locked_at is null limit 1`,
    )
    if (due) await runOnce({ ...shared, concurrency: 1, taskList })
  }
  const stop = every('jobs', LOOK_MS, runDue, log, clock)
  return async () => {
    await stop()
    await pool.end()
  }
}

function taskListOf({ tasks, traces = NO_TRACES }: JobsOptions): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, bounded(traced(name, task, traces))]),
  ) as TaskList
}

/** What a job causes is part of its trace. */
function traced(name: string, task: Task, traces: Traces): Task {
  if (!traces.isOn) return task
  return async payload => {
    const span = traces.begin(`job ${name}`, 'internal', null)!
    let work = Promise.resolve()
    const endTrace = beginTrace(span, () => {
      work = task(payload)
    })
    try {
      await work
      span.end()
    } catch (error) {
      span.end({}, reasonOf(error) ?? 'it failed')
      throw error
    } finally {
      endTrace()
    }
  }
}

async function begin(options: JobsOptions): Promise<Running> {
  const { concurrency, log } = options
  const pool = openPool(options)
  let runner: Runner
  try {
    runner = await run({
      pgPool: pool,
      schema: SCHEMA,
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: loggerOver(log),
      taskList: taskListOf(options),
      parsedCronItems: [],
      // With batches, nothing would await the marking of a job as done: neither a stop nor the error handling.
      preset: {
        worker: {
          gracefulShutdownAbortTimeout: STOP_GRACE_MS,
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          // One poll for all runners. A job that waits here is returned before it counts as lost.
          localQueue: { size: concurrency, ttl: QUEUE_MS },
        },
      },
    })
  } catch (error) {
    await pool.end()
    throw error
  }
  const ended = runner.promise.then(
    () => null,
    (error: unknown) => error,
  )
  let stopped: Promise<void> | null = null
  const stop = async () => {
    // The runner refuses to stop twice, and it may have stopped by itself.
    await runner.stop().catch(() => {})
    await ended
    await pool.end()
  }
  return {
    ended,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** A task that hangs, or that a stop cannot wait for, fails: its job goes back to the queue. */
function bounded(task: Task) {
  return (payload: unknown, { abortSignal }: { abortSignal: AbortSignal }): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('the service is stopping'))
      const timer = setTimeout(
        () => reject(new Error(`a job took longer than ${TASK_LIMIT_MS} ms`)),
        TASK_LIMIT_MS,
      )
      abortSignal.addEventListener('abort', giveUp)
      task(payload)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          abortSignal.removeEventListener('abort', giveUp)
        })
    })
}

/** Frees them at once if no other process is working, otherwise when they are older than any task can be. */
async function freeLostJobs(db: Db): Promise<void> {
  await db.run(
    `select ${SCHEMA}.force_unlock_workers(array(
       select distinct locked_by from ${SCHEMA}.jobs
       where locked_by is not null and (
         locked_at < now() - interval '${LOST_AFTER_S} seconds'
         or not exists (
           select from pg_stat_activity
           where datname = current_database() and application_name = '${APPLICATION}'
         )
       )
     ))`,
  )
}

const LEVEL = { error: 'warn', warning: 'warn', info: 'debug', debug: 'trace' } as const

/** The library's info lines become debug lines; a stack in its message is logged as `err`. */
function loggerOver(log: Log): Logger {
  const trouble = createTrouble(log, {
    text: 'cannot claim or record jobs; retrying',
    again: 'jobs are claimed again',
    about: { part: 'jobs' },
  })
  return new Logger(scope => (level, message, meta) => {
    const error = meta?.error
    if (reasonOf(error) !== null) return trouble.is(error)
    const fields = { part: 'jobs', task: scope.taskIdentifier, err: error }
    log[LEVEL[level as keyof typeof LEVEL]](fields, message.split('\n', 1)[0])
  })
}
