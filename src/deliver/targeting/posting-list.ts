// The nodes of the tree as rows of columns, and the posting list: postings in serving order. A small list is one run, a
// large list consists of blocks; the thresholds differ, so that it does not flip back and forth.

import {
  type Blocks,
  blocksFromRun,
  freeBlocks,
  insertInBlocks,
  removeFromBlocks,
  seekInBlocks,
} from './blocks.ts'
import {
  allocRun,
  BLOCK,
  copyPostings,
  createPostings,
  freeRun,
  insertInRun,
  LARGEST_CLASS,
  type Postings,
  priceAt,
  removeFromRun,
  ringKey,
  seekInRun,
  slotAt,
} from './postings.ts'

/** A large list becomes one run again when it has shrunk to this many postings. */
const SMALL_AGAIN_AT = 32

/** Children of a node that was split, by category id, size bit or ANY. */
export type Children = Map<number, number>

export interface Nodes {
  postings: Postings
  /** How many personas are under the node, each counted once. */
  count: Int32Array
  /** The address of a small list's run. */
  run: Int32Array
  runClass: Uint8Array
  /** The highest price in a list, so that a cheap list is skipped without reading its postings. */
  best: Float64Array
  /** Undefined for small lists. */
  large: (Blocks | Children | undefined)[]
  free: number[]
  /** How many rows were ever used. */
  rows: number
}

export function createNodes(): Nodes {
  return {
    postings: createPostings(),
    count: new Int32Array(16),
    run: new Int32Array(16),
    runClass: new Uint8Array(16),
    best: new Float64Array(16),
    large: [],
    free: [],
    rows: 0,
  }
}

/** Adds an empty list. */
export function addNode(nodes: Nodes): number {
  const node = nodes.free.pop() ?? nodes.rows++
  if (node >= nodes.count.length) grow(nodes)
  nodes.count[node] = 0
  nodes.large[node] = undefined
  return node
}

/** The node must be empty. */
export function freeNode(nodes: Nodes, node: number): void {
  nodes.large[node] = undefined
  nodes.free.push(node)
  // When no node is left, the columns are made small again.
  if (nodes.free.length === nodes.rows) Object.assign(nodes, { ...createNodes(), postings: nodes.postings })
}

function grow(nodes: Nodes): void {
  const { count, run, runClass, best } = nodes
  const rows = count.length * 2
  nodes.count = new Int32Array(rows)
  nodes.run = new Int32Array(rows)
  nodes.runClass = new Uint8Array(rows)
  nodes.best = new Float64Array(rows)
  nodes.count.set(count)
  nodes.run.set(run)
  nodes.runClass.set(runClass)
  nodes.best.set(best)
}

export function childrenOf(nodes: Nodes, node: number): Children | undefined {
  const large = nodes.large[node]
  return large instanceof Map ? large : undefined
}

export function blocksOf(nodes: Nodes, list: number): Blocks | undefined {
  const large = nodes.large[list]
  return large instanceof Map ? undefined : large
}

export function insertInList(nodes: Nodes, list: number, price: number, mask: number, slot: number): void {
  const count = nodes.count[list]!
  const blocks = blocksOf(nodes, list) ?? roomForOne(nodes, list)
  if (blocks !== undefined) insertInBlocks(nodes.postings, blocks, price, mask, slot)
  else {
    const run = nodes.run[list]!
    const at = seekInRun(nodes.postings, run, count, price, ringKey(slot))
    insertInRun(nodes.postings, run, count, at, price, mask, slot)
  }
  nodes.count[list] = count + 1
  if (count === 0 || price > nodes.best[list]!) nodes.best[list] = price
}

