// What statistics are about, and the dimensions they can be broken down by.

import type { Dimension } from '../../src/report/figures/contract.ts'

export type { Dimension }

export interface Subject {
  id: number
  kind: 'customer' | 'campaign' | 'flight' | 'persona' | 'banner'
  cid?: number
  pid?: number
}

/** Every dimension of the API, in the order of the list; the compiler reports a missing one. */
const PLACES: Record<Dimension, number> = {
  campaign: 0,
  persona: 1,
  banner: 2,
  size: 3,
  domain: 4,
  app: 5,
  category: 6,
  country: 7,
  region: 8,
  city: 9,
  device: 10,
  os: 11,
  age: 12,
  gender: 13,
  hour: 14,
  action: 15,
}
const DIMENSIONS = (Object.keys(PLACES) as Dimension[]).sort((a, b) => PLACES[a] - PLACES[b])

/** Dimensions with only one value for this subject. */
const ALIKE: Record<Subject['kind'], readonly Dimension[]> = {
  customer: [],
  campaign: ['campaign'],
  flight: ['campaign'],
  persona: ['campaign', 'persona'],
  banner: ['campaign', 'persona', 'banner'],
}

export function dimensionsOf({ kind }: Subject): Dimension[] {
  return DIMENSIONS.filter(dimension => !ALIKE[kind].includes(dimension))
}
