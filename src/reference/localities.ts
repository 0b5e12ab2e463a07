// Regions and cities as numbers of 48 bits, which links, events and figures carry. A number is a hash of the code, so
// it is the same in every process and version, whatever the order of our tables. Built on first use.

import { allCities } from './cities.ts'
import { allRegions } from './regions.ts'

export interface Locality {
  country: string
  /** ISO 3166-2 without the country. */
  region: string
  /** As our table spells it; empty if only the region is known. */
  city: string
}

/** By country, region and folded city; the number of a region stands under the empty city. */
type Numbers = Map<string, Map<string, Map<string, number>>>

interface Tables {
  numbers: Numbers
  names: Map<number, Locality>
}

const WHOLE_REGION = ''

let tables: Tables | undefined

function table(): Tables {
  if (tables) return tables
  tables = { numbers: new Map(), names: new Map() }
  for (const { country, code } of allRegions())
    put(tables, WHOLE_REGION, { country, region: code, city: '' }, `${country}-${code}`)
  for (const { country, region, folded, name } of allCities())
    if (region !== '') put(tables, folded, { country, region, city: name }, `${country}-${region}-${folded}`)
  return tables
}

/** The first with a name is the most populous. */
function put({ numbers, names }: Tables, folded: string, locality: Locality, code: string): void {
  const cities = inside(inside(numbers, locality.country), locality.region)
  if (cities.has(folded)) return
  const number = hash48(code)
  cities.set(folded, number)
  names.set(number, locality)
}

function inside<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  let map = maps.get(key)
  if (map === undefined) {
    map = new Map()
    maps.set(key, map)
  }
  return map
}

/** Of the city if our table has it, otherwise of the region; 0 if neither is known. `city` is folded by foldName. */
export function localityOf(country: string | null, region: string | null, city: string | null): number {
  if (country === null || region === null) return 0
  const cities = table().numbers.get(country)?.get(region)
  if (cities === undefined) return 0
  return (city === null ? undefined : cities.get(city)) ?? cities.get(WHOLE_REGION) ?? 0
}

export function localityNamed(number: number): Locality | null {
  return table().names.get(number) ?? null
}

/** How many there are, by their codes and by their numbers. */
export function countLocalities(): { codes: number; numbers: number } {
  let codes = 0
  for (const regions of table().numbers.values()) for (const cities of regions.values()) codes += cities.size
  return { codes, numbers: table().names.size }
}

const HIGH_OFFSET = 0x811c9dc5
const LOW_OFFSET = 0x1b873593
const PRIME = 0x01000193

/** FNV-1a twice, 24 bits of each: good enough for names that no attacker chooses, and cheap for 50,000 of them. */
function hash48(text: string): number {
  const bytes = Buffer.from(text)
  let high = HIGH_OFFSET
  let low = LOW_OFFSET
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    high = Math.imul(high ^ byte, PRIME)
    low = Math.imul(low ^ byte, PRIME)
  }
  return ((high ^ (high >>> 24)) & 0xffffff) * 0x1000000 + ((low ^ (low >>> 24)) & 0xffffff)
}
