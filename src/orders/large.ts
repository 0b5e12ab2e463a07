// What one call may create: up to 2,000 objects, alone or in all operations of a bulk call. More becomes a job, which
// answers 202 and is done by a worker; and a job has a limit too.

import { Answer } from '../http/api.ts'
import { createJob } from '../jobs/jobs.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import { exceeded } from '../platform/quotas.ts'
import { MOST_AT_ONCE, type NewOrder, type NewPersonaOrder } from './contract.ts'
import type { JobRequests } from './work.ts'

export interface LargeParts {
  clock: Clock
  publicUrl: string
  /** The most that a job creates. */
  mostObjects: number
}

interface AskingCall {
  db: Db
  caller: Caller
  cuid: number
  query: Record<string, unknown>
  isInner: boolean
}

/** By transaction: the operations of a bulk call share what one call may create. */
const taken = new WeakMap<Db, number>()

export function sizeOfPersonaOrder({ banners }: NewPersonaOrder): number {
  return 1 + (banners?.length ?? 0)
}

export function sizeOfOrder({ flights, personas }: NewOrder): number {
  const first = 1 + (flights?.length ?? 0)
  return (personas ?? []).reduce((objects, persona) => objects + sizeOfPersonaOrder(persona), first)
}

/** Whether this many objects are too many for this call; throws if they are too many for any. */
export function isLarge({ db, query, isInner }: AskingCall, objects: number, parts: LargeParts): boolean {
  const total = objects + (taken.get(db) ?? 0)
  if (total <= MOST_AT_ONCE) {
    taken.set(db, total)
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

/** A job is done long after its call, so nobody could be shown what they decide. Refused before it begins. */
export function refuseToPropose(caller: Caller, isEnabled: boolean, wanted: number): void {
  if (isEnabled && caller.level === 'customer' && caller.scope === 'propose')
    throw refusal('too_large_to_propose', { wanted })
}

/** 202 with the job; its answer is not the endpoint's own. */
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
