// The targeting index in difficult cases: crowds, ties, large personas, and wrong use.

import { describe, expect, it } from 'vitest'
import { SILENT_REQUEST, slotFor } from '../../../test/support/ad-request.ts'
import { createPrng, seedFromEnv } from '../../../test/support/prng.ts'
import type { Targeting } from '../../manage/personas/matched-form.ts'
import { createTargetingIndex, TIE_LIMIT } from './index-tree.ts'
import type { TargetingEntry } from './personas.ts'
import type { AdRequest } from './request.ts'

const everyone = () => true
const anyone: Targeting = {
  geo: { places: [{ country: 'CA' }] },
  cat: [],
  device: { mobile: true, tablet: true, desktop: true },
  gender: null,
  age: null,
}
const oneSize = [{ width: 300, height: 250 }]
const visitor: AdRequest = {
  ...SILENT_REQUEST,
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
  it('of 100,000 personas that do not fit hides none that fits, and only fitting ones are asked about', () => {
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

  it('does not split and merge repeatedly at the threshold', () => {
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
  it('larger than the limit is drawn from evenly: all are offered, none three times as often as the average', () => {
    const seed = seedFromEnv()
    console.log(`SEED=${seed}`)
    const index = createTargetingIndex(createPrng(seed))
    const tied = 1000
    // Some are in many posting lists, which must not give them an advantage.
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

describe('a tie in which most are refused', () => {
  it('is not searched to its end once one was found, only if none was', () => {
    const index = createTargetingIndex(createPrng(5))
    for (let pid = 1; pid <= 5000; pid++) index.put(entryOf(pid, 1_000_000))
    index.put(entryOf(6000, 10))
    let asked = 0
    const oneInHundred = (pid: number) => ++asked > 0 && pid % 100 === 0
    const found = index.searchBest(index.prepare(visitor), slotFor(oneSize), oneInHundred)
    expect(found!.priceMicros).toBe(1_000_000)
    expect(asked).toBeLessThan(1000)
    const last = (pid: number) => pid === 6000
    expect(index.searchBest(index.prepare(visitor), slotFor(oneSize), last)!.pids).toEqual([6000])
  })
})

describe('the rules of use', () => {
  it('prices beyond 32 bits are distinguished to the last micro', () => {
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

  it('a persona without banners is stored but never found', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put({ ...entryOf(1, 10), sizes: [] })
    expect([index.has(1), index.size]).toEqual([true, 1])
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone)).toEqual([])
    index.put(entryOf(1, 10))
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone)).toEqual([1])
    expect(index.remove(1)).toBe(true)
    expect(index.remove(1)).toBe(false)
  })

  it('a place whose names run together is not confused with another', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put(entryOf(1, 10, { geo: { places: [{ country: 'CA', region: 'ON', city: 'x' }] } }))
    const search = (part: Partial<AdRequest>) =>
      index.search(index.prepare({ ...visitor, city: null, ...part }), slotFor(oneSize), everyone)
    expect(search({ region: 'ON', city: 'x' })).toEqual([1])
    expect(search({ region: 'ONx' })).toEqual([])
    expect(search({ region: 'O', city: 'Nx' })).toEqual([])
    expect(search({ country: 'CAON', region: '', city: 'x' })).toEqual([])
  })

  it('a persona with a thousand places and hundreds of categories is found by each of them', () => {
    const index = createTargetingIndex(createPrng(1))
    const cat = Array.from({ length: 392 }, (_, at) => `IAB${at + 1}`)
    const places = Array.from({ length: 1000 }, (_, at) => ({ country: 'CA', region: 'ON', city: `c${at}` }))
    // The nodes at its first place are full, so that they are split by category and by size.
    const first = { geo: { places: places.slice(0, 1) } }
    for (let pid = 1; pid <= 600; pid++) {
      index.put(entryOf(pid, 5, { ...first, cat: ['IAB7'] }))
      index.put(entryOf(2000 + pid, 4, first))
    }
    index.put(entryOf(1000, 10, { geo: { places }, cat }))
    for (const [city, code] of [
      ['c0', 'IAB392-1'],
      ['c999', 'IAB1'],
      ['c0', 'IAB7'],
    ] as const) {
      const request = { ...visitor, region: 'ON', city, categories: [code] }
      expect(index.search(index.prepare(request), slotFor(oneSize), everyone)).toEqual([1000])
    }
    const elsewhere = { ...visitor, region: 'ON', city: 'c0', categories: ['IAB500'] }
    const onlyIt = (pid: number) => pid === 1000
    expect(index.search(index.prepare(elsewhere), slotFor(oneSize), onlyIt)).toEqual([])
    expect(index.stats().reservedPostings).toBeLessThan(6000)
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

  it('a persona without a price is refused and the previous one stays', () => {
    const index = createTargetingIndex(createPrng(1))
    index.put(entryOf(1, 10))
    expect(() => index.put(entryOf(1, Number.NaN))).toThrow('no price')
    expect(() => index.put(entryOf(2, -1))).toThrow('no price')
    expect(index.search(index.prepare(visitor), slotFor(oneSize), everyone, 5)).toEqual([1])
  })
})
