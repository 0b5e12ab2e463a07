// Typeahead over countries, states and cities: names and codes by folded prefix. The index has one list per first
// letter, which the first query that needs it completes and sorts. A query reads only the matching entries and keeps
// only the best.
import { allCities, type City } from './cities.ts'
import { CANONICAL_CITY } from './city-aliases.ts'
import { COUNTRIES, type Country, countryCode, countryName } from './countries.ts'
import { foldText, writtenOut } from './fold.ts'
import { EVERYWHERE } from './geo.ts'
import { allRegions, knownRegionCode, type Region, regionName, regionsOf } from './regions.ts'

export interface FoundPlace {
  /** In the form that `parsePlace` accepts: 'CA-ON-Toronto', or '*'. */
  value: string
  label: string
  kind: 'everywhere' | 'country' | 'state' | 'city'
  lat?: number
  lon?: number
}

export const DEFAULT_PLACES = 10
export const MAX_PLACES = 50
const MAX_QUERY_UNITS = 100

type Item = Country | Region | City

/** One word by which a place is found; a lower rank is shown earlier. */
interface Key {
  word: string
  rank: number
  /** Matches only the whole word: codes, and a state's names in other languages. */
  whole: boolean
  item: Item
}

// Ranks: first codes, then countries, states and cities; within these, by population.
const CODE_RANK = 0
const STATE_CODE_RANK = 1_000
const COUNTRY_RANK = 1_000_000
const STATE_RANK = 2_000_000
const CITY_RANK = 3_000_000

const PLAIN_FIRST = /^[A-Za-z0-9]/

// Dozens of states share a short code; only the most populous are shown.
const MAX_STATES_BY_CODE = 3

interface Letter {
  keys: Key[]
  /** Cities with a word of this letter, as indexes of the list of all cities; their keys are not made yet. */
  cities: number[]
  isComplete: boolean
}

let index: ReadonlyMap<string, Letter> | undefined

/** Builds the index now, so that the first search does not have to. */
export function prepareSearch(): void {
  index ??= build()
}

function build(): Map<string, Letter> {
  const letters = new Map<string, Letter>()
  const letterOf = (first: string) => {
    let letter = letters.get(first)
    if (!letter) {
      letter = { keys: [], cities: [], isComplete: false }
      letters.set(first, letter)
    }
    return letter
  }
  const add = (word: string, rank: number, item: Item, whole = false) => {
    if (word !== '') letterOf(word[0]!).keys.push({ word, rank, whole, item })
  }
  const addAll = (words: string[], rank: number, item: Item, whole = false) => {
    for (const word of new Set(words)) add(word, rank, item, whole)
  }
  const cities = allCities()
  const order = orderByCities(cities)
  COUNTRIES.forEach((country, at) => {
    const rank = order.get(country.code) ?? cities.length + at
    const codes = [country.code, country.alpha3].map(foldText)
    addAll([...codes, ...country.names.filter(name => name.length <= 3)], CODE_RANK, country, true)
    addAll(country.names, COUNTRY_RANK + rank, country)
  })
  for (const region of allRegions()) {
    const full = `${region.country}-${region.code}`
    const rank = order.get(full) ?? cities.length
    const codes = region.code.length > 1 ? [region.code, full] : [full]
    addAll(codes.map(foldText), STATE_CODE_RANK + rank, region, true)
    addAll([foldText(full), ...region.names], STATE_RANK + rank, region)
    addAll(region.otherNames, STATE_RANK + rank, region, true)
  }
  cities.forEach((city, at) => {
    const [first, other] = [firstLetter(city.name), city.folded.charAt(0)]
    letterOf(first).cities.push(at)
    if (other !== first) letterOf(other).cities.push(at)
    for (const alias of aliases().get(city.folded) ?? []) {
      const { cities: those } = letterOf(alias.charAt(0))
      if (those.at(-1) !== at) those.push(at)
    }
  })
  return letters
}

/** The first letter of the folded name. Most names begin with a plain letter, and need not be folded for it. */
function firstLetter(name: string): string {
  return PLAIN_FIRST.test(name) ? name.charAt(0).toLowerCase() : foldText(name).charAt(0)
}

