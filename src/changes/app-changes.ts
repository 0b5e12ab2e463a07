// The history of what belongs to an app or to the deployment, not to a customer: who changed the staff, the
// sources and the attributes. `audit` is the history of what a customer owns, and is only ever read for one.

import type { ActorText } from '../kernel/actor.ts'
import type { Db } from '../platform/database.ts'

/** What a change shows of an object before and after it; null: it was not there. */
export interface AppChangeRow<Action extends string = string, Seen = unknown> {
  change_id: number
  /** Of the object. */
  id: number
  at: Date
  action: Action
  actor: ActorText
  before: Seen | null
  after: Seen | null
}

export type AppNoun = 'staff' | 'source' | 'attribute'

/** `appId`: of whoever did it; null: the command line. */
export function recordAppChange(
  db: Db,
  noun: AppNoun,
  appId: number | null,
  { id, at, action, actor, before, after }: Omit<AppChangeRow, 'change_id'>,
): Promise<number> {
  const [seenBefore, seenAfter] = [before, after].map(seen => seen && JSON.stringify(seen))
  return db.run(
    `insert into app_change (noun, id, app_id, at, action, actor, before, after) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [noun, id, appId, at, action, actor, seenBefore, seenAfter],
  )
}

/** The oldest come first. `appId`: only those by this app; null: all. */
export function selectAppChanges<Action extends string, Seen>(
  db: Db,
  { noun, appId, after, limit }: { noun: AppNoun; appId: number | null; after: number; limit: number },
) {
  return db.rows<AppChangeRow<Action, Seen>>(
    `select change_id, id, at, action, actor, before, after from app_change
     where noun = $1 and change_id > $2 and ($3::bigint is null or app_id = $3) order by change_id limit $4`,
    [noun, after, appId, limit],
  )
}
