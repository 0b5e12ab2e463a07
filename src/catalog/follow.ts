// Follows the record of changes without losing one. Numbers do not commit in order, so the position is a transaction
// id below which everything is over: each poll reads from there again, and leaves out the rows it has seen.

import type { Db } from '../platform/database.ts'
import { selectChanges, selectPosition } from './queries.ts'
import type { ChangedIds } from './reload.ts'

export interface Follower {
  /** Hands all that is new to `apply`; it counts as read only when that succeeded. `lost`: read everything again. */
  poll(apply: (changed: ChangedIds) => Promise<void>, lost: () => Promise<void>): Promise<void>
}

const PAGE_ROWS = 1_000
/** Rows are pruned after a day: whoever was away for longer than this may have missed some. */
export const LONGEST_GAP_MS = 6 * 3_600_000

/** Take the position before the first load: what changes meanwhile is then read again. */
export async function startFollowing(db: Db, nowMs: () => number): Promise<Follower> {
  let position = await selectPosition(db)
  let seen = new Set<number>()
  let polledMs = nowMs()

  async function restart(lost: () => Promise<void>): Promise<void> {
    const fresh = await selectPosition(db)
    await lost()
    position = fresh
    seen = new Set()
    polledMs = nowMs()
  }

  return {
    async poll(apply, lost) {
      const startedMs = nowMs()
      const read = await readChanges(db, position, seen)
      // A position behind ours: another database, or one that was restored from a copy.
      const wentBack = BigInt(read.position) < BigInt(position)
      if (wentBack || startedMs - polledMs > LONGEST_GAP_MS) return restart(lost)
      if (read.count > 0) await apply(read.changed)
      position = read.position
      seen = read.seen
      polledMs = startedMs
    },
  }
}

interface Read {
  changed: ChangedIds
  count: number
  position: string
  seen: Set<number>
}

async function readChanges(db: Db, from: string, seenBefore: ReadonlySet<number>): Promise<Read> {
  const changed: ChangedIds = {
    customer: new Set(),
    campaign: new Set(),
    flight: new Set(),
    persona: new Set(),
    banner: new Set(),
  }
  // Before the rows: a later position could lie beyond what the rows showed.
  const position = await selectPosition(db)
  const seen = new Set<number>()
  let behind = { tx: from, changeId: 0 }
  let count = 0
  for (;;) {
    const rows = await selectChanges(db, behind, PAGE_ROWS)
    for (const row of rows) {
      if (BigInt(row.tx) >= BigInt(position)) seen.add(row.change_id)
      if (seenBefore.has(row.change_id)) continue
      const ids = (changed as unknown as Record<string, Set<number> | undefined>)[row.noun]
      if (ids) {
        ids.add(row.id)
        count++
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_ROWS) return { changed, count, position, seen }
    behind = { tx: last.tx, changeId: last.change_id }
  }
}
