// The place of a tag request: what the tag says, completed by the visitor's address unless the two contradict each
// other (a city from the address is never put into another region).

import type { IpPlace } from '../audience/ip-geo.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { type Faults, fault, numberAt, objectAt, textAt } from './fields.ts'

const NOWHERE: IpPlace = { country: null, region: null, city: null, lat: null, lon: null }

export function placeAt(faults: Faults, value: unknown, lookups: GeoLookups): IpPlace {
  const geo = objectAt(faults, '/geo', value, ['country', 'region', 'city', 'lat', 'lon'])
  if (geo === null) return NOWHERE
  const country = countryAt(faults, geo.country, lookups)
  const regionText = textAt(faults, '/geo/region', geo.region, 100)
  const cityText = textAt(faults, '/geo/city', geo.city, 100)
  const lat = numberAt(faults, '/geo/lat', geo.lat, -90, 90)
  const lon = numberAt(faults, '/geo/lon', geo.lon, -180, 180)
  if (isGiven(geo.lat) !== isGiven(geo.lon)) {
    const [given, missing] = isGiven(geo.lat) ? ['lat', 'lon'] : ['lon', 'lat']
    fault(faults, `/geo/${missing}`, 'given_together', { field: given! })
  }
  const hasCountry = isGiven(geo.country)
  if (regionText !== null && !hasCountry) fault(faults, '/geo/country', 'required_with', { field: 'region' })
  else if (cityText !== null && !hasCountry) fault(faults, '/geo/country', 'required_with', { field: 'city' })
  return {
    country,
    region: country && regionText ? regionIn(faults, country, regionText, lookups) : null,
    city: country && cityText ? lookups.foldName(cityText) || null : null,
    lat,
    lon,
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function countryAt(faults: Faults, value: unknown, lookups: GeoLookups): string | null {
  const text = textAt(faults, '/geo/country', value, 100)
  if (text === null) return null
  const code = text.toUpperCase()
  const isKnown = /^[A-Za-z]{2}$/.test(text) && (lookups.isCountry?.(code) ?? true)
  return isKnown ? code : fault(faults, '/geo/country', 'not_a_country')
}

function regionIn(faults: Faults, country: string, text: string, lookups: GeoLookups): string | null {
  const region = lookups.regionCode(country, text)
  return region ?? fault(faults, '/geo/region', 'not_a_region', { country })
}

export function completePlace(said: IpPlace, looked: IpPlace | null): IpPlace {
  if (looked === null) return said
  if (said.country !== null && said.country !== looked.country) return said
  if (said.region !== null && said.region !== looked.region) return said
  if (said.city !== null && said.city !== looked.city) return said
  const hasPosition = said.lat !== null
  return {
    country: looked.country,
    region: looked.region,
    city: looked.city,
    lat: hasPosition ? said.lat : looked.lat,
    lon: hasPosition ? said.lon : looked.lon,
  }
}
