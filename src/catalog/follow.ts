// Follows the record of changes without losing one. Numbers do not commit in order, so the position is a snapshot of
// which transactions were over: each poll reads the rows of all others. Changes committed during a poll are read again
// by the next.

import type { Db } from '../platform/database.ts'
import { type ChangeRow, selectChanges, selectPosition, selectState } from './queries.ts'
import type { ChangedIds } from './reload.ts'

export interface Follower {
  /**
   * Hands all that is new to `apply`; it counts as read only when that succeeded. `lost`: read everything again.
   * Returns what stays equal as long as no source changes.
   */
  poll(apply: (changed: ChangedIds) => Promise<void>, lost: () => Promise<void>): Promise<string>
}

const PAGE_ROWS = 1_000
/** Rows are pruned after a day: a process that was away for longer may have missed some. */
export const LONGEST_GAP_MS = 6 * 3_600_000

/** Take the position before the first load: changes during the load are then read again. */
export async function startFollowing(db: Db, nowMs: () => number): Promise<Follower> {
  let position = await selectPosition(db)
  let polledMs = nowMs()

  return {
    async poll(apply, lost) {
      const startedMs = nowMs()
      const after = { tx: String(oldestOf(position)), changeId: 0 }
      const { position: fresh, sources, changes } = await selectState(db, position, after, PAGE_ROWS)
      // A position behind ours: another database, or one that was restored from a copy.
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

/** `xmin:xmax:xip`, the first of which is the oldest transaction that was not over. */
function oldestOf(position: string): bigint {
  return BigInt(position.split(':', 1)[0]!)
}

/** `first`: the first page, which came with the position; later ones may show more than that. */
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
