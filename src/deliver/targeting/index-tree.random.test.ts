// The targeting index against the plain matcher, with random personas and requests. Prints its seed; SEED replays it.

import { describe, expect, it } from 'vitest'
import { SILENT_REQUEST, slotFor } from '../../../test/support/ad-request.ts'
import { createPrng, seedFromEnv } from '../../../test/support/prng.ts'
import { EVERYWHERE, type Targeting } from '../../manage/personas/matched-form.ts'
import { ASKED_PER_FOUND, createTargetingIndex, type TargetingIndex, TIE_LIMIT } from './index-tree.ts'
import { matches } from './match.ts'
import type { TargetingEntry } from './personas.ts'
import type { AdRequest, Slot } from './request.ts'

// A small world, so that personas collide, nodes fill up and prices tie.
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

const SECTIONS = ['sport', 'news', 'food']
const TAGS = ['a', 'b', 'c', 'd']
const PRICED = [0, 5, 10]

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
    if (random() < 0.1) return { country: EVERYWHERE }
    if (random() < 0.4) return { country }
    const region = pick(random, REGIONS)
    if (random() < 0.5) return { country, region }
    const city = pick(random, CITIES)
    return random() < 0.05 ? { country, city } : { country, region, city }
  })
  return { places }
}

const setOf = (random: Random, values: readonly string[]) =>
  random() < 0.5 ? null : new Set(some(random, values, 2))

function randomConditions(random: Random): Targeting['attributes'] {
  const [min, max] = [0, 0].map(() => maybe(random, pick(random, PRICED)))
  const none = { any: null, all: null, none: null, min: null, max: null }
  const all = [
    { ...none, name: '1/section', any: new Set(some(random, SECTIONS, 2)) },
    {
      ...none,
      name: '1/tags',
      any: setOf(random, TAGS),
      all: setOf(random, TAGS),
      none: setOf(random, TAGS),
    },
    { ...none, name: '1/price', min: min!, max: max! },
  ].filter(() => random() < 0.4)
  return all.length === 0 ? undefined : all
}

function randomSaid(random: Random): AdRequest['attributes'] {
  const all = [
    { name: '1/section', words: some(random, SECTIONS, 2), number: null },
    { name: '1/tags', words: some(random, TAGS, 4), number: null },
    { name: '1/price', words: [], number: pick(random, PRICED) },
    { name: '2/section', words: some(random, SECTIONS, 3), number: null },
  ].filter(() => random() < 0.7)
  return all.length === 0 ? undefined : all
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
      ...given(randomConditions(random)),
    },
  }
}

/** Missing, if it is undefined. */
const given = <T>(attributes: T | undefined) => (attributes === undefined ? {} : { attributes })

function maybe<Value>(random: Random, value: Value): Value | null {
  return random() < 0.85 ? value : null
}

function randomRequest(random: Random): AdRequest {
  const [lat, lon] = pick(random, CENTERS) as [number, number]
  const away = 10 ** (random() * 6 - 5)
  return {
    ...SILENT_REQUEST,
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
    ...given(randomSaid(random)),
  }
}

function fits(entry: TargetingEntry, request: AdRequest, slot: Slot): boolean {
  if (entry.priceMicros < slot.floorMicros || !matches(entry.targeting, request)) return false
  return entry.sizes.some(a => slot.sizes.some(b => a.width === b.width && a.height === b.height))
}

const sorted = (pids: number[]) => pids.sort((a, b) => a - b)
const everyone = () => true

/** Compares the index with a scan of all personas, for one random request. */
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
  // No persona is asked about twice or needlessly.
  expect(sorted([...asked])).toEqual(
    sorted(matching.filter(entry => !(entry.priceMicros < top)).map(entry => entry.pid)),
  )
  const limited = index.searchBest(prepared, slot, accept)?.pids ?? []
  if (asked.length <= TIE_LIMIT * ASKED_PER_FOUND)
    expect(limited.length).toBe(Math.min(TIE_LIMIT, ties.length))
  expect(limited.length > 0).toBe(ties.length > 0)
  expect(limited.every(pid => ties.includes(pid))).toBe(true)
  return matching.length
}

describe('the index finds exactly what the matcher finds', () => {
  it('while personas are added, changed, removed and added again, down to the last one', {
    timeout: 300_000,
  }, () => {
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
      blockLists: 0,
      reservedPostings: 0,
      pages: 1,
    })
  })

  it('if most have the same price and all are in a few large posting lists', () => {
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
    expect(index.stats().blockLists).toBeGreaterThan(0)
    for (let round = 0; round < 60; round++) compare(random, index, all)
    for (let pid = 1; pid <= 2950; pid++) {
      all.delete(pid)
      index.remove(pid)
      if (pid % 50 === 0) compare(random, index, all)
    }
  })
})

it('a crowd that leaves frees everything: the tree is as small as if it had never come', () => {
  const random = createPrng(11)
  const few = Array.from({ length: 40 }, (_, at) => randomEntry(random, at + 1))
  const small = createTargetingIndex(random)
  const crowded = createTargetingIndex(random)
  for (const entry of few) small.put(entry)
  for (const entry of few) crowded.put(entry)
  for (let pid = 1000; pid < 9000; pid++) crowded.put(randomEntry(random, pid))
  expect(crowded.stats().splitNodes).toBeGreaterThan(20)
  for (let pid = 1000; pid < 9000; pid++) crowded.remove(pid)
  const { nodes, splitNodes, blockLists, personas } = crowded.stats()
  const expected = small.stats()
  expect({ nodes, splitNodes, blockLists, personas }).toEqual({
    nodes: expected.nodes,
    splitNodes: 0,
    blockLists: 0,
    personas: 40,
  })
  expect(crowded.stats().reservedPostings).toBeLessThanOrEqual(expected.reservedPostings * 4)
})
