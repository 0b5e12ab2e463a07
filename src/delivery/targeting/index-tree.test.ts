import { describe, expect, it } from 'vitest'
import type { Targeting } from '../../catalog/live.ts'
import type { AdRequest, Slot } from '../request.ts'
import { createTargetingIndex, type TargetingIndex, TIE_LIMIT } from './index-tree.ts'
import { matches } from './match.ts'
import type { TargetingEntry } from './personas.ts'
import { createPrng, seedFromEnv } from './prng.ts'

// A small world, so that personas meet, nodes fill up and prices tie.
const COUNTRIES = ['CA', 'US']
const REGIONS = ['ON', 'QC', 'NY']
const CITIES = ['toronto', 'st. john-s', 'x']
const CODES = ['IAB1', 'IAB1-1', 'IAB1-2', 'IAB2', 'IAB2-1', 'IAB10', 'IAB10-1']
const SIZES = Array.from({ length: 26 }, (_, at) => ({ width: 100 + (at >> 1), height: 50 + (at & 1) }))
const CENTERS = [
  [43.65, -79.38],
  [0, 179.9999],
  [12, -180],
  [90, 0],
  [-89.99, 77],
]
const PRICES = [0, 10_000, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 10_000, 999_999_999_990_000, 1e15]

type Random = () => number

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)]!
}

function some<Value>(random: Random, values: readonly Value[], most: number): Value[] {
  return Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, values))
}

function randomGeo(random: Random): Targeting['geo'] {
  if (random() < 0.3) {
    const [lat, lon] = pick(random, CENTERS) as [number, number]
    return { radius: { lat, lon, radiusM: 10 ** (random() * 6) } }
  }
  const places = some(random, COUNTRIES, 3).map(country => {
    if (random() < 0.4) return { country }
    const region = pick(random, REGIONS)
    if (random() < 0.5) return { country, region }
    const city = pick(random, CITIES)
    return random() < 0.05 ? { country, city } : { country, region, city }
  })
  return { places }
}

function randomEntry(random: Random, pid: number): TargetingEntry {
  const yes = () => random() < 0.6
  const anyDevice = random() < 0.4
  const device = () => anyDevice || yes()
  const age = () => ({ '13to17': yes(), '18to34': yes(), '35to49': yes(), '50+': yes() })
  return {
    pid,
    priceMicros: random() < 0.7 ? pick(random, PRICES) : Math.floor(random() * 50) * 10_000,
    sizes: random() < 0.02 ? [] : some(random, SIZES, random() < 0.05 ? 40 : 3),
    targeting: {
      geo: randomGeo(random),
      cat: random() < 0.4 ? [] : some(random, CODES, 3),
      device: { mobile: device(), tablet: device(), desktop: device() },
      gender: random() < 0.5 ? null : { male: yes(), female: yes(), unknown: yes() },
      age: random() < 0.5 ? null : age(),
    },
  }
}

function maybe<Value>(random: Random, value: Value): Value | null {
  return random() < 0.85 ? value : null
}

function randomRequest(random: Random): AdRequest {
  const [lat, lon] = pick(random, CENTERS) as [number, number]
  const away = 10 ** (random() * 6 - 5)
  return {
    id: 'r',
    slots: [],
    country: maybe(random, pick(random, COUNTRIES)),
    region: maybe(random, pick(random, REGIONS)),
    city: maybe(random, pick(random, CITIES)),
    lat: maybe(random, Math.max(-90, Math.min(90, lat + (random() - 0.5) * away))),
    lon: maybe(
      random,
      Math.max(-180, Math.min(180, (random() < 0.2 ? -lon : lon) + (random() - 0.5) * away)),
    ),
    categories: random() < 0.2 ? [] : some(random, [...CODES, 'IAB26-4'], 3),
    device: maybe(random, pick(random, ['mobile', 'tablet', 'desktop'] as const)),
    gender: random() < 0.5 ? null : pick(random, ['male', 'female'] as const),
    age: random() < 0.5 ? null : pick(random, ['13to17', '18to34', '35to49', '50+'] as const),
    userKey: null,
    blockedCategories: [],
    blockedDomains: [],
    test: false,
    site: null,
    app: null,
    os: null,
  }
}

function slotFor(sizes: Slot['sizes'], floorMicros = 0): Slot {
  return { id: 's', sizes, floorMicros, secure: false, mimes: null, blockedAttributes: [] }
}

function fits(entry: TargetingEntry, request: AdRequest, slot: Slot): boolean {
  if (entry.priceMicros < slot.floorMicros || !matches(entry.targeting, request)) return false
  return entry.sizes.some(a => slot.sizes.some(b => a.width === b.width && a.height === b.height))
}

