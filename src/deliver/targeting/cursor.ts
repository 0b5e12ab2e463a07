// Reads one posting list in serving order: by descending price, and among equal prices around a ring that starts at
// `spin`. Blocks with nothing for the request are skipped.

import type { Blocks } from './blocks.ts'
import { BY_CLICK } from './masks.ts'
import { blocksOf, type Nodes, seekInList } from './posting-list.ts'
import { BLOCK, indexOf, pageOf, ringKey } from './postings.ts'

/** What a posting must have, and where the ring is read from. */
export interface Wanted {
  /** The bits that a posting must have, and those that are looked at. */
  traits: number
  care: number
  sizes: number
  classWord: 0 | 1
  classBit: number
  /** A ring key: among equal prices, the posting at or after it comes first. */
  spin: number
}

/** What is paid for: impressions or clicks. */
export type Paid = 'view' | 'click'

/** From now on, only postings that are paid by this. */
export function narrow(wanted: Wanted, paid: Paid): void {
  wanted.care |= BY_CLICK
  wanted.traits = paid === 'click' ? wanted.traits | BY_CLICK : wanted.traits & ~BY_CLICK
}

// A run of equal prices is read from the spin to its end, then from its start to the spin.
const PLAIN = 0
const FROM_SPIN = 1
const UP_TO_SPIN = 2

export interface Cursor {
  list: number
  /** What the tree has not checked for postings of this list, as bits of walk.ts. */
  checks: number
  opened: boolean
  /** The price of the current posting; before the cursor is opened, the best price of the list. */
  price: number
  /** The distance of the posting from the spin on the ring, counted from NEAREST. */
  distance: number
  blocks: Blocks | undefined
  blockCount: number
  block: number
  index: number
  count: number
  /** The current block's page, and where the block starts in it. */
  prices: Float64Array
  words: Int32Array
  base: number
  phase: number
  runStart: number
  spinAt: number
  resumeAt: number
}

const NEAREST = -(2 ** 31)
const NO_PRICES = new Float64Array(0)
const NO_WORDS = new Int32Array(0)

export function createCursor(): Cursor {
  return {
    list: 0,
    checks: 0,
    opened: false,
    price: 0.5,
    distance: NEAREST,
    blocks: undefined,
    blockCount: 0,
    block: 0,
    index: 0,
    count: 0,
    prices: NO_PRICES,
    words: NO_WORDS,
    base: 0,
    phase: PLAIN,
    runStart: 0,
    spinAt: 0,
    resumeAt: 0,
  }
}

/** Points the cursor at a list without reading its postings. */
export function aim(cursor: Cursor, nodes: Nodes, list: number, checks: number): void {
  cursor.list = list
  cursor.checks = checks
  cursor.opened = false
  cursor.price = nodes.best[list]!
  cursor.distance = NEAREST
}

/** Moves to the first posting of a block that may fit; false: there is none. */
export function open(cursor: Cursor, nodes: Nodes, wanted: Wanted): boolean {
  cursor.opened = true
  cursor.blocks = blocksOf(nodes, cursor.list)
  cursor.blockCount = cursor.blocks?.length ?? 1
  cursor.phase = PLAIN
  return enterBlock(cursor, nodes, wanted, 0) && startPrice(cursor, nodes, wanted)
}

/**
 * Moves in serving order to the next posting that fits, or to one below `bound` if that comes first; false if there is
 * neither. Within a run of equal prices it stops only at postings that fit.
 */
export function advance(cursor: Cursor, nodes: Nodes, wanted: Wanted, bound: number): boolean {
  let more = next(cursor, nodes, wanted, bound)
  while (more && cursor.price >= bound && !fits(maskUnder(cursor), wanted)) {
    more = next(cursor, nodes, wanted, bound)
  }
  return more
}

export function fits(mask: number, wanted: Wanted): boolean {
  return (mask & wanted.sizes) !== 0 && (mask & wanted.care) === wanted.traits
}

/** Skips postings that do not fit, up to a fit, another price, or the end of a run or block. */
function next(cursor: Cursor, nodes: Nodes, wanted: Wanted, bound: number): boolean {
  if (cursor.phase === PLAIN) {
    skipTo(cursor, wanted, bound, cursor.count)
    const more = cursor.index < cursor.count || enterBlock(cursor, nodes, wanted, cursor.block + 1)
    return more && startPrice(cursor, nodes, wanted)
  }
  if (cursor.phase === UP_TO_SPIN) {
    const left = cursor.spinAt - cursor.block * BLOCK
    skipTo(cursor, wanted, cursor.price, Math.min(left, cursor.count))
    const more = cursor.index < cursor.count || enterBlock(cursor, nodes, wanted, cursor.block + 1)
    if (more && positionOf(cursor) < cursor.spinAt) return true
    return resume(cursor, nodes, wanted)
  }
  skipTo(cursor, wanted, cursor.price, cursor.count)
  const more = cursor.index < cursor.count || enterBlock(cursor, nodes, wanted, cursor.block + 1)
  if (more && cursor.prices[2 * (cursor.base + cursor.index)]! === cursor.price) return true
  cursor.resumeAt = more ? positionOf(cursor) : cursor.blockCount * BLOCK
  if (cursor.spinAt === cursor.runStart) return resume(cursor, nodes, wanted)
  cursor.phase = UP_TO_SPIN
  jump(cursor, nodes, cursor.runStart)
  return true
}

