// A persona in the form that delivery matches: places are split, cities are folded, and nothing is left to parse.

import { type AttributeCondition, conditionsOf } from '../attributes/wanted.ts'
import { parsePlace } from '../reference/geo.ts'
import type { Geo, Persona } from './contract.ts'

export { EVERYWHERE } from '../reference/geo.ts'

/**
 * `country`: ISO 3166-1 alpha-2 or EVERYWHERE. `region`: ISO 3166-2 without the country. `city`: folded by `foldName`.
 */
export interface Place {
  country: string
  region?: string
  city?: string
}

export interface Radius {
  lat: number
  lon: number
  radiusM: number
}

export interface Targeting {
  geo: { places: Place[] } | { radius: Radius }
  /** IAB codes, empty: all. A parent covers its sub-categories. */
  cat: string[]
  device: { mobile: boolean; tablet: boolean; desktop: boolean }
  /** null: all. */
  gender: { male: boolean; female: boolean; unknown: boolean } | null
  age: { '13to17': boolean; '18to34': boolean; '35to49': boolean; '50+': boolean } | null
  /** Missing: no restriction. */
  attributes?: readonly AttributeCondition[]
}

/** `appId`: of its customer, whose attributes it may target. */
export function toTargeting(
  { geo, cat, device, demo, attributes }: Pick<Persona, 'geo' | 'cat' | 'device' | 'demo' | 'attributes'>,
  appId: number,
): Targeting {
  const conditions = conditionsOf(appId, attributes)
  return {
    geo: toPlaces(geo),
    cat,
    device,
    gender: demo.gender,
    age: demo.age,
    ...(conditions && { attributes: conditions }),
  }
}

function toPlaces(geo: Geo): Targeting['geo'] {
  if ('geos' in geo) return { places: geo.geos.flatMap(toPlace) }
  const [lat, lon] = geo.geocode
  return { radius: { lat, lon, radiusM: geo.radius } }
}

/** A code that a later edition of the standard dropped matches nothing, but must not stop the catalog. */
function toPlace(text: string): Place[] {
  const parsed = parsePlace(text)
  if ('error' in parsed) return []
  const { country, region, city } = parsed.place
  return [{ country, ...(region === undefined ? {} : { region }), ...(city === undefined ? {} : { city }) }]
}
