// The targeting index: which personas fit a request, best price first, without looking at the others. Pure, in memory,
// synchronous; updates are incremental. It finds exactly what match.ts finds. Sorted arrays would need half as much
// code, but be half as fast where most are refused (docs/decisions/0150-less-code.md).

import { narrow, type Paid, type Wanted } from './cursor.ts'
import {
  ANY,
  addPersona,
  createPersonas,
  freeSlot,
  removePersona,
  sizeBitsIn,
  type TargetingEntry,
} from './personas.ts'
import { blocksOf, childrenOf } from './posting-list.ts'
import { type PreparedRequest, prepareFor, wantedBy } from './prepare.ts'
import type { AdRequest, Slot } from './request.ts'
import { createTree, plant, type Tree, uproot } from './tree.ts'
import { type Accept, createWalker, type Found, include, walk } from './walk.ts'

/**
 * The most personas found in a tie at the best price. Ties are common where campaigns leave their price to the
 * deployment, and each persona found costs as much as the rest of the search.
 */
export const TIE_LIMIT = 24
/** If most of a large tie is refused, the search ends after this many questions per persona that may be found. */
export const ASKED_PER_FOUND = 4

export interface TargetingIndex {
  readonly size: number
  has(pid: number): boolean
  /** Inserts, or replaces the entry with the same pid. The entry is kept: it must not be changed afterwards. */
  put(entry: TargetingEntry): void
  /** False if the persona was not in the index. */
  remove(pid: number): boolean
  prepare(request: AdRequest): PreparedRequest
  /**
   * The first `max` (default 1) accepted personas in descending price, none below the slot's floor. Among equal prices
   * the order starts at a random point, but that is not a fair draw: use searchBest for one. `paid`: only those
   * that are paid by this.
   */
  search(prepared: PreparedRequest, slot: Slot, accept: Accept, max?: number, paid?: Paid): number[]
  /**
   * All accepted personas at the highest price at which any is accepted. A tie of more than `tieLimit` is not read
   * completely: the search ends when it has found that many, or when it has found at least one and asked four times as
   * many. All personas are on a ring, in an order that does not depend on what they are or when they came. Each search
   * starts at a random point of the ring and takes the next ones that fit. So all are equally likely, apart from uneven
   * spacing (about a fifth if 24 are taken). More places or categories do not help, because a persona is on the ring
   * only once.
   */
  searchBest(
    prepared: PreparedRequest,
    slot: Slot,
    accept: Accept,
    tieLimit?: number,
    paid?: Paid,
  ): Found | null
  stats(): IndexStats
}

export interface IndexStats {
  personas: number
  /** Posting lists and split nodes. */
  nodes: number
  splitNodes: number
  /** Posting lists that are kept in blocks. */
  blockLists: number
  /** Space for postings that is in use or kept for growth, and the number of pages. */
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
    paid: Paid | undefined,
  ): Found | null {
    if (walking) throw new Error('accept() must not use or change the index')
    const fresh = prepared.revision === revision ? prepared : prepareFor(tree, prepared.request, revision)
    const { request, categoryIds, categorySign, atoms } = fresh
    const attributeSign = atoms.sign
    const askLimit = bestPriceOnly ? limit * ASKED_PER_FOUND : Number.POSITIVE_INFINITY
    const wanted = wantedBy(tree, fresh, slot, Math.floor((random() - 0.5) * 2 ** 32))
    if (paid !== undefined) narrow(wanted, paid)
    if (wanted.sizes === 0 || !(limit >= 1)) return null
    walker.size = 0
    includeLists(fresh, wanted, slot.floorMicros)
    walking = true
    try {
      return walk(
        walker,
        { request, slot, categoryIds, categorySign, attributeSign, wanted, limit, bestPriceOnly, askLimit },
        accept,
      )
    } finally {
      walking = false
    }
  }

  function includeLists(prepared: PreparedRequest, wanted: Wanted, floorMicros: number): void {
    const sizeBits = sizeBitsIn(wanted.sizes)
    for (let at = 0; at < prepared.nodes.length; at++) {
      const node = prepared.nodes[at]!
      const checks = prepared.checks[at]!
      const children = childrenOf(tree.nodes, node)
      if (children === undefined) includeList(node, checks, floorMicros)
      else {
        includeList(children.get(ANY), checks, floorMicros)
        for (const bit of sizeBits) includeList(children.get(bit), checks, floorMicros)
      }
    }
  }

  function includeList(list: number | undefined, checks: number, floorMicros: number): void {
    if (list !== undefined && tree.nodes.best[list]! >= floorMicros) include(walker, list, checks)
  }

  return {
    get size() {
      return personas.slotOf.size
    },
    has: pid => personas.slotOf.has(pid),
    put,
    remove,
    prepare: request => prepareFor(tree, request, revision),
    search: (prepared, slot, accept, max = 1, paid) =>
      find(prepared, slot, accept, max, false, paid)?.pids ?? [],
    searchBest: (prepared, slot, accept, tieLimit = TIE_LIMIT, paid) =>
      find(prepared, slot, accept, tieLimit, true, paid),
    stats: () => statsOf(tree),
  }
}

function statsOf(tree: Tree): IndexStats {
  const { nodes, personas } = tree
  let splitNodes = 0
  let blockLists = 0
  for (let node = 0; node < nodes.rows; node++) {
    if (childrenOf(nodes, node) !== undefined) splitNodes++
    if (blocksOf(nodes, node) !== undefined) blockLists++
  }
  return {
    personas: personas.slotOf.size,
    nodes: nodes.rows - nodes.free.length,
    splitNodes,
    blockLists,
    reservedPostings: nodes.postings.reserved,
    pages: nodes.postings.prices.length,
  }
}
