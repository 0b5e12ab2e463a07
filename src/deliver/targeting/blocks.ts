// A posting list too large for one run: blocks of at most 64 postings in serving order, each with a summary of what it
// serves, so that a walk skips blocks with nothing for the request. Summaries are always exact.

import { CLASSES_HIGH, CLASSES_LOW, SIZES, TRAITS } from './masks.ts'
import {
  allocRun,
  BLOCK,
  copyPostings,
  freeRun,
  insertInRun,
  LARGEST_CLASS,
  maskAt,
  type Postings,
  priceAt,
  removeFromRun,
  ringKey,
  seekInRun,
  slotAt,
} from './postings.ts'

/** Two neighbours with at most this many postings together are joined, with room to grow before they split again. */
const JOIN_AT = 40

export interface Blocks {
  length: number
  run: Int32Array
  count: Int32Array
  /** The price of each block's first posting. */
  top: Float64Array
  /** The union of the classes (two words) and of the size bits of each block's postings. */
  classes: [Int32Array, Int32Array]
  sizes: Int32Array
}

/** Takes over a full run of the largest class as the first block. */
export function blocksFromRun(postings: Postings, run: number, count: number): Blocks {
  const blocks: Blocks = {
    length: 1,
    run: new Int32Array(4),
    count: new Int32Array(4),
    top: new Float64Array(4),
    classes: [new Int32Array(4), new Int32Array(4)],
    sizes: new Int32Array(4),
  }
  blocks.run[0] = run
  blocks.count[0] = count
  summarize(postings, blocks, 0)
  return blocks
}

/** The position of the first posting that is not before (price, key), as block x 64 + index in the block. */
export function seekInBlocks(postings: Postings, blocks: Blocks, price: number, key: number): number {
  const block = blockOf(postings, blocks, price, key)
  const index = seekInRun(postings, blocks.run[block]!, blocks.count[block]!, price, key)
  return index === blocks.count[block]! ? (block + 1) * BLOCK : block * BLOCK + index
}

/** The last block that starts at or before (price, key), or the first block if none does. */
function blockOf(postings: Postings, blocks: Blocks, price: number, key: number): number {
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    const top = blocks.top[middle]!
    const after = top < price || (top === price && ringKey(slotAt(postings, blocks.run[middle]!)) > key)
    if (after) high = middle - 1
    else low = middle
  }
  return low
}

export function insertInBlocks(
  postings: Postings,
  blocks: Blocks,
  price: number,
  mask: number,
  slot: number,
): void {
  const key = ringKey(slot)
  let block = blockOf(postings, blocks, price, key)
  if (blocks.count[block] === BLOCK) {
    halve(postings, blocks, block)
    block = blockOf(postings, blocks, price, key)
  }
  const run = blocks.run[block]!
  const count = blocks.count[block]!
  const at = seekInRun(postings, run, count, price, key)
  insertInRun(postings, run, count, at, price, mask, slot)
  blocks.count[block] = count + 1
  if (at === 0) blocks.top[block] = price
  addToSummary(blocks, block, mask)
}

export function removeFromBlocks(postings: Postings, blocks: Blocks, price: number, slot: number): void {
  const key = ringKey(slot)
  const block = blockOf(postings, blocks, price, key)
  const run = blocks.run[block]!
  const count = blocks.count[block]!
  const at = seekInRun(postings, run, count, price, key)
  if (at === count || slotAt(postings, run + at) !== slot)
    throw new Error('the posting to remove is not there')
  removeFromRun(postings, run, count, at)
  blocks.count[block] = count - 1
  if (count === 1) {
    freeRun(postings, run, LARGEST_CLASS)
    splice(blocks, block, -1)
    return
  }
  summarize(postings, blocks, block)
  joinIfSmall(postings, blocks, block)
  if (block > 0) joinIfSmall(postings, blocks, block - 1)
}

export function freeBlocks(postings: Postings, blocks: Blocks): void {
  for (let block = 0; block < blocks.length; block++) freeRun(postings, blocks.run[block]!, LARGEST_CLASS)
  blocks.length = 0
}

function halve(postings: Postings, blocks: Blocks, block: number): void {
  splice(blocks, block + 1, 1)
  const left = BLOCK >>> 1
  const run = allocRun(postings, LARGEST_CLASS)
  copyPostings(postings, blocks.run[block]! + left, run, BLOCK - left)
  blocks.run[block + 1] = run
  blocks.count[block + 1] = BLOCK - left
  blocks.count[block] = left
  summarize(postings, blocks, block)
  summarize(postings, blocks, block + 1)
}

function joinIfSmall(postings: Postings, blocks: Blocks, block: number): void {
  if (block + 1 >= blocks.length) return
  const left = blocks.count[block]!
  const right = blocks.count[block + 1]!
  if (left + right > JOIN_AT) return
  copyPostings(postings, blocks.run[block + 1]!, blocks.run[block]! + left, right)
  blocks.count[block] = left + right
  freeRun(postings, blocks.run[block + 1]!, LARGEST_CLASS)
  splice(blocks, block + 1, -1)
  summarize(postings, blocks, block)
}

/** Makes room for a block before `at` (step 1) or closes the gap of the block at `at` (step -1). */
function splice(blocks: Blocks, at: number, step: 1 | -1): void {
  const from = step === 1 ? at : at + 1
  const capacity = blocks.run.length
  if (step === 1 && blocks.length === capacity) resize(blocks, capacity * 2)
  for (const column of columnsOf(blocks)) column.copyWithin(from + step, from, blocks.length)
  blocks.length += step
  if (step === -1 && capacity > 4 && blocks.length * 4 <= capacity) resize(blocks, capacity / 2)
}

function columnsOf(blocks: Blocks): (Int32Array | Float64Array)[] {
  return [blocks.run, blocks.count, blocks.top, blocks.classes[0], blocks.classes[1], blocks.sizes]
}

function resize(blocks: Blocks, capacity: number): void {
  blocks.run = resized(blocks.run, capacity)
  blocks.count = resized(blocks.count, capacity)
  blocks.classes = [resized(blocks.classes[0], capacity), resized(blocks.classes[1], capacity)]
  blocks.sizes = resized(blocks.sizes, capacity)
  const top = new Float64Array(capacity)
  top.set(blocks.top.subarray(0, capacity))
  blocks.top = top
}

function resized(column: Int32Array, capacity: number): Int32Array {
  const copy = new Int32Array(capacity)
  copy.set(column.subarray(0, capacity))
  return copy
}

function summarize(postings: Postings, blocks: Blocks, block: number): void {
  const run = blocks.run[block]!
  blocks.top[block] = priceAt(postings, run)
  blocks.classes[0][block] = 0
  blocks.classes[1][block] = 0
  blocks.sizes[block] = 0
  for (let at = 0; at < blocks.count[block]!; at++) addToSummary(blocks, block, maskAt(postings, run + at))
}

function addToSummary(blocks: Blocks, block: number, mask: number): void {
  blocks.classes[0][block]! |= CLASSES_LOW[mask & TRAITS]!
  blocks.classes[1][block]! |= CLASSES_HIGH[mask & TRAITS]!
  blocks.sizes[block]! |= mask & SIZES
}
