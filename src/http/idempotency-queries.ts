// SQL of idempotency keys: the stored answers and how many there are.

import type { Db } from '../platform/database.ts'
import { LOCKS, lockUntilCommit } from '../platform/locks.ts'

export const LIFE_HOURS = 24
const SWEEP_ROWS = 5_000

/** Returns true if the key was free. A parallel request with the same key waits here until the first has ended. */
export async function insertKey(tx: Db, owner: string, key: string, requestHash: Buffer): Promise<boolean> {
  await tx.run(
    `delete from idempotency where owner = $1 and key = $2 and created_at < now() - interval '${LIFE_HOURS} hours'`,
    [owner, key],
  )
  const inserted = await tx.run(
    'insert into idempotency (owner, key, request_hash) values ($1, $2, $3) on conflict do nothing',
    [owner, key, requestHash],
  )
  return inserted === 1
}

export function selectKept(tx: Db, owner: string, key: string) {
  return tx.row<{ request_hash: Buffer; answer: Buffer | null }>(
    'select request_hash, answer from idempotency where owner = $1 and key = $2',
    [owner, key],
  )
}

export async function updateAnswer(tx: Db, owner: string, key: string, answer: Buffer, cuid: number | null) {
  await tx.run('update idempotency set answer = $3, cuid = $4 where owner = $1 and key = $2', [
    owner,
    key,
    answer,
    cuid,
  ])
}

/** Deletes in chunks, so that no statement exceeds its time limit, however long ago the last sweep was. */
export async function deleteOldAnswers(db: Db): Promise<void> {
  const forget = () =>
    db.run(
      `delete from idempotency where (owner, key) in (
         select owner, key from idempotency where created_at < now() - interval '${LIFE_HOURS} hours'
         order by created_at limit ${SWEEP_ROWS}
       )`,
    )
  while ((await forget()) === SWEEP_ROWS);
}

/** Adds an answer to those kept for an owner and returns the new sums. Locks the owner until the commit. */
export async function addAnswer(tx: Db, owner: string, bytes: number) {
  await lockUntilCommit(tx, LOCKS.idempotency, owner)
  const kept = await tx.row<{ answers: number; bytes: number }>(
    `with added as (
       insert into idempotency_usage as u (holder, hour, answers, bytes)
       values ($1, date_trunc('hour', now()), 1, $2)
       on conflict (holder, hour) do update set answers = u.answers + 1, bytes = u.bytes + excluded.bytes
     )
     select coalesce(sum(answers), 0) + 1 as answers, coalesce(sum(bytes), 0) + $2::bigint as bytes
     from idempotency_usage where holder = $1 and hour > now() - make_interval(hours => $3)`,
    [owner, bytes, LIFE_HOURS],
  )
  return kept!
}

export async function deleteOldCounts(db: Db): Promise<void> {
  await db.run('delete from idempotency_usage where hour < now() - make_interval(hours => $1)', [
    LIFE_HOURS + 1,
  ])
}
