// Saved views by email: whichever process notices that one is due, each reader gets it once.

import { recordMailTo } from '../../changes/outbox.ts'
import type { Database } from '../../platform/database.ts'
import { type SavedViewParts, takeDueViews } from '../../report/saved-views/saved-views.ts'

const PAGE = 100

export async function recordSavedViews(db: Database, parts: SavedViewParts): Promise<void> {
  let taken: number
  do {
    taken = await db.transaction(async tx => {
      const due = await takeDueViews(tx, parts, PAGE)
      const at = new Date(parts.clock.nowMs())
      for (const { cuid, vid, mailTo, about, period, zone } of due) {
        if (!period) continue
        const facts = { vid, ...period, zone }
        await recordMailTo(tx, { at, cuid, kind: 'savedView', about, facts }, mailTo)
      }
      return due.length
    })
  } while (taken === PAGE)
}
