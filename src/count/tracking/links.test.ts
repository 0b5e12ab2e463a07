// Signed links: read back exactly, and never forged.

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SERVED_AD as ad } from '../../../test/support/served-ad.ts'
import { clickIdOf, createAdIds, OS_NAMES, readClickId, type ServedAd } from './ad.ts'
import { type KeyRing, type LinkKind, readLink, signingKey, signLinks } from './links.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000)
console.log(`links: SEED=${seed}`)

const KINDS: LinkKind[] = ['impression', 'billing', 'loss', 'click', 'view']
const key = signingKey(1, Buffer.alloc(32, 7))
const keys: KeyRing = { signing: key, byId: new Map([[1, key]]) }

const id = fc.integer({ min: 1, max: 2 ** 51 })
const u32 = fc.integer({ min: 0, max: 0xffffffff })
const anyAd: fc.Arbitrary<ServedAd> = fc.record({
  adId: fc
    .uint8Array({ minLength: 12, maxLength: 12 })
    .map(bytes => Buffer.from(bytes).toString('base64url')),
  servedS: fc.integer({ min: 1_600_000_000, max: 4_200_000_000 }),
  cuid: id,
  cid: id,
  fid: id,
  flightPays: fc.boolean(),
  pid: id,
  bid: id,
  sourceId: id,
  priceMicros: fc.integer({ min: 0, max: 1_000_000_000_000 }),
  ttlS: fc.integer({ min: 1, max: 100_000 }),
  nodeId: fc.option(fc.nat()),
  dayKey: fc
    .date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map(date => Number(date.toISOString().slice(0, 10).replaceAll('-', ''))),
  user: fc.option(fc.record({ hi: u32, lo: u32 })),
  placeHash: fc.option(fc.integer({ min: 0, max: 2 ** 48 - 1 })),
  placeName: fc.option(
    fc.record({
      kind: fc.constantFrom('domain' as const, 'app' as const),
      name: fc.string({ unit: 'grapheme-ascii', maxLength: 255 }),
    }),
  ),
  networkHash: fc.option(fc.integer({ min: 0, max: 2 ** 24 - 1 })),
  agentHash: fc.option(fc.integer({ min: 0, max: 2 ** 24 - 1 })),
  country: fc.option(fc.stringMatching(/^[A-Z]{2}$/)),
  locality: fc.oneof(
    fc.constant(0),
    fc.nat(2 ** 31 - 1).map(n => n * 131_071),
  ),
  audience: fc.nat(32_767),
  device: fc.option(fc.constantFrom('mobile', 'tablet', 'desktop')),
  os: fc.option(fc.constantFrom(...OS_NAMES)),
  test: fc.boolean(),
  foreignDomain: fc.boolean(),
  billsOn: fc.constantFrom('pixel', 'notice'),
  takesPrice: fc.boolean(),
})

describe('signed links', () => {
  test('everything signed is read back completely, by each kind of call', () => {
    fc.assert(
      fc.property(anyAd, served => {
        const tokens = signLinks(served, keys)
        for (const kind of KINDS) {
          expect(tokens[kind].length).toBeLessThanOrEqual(200)
          expect(readLink(kind, tokens[kind], keys)).toEqual(served)
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  test('a link of the first version is still read correctly', () => {
    const first = 'AQFqsTuAAAECAwQFBgcICQoLho8GyQMCFCwMxBOsAgA4OHgIWT5X6pyj_jWB4ZSltQAA3xdT7yFEAR2NH3FZ'
    expect(readLink('impression', first, keys)).toEqual({
      ...ad,
      nodeId: null,
      networkHash: null,
      agentHash: null,
      locality: 0,
      audience: 0,
    })
    expect(readLink('click', first, keys)).toEqual({ bad: 'forged' })
  })

  test('a token of one kind opens no call of another kind', () => {
    const tokens = signLinks(ad, keys)
    for (const made of KINDS) {
      for (const used of KINDS) {
        if (made !== used) expect(readLink(used, tokens[made], keys)).toEqual({ bad: 'forged' })
      }
    }
  })

  test('a token with any one character changed is forged', () => {
    const { click } = signLinks(ad, keys)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let at = 0; at < click.length; at++) {
      for (const character of [...alphabet, '+', '/', '=', '.', '%', ' ', '\n', 'ä', '\u0141']) {
        if (character === click[at]) continue
        const changed = click.slice(0, at) + character + click.slice(at + 1)
        expect(readLink('click', changed, keys)).toEqual({ bad: 'forged' })
      }
    }
  })

  test('anything that is not a token is forged, and never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[\w-]{0,208}$/)), text => {
        expect(readLink('click', text, keys)).toEqual({ bad: 'forged' })
      }),
      { seed, numRuns: 2000 },
    )
    const { click } = signLinks(ad, keys)
    for (const text of ['', click.slice(0, -4), click.slice(4), `${click}AAAA`, click.repeat(2)]) {
      expect(readLink('click', text, keys)).toEqual({ bad: 'forged' })
    }
  })

  test('another key opens nothing; a key that no longer signs still opens its links', () => {
    const old = signLinks(ad, keys)
    const fresh = signingKey(2, Buffer.alloc(32, 9))
    const rotated: KeyRing = {
      signing: fresh,
      byId: new Map([
        [1, key],
        [2, fresh],
      ]),
    }
    expect(readLink('click', old.click, rotated)).toEqual(ad)
    expect(readLink('click', signLinks(ad, rotated).click, rotated)).toEqual(ad)
    const impostor = signingKey(1, Buffer.alloc(32, 8))
    const foreign: KeyRing = { signing: impostor, byId: new Map([[1, impostor]]) }
    expect(readLink('click', old.click, foreign)).toEqual({ bad: 'forged' })
  })

  test('links of one user share nothing about the user, and show nothing of them', () => {
    const nextId = createAdIds(pool => void randomBytes(pool.length).copy(pool))
    const tails = Array.from({ length: 50 }, () => {
      const { click } = signLinks({ ...ad, adId: nextId() }, keys)
      return Buffer.from(click.slice(0, -16), 'base64url').subarray(-18)
    })
    for (let at = 0; at < 16; at++) {
      expect(new Set(tails.map(tail => tail[at])).size).toBeGreaterThan(5)
    }
    expect(tails.some(tail => tail.includes(Buffer.from('deadbeef', 'hex')))).toBe(false)
  })

  test('a token of an ordinary ad has at most 104 characters', () => {
    expect(signLinks(ad, keys).click.length).toBeLessThanOrEqual(104)
  })

  test('a number that does not fit in a link is refused when signing', () => {
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 53]) {
      expect(() => signLinks({ ...ad, priceMicros: wrong }, keys)).toThrow(RangeError)
    }
  })
})

describe('ids', () => {
  test('ad ids do not repeat, even over refills of the pool', () => {
    const nextId = createAdIds(pool => void randomBytes(pool.length).copy(pool))
    const ids = new Set(Array.from({ length: 10_000 }, nextId))
    expect(ids.size).toBe(10_000)
    expect([...ids].every(text => /^[\w-]{16}$/.test(text))).toBe(true)
  })

  test('a click id names its ad, and has one spelling', () => {
    const text = clickIdOf(ad)
    expect(text).toHaveLength(22)
    expect(readClickId(text)).toEqual({ adId: ad.adId, servedS: ad.servedS })
    for (const wrong of ['', `${text}A`, text.slice(1), `${text.slice(0, -1)}_`, '='.repeat(22)]) {
      expect(readClickId(wrong)).toBeNull()
    }
  })
})
