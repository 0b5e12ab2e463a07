// The messages of parsePlace's refusals: which part is wrong, and what would be right.
import { findCity } from './cities.ts'
import { countryLike, countryName, countryNamed } from './countries.ts'
import {
  knownRegionCode,
  type Region,
  regionCode,
  regionLike,
  regionNamedAnywhere,
  regionsOf,
} from './regions.ts'

const MAX_QUOTED_CHARS = 60
const MAX_EXAMPLES = 3
/** Up to this many states, all are listed. */
const MAX_LISTED = 16

/** Shorter texts are mistyped codes, not the town of Eu. */
const MIN_CITY_CHARS = 3

/** The entry as written, cut to a length that fits a message. */
export function quoted(text: string): string {
  const chars = [...text.slice(0, 4 * MAX_QUOTED_CHARS)]
  const short = chars.slice(0, MAX_QUOTED_CHARS).join('')
  return JSON.stringify(short.length < text.length ? `${short}…` : text)
}

export function wrongCountry(entry: string, countryPart: string): string {
  const rest = entry.slice(entry.indexOf('-') + 1)
  const whole = countryNamed(entry)
  if (whole) return `${quoted(entry)}: write the two-letter country code ${whole.code} (${whole.name})`
  const start = `${quoted(entry)}: ${quoted(countryPart)} is not an ISO 3166-1 country code`
  const country = countryLike(countryPart)
  if (country) {
    const fixed = entry.includes('-') ? fixedRest(country.code, rest) : null
    return `${start}; did you mean ${fixed ?? country.code} (${country.name})?`
  }
  const elsewhere = stateOrCity(entry)
  return elsewhere ? `${start}; did you mean ${elsewhere}?` : `${start}; write two letters, like CA or DE`
}

/** 'NY' or 'NY-Buffalo' after the right country, if the state exists. */
function fixedRest(country: string, rest: string): string | null {
  const hyphen = rest.indexOf('-')
  const region = regionCode(country, hyphen < 0 ? rest : rest.slice(0, hyphen))
  if (!region) return null
  return hyphen < 0 ? `${country}-${region}` : `${country}-${region}-${rest.slice(hyphen + 1).trim()}`
}

/** The only state of that name in the world, or else the largest city. */
function stateOrCity(name: string): string | null {
  const region = regionNamedAnywhere(name)
  if (region) return `${region.country}-${region.code} (${region.name}, ${countryName(region.country)})`
  const city = name.length < MIN_CITY_CHARS ? null : findCity(name)
  return city ? `${city.country}-${city.region}-${city.name}` : null
}

export function wrongRegion(
  entry: string,
  country: string,
  regionPart: string,
  cityPart: string | undefined,
): string {
  const start = `${quoted(entry)}: ${country} (${countryName(country)})`
  const regions = regionsOf(country)
  if (regions.length === 0) {
    return `${start} has no states or provinces in ISO 3166-2; write ${country} for the whole country`
  }
  if (regionPart === '')
    return `${quoted(entry)}: the state/province is empty; write ${country} for the whole country`
  const missing = `${start} has no state/province ${quoted(regionPart).slice(1, -1)}`
  const full = cityPart === undefined ? null : `${regionPart}-${cityPart}`
  const meant = (full && exactRegion(country, full)) ?? regionLike(country, regionPart)
  if (meant) return `${missing}; did you mean ${shown(meant)}?`
  const swapped = cityPart === undefined ? null : knownRegionCode(country, cityPart)
  if (swapped) return `${missing}; did you mean ${country}-${swapped}-${regionPart}?`
  const name = full ?? regionPart
  const city = name.length < MIN_CITY_CHARS ? null : (findCity(name, country) ?? findCity(name))
  if (city) return `${missing}; did you mean ${city.country}-${city.region}-${city.name}?`
  if (regions.length <= MAX_LISTED) return `${missing}; it has ${regions.map(shown).join(', ')}`
  return `${missing}; examples are ${regions.slice(0, MAX_EXAMPLES).map(shown).join(', ')}`
}

/** A state whose name contains a hyphen ('DE-Baden-Württemberg') was split like a city. */
function exactRegion(country: string, name: string): Region | null {
  const code = regionCode(country, name)
  return code ? (regionsOf(country).find(region => region.code === code) ?? null) : null
}

function shown(region: Region): string {
  return `${region.country}-${region.code} (${region.name})`
}
