// The work of a job: an order or a copy, with the same verbs as in a call.

import type { Tx } from '../../changes/tx.ts'
import type { Caller } from '../../kernel/caller.ts'
import { findCampaign } from '../campaigns/campaigns.ts'
import type { JobResult } from '../jobs/contract.ts'
import type { Work } from '../jobs/jobs.ts'
import { findPersona } from '../personas/personas.ts'
import type { CampaignCopy, NewOrder, NewPersonaOrder } from './contract.ts'
import { copyOrder, copyPersonaOrder, createOrder, createPersonaOrder, type OrderParts } from './orders.ts'

/** The parts of the requesting call that a job keeps, by kind. */
export interface JobRequests {
  createCampaign: { body: NewOrder }
  createPersona: { cid: number; body: NewPersonaOrder }
  copyCampaign: { cid: number; body: CampaignCopy }
  copyPersona: { cid: number; pid: number; into: { cid: number; name: string | undefined } }
}

type Doer<K extends keyof JobRequests> = (
  tx: Tx,
  caller: Caller,
  cuid: number,
  request: JobRequests[K],
  parts: OrderParts,
) => Promise<JobResult>

const DOERS: { [K in keyof JobRequests]: Doer<K> } = {
  createCampaign: async (tx, caller, cuid, { body }, parts) => {
    const { order } = await createOrder(tx, caller, cuid, body, parts)
    return { cid: order.cid }
  },
  createPersona: async (tx, caller, cuid, { cid, body }, parts) => {
    const found = await findCampaign(tx, cuid, String(cid))
    const { persona } = await createPersonaOrder(tx, caller, found, body, parts)
    return { cid: persona.cid, pid: persona.pid }
  },
  copyCampaign: async (tx, caller, cuid, { cid, body }, parts) => {
    const found = await findCampaign(tx, cuid, String(cid))
    const { order } = await copyOrder(tx, caller, found, body, parts)
    return { cid: order.cid }
  },
  copyPersona: async (tx, caller, cuid, { cid, pid, into }, parts) => {
    const found = await findPersona(tx, cuid, String(cid), String(pid))
    const { persona } = await copyPersonaOrder(tx, caller, found, into, parts)
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
    return work(tx, caller, cuid, job.request as JobRequests[keyof JobRequests], { ...parts, made })
  }
}
