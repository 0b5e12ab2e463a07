// The tree: geo key, then category, then size. A node with few personas is a posting list. It is split when they become
// many, and merged again when most have left; the thresholds differ. Personas that fit only requests with a certain
// attribute have roots of their own, where the first split is by that attribute: other requests do not look there.

import type { Place } from '../../manage/personas/matched-form.ts'
import { GRID_LEVELS } from './grid.ts'
import { SIZES } from './masks.ts'
import { type ChildKeys, keysOf, type Personas, placesOf } from './personas.ts'
import {
  addNode,
  type Children,
  childrenOf,
  createNodes,
  drainList,
  freeNode,
  insertInList,
  type Nodes,
  removeFromList,
} from './posting-list.ts'

// A node's depth says how it is split: at 0 by attribute, at 1 by category, at 2 by size, at 3 not at all.
const SPLIT_ABOVE = [128, 128, 512, Number.POSITIVE_INFINITY]
const MERGE_AT = [64, 64, 256, 0]
const BY_ATTRIBUTE = 0
const BY_CATEGORY = 1

export interface Tree {
  nodes: Nodes
  personas: Personas
  /** Of personas that requests without attributes may fit. */
  plain: Roots
  /** Of personas with an anchor. */
  anchored: Roots
}

export interface Roots {
  places: PlaceNodes
  /** By level of the grid. */
  cells: Map<number, number>[]
  /** The depth of their nodes. */
  depth: number
  /** How many personas are below. */
  count: number
}

export function createTree(personas: Personas): Tree {
  return {
    nodes: createNodes(),
    personas,
    plain: createRoots(BY_CATEGORY),
    anchored: createRoots(BY_ATTRIBUTE),
  }
}

function createRoots(depth: number): Roots {
  const cells = Array.from({ length: GRID_LEVELS }, () => new Map<number, number>())
  return { places: createPlaceNodes(), cells, depth, count: 0 }
}

function rootsOf({ personas, plain, anchored }: Tree, slot: number): Roots {
  return personas.anchors[slot] === undefined ? plain : anchored
}

export function plant(tree: Tree, slot: number): void {
  if (hasNothingToShow(tree, slot)) return
  const { places, level, cells } = placesOf(tree.personas, slot)
  const keys = keysOf(tree.personas, slot)
  const roots = rootsOf(tree, slot)
  const { depth } = roots
  for (const place of places) addUnder(tree, mapFor(roots.places, place), keyIn(place), slot, keys, depth)
  for (const key of cells) addUnder(tree, roots.cells[level]!, key, slot, keys, depth)
  roots.count++
}

/** The persona must not have changed since it was planted. */
export function uproot(tree: Tree, slot: number): void {
  if (hasNothingToShow(tree, slot)) return
  const { places, level, cells } = placesOf(tree.personas, slot)
  const keys = keysOf(tree.personas, slot)
  const roots = rootsOf(tree, slot)
  const { depth } = roots
  for (const place of places) removeUnder(tree, mapFor(roots.places, place), keyIn(place), slot, keys, depth)
  for (const key of cells) removeUnder(tree, roots.cells[level]!, key, slot, keys, depth)
  roots.count--
}

function hasNothingToShow(tree: Tree, slot: number): boolean {
  return (tree.personas.masks[slot]! & SIZES) === 0
}

function addUnder<Key>(
  tree: Tree,
  parent: Map<Key, number>,
  key: Key,
  slot: number,
  keys: ChildKeys,
  depth: number,
): void {
  let node = parent.get(key)
  if (node === undefined) {
    node = addNode(tree.nodes)
    parent.set(key, node)
  }
  const children = childrenOf(tree.nodes, node)
  if (children === undefined) {
    insertPosting(tree, node, slot)
    if (tree.nodes.count[node]! > SPLIT_ABOVE[depth]!) split(tree, node, depth)
    return
  }
  for (const childKey of keys[depth]!) addUnder(tree, children, childKey, slot, keys, depth + 1)
  tree.nodes.count[node]!++
}

function removeUnder<Key>(
  tree: Tree,
  parent: Map<Key, number>,
  key: Key,
  slot: number,
  keys: ChildKeys,
  depth: number,
): void {
  const node = parent.get(key)
  if (node === undefined) throw new Error('the node to remove from is not there')
  const children = childrenOf(tree.nodes, node)
  if (children === undefined) {
    removeFromList(tree.nodes, node, tree.personas.entries[slot]!.priceMicros, slot)
    if (tree.nodes.count[node] !== 0) return
    parent.delete(key)
    freeNode(tree.nodes, node)
    return
  }
  for (const childKey of keys[depth]!) removeUnder(tree, children, childKey, slot, keys, depth + 1)
  tree.nodes.count[node]!--
  if (tree.nodes.count[node]! <= MERGE_AT[depth]!) merge(tree, node, children)
}

function insertPosting(tree: Tree, list: number, slot: number): void {
  const { entries, masks } = tree.personas
  insertInList(tree.nodes, list, entries[slot]!.priceMicros, masks[slot]!, slot)
}

function split(tree: Tree, node: number, depth: number): void {
  const slots = new Set<number>()
  drainList(tree.nodes, node, slots)
  const children: Children = new Map()
  tree.nodes.large[node] = children
  tree.nodes.count[node] = slots.size
  for (const slot of slots) {
    const keys = keysOf(tree.personas, slot)
    for (const key of keys[depth]!) addUnder(tree, children, key, slot, keys, depth + 1)
  }
}

function merge(tree: Tree, node: number, children: Children): void {
  const slots = new Set<number>()
  drainChildren(tree, children, slots)
  tree.nodes.large[node] = undefined
  tree.nodes.count[node] = 0
  for (const slot of slots) insertPosting(tree, node, slot)
}

function drainChildren(tree: Tree, children: Children, into: Set<number>): void {
  for (const child of children.values()) {
    const grandchildren = childrenOf(tree.nodes, child)
    if (grandchildren === undefined) drainList(tree.nodes, child, into)
    else drainChildren(tree, grandchildren, into)
    freeNode(tree.nodes, child)
  }
}

// The tree's nodes by place, in nested maps: country, then region, then city. A request's names come from tables, so
// their hashes are already computed; a combined key would have to be built and hashed each time.

interface PlaceNodes {
  countries: Map<string, number>
  /** By country. */
  regions: Map<string, Map<string, number>>
  /** By country, then by region. */
  cities: Map<string, Map<string, Map<string, number>>>
}

function createPlaceNodes(): PlaceNodes {
  return { countries: new Map(), regions: new Map(), cities: new Map() }
}

/** The map that contains a place, created if need be. A city without a region is kept under its country. */
function mapFor(nodes: PlaceNodes, { country, region, city }: Place): Map<string, number> {
  if (region === undefined) return nodes.countries
  if (city === undefined) return inside(nodes.regions, country)
  return inside(inside(nodes.cities, country), region)
}

/** The place's key in that map. */
function keyIn({ country, region, city }: Place): string {
  if (region === undefined) return country
  return city ?? region
}

function inside<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  let map = maps.get(key)
  if (map === undefined) {
    map = new Map()
    maps.set(key, map)
  }
  return map
}
