// Cities with at least 5,000 people and state capitals, from GeoNames (data/NOTICE.md), and cities named by a
// UN/LOCODE. Read on first use, so that a process that needs none pays nothing.
import { readFileSync } from 'node:fs'
import { foldName } from './fold.ts'
import { nearest } from './near.ts'

export interface City {
  country: string
  /** ISO 3166-2 without the country. */
  region: string
  name: string
  /** Folded by `foldName`. */
  folded: string
  lat: number
  lon: number
}

let cities: readonly City[] | undefined

/** All cities, the most populous first. */
export function allCities(): readonly City[] {
  cities ??= readCities(textOf('cities'))
  return cities
}

/** Reads in one pass: every start reads 50,000 lines, and splitting them into lists would take twice as long. */
function readCities(text: string): City[] {
  const found: City[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const region = text.indexOf('\t', from) + 1
    const name = text.indexOf('\t', region) + 1
    const lat = text.indexOf('\t', name) + 1
    const lon = text.indexOf('\t', lat) + 1
    const more = text.indexOf('\t', lon) + 1
    // Present only if it differs from the name in lower case.
    const hasFolded = more > 0 && more <= end
    const shown = text.slice(name, lat - 1)
    found.push({
      country: text.slice(from, region - 1),
      region: text.slice(region, name - 1),
      name: shown,
      folded: hasFolded ? text.slice(more, end) : shown.toLowerCase(),
      lat: Number(text.slice(lat, lon - 1)),
      lon: Number(text.slice(lon, hasFolded ? more - 1 : end)),
    })
    from = end + 1
  }
  return found
}

/** Every line of the file ends with a line break. */
function textOf(file: 'cities' | 'locodes'): string {
  return readFileSync(new URL(`./data/${file}.tsv`, import.meta.url), 'utf8')
}

let byName: Map<string, City[]> | undefined

function citiesByName(): Map<string, City[]> {
  if (byName) return byName
  byName = new Map()
  for (const city of allCities()) {
    const same = byName.get(city.folded)
    if (same) same.push(city)
    else byName.set(city.folded, [city])
  }
  return byName
}

/** The most populous city with this name in the world, a country or a state; null if there is none. */
export function findCity(name: string, country?: string, region?: string): City | null {
  const same = citiesByName().get(foldName(name)) ?? []
  const fits = (city: City) =>
    (country === undefined || city.country === country) && (region === undefined || city.region === region)
  return same.find(fits) ?? null
}

/** `folded` is the name folded by `foldName`. */
export function knowsCity(country: string, region: string, folded: string): boolean {
  const same = citiesByName().get(folded) ?? []
  if (same.some(city => city.country === country && city.region === region)) return true
  locodeCities ??= new Set(
    [...locodeTable().values()].map(named => `${named.country}-${named.region}-${named.city}`),
  )
  return locodeCities.has(`${country}-${region}-${folded}`)
}

let locodeCities: Set<string> | undefined

/** The city that an unknown folded name may mean: one with a similar name in its state, or the same name elsewhere. */
export function suggestCity(country: string, region: string, folded: string): City | null {
  const inRegion = citiesOf(country, region)
  const [near] = nearest(folded, inRegion, city => city.folded, 1)
  return near ?? findCity(folded, country)
}

let byRegion: Map<string, City[]> | undefined

/** The cities of a region, the most populous first. */
export function citiesOf(country: string, region: string): readonly City[] {
  if (!byRegion) {
    byRegion = new Map()
    for (const city of allCities()) {
      const key = `${city.country}-${city.region}`
      const same = byRegion.get(key)
      if (same) same.push(city)
      else byRegion.set(key, [city])
    }
  }
  return byRegion.get(`${country}-${region}`) ?? []
}

export interface LocodeCity {
  country: string
  region: string
  /** Folded by foldName, as personas and requests carry it. */
  city: string
  name: string
}

let locodes: Map<string, LocodeCity> | undefined

function locodeTable(): Map<string, LocodeCity> {
  locodes ??= new Map(
    textOf('locodes')
      .trimEnd()
      .split('\n')
      .map(line => {
        const [code, region, name] = line.split('\t') as [string, string, string]
        return [code, { country: code.slice(0, 2), region, city: foldName(name), name }]
      }),
  )
  return locodes
}

// Upper case only: 'Indri' is a town, INDRI is the code of another town.
const LOCODE = /^([A-Z]{2}) ?([A-Z2-9]{3})$/

/**
 * The city of a UN/LOCODE ('CATOR', 'CA TOR'); null if it is not in our table or not a code. Pass the country of the
 * request: 'MILAN' looks like a code too, and only the country of a code shows the difference.
 */
export function cityFromLocode(code: string, country?: string): LocodeCity | null {
  const parts = LOCODE.exec(code)
  if (!parts) return null
  const found = locodeTable().get(parts[1]! + parts[2]!)
  return found && (country === undefined || found.country === country) ? found : null
}