const sorted = (pids: number[]) => pids.sort((a, b) => a - b)
const everyone = () => true

/** Compares the index with a look at everyone, for one random request. */
function compare(random: Random, index: TargetingIndex, all: Map<number, TargetingEntry>): number {
  const request = randomRequest(random)
  const slot = slotFor(
    some(random, [...SIZES, { width: 1, height: 1 }], 3),
    random() < 0.5 ? 0 : pick(random, PRICES),
  )
  const prepared = index.prepare(request)
  const matching = [...all.values()].filter(entry => fits(entry, request, slot))
  const walked = index.search(prepared, slot, everyone, Number.POSITIVE_INFINITY)
  expect(sorted([...walked])).toEqual(sorted(matching.map(entry => entry.pid)))
  const prices = walked.map(pid => all.get(pid)!.priceMicros)
  expect(prices).toEqual([...prices].sort((a, b) => b - a))

  const share = random()
  const acceptable = new Set(matching.filter(() => random() < share).map(entry => entry.pid))
  const asked: number[] = []
  const accept = (pid: number, priceMicros: number) => {
    asked.push(pid)
    return priceMicros === all.get(pid)!.priceMicros && acceptable.has(pid)
  }
  const accepted = matching.filter(entry => acceptable.has(entry.pid))
  const top = Math.max(...accepted.map(entry => entry.priceMicros))
  const ties = accepted.filter(entry => entry.priceMicros === top).map(entry => entry.pid)
  const best = index.searchBest(prepared, slot, accept, Number.POSITIVE_INFINITY)
  expect(best === null ? null : { ...best, pids: sorted(best.pids) }).toEqual(
    ties.length === 0 ? null : { priceMicros: top, pids: sorted(ties) },
  )
  expect(new Set(asked).size).toBe(asked.length)
  const limited = index.searchBest(prepared, slot, accept)?.pids ?? []
  expect(limited.length).toBe(Math.min(TIE_LIMIT, ties.length))
  expect(limited.every(pid => ties.includes(pid))).toBe(true)
  return matching.length
}

describe('the index finds exactly what the matcher finds', () => {
  it('while personas come, change, go and come back, down to the last one', { timeout: 120_000 }, () => {
    const seed = seedFromEnv()
    console.log(`SEED=${seed}`)
    const random = createPrng(seed)
    const index = createTargetingIndex(random)
    const all = new Map<number, TargetingEntry>()
    const gone: number[] = []
    let found = 0
    let splits = 0
    const put = (pid: number) => {
      const entry = randomEntry(random, pid)
      all.set(pid, entry)
      index.put(entry)
    }
    const removeOne = () => {
      const pid = pick(random, [...all.keys()])
      all.delete(pid)
      gone.push(pid)
      expect(index.remove(pid)).toBe(true)
    }
    for (let step = 0; step < 16_000; step++) {
      const growing = step < 8000
      const what = random()
      if (growing ? what < 0.75 : what < 0.05) {
        put(gone.length > 0 && random() < 0.3 ? gone.pop()! : Number.MAX_SAFE_INTEGER - step)
      } else if (all.size > 0 && what < 0.85) {
        if (growing && random() < 0.5) put(pick(random, [...all.keys()]))
        else removeOne()
      }
      if (step % 40 === 0 || all.size < 3) found += compare(random, index, all)
      if (step % 500 === 0) splits = Math.max(splits, index.stats().splitNodes)
      expect(index.size).toBe(all.size)
    }
    expect(found).toBeGreaterThan(1000)
    expect(splits).toBeGreaterThan(20)
    while (all.size > 0) removeOne()
    expect(compare(random, index, all)).toBe(0)
    expect(index.stats()).toEqual({
      personas: 0,
      nodes: 0,
      splitNodes: 0,
      blockLeaves: 0,
      reservedPostings: 0,
      pages: 1,
    })
  })

  it('where everyone has the same price and all stand in a few large leaves', () => {
    const seed = seedFromEnv()
    console.log(`SEED=${seed}`)
    const random = createPrng(seed)
    const index = createTargetingIndex(random)
    const all = new Map<number, TargetingEntry>()
    for (let pid = 1; pid <= 3000; pid++) {
      const entry = {
        ...randomEntry(random, pid),
        priceMicros: pick(random, [1_000_000, 1_000_000, 1_000_000, 2_000_000]),
      }
      const targeting = { ...entry.targeting, cat: [], geo: { places: [{ country: 'CA' }] } }
      all.set(pid, { ...entry, sizes: SIZES.slice(0, 2), targeting })
      index.put(all.get(pid)!)
    }
    expect(index.stats().blockLeaves).toBeGreaterThan(0)
    for (let round = 0; round < 60; round++) compare(random, index, all)
    for (let pid = 1; pid <= 2950; pid++) {
      all.delete(pid)
      index.remove(pid)
      if (pid % 50 === 0) compare(random, index, all)
    }
  })
})

