// Whatever arrives, parsing gives an answer, without an exception and within bounds. SEED=<n> replays a run.

import { describe, expect, test } from 'vitest'
import { bidContext, testLookups } from '../../../test/support/ad-context.ts'
import { createBotCheck } from '../audience/bots.ts'
import { MOST_IMPS, parseBidRequest } from './parse.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const RUNS = 3_000

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let n = 0; n < levels; n++) value = n % 2 ? [value] : { geo: value }
  return value
}

const ODD: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  2,
  0.1,
  1e308,
  -1e308,
  Number.POSITIVE_INFINITY,
  Number.MAX_SAFE_INTEGER + 2,
  '',
  'x',
  '\u0000',
  '\ud800',
  '__proto__',
  '🎪'.repeat(2000),
  'A'.repeat(100_000),
  [],
  [null],
  [[]],
  [{}],
  Array(5000).fill('IAB1'),
  Array(5000).fill({ w: 1, h: 1 }),
  {},
  { id: {} },
  { toString: 1, length: 5 },
  JSON.parse('{"__proto__":{"id":"x"},"constructor":7}'),
  deep(2000),
]

function whole(): Record<string, unknown> {
  return {
    id: 'q',
    imp: [
      {
        id: '1',
        bidfloor: 1,
        bidfloorcur: 'USD',
        secure: 1,
        instl: 1,
        exp: 60,
        banner: { format: [{ w: 300, h: 250 }], w: 1, h: 1, btype: [1], battr: [9], mimes: ['image/png'] },
        pmp: {
          private_auction: 0,
          deals: [{ id: 'd', bidfloor: 1, bidfloorcur: 'USD', wseat: ['marquee'] }],
        },
      },
      { id: '2', banner: { w: 320, h: 480 }, instl: 1 },
    ],
    site: {
      domain: 'foo.com',
      page: 'https://foo.com/',
      cat: ['IAB1'],
      sectioncat: ['IAB2'],
      pagecat: ['IAB3'],
      cattax: 1,
      content: { cat: ['IAB4'], cattax: 1 },
    },
    app: { bundle: 'b', name: 'n', cat: ['IAB5'] },
    device: {
      ua: 'Mozilla/5.0 (iPad)',
      sua: { mobile: 1, platform: { brand: 'Android' } },
      ip: '8.8.8.8',
      ipv6: '2001:db8::1',
      ifa: 'i',
      os: 'iOS',
      devicetype: 1,
      dnt: 0,
      lmt: 0,
      w: 1,
      h: 1,
      pxratio: 2,
      geo: { country: 'CAN', region: 'ON', city: 'CATOR', lat: 1, lon: 2 },
    },
    user: {
      id: 'u',
      buyeruid: 'b',
      yob: 1990,
      gender: 'F',
      consent: 'C'.repeat(50),
      geo: { country: 'USA' },
      ext: { consent: 'C' },
    },
    regs: {
      coppa: 0,
      gdpr: 1,
      us_privacy: '1YNN',
      gpp: 'DBACNYA~x~1YNN',
      gpp_sid: [2, 6],
      ext: { gpc: '0' },
    },
    bcat: ['IAB25'],
    badv: ['ford.com'],
    wseat: ['marquee'],
    bseat: ['x'],
    cur: ['USD'],
    tmax: 100,
    test: 0,
    at: 2,
  }
}

type Parent = Record<string, unknown>

/** Every place in the document: the object that holds it and its key. */
function placesIn(value: unknown, found: [Parent, string][] = []): [Parent, string][] {
  if (typeof value !== 'object' || value === null) return found
  for (const key of Object.keys(value)) {
    found.push([value as Parent, key])
    placesIn((value as Parent)[key], found)
  }
  return found
}

const context = bidContext({ lookups: { ...testLookups(), isBot: createBotCheck(100) } })

function checkBounds(json: unknown): void {
  const parsed = parseBidRequest(json, context)
  if (!('request' in parsed)) {
    expect(Object.keys(parsed)).toHaveLength(1)
    return
  }
  const { request, terms } = parsed
  expect(request.slots.length).toBeGreaterThan(0)
  expect(request.slots.length).toBeLessThanOrEqual(MOST_IMPS)
  expect(terms.size).toBe(request.slots.length)
  expect(request.categories.length).toBeLessThanOrEqual(392)
  for (const slot of request.slots) {
    expect(slot.sizes.length).toBeGreaterThan(0)
    expect(slot.sizes.length).toBeLessThanOrEqual(50)
    expect(Number.isSafeInteger(slot.floorMicros) && slot.floorMicros >= 0).toBe(true)
    expect(slot.blockedAttributes.length).toBeLessThanOrEqual(200)
    expect((slot.mimes ?? []).length).toBeLessThanOrEqual(200)
  }
  for (const name of [request.site, request.app]) {
    expect(name === null || (name.length <= 253 && !name.includes('\u0000'))).toBe(true)
  }
  expect(request.lat === null || Math.abs(request.lat) <= 90).toBe(true)
}

describe(`fuzz, SEED=${SEED}`, () => {
  test('every field with every wrong type, and every field missing: never an exception', () => {
    const count = placesIn(whole()).length
    for (let n = 0; n < count; n++) {
      for (const odd of ODD) {
        const json = whole()
        const [parent, key] = placesIn(json)[n] as [Parent, string]
        parent[key] = odd
        checkBounds(json)
      }
      const json = whole()
      const [parent, key] = placesIn(json)[n] as [Parent, string]
      delete parent[key]
      checkBounds(json)
    }
  })

  test('many changes at once: never an exception, always within bounds', () => {
    const random = randomFrom(SEED)
    const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T
    for (let run = 0; run < RUNS; run++) {
      const json = whole()
      for (let changes = 1 + Math.floor(random() * 5); changes > 0; changes--) {
        const places = placesIn(json)
        if (places.length === 0 || places.length > 500) break
        const [parent, key] = pick(places)
        if (random() < 0.3) delete parent[key]
        else parent[key] = random() < 0.3 ? pick(places)[0] : pick(ODD)
        // A document from JSON has no cycles.
        if (placesInTree(json) === null) delete parent[key]
      }
      checkBounds(json)
    }
  })

  test('the whole document may be anything', () => {
    for (const odd of ODD) expect(parseBidRequest(odd, context)).toHaveProperty('malformed')
  })
})

/** Null if the value contains itself. */
function placesInTree(value: unknown): number | null {
  try {
    return JSON.stringify(value).length
  } catch {
    return null
  }
}
