// The personas of the index by slot. Slots are dense numbers that are reused, because a pid may be as large as 2^53.
// Also what each persona's postings need: its mask, its category ids, its anchor, and its places and keys.

import type { Place, Targeting } from '../../manage/personas/matched-form.ts'
import { type Atoms, acquireAnchor, createAtoms, NOT_ATTRIBUTED, releaseAnchor } from './atoms.ts'
import { cellsOf, MAX_CELLS } from './grid.ts'
import { BY_CLICK, OVERFLOW_SIZE, sizeBit, sizeKey, traitsOf } from './masks.ts'
import { createRegistry, type Registry } from './registry.ts'
import type { Size } from './request.ts'

/** What is indexed. The object is kept, not copied: to change it, put another one. */
export interface TargetingEntry {
  pid: number
  /** The price by which it is ranked. */
  priceMicros: number
  /** Its clicks are paid for, not its impressions. */
  isByClick?: boolean
  /** Distinct sizes of the persona's approved banners. */
  sizes: Size[]
  targeting: Targeting
}

/** The child for personas that are not distinguished by this attribute. */
export const ANY = -1
/**
 * If a persona with many places, categories and sizes could have more postings than this, the tree does not distinguish
 * it by size, and if need be not by category. So an update stays cheap, and the walk tests what the tree does not.
 */
const MAX_SPREAD = 256

export interface Personas {
  slotOf: Map<number, number>
  entries: (TargetingEntry | undefined)[]
  masks: (number | undefined)[]
  categoryIds: (readonly number[] | undefined)[]
  /** Kept apart from the entries, so that a walk reads one number instead of an object. */
  pids: number[]
  categorySigns: number[]
  /** The atoms by which it is found; undefined: by any request. See atoms.ts. */
  anchors: (readonly number[] | undefined)[]
  attributeSigns: number[]
  /** Slots whose places the tree does not distinguish: the walk asks the exact matcher. */
  inexact: Set<number>
  free: number[]
  categories: Registry<string>
  sizes: Registry<number>
  atoms: Atoms
}

const NONE: readonly number[] = []
const ONLY_ANY: readonly number[] = [ANY]

export function createPersonas(): Personas {
  return {
    slotOf: new Map(),
    entries: [],
    masks: [],
    categoryIds: [],
    pids: [],
    categorySigns: [],
    anchors: [],
    attributeSigns: [],
    inexact: new Set(),
    free: [],
    categories: createRegistry(),
    sizes: createRegistry(),
    atoms: createAtoms(),
  }
}

/** A replaced persona keeps its slot, and so its position on the ring, unless it is removed first. */
export function addPersona(personas: Personas, entry: TargetingEntry, reuse: number | undefined): number {
  const slot = reuse ?? personas.free.pop() ?? personas.entries.length
  const codes = distinct(entry.targeting.cat)
  const keys = sizeKeysOf(entry)
  personas.slotOf.set(entry.pid, slot)
  personas.entries[slot] = entry
  personas.categoryIds[slot] =
    codes.length === 0 ? NONE : codes.map(code => personas.categories.acquire(code))
  personas.pids[slot] = entry.pid
  personas.categorySigns[slot] = codes.length === 0 ? ANY : signOf(personas.categoryIds[slot]!)
  const { attributes } = entry.targeting
  const anchor = attributes && acquireAnchor(personas.atoms, attributes)
  personas.anchors[slot] = anchor?.ids
  personas.attributeSigns[slot] = anchor?.sign ?? NOT_ATTRIBUTED
  let mask = traitsOf(entry.targeting) | (entry.isByClick ? BY_CLICK : 0)
  for (const key of keys) mask |= sizeBit(personas.sizes.acquire(key))
  personas.masks[slot] = mask
  if (hasOddPlace(entry.targeting)) personas.inexact.add(slot)
  return slot
}