/** The inner loop: moves within the block to a posting that fits or costs less than `bound`, at most to `end`. */
function skipTo(cursor: Cursor, wanted: Wanted, bound: number, end: number): void {
  const { prices, words, base } = cursor
  const { sizes, traits, care } = wanted
  let index = cursor.index + 1
  while (index < end) {
    const mask = words[4 * (base + index) + 2]!
    if ((mask & sizes) !== 0 && (mask & care) === traits) break
    if (prices[2 * (base + index)]! < bound) break
    index++
  }
  cursor.index = index
}

/** To be called before the cursor is compared with others. */
export function measureDistance(cursor: Cursor, wanted: Wanted): void {
  // Modulo 2^32, with the top bit flipped, so that signed numbers sort like unsigned ones.
  cursor.distance = ((ringKey(slotUnder(cursor)) - wanted.spin) | 0) ^ NEAREST
}

export function maskUnder(cursor: Cursor): number {
  return cursor.words[4 * (cursor.base + cursor.index) + 2]!
}

export function slotUnder(cursor: Cursor): number {
  return cursor.words[4 * (cursor.base + cursor.index) + 3]!
}

function positionOf(cursor: Cursor): number {
  return cursor.block * BLOCK + cursor.index
}

function resume(cursor: Cursor, nodes: Nodes, wanted: Wanted): boolean {
  if (cursor.resumeAt >= cursor.blockCount * BLOCK) return false
  cursor.phase = PLAIN
  jump(cursor, nodes, cursor.resumeAt)
  return startPrice(cursor, nodes, wanted)
}

/** The cursor is at the first posting of a price: if others have the same price, it moves to the spin. */
function startPrice(cursor: Cursor, nodes: Nodes, wanted: Wanted): boolean {
  const price = cursor.prices[2 * (cursor.base + cursor.index)]!
  cursor.price = price
  if (!nextHasPrice(cursor, price)) return true
  const start = positionOf(cursor)
  cursor.phase = FROM_SPIN
  cursor.runStart = start
  cursor.spinAt = start
  const spinAt = seekInList(nodes, cursor.list, price, wanted.spin)
  if (spinAt <= start || spinAt >= cursor.blockCount * BLOCK) return true
  jump(cursor, nodes, spinAt)
  if (cursor.prices[2 * (cursor.base + cursor.index)]! === price) cursor.spinAt = spinAt
  else jump(cursor, nodes, start)
  return true
}

function nextHasPrice(cursor: Cursor, price: number): boolean {
  if (cursor.index + 1 < cursor.count) return cursor.prices[2 * (cursor.base + cursor.index + 1)]! === price
  if (cursor.block + 1 >= cursor.blockCount) return false
  return cursor.blocks!.top[cursor.block + 1]! === price
}

/** Moves to the start of the first block at or after `from` that may fit. */
function enterBlock(cursor: Cursor, nodes: Nodes, wanted: Wanted, from: number): boolean {
  let block = from
  const { blocks, blockCount } = cursor
  if (blocks !== undefined) {
    const classes = blocks.classes[wanted.classWord]
    const { sizes } = blocks
    while (
      block < blockCount &&
      ((classes[block]! & wanted.classBit) === 0 || (sizes[block]! & wanted.sizes) === 0)
    ) {
      block++
    }
  }
  if (block >= blockCount) return false
  jump(cursor, nodes, block * BLOCK)
  return true
}

function jump(cursor: Cursor, nodes: Nodes, position: number): void {
  const block = (position / BLOCK) | 0
  const { blocks } = cursor
  const run = blocks === undefined ? nodes.run[cursor.list]! : blocks.run[block]!
  cursor.block = block
  cursor.index = position % BLOCK
  cursor.count = blocks === undefined ? nodes.count[cursor.list]! : blocks.count[block]!
  const page = pageOf(run)
  cursor.prices = nodes.postings.prices[page]!
  cursor.words = nodes.postings.words[page]!
  cursor.base = indexOf(run)
}
