// How many answers are kept for idempotency keys, and how large they are: per customer, and per app for calls without a
// customer. A key over the quota is refused and nothing is done: forgetting an older answer instead could let its work
// be done twice.

import { exceeded } from '../changes/quotas.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Db } from '../platform/database.ts'
import { addAnswer } from './idempotency-queries.ts'

export interface AnswerQuota {
  answers: number
  bytes: number
}

/** Counts an answer in its transaction; throws 409 if it is one too many. The lock is held until the commit. */
export async function countAnswer(
  tx: Db,
  { caller, cuid }: { caller: Caller; cuid: number | null },
  bytes: number,
  quota: AnswerQuota,
): Promise<void> {
  const owner = cuid === null ? `app ${caller.appId}` : `customer ${cuid}`
  const { answers, bytes: size } = await addAnswer(tx, owner, bytes)
  const whose = cuid === null ? 'this app' : 'this customer'
  if (answers > quota.answers)
    throw exceeded('answers kept for idempotency keys', whose, answers, quota.answers, 'IDEMPOTENCY_ANSWERS')
  if (size > quota.bytes)
    throw exceeded('bytes of answers kept for idempotency keys', whose, size, quota.bytes, 'IDEMPOTENCY_MB')
}
