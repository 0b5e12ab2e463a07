// What the rollups say of an id, as tests of tracking ask for it.

import type { Db } from '../../src/platform/database.ts'

export const NONE = { imps: 0, clicks: 0, actions: 0, spend: 0 }

export function figuresOf(db: Db, id: number) {
  return db.row(
    `select coalesce(sum(imps), 0) as imps, coalesce(sum(clicks), 0) as clicks, coalesce(sum(actions), 0) as actions,
       coalesce(sum(spend_micros), 0) as spend from rollup where id = $1`,
    [id],
  )
}
