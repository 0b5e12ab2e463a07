// The verbs of jobs: request one, read it, do it. A job is one transaction of a worker, which also records that it is
// done. After a crash or a restart it begins again, and its work is never done twice.

import { refuseFrozen } from '../../changes/frozen.ts'
import { type GuardParts, guard } from '../../changes/guard.ts'
import { inTx, type Tx } from '../../changes/tx.ts'
import { toProblem } from '../../http/errors.ts'
import type { Caller } from '../../kernel/caller.ts'
import { notFound, refusal, shownProblem } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Database, Db } from '../../platform/database.ts'
import { addJob, type Task } from '../../platform/job-queue.ts'
import type { Job, JobKind, JobResult } from './contract.ts'
import {
  beginAttempt,
  countOpenJobs,
  deleteEnded,
  endJob,
  insertJob,
  type JobRow,
  lockJob,
  selectJob,
  setProgress,
} from './queries.ts'

export const JOB_TASK = 'customer-job'
export const MOST_OPEN = 5
const ATTEMPTS = 5
export const KEEP_MS = 7 * 86_400_000
export const KEEP_EACH = 100
/** Progress is written no more often than this. */
const PROGRESS_MS = 500

export interface NewJob {
  kind: JobKind
  /** How many objects it creates. */
  total: number
  /** The data that its work needs, as JSON. */
  request: object
}

/** Creates the objects of a job, and reports how many were created so far. */
export type Work = (tx: Tx, job: JobRow, tell: (done: number) => Promise<void>) => Promise<JobResult>

export interface JobParts extends GuardParts {
  db: Database
  clock: Clock
  work: Work
}

/** Runs in the transaction of the call that requests the job. */
export async function createJob(
  tx: Db,
  caller: Caller,
  cuid: number,
  { kind, total, request }: NewJob,
  clock: Clock,
): Promise<Job> {
  if ((await countOpenJobs(tx, cuid)) >= MOST_OPEN) {
    throw refusal('too_many_jobs', { max: MOST_OPEN }, { headers: { 'retry-after': '10' } })
  }
  const row = await insertJob(tx, { cuid, kind, actor: caller.key, request, total }, new Date(clock.nowMs()))
  const { job_id: jobId } = row
  // The jobs of one customer are done one after the other.
  await addJob(tx, { task: JOB_TASK, payload: { jobId }, key: `job:${jobId}`, queue: `jobs of ${cuid}` })
  return toJob(row)
}

export async function readJob(db: Db, cuid: number, idText: string): Promise<Job> {
  const jobId = parseId(idText)
  const row = jobId === null ? null : await selectJob(db, cuid, jobId)
  if (!row) throw notFound('job')
  return toJob(row)
}

export function jobTask({ db, clock, work, ...checks }: JobParts): Task {
  return async payload => {
    const { jobId } = payload as { jobId: number }
    const job = await beginAttempt(db, jobId)
    if (!job) return
    try {
      if (job.attempts > ATTEMPTS) throw refusal('job_failed')
      await inTx(db, async tx => {
        if (!(await lockJob(tx, jobId))) throw new Error(`job ${jobId} is being done by another process`)
        const result = await guard(tx, { cuid: job.cuid, key: job.actor }, checks, async () => {
          const made = await work(tx, job, progressOf(db, jobId))
          // The work takes a while, so the customer may have been frozen meanwhile.
          await refuseFrozen(tx, job.cuid)
          return made
        })
        const ended = await endJob(tx, jobId, { result, error: null }, new Date(clock.nowMs()))
        if (ended === 0) throw new Error(`job ${jobId} has ended meanwhile`)
      })
    } catch (error) {
      const problem = toProblem(error)
      // After a broken connection or a stop, the queue tries again.
      if (problem.status >= 500 && job.attempts <= ATTEMPTS) throw error
      const failure = { status: problem.status, ...shownProblem(problem) }
      await endJob(db, jobId, { result: null, error: failure }, new Date(clock.nowMs()))
    }
  }
}

/** Uses another connection than the work, so that progress is visible before the end. */
function progressOf(db: Db, jobId: number) {
  let savedMs = performance.now()
  return async (done: number) => {
    if (performance.now() - savedMs < PROGRESS_MS) return
    savedMs = performance.now()
    await setProgress(db, jobId, done)
  }
}

export async function sweepJobs(db: Db, clock: Clock): Promise<void> {
  await deleteEnded(db, new Date(clock.nowMs() - KEEP_MS), KEEP_EACH)
}

function toJob(row: JobRow): Job {
  return {
    job: row.job_id,
    cuid: row.cuid,
    kind: row.kind,
    status: row.error ? 'failed' : row.ended_at ? 'done' : row.attempts > 0 ? 'running' : 'waiting',
    done: row.done,
    total: row.total,
    result: row.result,
    error: row.error,
    created: toSeconds(row.created_at),
    ended: row.ended_at && toSeconds(row.ended_at),
  }
}
