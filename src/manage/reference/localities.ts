// Regions and cities as 48-bit numbers, which links, events and figures contain. A number is a hash of the code, so it
// is the same in every process and version, whatever the order of our tables. Built on first use.

import { citiesOf } from './cities.ts'
import { allRegions } from './regions.ts'

export interface Locality {
  country: string
  /** ISO 3166-2 without the country. */
  region: string
  /** Spelled as in our table; empty if only the region is known. */
  city: string
}

/** The numbers of a region's cities by folded name. The region's own number has the empty name. */
type Numbers = Map<string, number>

const WHOLE_REGION = ''

/** By country and region; null until requested, because a process needs only a few of them. */
let regions: Map<string, Map<string, Numbers | null>> | undefined

/** The localities of all regions requested so far. */
const names = new Map<number, Locality>()

function table(): Map<string, Map<string, Numbers | null>> {
  if (regions) return regions
  regions = new Map()
  for (const { country, code } of allRegions()) {
    const known = regions.get(country)
    if (known) known.set(code, null)
    else regions.set(country, new Map([[code, null]]))
  }
  return regions
}

/** The numbers of a region; undefined if it does not exist. */
function numbersOf(country: string, region: string): Numbers | undefined {
  const known = table().get(country)
  const found = known?.get(region)
  if (found !== null) return found
  const whole = hash48(`${country}-${region}`)
  const numbers: Numbers = new Map([[WHOLE_REGION, whole]])
  names.set(whole, { country, region, city: '' })
  for (const { folded, name } of citiesOf(country, region)) {
    // Of several cities with a name, the first is the most populous.
    if (numbers.has(folded)) continue
    const number = hash48(`${country}-${region}-${folded}`)
    numbers.set(folded, number)
    names.set(number, { country, region, city: name })
  }
  known!.set(region, numbers)
  return numbers
}

/** The city's number if our table has it, else its region's; 0 if neither is known. `city` is folded by `foldName`. */
export function localityOf(country: string | null, region: string | null, city: string | null): number {
  if (country === null || region === null) return 0
  const numbers = numbersOf(country, region)
  if (numbers === undefined) return 0
  return (city === null ? undefined : numbers.get(city)) ?? numbers.get(WHOLE_REGION) ?? 0
}

/** If this process has not made the number yet, it may be of any region, so all regions are read. */
export function localityNamed(number: number): Locality | null {
  if (!names.has(number)) readAll()
  return names.get(number) ?? null
}

let isAllRead = false

function readAll(): void {
  if (isAllRead) return
  isAllRead = true
  for (const { country, code } of allRegions()) numbersOf(country, code)
}

/** Counts all localities, by their codes and by their numbers. */
export function countLocalities(): { codes: number; numbers: number } {
  readAll()
  const codes = allRegions().reduce((sum, { country, code }) => sum + numbersOf(country, code)!.size, 0)
  return { codes, numbers: names.size }
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
