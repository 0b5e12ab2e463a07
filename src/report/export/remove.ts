// Removes what a sandbox has exported when it is reset. Only hours whose manifest this database made are removed, so
// that others who write to the same store keep theirs.

import type { Db } from '../../platform/database.ts'
import type { ObjectStore } from '../../platform/store/store.ts'
import { folderOf, manifestKey, readManifest } from './manifest.ts'
import { selectHours } from './queries.ts'

const FIRST = new Date(0)
const LAST = new Date('9999-01-01T00:00:00Z')

export async function removeExported(db: Db, store: ObjectStore): Promise<void> {
  for (const hour of await selectHours(db, FIRST, LAST)) {
    const manifest = await store.get(manifestKey(hour))
    if (!manifest || readManifest(manifest).closedAt !== hour.closedAt.toISOString()) continue
    for (const key of await store.list(folderOf(hour))) await store.remove(key)
  }
}
