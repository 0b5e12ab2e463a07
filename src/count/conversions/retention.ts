// Deletes actions in limited steps when they and their ads are older than events are kept. Figures stay, and nothing is
// counted again: the click or impression is deleted no later, so nothing can be credited, and an order is remembered as
// long as its action, for the whole retention.

import type { Db } from '../../platform/database.ts'
import { firstAdOf } from '../tracking/ad.ts'
import { actionHashOf } from './name-hash.ts'
import { deleteActionsBefore, deleteClicksBefore, forgetName } from './queries.ts'

/** Rows per statement, and statements per call; the rest is deleted an hour later. */
export const STEP = 1000
export const MOST_STEPS = 200

export async function sweepActions(db: Db, beforeMs: number): Promise<void> {
  const before = new Date(Math.max(0, beforeMs))
  for (let n = 0; n < MOST_STEPS; n++) {
    const gone = await deleteActionsBefore(db, before, STEP)
    const names = new Map(gone.map(action => [`${action.cuid} ${action.name}`, action]))
    for (const action of names.values()) await forgetName(db, action, actionHashOf(action.name))
    if (gone.length < STEP) break
  }
  const firstKept = firstAdOf(before.getTime())
  for (let n = 0; n < MOST_STEPS; n++) if ((await deleteClicksBefore(db, firstKept, STEP)) < STEP) break
}
