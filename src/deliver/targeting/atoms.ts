// Attributes as small numbers, so that the tree can split by them. An atom is one value of one attribute, or (of a
// number) the attribute itself. A persona that requires attributes has an anchor: atoms of which every request that
// fits it has at least one. Of all its anchors it gets the rarest, so the tree leads to few personas that do not fit.

import type { AttributeCondition } from '../../manage/attributes/wanted.ts'
import { createRegistry, type Registry } from './registry.ts'
import type { RequestAttribute } from './request.ts'

/** The atoms that personas are anchored at. */
export interface Atoms {
  /** By attribute, then by value; null: the attribute, with whatever value. */
  byName: Map<string, Map<string | null, number>>
  registry: Registry<string>
  keys: Map<number, { name: string; value: string | null }>
}

export interface Anchor {
  ids: readonly number[] | undefined
  sign: number
}

export interface RequestAtoms {
  ids: readonly number[]
  sign: number
}

/** The sign of a persona that targets no attributes. */
export const NOT_ATTRIBUTED = 0
const SIGN_BITS = 30
/** The sign of a persona that may fit requests without attributes; that of every request has this bit. */
const ANY_REQUEST = 1 << SIGN_BITS

export const NO_ATOMS: RequestAtoms = { ids: [], sign: ANY_REQUEST }

export function createAtoms(): Atoms {
  return { byName: new Map(), registry: createRegistry(), keys: new Map() }
}

/** To be given back as it is. */
export function acquireAnchor(atoms: Atoms, conditions: readonly AttributeCondition[]): Anchor {
  let rarest: { name: string; values: readonly (string | null)[] } | null = null
  let fewest = Number.POSITIVE_INFINITY
  for (const candidate of anchorsIn(conditions)) {
    const users = usersOf(atoms, candidate.name, candidate.values)
    if (users >= fewest) continue
    fewest = users
    rarest = candidate
  }
  if (rarest === null) return { ids: undefined, sign: ANY_REQUEST }
  const { name, values } = rarest
  const ids = values.map(value => acquire(atoms, name, value))
  return { ids, sign: ids.reduce((sign, id) => sign | signOf(id), 0) }
}

export function releaseAnchor(atoms: Atoms, ids: readonly number[]): void {
  for (const id of ids) {
    const { name, value } = atoms.keys.get(id)!
    const key = keyOf(name, value)
    atoms.registry.release(key)
    if (atoms.registry.find(key) !== undefined) continue
    atoms.keys.delete(id)
    const values = atoms.byName.get(name)!
    values.delete(value)
    if (values.size === 0) atoms.byName.delete(name)
  }
}

/** The atoms of a request, as far as any persona is anchored at them. */
export function atomsIn(atoms: Atoms, attributes: readonly RequestAttribute[]): RequestAtoms {
  const ids: number[] = []
  let sign = ANY_REQUEST
  for (const { name, words } of attributes) {
    const values = atoms.byName.get(name)
    if (values === undefined) continue
    for (let n = -1; n < words.length; n++) {
      const id = values.get(n < 0 ? null : words[n]!)
      if (id === undefined) continue
      ids.push(id)
      sign |= signOf(id)
    }
  }
  return { ids, sign }
}

/** What each request that fits has one of: a value of `any`, each single one of `all`, or the number. */
function* anchorsIn(conditions: readonly AttributeCondition[]) {
  for (const { name, any, all, min, max } of conditions) {
    if (any !== null) yield { name, values: [...any] }
    for (const value of all ?? []) yield { name, values: [value] }
    if (min !== null || max !== null) yield { name, values: [null] }
  }
}

function usersOf({ registry }: Atoms, name: string, values: readonly (string | null)[]): number {
  // One more for each value, so that of unused ones the shorter list is taken.
  return values.reduce((sum, value) => sum + registry.usersOf(keyOf(name, value)) + 1, 0)
}

function acquire({ registry, byName, keys }: Atoms, name: string, value: string | null): number {
  const id = registry.acquire(keyOf(name, value))
  keys.set(id, { name, value })
  const values = byName.get(name)
  if (values === undefined) byName.set(name, new Map([[value, id]]))
  else values.set(value, id)
  return id
}

/** Unambiguous: a name has no space. */
function keyOf(name: string, value: string | null): string {
  return value === null ? name : `${name} ${value}`
}

function signOf(id: number): number {
  return 1 << (id % SIGN_BITS)
}
