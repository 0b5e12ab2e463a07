// SQL of jobs. Every read for a customer is scoped to it.

import type { ActorText } from '../../kernel/actor.ts'
import type { Db } from '../../platform/database.ts'
import type { JobError, JobKind, JobResult } from './contract.ts'

export interface JobRow {
  job_id: number
  cuid: number
  kind: JobKind
  actor: ActorText
  request: unknown
  total: number
  done: number
  attempts: number
  result: JobResult | null
  error: JobError | null
  created_at: Date
  ended_at: Date | null
}

const COLUMNS =
  'job_id, cuid, kind, actor, request, total, done, attempts, result, error, created_at, ended_at'

export type NewJobRow = Pick<JobRow, 'cuid' | 'kind' | 'actor' | 'request' | 'total'>

export async function insertJob(tx: Db, { cuid, kind, actor, request, total }: NewJobRow, now: Date) {
  return (await tx.row<JobRow>(
    `insert into job (cuid, kind, actor, request, total, created_at) values ($1, $2, $3, $4, $5, $6)
     returning ${COLUMNS}`,
    [cuid, kind, actor, JSON.stringify(request), total, now],
  ))!
}

/** Locks the customer, so that parallel requests of one customer come one after the other and the limit holds. */
export async function countOpenJobs(tx: Db, cuid: number): Promise<number> {
  await tx.row('select 1 from customer where cuid = $1 for no key update', [cuid])
  const row = await tx.row<{ count: number }>(
    'select count(*) as count from job where cuid = $1 and ended_at is null',
    [cuid],
  )
  return row!.count
}

export function selectJob(db: Db, cuid: number, jobId: number) {
  return db.row<JobRow>(`select ${COLUMNS} from job where job_id = $2 and cuid = $1`, [cuid, jobId])
}

/** Null if the job has ended. */
export function beginAttempt(db: Db, jobId: number) {
  return db.row<JobRow>(
    `update job set attempts = attempts + 1, done = 0 where job_id = $1 and ended_at is null returning ${COLUMNS}`,
    [jobId],
  )
}

/** Locks until the end of the transaction; false if another process is working on the job. */
export async function lockJob(tx: Db, jobId: number): Promise<boolean> {
  const row = await tx.row<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock(7731112, $1::integer) as locked',
    [jobId % 2 ** 31],
  )
  return row!.locked
}

export function setProgress(db: Db, jobId: number, done: number) {
  return db.run('update job set done = $2 where job_id = $1 and ended_at is null', [jobId, done])
}

/** Returns how many jobs it ended: 0 if the job had already ended. */
export function endJob(
  db: Db,
  jobId: number,
  { result, error }: Pick<JobRow, 'result' | 'error'>,
  now: Date,
): Promise<number> {
  return db.run(
    `update job set request = null, result = $2, error = $3, ended_at = $4,
       done = case when $2::jsonb is null then 0 else total end
     where job_id = $1 and ended_at is null`,
    [jobId, result && JSON.stringify(result), error && JSON.stringify(error), now],
  )
}

/** Deletes ended jobs that are old, and all but the last ended ones of each customer. */
export async function deleteEnded(db: Db, before: Date, keepEach: number): Promise<void> {
  await db.run('delete from job where ended_at < $1', [before])
  await db.run(
    `delete from job using (
       select job_id, row_number() over (partition by cuid order by job_id desc) as place
       from job where ended_at is not null
     ) ended where job.job_id = ended.job_id and ended.place > $1`,
    [keepEach],
  )
}