/** Adds the keys of the letter's cities, and sorts all keys. */
function complete(letter: Letter, first: string): void {
  const all = allCities()
  for (const at of letter.cities) {
    const city = all[at]!
    const words = new Set([foldText(city.name), city.folded, ...(aliases().get(city.folded) ?? [])])
    for (const word of words)
      if (word.startsWith(first)) letter.keys.push({ word, rank: CITY_RANK + at, whole: false, item: city })
  }
  letter.cities = []
  letter.keys.sort(byWord)
  letter.isComplete = true
}

/** The sorted keys that begin with the same letter as the word. */
function keysLike(word: string): readonly Key[] {
  prepareSearch()
  const letter = index!.get(word[0]!)
  if (!letter) return []
  if (!letter.isComplete) complete(letter, word[0]!)
  return letter.keys
}

function byWord(a: Key, b: Key): number {
  if (a.word === b.word) return a.rank - b.rank
  return a.word < b.word ? -1 : 1
}

/** A country or state ranks with its most populous city. */
function orderByCities(cities: readonly City[]): Map<string, number> {
  const order = new Map<string, number>()
  const seen = new Map<string, Set<string>>()
  cities.forEach(({ country, region }, rank) => {
    const states = seen.get(country)
    if (states?.has(region)) return
    order.set(`${country}-${region}`, rank)
    if (states) states.add(region)
    else {
      seen.set(country, new Set([region]))
      order.set(country, rank)
    }
  })
  return order
}

let aliasesByName: Map<string, string[]> | undefined

function aliases(): Map<string, string[]> {
  if (aliasesByName) return aliasesByName
  aliasesByName = new Map()
  for (const [alias, name] of CANONICAL_CITY)
    aliasesByName.set(name, [...(aliasesByName.get(name) ?? []), alias])
  return aliasesByName
}

/**
 * Places whose name or code begins with the text: codes, then countries, states, and cities by population. States take
 * at most half of the answer if there are enough cities for the rest. 'CA-ON-Tor' and 'Toronto, Ontario' limit the
 * search to a state or country.
 */
export function searchPlaces(q: string, limit: number = DEFAULT_PLACES): FoundPlace[] {
  const most = Math.max(0, Math.min(Math.trunc(limit) || 0, MAX_PLACES))
  if (most === 0) return []
  const text = q.slice(0, MAX_QUERY_UNITS)
  const world = meansEverywhere(text) ? [WORLD] : []
  const { words, within } = readQuery(text)
  const best: Best = { codes: [], stateCodes: [], countries: [], states: [], cities: [] }
  for (const word of words) collect(word, within, best, most)
  return [...world, ...arrange(best, most).map(placeOf)].slice(0, most)
}

const WORLD: FoundPlace = { value: EVERYWHERE, label: 'Everywhere', kind: 'everywhere' }
const WORLD_NAMES = ['everywhere', 'worldwide', 'uberall', 'ueberall', 'weltweit']

/** Needs at least three letters: with fewer, most people mean a town. */
function meansEverywhere(text: string): boolean {
  const folded = foldText(text)
  return (
    text.trim() === EVERYWHERE || (folded.length > 2 && WORLD_NAMES.some(name => name.startsWith(folded)))
  )
}

export interface Box {
  west: number
  south: number
  east: number
  north: number
}

/** Cities and towns within an area of the map, the most populous first. */
export function townsIn({ west, south, east, north }: Box, limit: number): FoundPlace[] {
  const found: FoundPlace[] = []
  for (const city of allCities()) {
    if (found.length >= limit) break
    const { lat, lon } = city
    const between = west <= east ? lon >= west && lon <= east : lon >= west || lon <= east
    if (between && lat >= south && lat <= north) found.push(placeOf(city))
  }
  return found
}

export function statesOf(country: string): FoundPlace[] {
  return regionsOf(country)
    .map(placeOf)
    .sort((a, b) => (a.value < b.value ? -1 : 1))
}

