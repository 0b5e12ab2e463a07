// The site lists as delivery reads them.

import type { Db } from '../../platform/database.ts'
import { type ServedList, selectServedLists, selectServedListsNamed, selectServedListsOf } from './queries.ts'

export type { ServedList }

/** A page of those of all apps, by id. */
export function servedLists(db: Db, after: number, limit: number): Promise<ServedList[]> {
  return selectServedLists(db, after, limit)
}

/** Of these ids, those that are there. */
export function servedListsOf(db: Db, listIds: number[]): Promise<ServedList[]> {
  return selectServedListsOf(db, listIds)
}

/** Of these keys, those that the app has. */
export function servedListsNamed(db: Db, appId: number, keys: string[]): Promise<ServedList[]> {
  return selectServedListsNamed(db, appId, keys)
}
