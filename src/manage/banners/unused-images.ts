// Removes images that nothing uses: no banner shows them, not even a deleted one that may be restored, and no banner
// was made from them. They are kept for a while, because open ads still show them and uploads wait for their banner.

import type { Clock } from '../../kernel/time/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Creatives } from './creative/store.ts'
import {
  deleteUploads,
  forgetUnused,
  lockUnusedImage,
  lockUnusedUploads,
  noteUnused,
  selectUnusedSince,
  selectUsed,
} from './image-queries.ts'

export interface UnusedImageParts {
  db: Database
  clock: Clock
  files: Creatives
  /** How long an unused image stays. */
  keepMs: number
}

const PAGE = 500

export async function sweepUnusedImages(parts: UnusedImageParts): Promise<void> {
  const { db, clock, files, keepMs } = parts
  const now = new Date(clock.nowMs())
  for await (const names of pagesOf(files)) {
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

/** Keeps an image that is being stored or used; the next sweep checks it again. */
async function removeUnused({ db, files }: UnusedImageParts, name: string, before: Date): Promise<void> {
  await db.transaction(async tx => {
    if (!(await lockUnusedImage(tx, name)) || !(await lockUnusedUploads(tx, name))) return
    const isUsed = (await selectUsed(tx, [name])).length > 0
    if (!isUsed && (await deleteUploads(tx, name, before))) await files.remove(tx, name)
    await forgetUnused(tx, [name])
  })
}

async function* pagesOf(files: Creatives): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const page = await files.list(after, PAGE)
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    after = page.at(-1)!
  }
}
