// The nodes of the tree as rows of columns, and the leaf: a list of postings in serving order. A leaf is one run while
// it is small and blocks when it is large; there is slack in between, so that it does not flip back and forth.

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

/** A large leaf becomes one run again when it has shrunk to this. */
const SMALL_AGAIN_AT = 32

/** Children of a node that was split, by category id, size bit or ANY. */
export type Children = Map<number, number>

export interface Nodes {
  postings: Postings
  /** Personas beneath the node, each counted once. */
  count: Int32Array
  /** Address of a small leaf's run. */
  run: Int32Array
  runClass: Uint8Array
  /** Highest price in a leaf, so that a weak leaf is skipped without touching its postings. */
  best: Float64Array
  /** Undefined for small leaves. */
  large: (Blocks | Children | undefined)[]
  free: number[]
  /** Rows that were ever used. */
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

/** A new empty leaf. */
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
  // With nobody left, everything starts afresh and small.
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

export function blocksOf(nodes: Nodes, leaf: number): Blocks | undefined {
  const large = nodes.large[leaf]
  return large instanceof Map ? undefined : large
}

export function insertInLeaf(nodes: Nodes, leaf: number, price: number, mask: number, slot: number): void {
  const count = nodes.count[leaf]!
  const blocks = blocksOf(nodes, leaf) ?? roomForOne(nodes, leaf)
  if (blocks !== undefined) insertInBlocks(nodes.postings, blocks, price, mask, slot)
  else {
    const run = nodes.run[leaf]!
    const at = seekInRun(nodes.postings, run, count, price, ringKey(slot))
    insertInRun(nodes.postings, run, count, at, price, mask, slot)
  }
  nodes.count[leaf] = count + 1
  if (count === 0 || price > nodes.best[leaf]!) nodes.best[leaf] = price
}

/** Makes a full run larger, or turns it into blocks and returns them. */
function roomForOne(nodes: Nodes, leaf: number): Blocks | undefined {
  const count = nodes.count[leaf]!
  if (count === 0) {
    resizeRun(nodes, leaf, 0)
    return undefined
  }
  const runClass = nodes.runClass[leaf]!
  if (count < 1 << runClass) return undefined
  if (runClass < LARGEST_CLASS) {
    resizeRun(nodes, leaf, runClass + 1)
    return undefined
  }
  const blocks = blocksFromRun(nodes.postings, nodes.run[leaf]!, count)
  nodes.large[leaf] = blocks
  return blocks
}

function resizeRun(nodes: Nodes, leaf: number, runClass: number): void {
  const count = nodes.count[leaf]!
  const run = allocRun(nodes.postings, runClass)
  if (count > 0) {
    copyPostings(nodes.postings, nodes.run[leaf]!, run, count)
    freeRun(nodes.postings, nodes.run[leaf]!, nodes.runClass[leaf]!)
  }
  nodes.run[leaf] = run
  nodes.runClass[leaf] = runClass
}

export function removeFromLeaf(nodes: Nodes, leaf: number, price: number, slot: number): void {
  const count = nodes.count[leaf]!
  const blocks = blocksOf(nodes, leaf)
  if (blocks === undefined) removeFromSmall(nodes, leaf, price, slot)
  else {
    removeFromBlocks(nodes.postings, blocks, price, slot)
    nodes.count[leaf] = count - 1
    if (count - 1 <= SMALL_AGAIN_AT) backToRun(nodes, leaf, blocks)
  }
  if (count > 1) nodes.best[leaf] = priceAt(nodes.postings, firstRun(nodes, leaf))
}

function removeFromSmall(nodes: Nodes, leaf: number, price: number, slot: number): void {
  const { postings } = nodes
  const count = nodes.count[leaf]!
  const run = nodes.run[leaf]!
  const at = seekInRun(postings, run, count, price, ringKey(slot))
  if (at === count || slotAt(postings, run + at) !== slot)
    throw new Error('the posting to remove is not there')
  removeFromRun(postings, run, count, at)
  nodes.count[leaf] = count - 1
  const runClass = nodes.runClass[leaf]!
  if (count === 1) freeRun(postings, run, runClass)
  else if ((count - 1) * 4 <= 1 << runClass) resizeRun(nodes, leaf, runClass - 1)
}

function backToRun(nodes: Nodes, leaf: number, blocks: Blocks): void {
  const run = allocRun(nodes.postings, LARGEST_CLASS)
  let filled = 0
  for (let block = 0; block < blocks.length; block++) {
    copyPostings(nodes.postings, blocks.run[block]!, run + filled, blocks.count[block]!)
    filled += blocks.count[block]!
  }
  freeBlocks(nodes.postings, blocks)
  nodes.large[leaf] = undefined
  nodes.run[leaf] = run
  nodes.runClass[leaf] = LARGEST_CLASS
}

function firstRun(nodes: Nodes, leaf: number): number {
  return blocksOf(nodes, leaf)?.run[0] ?? nodes.run[leaf]!
}

/** Position of the first posting that is not before (price, key) in serving order. */
export function seekInLeaf(nodes: Nodes, leaf: number, price: number, key: number): number {
  const blocks = blocksOf(nodes, leaf)
  if (blocks !== undefined) return seekInBlocks(nodes.postings, blocks, price, key)
  const count = nodes.count[leaf]!
  const index = seekInRun(nodes.postings, nodes.run[leaf]!, count, price, key)
  return index === count ? BLOCK : index
}

/** Adds the leaf's slots to a set, and leaves the leaf empty. */
export function drainLeaf(nodes: Nodes, leaf: number, into: Set<number>): void {
  const { postings } = nodes
  const blocks = blocksOf(nodes, leaf)
  if (blocks !== undefined) {
    for (let block = 0; block < blocks.length; block++) {
      for (let at = 0; at < blocks.count[block]!; at++) into.add(slotAt(postings, blocks.run[block]! + at))
    }
    freeBlocks(postings, blocks)
    nodes.large[leaf] = undefined
  } else {
    const count = nodes.count[leaf]!
    for (let at = 0; at < count; at++) into.add(slotAt(postings, nodes.run[leaf]! + at))
    if (count > 0) freeRun(postings, nodes.run[leaf]!, nodes.runClass[leaf]!)
  }
  nodes.count[leaf] = 0
}