export function removePersona(personas: Personas, slot: number): void {
  const entry = personas.entries[slot]!
  for (const code of distinct(entry.targeting.cat)) personas.categories.release(code)
  for (const key of sizeKeysOf(entry)) personas.sizes.release(key)
  const anchor = personas.anchors[slot]
  if (anchor !== undefined) releaseAnchor(personas.atoms, anchor)
  personas.anchors[slot] = undefined
  personas.slotOf.delete(entry.pid)
  personas.entries[slot] = undefined
  personas.masks[slot] = undefined
  personas.categoryIds[slot] = undefined
  personas.inexact.delete(slot)
}

/** Frees a removed persona's slot for the next one. */
export function freeSlot(personas: Personas, slot: number): void {
  personas.free.push(slot)
  if (personas.slotOf.size > 0) return
  personas.entries.length = 0
  personas.masks.length = 0
  personas.categoryIds.length = 0
  personas.pids.length = 0
  personas.categorySigns.length = 0
  personas.anchors.length = 0
  personas.attributeSigns.length = 0
  personas.free.length = 0
}

/** 31 bits; lists that share an id share a bit, so most mismatches are found at once. Never ANY. */
export function signOf(categoryIds: readonly number[]): number {
  let sign = 0
  for (let n = 0; n < categoryIds.length; n++) sign |= 1 << (categoryIds[n]! % 31)
  return sign
}

function sizeKeysOf(entry: TargetingEntry): number[] {
  return distinct(entry.sizes.map(sizeKey)).filter(key => !Number.isNaN(key))
}

function distinct<Value>(values: Value[]): Value[] {
  return values.length < 2 ? values : [...new Set(values)]
}

/** A city without a region is indexed under its country, where the tree does not look at the city. */
function hasOddPlace({ geo }: Targeting): boolean {
  return 'places' in geo && geo.places.some(place => place.region === undefined && place.city !== undefined)
}

/** The geo keys under which a persona is indexed. */
export interface GeoKeys {
  /** All different. */
  places: readonly Place[]
  /** The level of the grid to which the cells belong. */
  level: number
  cells: readonly number[]
}

const NOWHERE: readonly Place[] = []

export function placesOf(personas: Personas, slot: number): GeoKeys {
  const { geo } = personas.entries[slot]!.targeting
  if ('places' in geo) return { places: distinctPlaces(geo.places), level: 0, cells: NONE }
  const { level, keys } = cellsOf(geo.radius)
  return { places: NOWHERE, level, cells: keys }
}

/** The keys of a persona in a node that is split, by the node's depth: atoms, then categories, then sizes. */
export type ChildKeys = readonly [readonly number[], readonly number[], readonly number[]]

export function keysOf(personas: Personas, slot: number): ChildKeys {
  const { geo } = personas.entries[slot]!.targeting
  const places = 'places' in geo ? geo.places.length : MAX_CELLS
  const anchor = personas.anchors[slot] ?? ONLY_ANY
  const atoms = anchor.length * places > MAX_SPREAD ? ONLY_ANY : anchor
  const ids = personas.categoryIds[slot]!
  const spread = atoms.length * places
  const categories = ids.length === 0 || ids.length * spread > MAX_SPREAD ? ONLY_ANY : ids
  const bits = sizeBitsIn(personas.masks[slot]!)
  const sizes = bits.length * categories.length * spread > MAX_SPREAD ? ONLY_ANY : bits
  return [atoms, categories, sizes]
}

/** The size bits of a mask, each as a separate mask. */
export function sizeBitsIn(mask: number): number[] {
  const bits: number[] = []
  for (let id = 0; ; id++) {
    const bit = sizeBit(id)
    if ((mask & bit) !== 0) bits.push(bit)
    if (bit === OVERFLOW_SIZE) return bits
  }
}

function distinctPlaces(places: Place[]): Place[] {
  if (places.length < 2) return places
  return [...new Map(places.map(place => [placeKey(place), place])).values()]
}

/** Unambiguous whatever the names contain, because the lengths say where each name ends. */
function placeKey({ country, region, city }: Place): string {
  if (region === undefined) return `c${country}`
  if (city === undefined) return `r${country.length}:${country}${region}`
  return `p${country.length}:${region.length}:${country}${region}${city}`
}
