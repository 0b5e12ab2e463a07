// How much one call may create: up to 2,000 objects, alone or in all operations of a bulk call. Every hundred places or
// 10,000 bytes that are copied count as one more object, because the answer contains them all. Anything larger becomes
// a job, which answers 202 and is done by a worker; jobs have a limit too.

import { exceeded } from '../../changes/quotas.ts'
import type { Tx } from '../../changes/tx.ts'
import { Answer } from '../../http/api.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { createJob } from '../jobs/jobs.ts'
import { MOST_AT_ONCE, type NewOrder, type NewPersonaOrder } from './contract.ts'
import { BYTES_AN_OBJECT, type Size } from './queries.ts'
import type { JobRequests } from './work.ts'

export interface LargeParts {
  clock: Clock
  publicUrl: string
  /** The most objects that a job creates. */
  mostObjects: number
}

interface AskingCall {
  db: Tx
  caller: Caller
  cuid: number
  query: Record<string, unknown>
  isInner: boolean
}

/** Objects created from a body cannot have very many places, because the body is limited. */
export const PLACES_AN_OBJECT = 100

export function sizeOfPersonaOrder({ banners }: NewPersonaOrder): number {
  return 1 + (banners?.length ?? 0)
}

export function sizeOfOrder({ flights, personas }: NewOrder): number {
  const first = 1 + (flights?.length ?? 0)
  return (personas ?? []).reduce((objects, persona) => objects + sizeOfPersonaOrder(persona), first)
}

/** Whether these objects are too many for this call; throws if they are too many for any call. */
export function isLarge(
  { db, query, isInner }: AskingCall,
  { objects, places, bytes }: Size,
  parts: LargeParts,
): boolean {
  const more = Math.max(places / PLACES_AN_OBJECT, bytes / BYTES_AN_OBJECT)
  const total = objects + Math.floor(more) + db.objects
  if (total <= MOST_AT_ONCE) {
    db.objects = total
    return false
  }
  if (objects > parts.mostObjects)
    throw exceeded('objects', 'this order or copy', objects, parts.mostObjects, 'JOB_OBJECTS')
  if (isInner || query.dryRun === true || query.propose === true) {
    const reason = isInner ? 'too_many_objects' : 'too_many_objects_to_try'
    throw refusal(reason, { max: MOST_AT_ONCE, wanted: total })
  }
  return true
}

/** A job is done long after its call, so nobody could see what they decide about. It is refused before it begins. */
export function refuseToPropose(caller: Caller, isEnabled: boolean, wanted: number): void {
  if (isEnabled && caller.level === 'customer' && caller.scope === 'propose')
    throw refusal('too_large_to_propose', { wanted })
}

/** Answers 202 with the job, which is not the endpoint's own answer. */
export async function asJob<K extends keyof JobRequests, A>(
  { db, caller, cuid }: AskingCall,
  kind: K,
  total: number,
  request: JobRequests[K],
  { clock, publicUrl }: LargeParts,
): Promise<Answer<A>> {
  const job = await createJob(db, caller, cuid, { kind, total, request }, clock)
  const location = `${publicUrl}/job/${job.job}?cuid=${cuid}`
  return new Answer(job as A, { location }, { status: 202 })
}
