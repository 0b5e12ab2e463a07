// The refusals of parsePlace: which part is wrong, and what would be right.
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
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
/** If a country has at most this many states, all are listed. */
const MAX_LISTED = 16

/** Shorter texts are taken for mistyped codes, not for the town of Eu. */
const MIN_CITY_CHARS = 3

/** A text as written, cut to a length that fits a message. */
export function cut(text: string): string {
  const chars = [...text.slice(0, 4 * MAX_QUOTED_CHARS)]
  const short = chars.slice(0, MAX_QUOTED_CHARS).join('')
  return short.length < text.length ? `${short}…` : text
}

export function wrongCountry(entry: string, countryPart: string): FieldError {
  const rest = entry.slice(entry.indexOf('-') + 1)
  const whole = countryNamed(entry)
  if (whole)
    return fieldError('', 'place_country_name', { entry: cut(entry), code: whole.code, name: whole.name })
  const wrong = { entry: cut(entry), country: cut(countryPart) }
  const country = countryLike(countryPart)
  const fixed = country && entry.includes('-') ? fixedRest(country.code, rest) : null
  const suggestion = country ? `${fixed ?? country.code} (${country.name})` : stateOrCity(entry)
  return suggestion === null
    ? fieldError('', 'place_country_unknown', wrong)
    : fieldError('', 'place_country_mistyped', { ...wrong, suggestion })
}

/** 'NY' or 'NY-Buffalo' with the right country added, if the state exists. */
function fixedRest(country: string, rest: string): string | null {
  const hyphen = rest.indexOf('-')
  const region = regionCode(country, hyphen < 0 ? rest : rest.slice(0, hyphen))
  if (!region) return null
  return hyphen < 0 ? `${country}-${region}` : `${country}-${region}-${rest.slice(hyphen + 1).trim()}`
}

/** The only state with this name in the world; otherwise the largest city. */
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
): FieldError {
  const where = { entry: cut(entry), country, name: countryName(country) ?? country }
  const regions = regionsOf(country)
  if (regions.length === 0) return fieldError('', 'place_country_undivided', where)
  if (regionPart === '') return fieldError('', 'place_region_empty', { entry: cut(entry), country })
  const wrong = { ...where, region: cut(regionPart) }
  const suggestion = regionMeant(country, regionPart, cityPart)
  if (suggestion !== null) return fieldError('', 'place_region_mistyped', { ...wrong, suggestion })
  if (regions.length <= MAX_LISTED)
    return fieldError('', 'place_region_unknown', { ...wrong, known: regions.map(shown) })
  const examples = regions.slice(0, MAX_EXAMPLES).map(shown)
  return fieldError('', 'place_region_unknown_of_many', { ...wrong, examples })
}

/** A state with this or a similar name, the two parts swapped, or otherwise a city with that name. */
function regionMeant(country: string, regionPart: string, cityPart: string | undefined): string | null {
  const full = cityPart === undefined ? null : `${regionPart}-${cityPart}`
  const meant = (full && exactRegion(country, full)) ?? regionLike(country, regionPart)
  if (meant) return cityElsewhere(meant, regionPart) ?? shown(meant)
  const swapped = cityPart === undefined ? null : knownRegionCode(country, cityPart)
  if (swapped) return `${country}-${swapped}-${regionPart}`
  const name = full ?? regionPart
  const city = name.length < MIN_CITY_CHARS ? null : (findCity(name, country) ?? findCity(name))
  return city ? `${city.country}-${city.region}-${city.name}` : null
}

/** The city of exactly this name, where a state is only named like it: GB-LND is the City of London, without London. */
function cityElsewhere({ country, code, name }: Region, text: string): string | null {
  if (exactRegion(country, text) || text.length < MIN_CITY_CHARS) return null
  const city = findCity(text, country)
  if (!city || city.country !== country || city.region === code || !name.includes(city.name)) return null
  return `${country}-${city.region}-${city.name}`
}

/** A state whose name contains a hyphen ('DE-Baden-Württemberg'), which was split as if it had a city. */
function exactRegion(country: string, name: string): Region | null {
  const code = regionCode(country, name)
  return code ? (regionsOf(country).find(region => region.code === code) ?? null) : null
}

function shown(region: Region): string {
  return `${region.country}-${region.code} (${region.name})`
}
