// Cities that our tables do not know. A persona may have them, because no table is complete and requests may name any
// city; but a mistyped one gets a warning with a suggestion.

import { unknownCity } from '../../kernel/errors/finding.ts'
import { knowsCity, suggestCity } from '../reference/cities.ts'
import { parsePlace } from '../reference/geo.ts'
import type { Geo, Warning } from './contract.ts'
import type { UnknownPlace } from './queries.ts'

/** Limited because finding suggestions takes time, and nobody reads more. */
const MAX_NAMED = 50

export function unknownPlaces(geo: Geo): UnknownPlace[] {
  if (!('geos' in geo)) return []
  const unknown: UnknownPlace[] = []
  for (const text of geo.geos) {
    const parsed = parsePlace(text)
    if ('error' in parsed) continue
    const { country, region, city } = parsed.place
    if (region === undefined || city === undefined || knowsCity(country, region, city)) continue
    const meant = suggestCity(country, region, city)
    unknown.push({ place: text, suggestion: meant && `${meant.country}-${meant.region}-${meant.name}` })
    if (unknown.length >= MAX_NAMED) break
  }
  return unknown
}

export function warningsOf(geo: Geo, unknown: UnknownPlace[]): Warning[] {
  if (!('geos' in geo)) return []
  let at = -1
  return unknown.map(one => {
    const { place, suggestion } = one
    // Unknown places are in the order of all places.
    at = geo.geos.indexOf(place, at + 1)
    return { path: `/geo/geos/${at}`, ...unknownCity(one), suggestion }
  })
}