const anyone: Targeting = {
  geo: { places: [{ country: 'CA' }] },
  cat: [],
  device: { mobile: true, tablet: true, desktop: true },
  gender: null,
  age: null,
}
const oneSize = [{ width: 300, height: 250 }]
const visitor: AdRequest = {
  ...randomRequest(createPrng(1)),
  country: 'CA',
  categories: ['IAB1-1'],
  device: 'mobile',
  gender: 'female',
  age: '18to34',
}

function entryOf(pid: number, priceMicros: number, targeting: Partial<Targeting> = {}): TargetingEntry {
  return { pid, priceMicros, sizes: oneSize, targeting: { ...anyone, ...targeting } }
}

describe('a crowd in one bucket', () => {
  it('of 100,000 whom nobody can see hides none who can be seen, and asks about nobody else', () => {
    const index = createTargetingIndex(createPrng(7))
    const desktopOnly = { mobile: false, tablet: false, desktop: true }
    for (let pid = 1; pid <= 100_000; pid++)
      index.put(entryOf(pid, (pid % 977) * 10_000, { device: desktopOnly }))
    const asked: number[] = []
    const accept = (pid: number) => asked.push(pid) > 0
    expect(index.searchBest(index.prepare(visitor), slotFor(oneSize), accept)).toBeNull()
    index.put(entryOf(200_000, 5_000_000))
    expect(index.searchBest(index.prepare(visitor), slotFor(oneSize), accept)).toEqual({
      priceMicros: 5_000_000,
      pids: [200_000],
    })
    expect(asked).toEqual([200_000])
    const desktop = index.searchBest(
      index.prepare({ ...visitor, device: 'desktop' }),
      slotFor(oneSize),
      everyone,
    )
    expect(desktop!.priceMicros).toBe(9_760_000)
    expect(desktop!.pids.length).toBe(TIE_LIMIT)
  })

  it('leaves nothing behind when it goes: the tree is as small as if it had never come', () => {
    const random = createPrng(11)
    const few = Array.from({ length: 40 }, (_, at) => randomEntry(random, at + 1))
    const small = createTargetingIndex(random)
    const crowded = createTargetingIndex(random)
    for (const entry of few) small.put(entry)
    for (const entry of few) crowded.put(entry)
    for (let pid = 1000; pid < 9000; pid++) crowded.put(randomEntry(random, pid))
    expect(crowded.stats().splitNodes).toBeGreaterThan(20)
    for (let pid = 1000; pid < 9000; pid++) crowded.remove(pid)
    const { nodes, splitNodes, blockLeaves, personas } = crowded.stats()
    const expected = small.stats()
    expect({ nodes, splitNodes, blockLeaves, personas }).toEqual({
      nodes: expected.nodes,
      splitNodes: 0,
      blockLeaves: 0,
      personas: 40,
    })
    expect(crowded.stats().reservedPostings).toBeLessThanOrEqual(expected.reservedPostings * 4)
  })

  it('does not split and merge again and again at the threshold', () => {
    const index = createTargetingIndex(createPrng(3))
    for (let pid = 1; pid <= 129; pid++) index.put(entryOf(pid, pid, { cat: ['IAB1'] }))
    expect(index.stats().splitNodes).toBe(1)
    for (let round = 0; round < 5; round++) {
      index.remove(129)
      expect(index.stats().splitNodes).toBe(1)
      index.put(entryOf(129, 129, { cat: ['IAB1'] }))
    }
  })
})

describe('a tie', () => {
  it('larger than the limit is drawn from evenly: everyone is offered, nobody three times as often as due', () => {
    const seed = seedFromEnv()
    console.log(`SEED=${seed}`)
    const index = createTargetingIndex(createPrng(seed))
    const tied = 1000
    // Some stand in many leaves, which must not help them.
    for (let pid = 1; pid <= tied; pid++) {
      const cat = pid % 2 === 0 ? [] : ['IAB1', 'IAB1-1']
      const places =
        pid % 3 === 0 ? [{ country: 'CA' }, { country: 'CA', region: 'ON' }] : [{ country: 'CA' }]
      index.put(entryOf(pid, 1_000_000, { cat, geo: { places } }))
    }
    const offers = new Float64Array(tied + 1)
    const rounds = 4000
    const prepared = index.prepare({ ...visitor, region: 'ON' })
    for (let round = 0; round < rounds; round++) {
      for (const pid of index.searchBest(prepared, slotFor(oneSize), everyone)!.pids) offers[pid]!++
    }
    const due = (rounds * TIE_LIMIT) / tied
    const shares = [...offers.subarray(1)].map(count => count / due)
    expect(Math.min(...shares)).toBeGreaterThan(0.3)
    expect(Math.max(...shares)).toBeLessThan(3)
    const oddShare =
      shares.filter((_, at) => at % 2 === 0).reduce((sum, share) => sum + share, 0) / (tied / 2)
    expect(Math.abs(oddShare - 1)).toBeLessThan(0.15)
  })
})

