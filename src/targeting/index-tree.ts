// The targeting index: which personas are meant by a request, best price first, without looking at the others.
// Pure, in memory, synchronous; updates are incremental. It finds exactly what match.ts finds.

import type { Wanted } from './cursor.ts'
import { blocksOf, childrenOf } from './leaf.ts'
import {
  ANY,
  addPersona,
  createPersonas,
  freeSlot,
  removePersona,
  sizeBitsIn,
  type TargetingEntry,
} from './personas.ts'
import { type PreparedRequest, prepareFor, wantedBy } from './prepare.ts'
import type { AdRequest, Slot } from './request.ts'
import { createTree, plant, type Tree, uproot } from './tree.ts'
import { type Accept, createWalker, type Found, include, walk } from './walk.ts'

/**
 * Of a tie at the best price, so many are found at most. Ties are the rule where campaigns leave their price to the
 * deployment, and each of the found costs as much as the rest of the search.
 */
export const TIE_LIMIT = 24
/** Where most of a large tie are refused, the search ends after this many questions for each one that may be found. */
export const ASKED_PER_FOUND = 4

export interface TargetingIndex {
  readonly size: number
  has(pid: number): boolean
  /** Inserts, or replaces what has the same pid. The entry is kept: it must not be changed afterwards. */
  put(entry: TargetingEntry): void
  /** False: there was none. */
  remove(pid: number): boolean
  prepare(request: AdRequest): PreparedRequest
  /**
   * The first `max` (default 1) accepted personas in descending price, none below the slot's floor. Where prices are
   * equal the order starts at a random point, but it is not a fair draw of one: for that use searchBest.
   */
  search(prepared: PreparedRequest, slot: Slot, accept: Accept, max?: number): number[]
  /**
   * All accepted personas at the highest price at which any is accepted. A tie of more than `tieLimit` is not seen
   * whole: the search ends when it has found so many, or one at least and asked four times as many.
   * Whom it sees: all personas stand on a ring in an order that has nothing to do with who they are or when they came. Each
   * search starts at a random point of it and takes the next that fit. Everyone is as likely as the others, give or
   * take the unevenness of the spacing (with 24 taken, about a fifth); having more places or categories
   * does not help, because a persona stands on the ring once.
   */
  searchBest(prepared: PreparedRequest, slot: Slot, accept: Accept, tieLimit?: number): Found | null
  stats(): IndexStats
}

export interface IndexStats {
  personas: number
  /** Leaves and split nodes. */
  nodes: number
  splitNodes: number
  /** Leaves that are kept in blocks. */
  blockLeaves: number
  /** Room for postings that is in use or kept for growth, and all that is held in pages. */
  reservedPostings: number
  pages: number
}

export function createTargetingIndex(random: () => number = Math.random): TargetingIndex {
  const personas = createPersonas()
  const tree = createTree(personas)
  const walker = createWalker(tree.nodes, personas)
  let revision = 0
  let walking = false

  function change(): void {
    if (walking) throw new Error('accept() must not use or change the index')
    revision++
  }

  function put(entry: TargetingEntry): void {
    if (!(entry.priceMicros >= 0)) throw new RangeError(`persona ${entry.pid} has no price`)
    change()
    const known = personas.slotOf.get(entry.pid)
    if (known !== undefined) {
      uproot(tree, known)
      removePersona(personas, known)
    }
    const slot = addPersona(personas, entry, known)
    plant(tree, slot)
  }

  function remove(pid: number): boolean {
    change()
    const slot = personas.slotOf.get(pid)
    if (slot === undefined) return false
    uproot(tree, slot)
    removePersona(personas, slot)
    freeSlot(personas, slot)
    return true
  }

  function find(
    prepared: PreparedRequest,
    slot: Slot,
    accept: Accept,
    limit: number,
    bestPriceOnly: boolean,
  ): Found | null {
    if (walking) throw new Error('accept() must not use or change the index')
    const fresh = prepared.revision === revision ? prepared : prepareFor(tree, prepared.request, revision)
    const { request, categoryIds, categorySign } = fresh
    const askLimit = bestPriceOnly ? limit * ASKED_PER_FOUND : Number.POSITIVE_INFINITY
    const wanted = wantedBy(tree, fresh, slot, Math.floor((random() - 0.5) * 2 ** 32))
    if (wanted.sizes === 0 || !(limit >= 1)) return null
    walker.size = 0
    includeLeaves(fresh, wanted, slot.floorMicros)
    walking = true
    try {
      return walk(
        walker,
        { request, slot, categoryIds, categorySign, wanted, limit, bestPriceOnly, askLimit },
        accept,
      )
    } finally {
      walking = false
    }
  }

  function includeLeaves(prepared: PreparedRequest, wanted: Wanted, floorMicros: number): void {
    const sizeBits = sizeBitsIn(wanted.sizes)
    for (let at = 0; at < prepared.nodes.length; at++) {
      const node = prepared.nodes[at]!
      const checks = prepared.checks[at]!
      const children = childrenOf(tree.nodes, node)
      if (children === undefined) includeLeaf(node, checks, floorMicros)
      else {
        includeLeaf(children.get(ANY), checks, floorMicros)
        for (const bit of sizeBits) includeLeaf(children.get(bit), checks, floorMicros)
      }
    }
  }

  function includeLeaf(leaf: number | undefined, checks: number, floorMicros: number): void {
    if (leaf !== undefined && tree.nodes.best[leaf]! >= floorMicros) include(walker, leaf, checks)
  }

  return {
    get size() {
      return personas.slotOf.size
    },
    has: pid => personas.slotOf.has(pid),
    put,
    remove,
    prepare: request => prepareFor(tree, request, revision),
    search: (prepared, slot, accept, max = 1) => find(prepared, slot, accept, max, false)?.pids ?? [],
    searchBest: (prepared, slot, accept, tieLimit = TIE_LIMIT) =>
      find(prepared, slot, accept, tieLimit, true),
    stats: () => statsOf(tree),
  }
}

function statsOf(tree: Tree): IndexStats {
  const { nodes, personas } = tree
  let splitNodes = 0
  let blockLeaves = 0
  for (let node = 0; node < nodes.rows; node++) {
    if (childrenOf(nodes, node) !== undefined) splitNodes++
    if (blocksOf(nodes, node) !== undefined) blockLeaves++
  }
  return {
    personas: personas.slotOf.size,
    nodes: nodes.rows - nodes.free.length,
    splitNodes,
    blockLeaves,
    reservedPostings: nodes.postings.reserved,
    pages: nodes.postings.prices.length,
  }
}
