// Clears up images that nothing uses: no banner shows one, not even a deleted one that may come back, and none was made
// of an upload. They stay for a while, because ads that are out still show them and uploads wait for their banner.

import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database.ts'
import { listCreatives, removeCreative } from './creative/store.ts'
import {
  deleteUploads,
  forgetUnused,
  lockImage,
  noteUnused,
  selectUnusedSince,
  selectUsed,
} from './image-queries.ts'

export interface UnusedImageParts {
  db: Database
  clock: Clock
  creativesDir: string
  /** So long an image stays that nothing uses. */
  keepMs: number
}

const PAGE = 500

export async function sweepUnusedImages(parts: UnusedImageParts): Promise<void> {
  const { db, clock, creativesDir, keepMs } = parts
  const now = new Date(clock.nowMs())
  for await (const names of pagesOf(listCreatives(creativesDir))) {
    const used = new Set((await selectUsed(db, names)).map(row => row.name))
    await forgetUnused(db, [...used])
    await noteUnused(
      db,
      names.filter(name => !used.has(name)),
      now,
    )
  }
  const before = new Date(now.getTime() - keepMs)
  for (const { name } of await selectUnusedSince(db, before)) await removeUnused(parts, name, before)
}

/** Under the lock of the image: an upload or a review of the same bytes comes before this or after it. */
async function removeUnused(
  { db, creativesDir }: UnusedImageParts,
  name: string,
  before: Date,
): Promise<void> {
  await db.transaction(async tx => {
    await lockImage(tx, name)
    const isUsed = (await selectUsed(tx, [name])).length > 0
    if (!isUsed && (await deleteUploads(tx, name, before))) await removeCreative(creativesDir, name)
    await forgetUnused(tx, [name])
  })
}

async function* pagesOf(names: AsyncIterable<string>): AsyncGenerator<string[]> {
  let page: string[] = []
  for await (const name of names) {
    page.push(name)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
