// Follows the record of changes without losing any. Numbers do not commit in order, so the position is a snapshot of
// which transactions were over: each poll reads the rows of all others. Changes committed during a poll are read again
// by the next one.

import type { Db } from '../../platform/database.ts'
import { type ChangeRow, selectChanges, selectPosition, selectState } from './queries.ts'
import type { ChangedIds } from './reload.ts'

export interface Follower {
  /**
   * Passes all new changes to `apply`; they count as read only if that succeeds. Calls `lost` if everything must be
   * read again. Returns a text that stays equal as long as no source and no attribute changes.
   */
  poll(apply: (changed: ChangedIds) => Promise<void>, lost: () => Promise<void>): Promise<string>
}

const PAGE_ROWS = 1_000
/** After a longer gap everything is read again. Rows are deleted after a day, so some may have been missed. */
export const LONGEST_GAP_MS = 6 * 3_600_000

/** To be called before the first load, so that changes during the load are read again. */
export async function startFollowing(db: Db, nowMs: () => number): Promise<Follower> {
  let position = await selectPosition(db)
  let polledMs = nowMs()

  return {
    async poll(apply, lost) {
      const startedMs = nowMs()
      const after = { tx: String(oldestOf(position)), changeId: 0 }
      const { position: fresh, sources, changes } = await selectState(db, position, after, PAGE_ROWS)
      // A position before ours means another database, or one that was restored from a copy.
      const wentBack = oldestOf(fresh) < oldestOf(position)
      if (wentBack || startedMs - polledMs > LONGEST_GAP_MS) await lost()
      else {
        const { changed, count } = await readChanges(db, position, changes)
        if (count > 0) await apply(changed)
      }
      position = fresh
      polledMs = startedMs
      return sources
    },
  }
}

/** In `xmin:xmax:xip`, the first number is the oldest transaction that was not over. */
function oldestOf(position: string): bigint {
  return BigInt(position.split(':', 1)[0]!)
}

/** `first` is the first page, which was read with the position; later pages may contain newer changes. */
async function readChanges(
  db: Db,
  position: string,
  first: ChangeRow[],
): Promise<{ changed: ChangedIds; count: number }> {
  const changed: ChangedIds = {
    customer: new Set(),
    campaign: new Set(),
    flight: new Set(),
    persona: new Set(),
    banner: new Set(),
    site_list: new Set(),
  }
  let count = 0
  let rows = first
  for (;;) {
    for (const row of rows) {
      const ids = (changed as unknown as Record<string, Set<number> | undefined>)[row.noun]
      if (ids) {
        ids.add(row.id)
        count++
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_ROWS) return { changed, count }
    rows = await selectChanges(db, position, { tx: last.tx, changeId: last.change_id }, PAGE_ROWS)
  }
}
