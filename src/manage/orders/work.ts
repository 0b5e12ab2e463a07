// The work of a job: an order or a copy, with the same verbs as in a call.

import type { Tx } from '../../changes/tx.ts'
import type { Caller } from '../../kernel/caller.ts'
import { findCampaign } from '../campaigns/campaigns.ts'
import type { JobResult } from '../jobs/contract.ts'
import type { Work } from '../jobs/jobs.ts'
import { findPersona } from '../personas/personas.ts'
import type { CampaignCopy, NewOrder, NewPersonaOrder } from './contract.ts'
import {
  copyOrder,
  copyPersonaOrder,
  createOrder,
  createPersonaOrder,
  type OrderActing,
  type OrderParts,
} from './orders.ts'

/** The parts of the requesting call that a job keeps, by kind. */
export interface JobRequests {
  createCampaign: { body: NewOrder }
  createPersona: { cid: number; body: NewPersonaOrder }
  copyCampaign: { cid: number; body: CampaignCopy }
  copyPersona: { cid: number; pid: number; into: { cid: number; name: string | undefined } }
}

type Doer<K extends keyof JobRequests> = (
  tx: Tx,
  call: OrderActing,
  request: JobRequests[K],
) => Promise<JobResult>

const DOERS: { [K in keyof JobRequests]: Doer<K> } = {
  createCampaign: async (tx, call, { body }) => {
    const { order } = await createOrder(tx, call, null, body)
    return { cid: order.cid }
  },
  createPersona: async (tx, call, { cid, body }) => {
    const { persona } = await createPersonaOrder(tx, call, await findCampaign(tx, call, { cid }), body)
    return { cid: persona.cid, pid: persona.pid }
  },
  copyCampaign: async (tx, call, { cid, body }) => {
    const { order } = await copyOrder(tx, call, await findCampaign(tx, call, { cid }), body)
    return { cid: order.cid }
  },
  copyPersona: async (tx, call, { cid, pid, into }) => {
    const { persona } = await copyPersonaOrder(tx, call, await findPersona(tx, call, { cid, pid }), into)
    return { cid: persona.cid, pid: persona.pid }
  },
}

export function orderWork(parts: OrderParts): Work {
  return async (tx, job, tell) => {
    let done = 0
    const made = (objects: number) => {
      done += objects
      return tell(done)
    }
    const { cuid, actor } = job
    // Only the key matters here: it is the actor in the history.
    const caller: Caller = { level: 'customer', appId: 0, cuid, key: actor, scope: 'all', cids: null }
    const work = DOERS[job.kind] as Doer<keyof JobRequests>
    const call = { ...parts, made, caller, cuid, ifMatch: null }
    return work(tx, call, job.request as JobRequests[keyof JobRequests])
  }
}
