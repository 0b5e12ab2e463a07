// Finds the row of an ad id. It consists of many small tables with open addressing, so that growing one never delays a
// bid noticeably. It holds numbers only; the ids themselves are in the rows.

import { ID_WORDS } from './ad-id.ts'

export interface IdIndex {
  /** The row with this id; negative if there is none. */
  find(id: Int32Array): number
  /** The id must be new. */
  add(id: Int32Array, row: number): void
  remove(id: Int32Array): void
}

const SHARDS = 256
const FIRST_SLOTS = 16
const EMPTY = -1

/** Linear probing; at most two thirds of the slots are used. */
interface Shard {
  rows: Int32Array
  hashes: Int32Array
  used: number
}

/** `isAt` says whether a row has this id. */
export function createIdIndex(isAt: (row: number, id: Int32Array) => boolean): IdIndex {
  const shards = Array.from({ length: SHARDS }, () => newShard(FIRST_SLOTS))

  function slotOf(shard: Shard, hash: number, id: Int32Array): number {
    const { rows, hashes } = shard
    const mask = rows.length - 1
    let slot = hash & mask
    while (rows[slot] !== EMPTY && !(hashes[slot] === hash && isAt(rows[slot]!, id))) slot = (slot + 1) & mask
    return slot
  }

  return {
    find(id) {
      const hash = hashOf(id)
      const shard = shards[hash >>> 24]!
      return shard.rows[slotOf(shard, hash, id)]!
    },
    add(id, row) {
      const hash = hashOf(id)
      const shard = shards[hash >>> 24]!
      if ((shard.used + 1) * 3 > shard.rows.length * 2) Object.assign(shard, grown(shard))
      put(shard, hash, row)
    },
    remove(id) {
      const hash = hashOf(id)
      const shard = shards[hash >>> 24]!
      const slot = slotOf(shard, hash, id)
      if (shard.rows[slot] !== EMPTY) closeGap(shard, slot)
    },
  }
}

function newShard(slots: number): Shard {
  return { rows: new Int32Array(slots).fill(EMPTY), hashes: new Int32Array(slots), used: 0 }
}

function put(shard: Shard, hash: number, row: number): void {
  const mask = shard.rows.length - 1
  let slot = hash & mask
  while (shard.rows[slot] !== EMPTY) slot = (slot + 1) & mask
  shard.rows[slot] = row
  shard.hashes[slot] = hash
  shard.used++
}

function grown(shard: Shard): Shard {
  const next = newShard(shard.rows.length * 2)
  for (let slot = 0; slot < shard.rows.length; slot++) {
    if (shard.rows[slot] !== EMPTY) put(next, shard.hashes[slot]!, shard.rows[slot]!)
  }
  return next
}

/** Empties a slot. Later entries that could no longer be found because of the gap move up. */
function closeGap(shard: Shard, slot: number): void {
  const { rows, hashes } = shard
  const mask = rows.length - 1
  let gap = slot
  for (let at = (gap + 1) & mask; rows[at] !== EMPTY; at = (at + 1) & mask) {
    const fromHome = (at - hashes[at]!) & mask
    const fromGap = (at - gap) & mask
    if (fromHome < fromGap) continue
    rows[gap] = rows[at]!
    hashes[gap] = hashes[at]!
    gap = at
  }
  rows[gap] = EMPTY
  shard.used--
}

/** Ids are random, but nothing here relies on it. */
function hashOf(id: Int32Array): number {
  let hash = 0
  for (let word = 0; word < ID_WORDS; word++) hash = Math.imul(hash ^ id[word]!, 0x9e3779b1) ^ (hash >>> 15)
  return hash ^ (hash >>> 13)
}