describe('the rules of use', () => {
  it('prices beyond 32 bits are told apart to the last micro-unit', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put(entryOf(1, 1e15 - 1))
    index.put(entryOf(2, 1e15))
    index.put(entryOf(3, 2 ** 32 + 5))
    index.put(entryOf(4, 5))
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone, 9)).toEqual([2, 1, 3, 4])
    expect(index.search(index.prepare(visitor), slotFor(oneSize, 2 ** 32 + 5), everyone, 9)).toEqual([
      2, 1, 3,
    ])
    expect(index.search(index.prepare(visitor), slotFor(oneSize, 1e15 + 1), everyone, 9)).toEqual([])
  })

  it('a request prepared before an update sees the update', () => {
    const index = createTargetingIndex(createPrng(1))
    const prepared = index.prepare(visitor)
    index.put(entryOf(1, 10))
    expect(index.search(prepared, slotFor(oneSize), everyone)).toEqual([1])
    index.remove(1)
    expect(index.search(prepared, slotFor(oneSize), everyone)).toEqual([])
  })

  it('a persona without banners is known but never found', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put({ ...entryOf(1, 10), sizes: [] })
    expect([index.has(1), index.size]).toEqual([true, 1])
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone)).toEqual([])
    index.put(entryOf(1, 10))
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone)).toEqual([1])
    expect(index.remove(1)).toBe(true)
    expect(index.remove(1)).toBe(false)
  })

  it('a place whose names run together is not taken for another', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put(entryOf(1, 10, { geo: { places: [{ country: 'CA', region: 'ON', city: 'x' }] } }))
    const search = (part: Partial<AdRequest>) =>
      index.search(index.prepare({ ...visitor, city: null, ...part }), slotFor(oneSize), everyone)
    expect(search({ region: 'ON', city: 'x' })).toEqual([1])
    expect(search({ region: 'ONx' })).toEqual([])
    expect(search({ region: 'O', city: 'Nx' })).toEqual([])
    expect(search({ country: 'CAON', region: '', city: 'x' })).toEqual([])
  })

  it('a persona of a thousand places and every category is found by each of them', () => {
    const index = createTargetingIndex(createPrng(1))
    const cat = Array.from({ length: 392 }, (_, at) => `IAB${at + 1}`)
    const places = Array.from({ length: 1000 }, (_, at) => ({ country: 'CA', region: 'ON', city: `c${at}` }))
    for (let pid = 1; pid <= 600; pid++)
      index.put(entryOf(pid, 5, { geo: { places: places.slice(0, 1) }, cat: ['IAB7'] }))
    index.put(entryOf(1000, 10, { geo: { places }, cat }))
    for (const [city, code] of [
      ['c0', 'IAB392-1'],
      ['c999', 'IAB1'],
      ['c0', 'IAB7'],
    ] as const) {
      const request = { ...visitor, region: 'ON', city, categories: [code] }
      expect(index.search(index.prepare(request), slotFor(oneSize), everyone)).toEqual([1000])
    }
    expect(
      index.search(
        index.prepare({ ...visitor, region: 'ON', city: 'c0', categories: ['IAB500'] }),
        slotFor(oneSize),
        everyone,
      ),
    ).toEqual([])
    const { reservedPostings } = index.stats()
    expect(reservedPostings).toBeLessThan(4000)
  })

  it('an accept() that uses the index is refused, and one that throws does no harm', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put(entryOf(1, 10))
    const prepared = index.prepare(visitor)
    expect(() => index.search(prepared, slotFor(oneSize), () => index.remove(1))).toThrow('accept()')
    expect(() =>
      index.search(
        prepared,
        slotFor(oneSize),
        () => index.search(prepared, slotFor(oneSize), everyone).length > 0,
      ),
    ).toThrow('accept()')
    expect(index.search(prepared, slotFor(oneSize), everyone, 5)).toEqual([1])
  })

  it('a persona without a price is refused and the one before it stays', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put(entryOf(1, 10))
    expect(() => index.put(entryOf(1, Number.NaN))).toThrow('no price')
    expect(() => index.put(entryOf(2, -1))).toThrow('no price')
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone, 5)).toEqual([1])
  })
})
