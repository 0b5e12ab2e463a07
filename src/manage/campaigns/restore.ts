// Undoes a deletion: for the operator at any time, for the customer for a while. A campaign comes back with everything
// beneath it that was not deleted separately; a flight comes back only if its dates are still free.

import { recordChange } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { isRestorable, type RestoreTimes } from '../../http/deleted.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type Acting, idIn, type PathIds } from '../noun.ts'
import { checkPlace } from './flights/flights.ts'
import { lockCampaign } from './queries.ts'
import {
  type DeletableRow,
  type Noun,
  selectAnything,
  selectDeleted,
  selectDeletedFlight,
  selectLastSeen,
  unhide,
} from './restore-queries.ts'

export interface Restored {
  noun: Noun
  id: number
  name: string
}

export interface Deleted extends Restored {
  cuid: number
  cid: number
  deleted: Date
  /** A deleted parent, which must be restored first. */
  under: string | null
}

const OPERATOR = 'operator'

export async function listDeleted(db: Db, after: number, limit: number): Promise<Deleted[]> {
  return (await selectDeleted(db, after, limit)).map(({ deleted_at, ...row }) => ({
    noun: row.noun,
    id: row.id,
    name: row.name,
    cuid: row.cuid,
    cid: row.cid,
    deleted: deleted_at,
    under: row.under,
  }))
}

export async function restore(db: Tx, id: number, clock: Clock): Promise<Restored> {
  const row = await selectAnything(db, id)
  if (!row) throw notFound(`a campaign, flight, persona or banner ${id}`)
  if (row.deleted_at === null) throw refusal('object_not_deleted', { noun: row.noun, id })
  if (!(await bringBack(db, row, OPERATOR, clock)))
    throw refusal('object_not_deleted', { noun: row.noun, id })
  return { noun: row.noun, id, name: row.name }
}

export type RestoreParts = RestoreTimes

const PATH_ID: Record<Noun, string> = { campaign: 'cid', flight: 'fid', persona: 'pid', banner: 'bid' }

/**
 * Restores an object for its own customer, by its path. Throws 404 if it never existed, is another customer's, or was
 * deleted too long ago. Leaves an object that is not deleted as it is.
 */
export async function restoreOwn(
  tx: Tx,
  call: Acting & RestoreParts,
  noun: Noun,
  path: PathIds,
): Promise<void> {
  const id = idIn(path, PATH_ID[noun])
  const row = id === null ? null : await selectAnything(tx, id)
  if (!row || row.noun !== noun || row.cuid !== call.cuid) throw notFound(noun)
  const above = [row.cid, ...(row.pid === null ? [] : [row.pid])].map(String)
  const asked = [path.cid, ...(noun === 'banner' ? [path.pid] : [])]
  if (above.some((parent, i) => parent !== asked[i])) throw notFound(noun)
  if (row.deleted_at === null) return
  if (!isRestorable(row.deleted_at, call)) throw notFound(noun)
  await bringBack(tx, row, call.caller.key, call.clock)
}

/** False: another call has restored it meanwhile. */
async function bringBack(db: Tx, row: DeletableRow, actor: ActorText, clock: Clock): Promise<boolean> {
  const { noun, id, cid, cuid } = row
  if (row.under) {
    throw refusal('parent_deleted', { noun, id, parent: row.under })
  }
  await lockItsCampaign(db, row)
  const now = new Date(clock.nowMs())
  const lastSeen = await selectLastSeen(db, noun, id, cid)
  if ((await unhide(db, noun, id, now)) === 0) return false
  const after = lastSeen && { ...lastSeen, updated: toSeconds(now) }
  await recordChange(db, {
    at: now,
    noun,
    id,
    action: 'restore',
    cuid,
    cid,
    actor,
    before: null,
    after,
  })
  return true
}

/** Locks the campaign before a part of it is restored, and checks that a restored flight still fits. */
async function lockItsCampaign(db: Db, { noun, id, cid }: DeletableRow): Promise<void> {
  if (noun === 'campaign') return
  const campaign = await lockCampaign(db, cid)
  if (!campaign) throw refusal('campaign_deleted', { cid })
  const flight = noun === 'flight' ? await selectDeletedFlight(db, id) : null
  if (flight) await checkPlace(db, campaign, null, flight)
}
