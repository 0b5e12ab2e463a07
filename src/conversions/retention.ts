// Actions are deleted when they and their ads are older than events are kept, in bounded steps. Figures stay. Nothing
// counts again: the click or impression is deleted no later, so there is nothing left to credit; and an order is
// remembered as long as its action, the whole retention after it was done.

import type { Db } from '../platform/database.ts'
import { firstAdOf } from '../tracking/ad.ts'
import { actionHashOf } from './name-hash.ts'
import { deleteActionsBefore, deleteClicksBefore, forgetName } from './queries.ts'

/** Rows of one statement, and how many statements per call: more are deleted an hour later. */
const STEP = 1000
const MOST_STEPS = 200

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
