// Places as personas name them: `<country>`, `<country>-<state>` or `<country>-<state>-<city>`, checked against ISO
// 3166-1 and 3166-2, or `*` for everywhere. A refusal is a value that says which part is wrong and what would be right.
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { countryCode, countryName } from './countries.ts'
import { foldName } from './fold.ts'
import { cut, wrongCountry, wrongRegion } from './place-hints.ts'
import { knownRegionCode, regionName } from './regions.ts'

export { alpha2FromAlpha3, countryCode, countryName } from './countries.ts'
export { foldName } from './fold.ts'
export { regionCode, regionName } from './regions.ts'

/** Used in place of a country: means all countries, and requests whose country is unknown. */
export const EVERYWHERE = '*'

export interface Place {
  /** ISO 3166-1 alpha-2, or EVERYWHERE. */
  country: string
  /** ISO 3166-2 without the country. */
  region?: string
  /** Folded by foldName, for comparison. */
  city?: string
  /** As written, for display. */
  cityName?: string
}

/** The caller adds the path of an error. */
export type ParsedPlace = { place: Place; canonical: string } | { error: FieldError }

const MAX_CITY_CHARS = 100
// No name has control characters or halves of surrogate pairs, and the database refuses some of them.
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u

export function parsePlace(text: string): ParsedPlace {
  const entry = text.trim()
  if (entry === '') return { error: fieldError('', 'place_empty') }
  if (entry === EVERYWHERE) return { place: { country: EVERYWHERE }, canonical: EVERYWHERE }
  const { countryPart, regionPart, cityPart } = split(entry)
  const country = countryCode(countryPart)
  if (!country) return { error: wrongCountry(entry, countryPart) }
  if (regionPart === undefined) return { place: { country }, canonical: country }
  const region = knownRegionCode(country, regionPart)
  if (!region) return { error: wrongRegion(entry, country, regionPart, cityPart) }
  if (cityPart === undefined) return { place: { country, region }, canonical: `${country}-${region}` }
  const city = foldedCity(entry, cityPart)
  if (typeof city !== 'string') return { error: city }
  const place = { country, region, city, cityName: cityPart }
  return { place, canonical: `${country}-${region}-${cityPart}` }
}

/** `CA-ON-Toronto` → `Toronto, Ontario, Canada`; null if it is not such a code. */
export function placeLabel(code: string): string | null {
  const { countryPart, regionPart, cityPart } = split(code)
  const country = countryName(countryPart)
  if (country === null) return null
  const region = regionPart === undefined ? null : (regionName(countryPart, regionPart) ?? regionPart)
  return [cityPart, region, country].filter(part => part !== undefined && part !== null).join(', ')
}

/** Splits only at the first two hyphens, because a city may contain hyphens. */
function split(entry: string): { countryPart: string; regionPart?: string; cityPart?: string } {
  const first = entry.indexOf('-')
  if (first < 0) return { countryPart: entry }
  const countryPart = entry.slice(0, first).trim()
  const second = entry.indexOf('-', first + 1)
  if (second < 0) return { countryPart, regionPart: entry.slice(first + 1).trim() }
  return {
    countryPart,
    regionPart: entry.slice(first + 1, second).trim(),
    cityPart: entry.slice(second + 1).trim(),
  }
}

/** Folds only once, because folding is most of what parsing a place costs. */
function foldedCity(entry: string, city: string): string | FieldError {
  if (city === '') return fieldError('', 'place_city_empty', { entry: cut(entry) })
  if (city.length > 2 * MAX_CITY_CHARS || [...city].length > MAX_CITY_CHARS)
    return fieldError('', 'place_city_too_long', { entry: cut(entry), max: MAX_CITY_CHARS })
  if (UNPRINTABLE.test(city)) return fieldError('', 'place_city_control_character', { entry: cut(entry) })
  return foldName(city) || fieldError('', 'place_city_without_letters', { entry: cut(entry) })
}