/** Makes a full run larger, or turns it into blocks and returns them. */
function roomForOne(nodes: Nodes, list: number): Blocks | undefined {
  const count = nodes.count[list]!
  if (count === 0) {
    resizeRun(nodes, list, 0)
    return undefined
  }
  const runClass = nodes.runClass[list]!
  if (count < 1 << runClass) return undefined
  if (runClass < LARGEST_CLASS) {
    resizeRun(nodes, list, runClass + 1)
    return undefined
  }
  const blocks = blocksFromRun(nodes.postings, nodes.run[list]!, count)
  nodes.large[list] = blocks
  return blocks
}

function resizeRun(nodes: Nodes, list: number, runClass: number): void {
  const count = nodes.count[list]!
  const run = allocRun(nodes.postings, runClass)
  if (count > 0) {
    copyPostings(nodes.postings, nodes.run[list]!, run, count)
    freeRun(nodes.postings, nodes.run[list]!, nodes.runClass[list]!)
  }
  nodes.run[list] = run
  nodes.runClass[list] = runClass
}

export function removeFromList(nodes: Nodes, list: number, price: number, slot: number): void {
  const count = nodes.count[list]!
  const blocks = blocksOf(nodes, list)
  if (blocks === undefined) removeFromSmall(nodes, list, price, slot)
  else {
    removeFromBlocks(nodes.postings, blocks, price, slot)
    nodes.count[list] = count - 1
    if (count - 1 <= SMALL_AGAIN_AT) backToRun(nodes, list, blocks)
  }
  if (count > 1) nodes.best[list] = priceAt(nodes.postings, firstRun(nodes, list))
}

function removeFromSmall(nodes: Nodes, list: number, price: number, slot: number): void {
  const { postings } = nodes
  const count = nodes.count[list]!
  const run = nodes.run[list]!
  const at = seekInRun(postings, run, count, price, ringKey(slot))
  if (at === count || slotAt(postings, run + at) !== slot)
    throw new Error('the posting to remove is not there')
  removeFromRun(postings, run, count, at)
  nodes.count[list] = count - 1
  const runClass = nodes.runClass[list]!
  if (count === 1) freeRun(postings, run, runClass)
  else if ((count - 1) * 4 <= 1 << runClass) resizeRun(nodes, list, runClass - 1)
}

function backToRun(nodes: Nodes, list: number, blocks: Blocks): void {
  const run = allocRun(nodes.postings, LARGEST_CLASS)
  let filled = 0
  for (let block = 0; block < blocks.length; block++) {
    copyPostings(nodes.postings, blocks.run[block]!, run + filled, blocks.count[block]!)
    filled += blocks.count[block]!
  }
  freeBlocks(nodes.postings, blocks)
  nodes.large[list] = undefined
  nodes.run[list] = run
  nodes.runClass[list] = LARGEST_CLASS
}

function firstRun(nodes: Nodes, list: number): number {
  return blocksOf(nodes, list)?.run[0] ?? nodes.run[list]!
}

/** The position of the first posting that is not before (price, key) in serving order. */
export function seekInList(nodes: Nodes, list: number, price: number, key: number): number {
  const blocks = blocksOf(nodes, list)
  if (blocks !== undefined) return seekInBlocks(nodes.postings, blocks, price, key)
  const count = nodes.count[list]!
  const index = seekInRun(nodes.postings, nodes.run[list]!, count, price, key)
  return index === count ? BLOCK : index
}

/** Adds the list's slots to a set, and leaves the list empty. */
export function drainList(nodes: Nodes, list: number, into: Set<number>): void {
  const { postings } = nodes
  const blocks = blocksOf(nodes, list)
  if (blocks !== undefined) {
    for (let block = 0; block < blocks.length; block++) {
      for (let at = 0; at < blocks.count[block]!; at++) into.add(slotAt(postings, blocks.run[block]! + at))
    }
    freeBlocks(postings, blocks)
    nodes.large[list] = undefined
  } else {
    const count = nodes.count[list]!
    for (let at = 0; at < count; at++) into.add(slotAt(postings, nodes.run[list]! + at))
    if (count > 0) freeRun(postings, nodes.run[list]!, nodes.runClass[list]!)
  }
  nodes.count[list] = 0
}
