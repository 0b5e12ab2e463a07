// What the tree needs from a request: its geo keys, grid cells, category ids and atoms, looked up once for all its
// slots.

import { EVERYWHERE } from '../../manage/personas/matched-form.ts'
import { atomsIn, NO_ATOMS, type RequestAtoms } from './atoms.ts'
import type { Wanted } from './cursor.ts'
import { cellAt, fromDateLine } from './grid.ts'
import { classBit, classOf, classWord, sizeBit, sizeKey, traitsNeededBy } from './masks.ts'
import { onGlobe } from './match.ts'
import { ANY, signOf } from './personas.ts'
import { childrenOf } from './posting-list.ts'
import type { AdRequest, Slot } from './request.ts'
import type { Roots, Tree } from './tree.ts'
import { CHECK_CATEGORY, CHECK_DISTANCE } from './walk.ts'

/** A request's lookups, used for each of its slots. After an update of the index they are made again automatically. */
export interface PreparedRequest {
  request: AdRequest
  revision: number
  traits: number
  categoryIds: readonly number[]
  categorySign: number
  atoms: RequestAtoms
  /** Nodes under the request's geo keys and categories, and what must still be checked in each. */
  nodes: number[]
  checks: number[]
}

/** What a posting needs for one of the request's slots. */
export function wantedBy(tree: Tree, prepared: PreparedRequest, slot: Slot, spin: number): Wanted {
  const classId = classOf(prepared.traits)
  let sizes = 0
  for (const size of slot.sizes) {
    const sizeId = tree.personas.sizes.find(sizeKey(size))
    if (sizeId !== undefined) sizes |= sizeBit(sizeId)
  }
  const { traits } = prepared
  return { traits, care: traits, sizes, classWord: classWord(classId), classBit: classBit(classId), spin }
}

export function prepareFor(tree: Tree, request: AdRequest, revision: number): PreparedRequest {
  const categoryIds = categoryIdsOf(tree, request)
  const prepared: PreparedRequest = {
    request,
    revision,
    traits: traitsNeededBy(request),
    categoryIds,
    categorySign: signOf(categoryIds),
    atoms: request.attributes === undefined ? NO_ATOMS : atomsIn(tree.personas.atoms, request.attributes),
    nodes: [],
    checks: [],
  }
  addNodesUnder(tree, prepared, tree.plain)
  if (prepared.atoms.ids.length > 0 && tree.anchored.count > 0) addNodesUnder(tree, prepared, tree.anchored)
  return prepared
}

function addNodesUnder(tree: Tree, prepared: PreparedRequest, roots: Roots): void {
  const { country, region, city, lat, lon } = prepared.request
  const { countries, regions, cities } = roots.places
  const addGeoNode = roots === tree.plain ? addPlainNode : addAnchoredNode
  addGeoNode(tree, prepared, countries.get(EVERYWHERE), 0)
  if (country !== null) {
    addGeoNode(tree, prepared, countries.get(country), 0)
    if (region !== null) {
      addGeoNode(tree, prepared, regions.get(country)?.get(region), 0)
      if (city !== null) addGeoNode(tree, prepared, cities.get(country)?.get(region)?.get(city), 0)
    }
  }
  if (lat !== null && lon !== null && onGlobe(lat, lon)) {
    const east = fromDateLine(lon)
    for (let level = 0; level < roots.cells.length; level++) {
      const cells = roots.cells[level]!
      if (cells.size > 0) addGeoNode(tree, prepared, cells.get(cellAt(level, lat, east)), CHECK_DISTANCE)
    }
  }
}

/** Those below a node that is split by attribute. The walk tests the attributes of each persona in any case. */
function addAnchoredNode(
  tree: Tree,
  prepared: PreparedRequest,
  node: number | undefined,
  checks: number,
): void {
  if (node === undefined) return
  const children = childrenOf(tree.nodes, node)
  if (children === undefined) {
    addNodeTo(prepared, node, checks | CHECK_CATEGORY)
    return
  }
  addPlainNode(tree, prepared, children.get(ANY), checks)
  const { ids } = prepared.atoms
  for (let n = 0; n < ids.length; n++) addPlainNode(tree, prepared, children.get(ids[n]!), checks)
}

function addPlainNode(tree: Tree, prepared: PreparedRequest, node: number | undefined, checks: number): void {
  if (node === undefined) return
  const children = childrenOf(tree.nodes, node)
  if (children === undefined) {
    addNodeTo(prepared, node, checks | CHECK_CATEGORY)
    return
  }
  addNodeTo(prepared, children.get(ANY), checks | CHECK_CATEGORY)
  const { categoryIds } = prepared
  for (let n = 0; n < categoryIds.length; n++) addNodeTo(prepared, children.get(categoryIds[n]!), checks)
}

function addNodeTo(prepared: PreparedRequest, node: number | undefined, checks: number): void {
  if (node === undefined) return
  prepared.nodes.push(node)
  prepared.checks.push(checks)
}

/** The ids of the request's codes and all their parents, as far as any persona targets them. */
function categoryIdsOf(tree: Tree, request: AdRequest): number[] {
  const ids: number[] = []
  for (const code of request.categories) {
    for (let end = code.length; end > 0; end = code.lastIndexOf('-', end - 1)) {
      const id = tree.personas.categories.find(code.slice(0, end))
      if (id !== undefined && !ids.includes(id)) ids.push(id)
    }
  }
  return ids
}
