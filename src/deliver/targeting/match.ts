// Whom one persona targets: the exact rules, one attribute after the other, deliberately plain. The index must find
// exactly what this finds; explanations and the funnel use it directly.

import type { AttributeCondition } from '../../manage/attributes/wanted.ts'
import { EVERYWHERE, type Place, type Radius, type Targeting } from '../../manage/personas/matched-form.ts'
import { type AdRequest, ANYWHERE, type RequestAttribute } from './request.ts'

export type Mismatch = 'geo' | 'category' | 'device' | 'attribute' | 'gender' | 'age'

/** The mean radius of the earth (IUGG). */
export const EARTH_RADIUS_M = 6_371_008.8
const RADIANS_PER_DEGREE = Math.PI / 180

export function matches(targeting: Targeting, request: AdRequest): boolean {
  return firstMismatch(targeting, request) === null
}

/** The first attribute, in this order, by which the request does not fit; null if it fits. */
export function firstMismatch(targeting: Targeting, request: AdRequest): Mismatch | null {
  if (!matchesGeo(targeting.geo, request)) return 'geo'
  if (!matchesCategory(targeting.cat, request.categories)) return 'category'
  if (!matchesDevice(targeting.device, request.device)) return 'device'
  if (!matchesAttributes(targeting.attributes, request.attributes)) return 'attribute'
  if (request.isAnyone) return null
  if (!matchesGender(targeting.gender, request.gender)) return 'gender'
  if (!matchesAge(targeting.age, request.age)) return 'age'
  return null
}

function matchesGeo(geo: Targeting['geo'], request: AdRequest): boolean {
  if (request.country === ANYWHERE) return true
  if ('radius' in geo) return inRadius(geo.radius, request)
  return geo.places.some(place => inPlace(place, request))
}

function inPlace(place: Place, request: AdRequest): boolean {
  if (place.country === EVERYWHERE) return true
  if (place.country !== request.country) return false
  if (place.region !== undefined && place.region !== request.region) return false
  return place.city === undefined || place.city === request.city
}

export function inRadius(radius: Radius, request: AdRequest): boolean {
  const { lat, lon } = request
  if (lat === null || lon === null || !onGlobe(lat, lon)) return false
  return distanceM(radius.lat, radius.lon, lat, lon) <= radius.radiusM
}

/** A position off the globe is ignored, as if the request had none. */
export function onGlobe(lat: number, lon: number): boolean {
  return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180
}

/** The great-circle distance by the haversine formula, which is exact even for short distances. */
export function distanceM(latA: number, lonA: number, latB: number, lonB: number): number {
  const sinLat = Math.sin(((latB - latA) * RADIANS_PER_DEGREE) / 2)
  const sinLon = Math.sin(((lonB - lonA) * RADIANS_PER_DEGREE) / 2)
  const cosines = Math.cos(latA * RADIANS_PER_DEGREE) * Math.cos(latB * RADIANS_PER_DEGREE)
  const h = sinLat * sinLat + cosines * sinLon * sinLon
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

function matchesCategory(targeted: string[], carried: string[]): boolean {
  if (targeted.length === 0) return true
  return targeted.some(code => carried.some(other => other === code || other.startsWith(`${code}-`)))
}

function matchesDevice(targeted: Targeting['device'], carried: AdRequest['device']): boolean {
  // All three mean no restriction, so an unknown device fits, too.
  if (carried === null) return targeted.mobile && targeted.tablet && targeted.desktop
  return targeted[carried]
}

export function matchesAttributes(
  conditions: Targeting['attributes'],
  carried: AdRequest['attributes'] = NOTHING,
): boolean {
  if (conditions === undefined) return true
  for (const condition of conditions) if (!meetsCondition(condition, carried)) return false
  return true
}

const NOTHING: readonly RequestAttribute[] = []

/** What the request lacks meets only `none`. */
function meetsCondition(condition: AttributeCondition, carried: readonly RequestAttribute[]): boolean {
  const { name, any, all, none, min, max } = condition
  let found: RequestAttribute | undefined
  for (const one of carried) if (one.name === name) found = one
  if (found === undefined) return any === null && all === null && min === null && max === null
  const { words, number } = found
  if (any !== null && !words.some(word => any.has(word))) return false
  if (none !== null && words.some(word => none.has(word))) return false
  if (all !== null) for (const word of all) if (!words.includes(word)) return false
  if (min !== null && !(number !== null && number >= min)) return false
  return max === null || (number !== null && number <= max)
}

function matchesGender(targeted: Targeting['gender'], carried: AdRequest['gender']): boolean {
  return targeted === null || targeted[carried ?? 'unknown']
}

function matchesAge(targeted: Targeting['age'], carried: AdRequest['age']): boolean {
  // Even a list of all four ages requires a known age.
  return targeted === null || (carried !== null && targeted[carried])
}