interface Hit {
  item: Item
  rank: number
}
type Best = Record<'codes' | 'stateCodes' | 'countries' | 'states' | 'cities', Hit[]>

function classOf(rank: number): keyof Best {
  if (rank >= CITY_RANK) return 'cities'
  if (rank >= STATE_RANK) return 'states'
  if (rank >= COUNTRY_RANK) return 'countries'
  return rank >= STATE_CODE_RANK ? 'stateCodes' : 'codes'
}

function collect(word: string, within: (item: Item) => boolean, best: Best, most: number): void {
  const list = keysLike(word)
  for (let at = lowerBound(list, word); at < list.length; at++) {
    const key = list[at]!
    if (!key.word.startsWith(word)) return
    if (key.whole && key.word.length !== word.length) continue
    const hits = best[classOf(key.rank)]
    if (hits.length >= most && key.rank >= hits[hits.length - 1]!.rank) continue
    if (hits.some(hit => hit.item === key.item) || !within(key.item)) continue
    insert(hits, key, most)
  }
}

/** The index of the first key that is not before the word. */
function lowerBound(list: readonly Key[], word: string): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle]!.word < word) low = middle + 1
    else high = middle
  }
  return low
}

function insert(hits: Hit[], { item, rank }: Hit, most: number): void {
  let at = hits.length
  while (at > 0 && hits[at - 1]!.rank > rank) at--
  hits.splice(at, 0, { item, rank })
  if (hits.length > most) hits.pop()
}

function arrange(best: Best, most: number): Item[] {
  const stateCodes = best.stateCodes.slice(0, MAX_STATES_BY_CODE)
  const room = Math.max(Math.ceil(most / 2), most - best.cities.length) - stateCodes.length
  const states = best.states.filter(hit => !stateCodes.some(({ item }) => item === hit.item))
  const inOrder = [
    ...best.codes,
    ...stateCodes,
    ...best.countries,
    ...states.slice(0, Math.max(0, room)),
    ...best.cities,
  ]
  return [...new Set(inOrder.map(hit => hit.item))].slice(0, most)
}

function placeOf(item: Item): FoundPlace {
  if (!('country' in item)) return { value: item.code, label: item.name, kind: 'country' }
  const country = countryName(item.country)
  if (!('lat' in item)) {
    return { value: `${item.country}-${item.code}`, label: `${item.name}, ${country}`, kind: 'state' }
  }
  const { region, name, lat, lon } = item
  const label = `${name}, ${regionName(item.country, region)}, ${country}`
  return { value: `${item.country}-${region}-${name}`, label, kind: 'city', lat, lon }
}

interface Query {
  /** Folded beginnings to look up; none for an empty query. */
  words: string[]
  within: (item: Item) => boolean
}

function readQuery(q: string): Query {
  const parts = q.split('-')
  const country = parts.length > 2 ? countryCode(parts[0]!.trim()) : null
  const region = country ? knownRegionCode(country, parts[1]!.trim()) : null
  if (region) {
    const words = beginnings(parts.slice(2).join('-'))
    const inState = (item: Item) => 'lat' in item && item.country === country && item.region === region
    if (words.length > 0) return { words, within: inState }
    return { words: [foldText(`${country} ${region}`)], within: () => true }
  }
  const [first, ...rest] = q.split(',')
  const around = rest.map(foldText).filter(part => part !== '')
  return { words: beginnings(first!), within: item => around.every(part => liesIn(item, part)) }
}

/** 'st paul' is searched both as it is and as 'saint paul'. */
function beginnings(text: string): string[] {
  const folded = foldText(text)
  return folded === '' ? [] : [...new Set([folded, writtenOut(folded.split(' '))])]
}

/** Whether a name or code of the state or country around the place begins with the text. */
function liesIn(item: Item, part: string): boolean {
  if (!('country' in item)) return false
  const around = [item.country, countryName(item.country)]
  if ('lat' in item) around.push(item.region, regionName(item.country, item.region))
  return around.some(name => name !== null && foldText(name).startsWith(part))
}
