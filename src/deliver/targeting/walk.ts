// Merges the posting lists of a request: each matching persona once, by descending price, equal prices around the ring.
// A list is not read before its best price is next, and only as far as the walk gets.

import { NOT_ATTRIBUTED } from './atoms.ts'
import {
  advance,
  aim,
  type Cursor,
  createCursor,
  fits,
  maskUnder,
  measureDistance,
  narrow,
  open,
  slotUnder,
  type Wanted,
} from './cursor.ts'
import { areShared, BY_CLICK, OVERFLOW_SIZE } from './masks.ts'
import { inRadius, matches, matchesAttributes } from './match.ts'
import { ANY, type Personas } from './personas.ts'
import type { Nodes } from './posting-list.ts'
import type { AdRequest, Slot } from './request.ts'

/** The list has personas with several categories, or with circles near a grid cell: each one must be tested. */
export const CHECK_CATEGORY = 1
export const CHECK_DISTANCE = 2

/** Whether the persona may be served now: budget, caps, dates. Called once per walk; it must not change the index. */
export type Accept = (pid: number, priceMicros: number, isByClick: boolean) => boolean

/** The most that are asked of those that are paid by click, whose price is only the most that they may be worth. */
const MOST_BY_CLICK = 64

export interface Found {
  /** The price of the first persona that was accepted. */
  priceMicros: number
  /** In the order of the walk. */
  pids: number[]
}

/** The cursors of the current walk, which later walks reuse, so that a decision allocates next to nothing. */
export interface Walker {
  nodes: Nodes
  personas: Personas
  /** The first `size` cursors are a heap; the next one in serving order is on top. */
  heap: Cursor[]
  size: number
}

export interface Question {
  request: AdRequest
  slot: Slot
  /** Ids of the request's categories and their parents. */
  categoryIds: readonly number[]
  categorySign: number
  attributeSign: number
  wanted: Wanted
  /** How many to accept before the walk ends. */
  limit: number
  /** End the walk below the first accepted price. */
  bestPriceOnly: boolean
  /** End the walk after this many questions, if any was accepted. */
  askLimit: number
}

export function createWalker(nodes: Nodes, personas: Personas): Walker {
  return { nodes, personas, heap: [], size: 0 }
}

/** Adds a list to the next walk. */
export function include(walker: Walker, list: number, checks: number): void {
  if (walker.size === walker.heap.length) walker.heap.push(createCursor())
  aim(walker.heap[walker.size++]!, walker.nodes, list, checks)
}

/** Walks the included lists, and forgets them. */
export function walk(walker: Walker, question: Question, accept: Accept): Found | null {
  const { heap, nodes, personas } = walker
  const { wanted, limit, bestPriceOnly, askLimit } = question
  let lowestMicros = question.slot.floorMicros
  let found: Found | null = null
  let lastSlot = -1
  let asked = 0
  let askedByClick = 0
  for (let at = (walker.size >>> 1) - 1; at >= 0; at--) siftDown(walker, at)
  while (walker.size > 0) {
    const cursor = heap[0]!
    if (!(cursor.price >= lowestMicros)) break
    if (!cursor.opened) {
      settle(walker, cursor, wanted, open(cursor, nodes, wanted))
      continue
    }
    // All postings of a persona have the same price and ring key, so they follow one another.
    const slot = slotUnder(cursor)
    const mask = maskUnder(cursor)
    if (slot !== lastSlot && fits(mask, wanted)) {
      lastSlot = slot
      const pid = personas.pids[slot]!
      if (verify(personas, question, cursor, slot)) {
        const isByClick = (mask & BY_CLICK) !== 0
        // They are in no tie.
        if (!isByClick) asked++
        else if (++askedByClick === MOST_BY_CLICK) narrow(wanted, 'view')
        if (accept(pid, cursor.price, isByClick)) {
          if (found === null) found = { priceMicros: cursor.price, pids: [pid] }
          else found.pids.push(pid)
          if (found.pids.length >= limit) break
          if (bestPriceOnly) lowestMicros = found.priceMicros
        }
        if (found !== null && asked >= askLimit) break
      }
    }
    toNextFit(walker, cursor, wanted, lowestMicros)
  }
  walker.size = 0
  return found
}

/** Moves the top cursor to its next posting that fits, or as long as it stays ahead of the others. */
function toNextFit(walker: Walker, cursor: Cursor, wanted: Wanted, lowestMicros: number): void {
  const { heap, nodes, size } = walker
  let bound = lowestMicros
  if (size > 1 && heap[1]!.price > bound) bound = heap[1]!.price
  if (size > 2 && heap[2]!.price > bound) bound = heap[2]!.price
  settle(walker, cursor, wanted, advance(cursor, nodes, wanted, bound))
}

/** Tests what neither the tree nor the mask has tested. */
function verify(personas: Personas, question: Question, cursor: Cursor, slot: number): boolean {
  if ((cursor.checks & CHECK_CATEGORY) !== 0 && !hasCategory(personas, question, slot)) return false
  if ((cursor.checks & CHECK_DISTANCE) !== 0 && !isNear(personas, question, slot)) return false
  const sign = personas.attributeSigns[slot]!
  if (sign !== NOT_ATTRIBUTED && !hasAttributes(personas, question, slot, sign)) return false
  const sizes = maskUnder(cursor) & question.wanted.sizes
  if (sizes === OVERFLOW_SIZE && areShared(personas.sizes) && !hasSize(personas, question, slot)) return false
  if (personas.inexact.size === 0 || !personas.inexact.has(slot)) return true
  return matches(personas.entries[slot]!.targeting, question.request)
}

function hasCategory(personas: Personas, question: Question, slot: number): boolean {
  const sign = personas.categorySigns[slot]!
  if (sign === ANY) return true
  if ((sign & question.categorySign) === 0) return false
  for (const id of personas.categoryIds[slot]!) if (question.categoryIds.includes(id)) return true
  return false
}

/** Most are told apart by their sign. */
function hasAttributes(personas: Personas, question: Question, slot: number, sign: number): boolean {
  if ((sign & question.attributeSign) === 0) return false
  return matchesAttributes(personas.entries[slot]!.targeting.attributes, question.request.attributes)
}

function isNear(personas: Personas, question: Question, slot: number): boolean {
  const { geo } = personas.entries[slot]!.targeting
  return 'radius' in geo && inRadius(geo.radius, question.request)
}

function hasSize(personas: Personas, question: Question, slot: number): boolean {
  const { sizes } = personas.entries[slot]!
  return question.slot.sizes.some(({ width, height }) =>
    sizes.some(size => size.width === width && size.height === height),
  )
}

/** Moves the top cursor, which has advanced, to its place in the heap, or removes it if it has ended. */
function settle(walker: Walker, cursor: Cursor, wanted: Wanted, more: boolean): void {
  if (more) measureDistance(cursor, wanted)
  else {
    const last = --walker.size
    walker.heap[0] = walker.heap[last]!
    walker.heap[last] = cursor
  }
  siftDown(walker, 0)
}

function siftDown(walker: Walker, from: number): void {
  const { heap, size } = walker
  let at = from
  const moving = heap[at]!
  for (;;) {
    let child = 2 * at + 1
    if (child >= size) break
    if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child++
    if (!isBefore(heap[child]!, moving)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = moving
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.price > b.price || (a.price === b.price && a.distance < b.distance)
}
