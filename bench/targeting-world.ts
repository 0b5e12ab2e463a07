// An invented world for the targeting bench: cities by size, most of them in five countries, with personas and requests
// distributed as advertisers and visitors are.

import type { TargetingEntry } from '../src/deliver/targeting/personas.ts'
import type { AdRequest, RequestAttribute, Size } from '../src/deliver/targeting/request.ts'
import type { Targeting } from '../src/manage/personas/matched-form.ts'
import { SILENT_REQUEST } from '../test/support/ad-request.ts'

export interface World {
  random: () => number
  entry(pid: number): TargetingEntry
  request(): AdRequest
}

interface City {
  country: string
  region: string
  city: string
  lat: number
  lon: number
}

const CITIES = 20_000
const BIG_COUNTRIES = ['US', 'CA', 'GB', 'DE', 'FR']
const SIZES: Size[] = [
  [300, 250],
  [728, 90],
  [320, 50],
  [160, 600],
  [300, 600],
  [970, 250],
  [336, 280],
  [320, 100],
  [468, 60],
  [120, 600],
  [970, 90],
  [300, 50],
  [250, 250],
  [200, 200],
  [240, 400],
  [300, 1050],
  [320, 480],
  [480, 320],
  [768, 1024],
  [1024, 768],
].map(([width, height]) => ({ width: width!, height: height! }))
const TIER_1 = 26
const SUBS = 14

/** Ten attributes: choices of 20 values, words of 500, and numbers. Some values are far more common than others. */
const KEYS = Array.from({ length: 10 }, (_, at) => ({
  name: `1/k${at}`,
  values: [20, 20, 20, 20, 20, 500, 500, 500, 0, 0][at]!,
}))
type Key = (typeof KEYS)[number]

/**
 * The same world with attributes: six in ten personas want one to three of them, and requests say all ten. They are
 * drawn by numbers of their own, so that everything else is as without them.
 */
export function withAttributes(world: World, random: () => number): World {
  const word = (key: Key) => `v${Math.floor(key.values ** random()) - 1}`
  const words = (key: Key, most: number) => Array.from({ length: 1 + below(random, most) }, () => word(key))
  const wanted = (key: Key) => {
    const none = { name: key.name, any: null, all: null, none: null, min: null, max: null }
    if (key.values === 0) return { ...none, min: below(random, 100) }
    return random() < 0.15
      ? { ...none, none: new Set(words(key, 3)) }
      : { ...none, any: new Set(words(key, 3)) }
  }
  const said = (key: Key): RequestAttribute =>
    key.values === 0
      ? { name: key.name, words: [], number: below(random, 100) }
      : { name: key.name, words: [...new Set(words(key, key.values > 100 ? 4 : 1))], number: null }
  return {
    random: world.random,
    entry(pid) {
      const entry = world.entry(pid)
      if (random() >= 0.6) return entry
      const keys = new Set(
        Array.from({ length: 1 + below(random, 3) }, () => KEYS[below(random, KEYS.length)]!),
      )
      return { ...entry, targeting: { ...entry.targeting, attributes: [...keys].map(wanted) } }
    },
    request: () => ({ ...world.request(), attributes: KEYS.map(said) }),
  }
}

export function createWorld(random: () => number): World {
  const cities = Array.from({ length: CITIES }, (_, at) => randomCity(random, at))
  // Visitors and advertisers crowd into large cities: the rank follows a power law.
  const city = () => cities[Math.floor(CITIES ** random()) - 1]!
  return {
    random,
    entry: pid => randomEntry(random, city, pid),
    request: () => randomRequest(random, city()),
  }
}

function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit)
}

function randomCity(random: () => number, at: number): City {
  const big = random() < 0.6
  const country = big ? BIG_COUNTRIES[below(random, 5)]! : `X${String.fromCharCode(65 + below(random, 26))}`
  const lat = random() * 120 - 55
  return { country, region: `R${below(random, 30)}`, city: `city ${at}`, lat, lon: random() * 360 - 180 }
}

function randomGeo(random: () => number, city: () => City): Targeting['geo'] {
  const kind = random()
  if (kind < 0.15) {
    const { lat, lon } = city()
    const near = () => (random() - 0.5) * 0.3
    return { radius: { lat: lat + near(), lon: clampLon(lon + near()), radiusM: 500 * 100 ** random() } }
  }
  if (kind < 0.19) return { places: Array.from({ length: 25 }, () => ({ country: city().country })) }
  const places = Array.from({ length: 1 + below(random, 3) }, () => {
    const at = city()
    if (kind < 0.49) return { country: at.country }
    if (kind < 0.75) return { country: at.country, region: at.region }
    return { country: at.country, region: at.region, city: at.city }
  })
  return { places }
}

function clampLon(lon: number): number {
  return Math.max(-180, Math.min(180, lon))
}

function randomCode(random: () => number): string {
  const parent = `IAB${1 + Math.floor(TIER_1 * random() ** 1.5)}`
  return random() < 0.35 ? parent : `${parent}-${1 + below(random, SUBS)}`
}

function randomEntry(random: () => number, city: () => City, pid: number): TargetingEntry {
  const half = () => random() < 0.5
  const all = random() < 0.5
  const [mobile, tablet, desktop] = all ? [true, true, true] : [half(), half(), half()]
  const age = () => ({
    '13to17': random() < 0.2,
    '18to34': random() < 0.7,
    '35to49': random() < 0.6,
    '50+': half(),
  })
  const sizes = Array.from(
    { length: 1 + below(random, 5) },
    () => SIZES[Math.floor(SIZES.length * random() ** 1.5)]!,
  )
  return {
    pid,
    priceMicros: Math.max(1, Math.round(100 * Math.exp(gauss(random) * 0.8 + 0.7))) * 10_000,
    sizes: [...new Set(sizes)],
    targeting: {
      geo: randomGeo(random, city),
      cat: random() < 0.3 ? [] : Array.from({ length: 1 + below(random, 5) }, () => randomCode(random)),
      device: { mobile, tablet, desktop: desktop || !(mobile || tablet) },
      gender: random() < 0.6 ? null : { male: half(), female: half(), unknown: half() },
      age: random() < 0.6 ? null : age(),
    },
  }
}

function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function randomRequest(random: () => number, at: City): AdRequest {
  const sizes = Array.from(
    { length: 1 + below(random, 2) },
    () => SIZES[Math.floor(SIZES.length * random() ** 1.5)]!,
  )
  const near = () => (random() - 0.5) * 0.2
  const known = random() < 0.5
  const slot = { id: '1', sizes, floorMicros: 100_000, secure: true, mimes: null, blockedAttributes: [] }
  return {
    ...SILENT_REQUEST,
    slots: [slot],
    country: at.country,
    region: at.region,
    city: at.city,
    lat: at.lat + near(),
    lon: clampLon(at.lon + near()),
    categories: Array.from({ length: 1 + below(random, 3) }, () => randomCode(random)),
    device: (['mobile', 'tablet', 'desktop'] as const)[Math.floor(3 * random() ** 1.5)]!,
    gender: known ? (['male', 'female'] as const)[below(random, 2)]! : null,
    age: known ? (['13to17', '18to34', '35to49', '50+'] as const)[below(random, 4)]! : null,
    userKey: 'u',
  }
}
