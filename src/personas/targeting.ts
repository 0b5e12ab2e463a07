// A persona in the form that delivery matches: places taken apart with folded cities, nothing left to parse.

import type { Place, Targeting } from '../catalog/live.ts'
import { parsePlace } from '../reference/geo.ts'
import type { Geo, Persona } from './contract.ts'

export function toTargeting({
  geo,
  cat,
  device,
  demo,
}: Pick<Persona, 'geo' | 'cat' | 'device' | 'demo'>): Targeting {
  return { geo: toPlaces(geo), cat, device, gender: demo.gender, age: demo.age }
}

function toPlaces(geo: Geo): Targeting['geo'] {
  if ('geos' in geo) return { places: geo.geos.flatMap(toPlace) }
  const [lat, lon] = geo.geocode
  return { radius: { lat, lon, radiusM: geo.radius } }
}

/** A code that a later edition of the standard dropped matches nothing; it must not stop the catalog. */
function toPlace(text: string): Place[] {
  const parsed = parsePlace(text)
  if ('error' in parsed) return []
  const { country, region, city } = parsed.place
  return [{ country, ...(region === undefined ? {} : { region }), ...(city === undefined ? {} : { city }) }]
}
