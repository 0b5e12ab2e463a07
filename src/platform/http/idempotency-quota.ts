// How many answers are kept for idempotency keys, and how large: per customer, and per app for calls without one. A key
// over the quota is refused and nothing is done, because forgetting an older answer would do its work twice.

import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../database.ts'
import { exceeded } from '../quotas.ts'

export interface AnswerQuota {
  answers: number
  bytes: number
}

/** The lock is held from here to the commit. */
const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 7731110))'

/** Counts an answer in its transaction; 409 if it is one too many. `lifeHours`: how long answers are kept. */
export async function countAnswer(
  tx: Db,
  { caller, cuid }: { caller: Caller; cuid: number | null },
  bytes: number,
  quota: AnswerQuota,
  lifeHours: number,
): Promise<void> {
  const holder = cuid === null ? `app ${caller.appId}` : `customer ${cuid}`
  await tx.run(LOCK, [holder])
  const kept = await tx.row<AnswerQuota>(
    `with added as (
       insert into idempotency_usage as u (holder, hour, answers, bytes)
       values ($1, date_trunc('hour', now()), 1, $2)
       on conflict (holder, hour) do update set answers = u.answers + 1, bytes = u.bytes + excluded.bytes
     )
     select coalesce(sum(answers), 0) + 1 as answers, coalesce(sum(bytes), 0) + $2::bigint as bytes
     from idempotency_usage where holder = $1 and hour > now() - make_interval(hours => $3)`,
    [holder, bytes, lifeHours],
  )
  const { answers, bytes: size } = kept!
  const whose = cuid === null ? 'this app' : 'this customer'
  if (answers > quota.answers)
    throw exceeded('answers kept for idempotency keys', whose, answers, quota.answers, 'IDEMPOTENCY_ANSWERS')
  if (size > quota.bytes)
    throw exceeded('bytes of answers kept for idempotency keys', whose, size, quota.bytes, 'IDEMPOTENCY_MB')
}

export async function forgetOldCounts(db: Db, lifeHours: number): Promise<void> {
  await db.run('delete from idempotency_usage where hour < now() - make_interval(hours => $1)', [
    lifeHours + 1,
  ])
}
