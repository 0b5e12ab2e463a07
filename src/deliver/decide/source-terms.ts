// What the source of a request asks of ads, besides what the request itself does: floors, which are raised in it, and
// what it refuses. Sources that ask for nothing cost nothing.

import type { Source } from '../../manage/sources/sources.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import { type Blocks, blocksOf } from './blocks.ts'

export type SourceTerms = Pick<Source, 'floors' | 'refuses'>

/** Raises the floors of the request, and returns what else the source refuses; null: nothing. */
export function applyTerms(request: AdRequest, { floors, refuses }: SourceTerms): Blocks | null {
  if (floors) for (const slot of request.slots) raiseFloor(slot, floors)
  return refuses ? refusedBy(refuses) : null
}

function raiseFloor(slot: Slot, { micros, bySize }: NonNullable<SourceTerms['floors']>): void {
  const floors = slot.sizes.map(({ width, height }) =>
    Math.max(slot.floorMicros, bySize.get(`${width}x${height}`) ?? micros),
  )
  slot.floorMicros = Math.min(...floors)
  if (floors.some(floor => floor !== slot.floorMicros)) slot.sizeFloors = floors
}

/** What a source refuses stays the same until it is edited, so it is prepared once. */
const prepared = new WeakMap<NonNullable<SourceTerms['refuses']>, Blocks>()

function refusedBy(refuses: NonNullable<SourceTerms['refuses']>): Blocks {
  let known = prepared.get(refuses)
  if (known === undefined) {
    known = blocksOf({ blockedCategories: refuses.categories, blockedDomains: refuses.advertisers })
    prepared.set(refuses, known)
  }
  return known
}
