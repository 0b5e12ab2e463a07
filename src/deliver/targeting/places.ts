// The tree's nodes by place, in nested maps: country, then region, then city. A request's names come from tables, so
// their hashes are already computed; a combined key would have to be built and hashed each time.

import type { Place } from '../../manage/personas/matched-form.ts'

export interface PlaceNodes {
  countries: Map<string, number>
  /** By country. */
  regions: Map<string, Map<string, number>>
  /** By country, then by region. */
  cities: Map<string, Map<string, Map<string, number>>>
}

export function createPlaceNodes(): PlaceNodes {
  return { countries: new Map(), regions: new Map(), cities: new Map() }
}

/** The map that contains a place, created if need be. A city without a region is kept under its country. */
export function mapFor(nodes: PlaceNodes, { country, region, city }: Place): Map<string, number> {
  if (region === undefined) return nodes.countries
  if (city === undefined) return inside(nodes.regions, country)
  return inside(inside(nodes.cities, country), region)
}

/** The place's key in that map. */
export function keyIn({ country, region, city }: Place): string {
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
