// The leaf that an event belongs to: its banner in its flight. Known leaves are remembered, missing ones are created.

import { createRecent } from '../../kernel/recent.ts'
import type { Db } from '../../platform/database.ts'
import { ensureLeaves } from './queries.ts'

type Ids = { cuid: number; cid: number; fid: number; pid: number; bid: number }

/** Returns the leaf of each of these, in the same order. */
export type LeavesOf = (db: Db, ads: Ids[]) => Promise<number[]>

const MOST_REMEMBERED = 500_000

export function createLeaves(): LeavesOf {
  const known = createRecent<string, number>(MOST_REMEMBERED)
  return async (db, ads) => {
    const leaves = ads.map(ad => known.get(keyOf(ad)))
    const missing = ads.filter((_, at) => leaves[at] === undefined)
    if (missing.length === 0) return leaves as number[]
    const made = new Map((await ensureLeaves(db, missing)).map(row => [keyOf(row), row.leaf]))
    for (const [key, leaf] of made) known.set(key, leaf)
    return ads.map((ad, at) => leaves[at] ?? made.get(keyOf(ad))!)
  }
}

function keyOf({ cuid, cid, fid, pid, bid }: Ids): string {
  return `${bid} ${fid} ${pid} ${cid} ${cuid}`
}
