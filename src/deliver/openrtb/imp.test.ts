// One imp of a bid request: sizes, floors, deals, and what it allows.

import { describe, expect, test } from 'vitest'
import { BANNER, type Json, parse, read, refusal, slot } from '../../../test/support/bid-parse.ts'
import { MOST_IMPS, type ParsedBidRequest } from './parse.ts'

describe('sizes', () => {
  test('format takes precedence over w and h, which are used if format has nothing usable', () => {
    const sizes = (banner: Json) => slot({ banner }).sizes
    const formats = [
      { w: 300, h: 250 },
      { w: 728, h: 90 },
      { w: 300, h: 250 },
      { wratio: 16, hratio: 9 },
    ]
    expect(sizes({ format: formats, w: 160, h: 600 })).toEqual([
      { width: 300, height: 250 },
      { width: 728, height: 90 },
    ])
    expect(sizes({ format: [], w: 160, h: 600 })).toEqual([{ width: 160, height: 600 }])
    expect(sizes({ format: [{ w: '300', h: 250 }, null], w: 160, h: 600 })).toEqual([
      { width: 160, height: 600 },
    ])
  })

  test.each([[{}], [{ w: 300 }], [{ w: -1, h: 250 }], [{ w: 300.5, h: 250 }], [{ w: 1e9, h: 250 }]])(
    'a banner of %j has no size',
    banner => expect(refusal({ banner })).toEqual({ noBid: 'no_size' }),
  )

  test('an interstitial accepts its own size and any size that fits and fills half of each side', () => {
    const { sizes } = slot({ instl: 1, banner: { w: 360, h: 640 } })
    expect(sizes[0]).toEqual({ width: 360, height: 640 })
    expect(sizes).toContainEqual({ width: 320, height: 480 })
    expect(sizes).toContainEqual({ width: 300, height: 600 })
    for (const size of sizes) {
      expect(size.width).toBeLessThanOrEqual(360)
      expect(size.height).toBeGreaterThanOrEqual(320)
    }
    const phone = slot({ instl: 1, banner: { w: 320, h: 480 } }).sizes
    expect(phone.map(({ width, height }) => `${width}x${height}`)).toEqual([
      '320x480',
      '240x400',
      '300x250',
      '250x250',
    ])
  })

  test('an interstitial with formats is as strict as any banner', () => {
    const banner = { format: [{ w: 320, h: 480 }], w: 1024, h: 768 }
    expect(slot({ instl: 1, banner }).sizes).toEqual([{ width: 320, height: 480 }])
  })

  test('an interstitial without a size is as large as the screen', () => {
    const imp = [{ id: '1', instl: 1, banner: {} }]
    const tablet = read({ imp, device: { w: 1536, h: 2048, pxratio: 2 } }).slots[0]?.sizes
    expect(tablet).toContainEqual({ width: 768, height: 1024 })
    expect(tablet).not.toContainEqual({ width: 1024, height: 768 })
    expect(read({ imp }).slots[0]?.sizes).toEqual([
      { width: 320, height: 480 },
      { width: 480, height: 320 },
    ])
  })
})

describe('floors, deals and currencies', () => {
  test.each([
    [0.03, 30_000],
    [0.07, 70_000],
    [1.1, 1_100_000],
    [0, 0],
    [-5, 0],
    ['0.5', 500_000],
    ['x', 0],
    [4.03, 4_030_000],
    [0.0000001, 1],
    [2.5000001, 2_500_001],
    [1e300, Number.MAX_SAFE_INTEGER],
    [Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
  ])('a floor of %s is %s micros: never less than was asked', (bidfloor, micros) => {
    expect(slot({ bidfloor }).floorMicros).toBe(micros)
  })

  test('a floor in another currency gets no bid, but 0 is 0 in all of them', () => {
    expect(refusal({ bidfloor: 1, bidfloorcur: 'EUR' })).toEqual({ noBid: 'floor_currency' })
    expect(refusal({ bidfloor: 1 }, { currency: 'EUR' })).toEqual({ noBid: 'floor_currency' })
    expect(slot({ bidfloor: 1, bidfloorcur: 'EUR' }, { currency: 'EUR' }).floorMicros).toBe(1_000_000)
    expect(slot({ bidfloor: 0, bidfloorcur: 'EUR' }).floorMicros).toBe(0)
  })

  test('cur must allow our currency if it is given', () => {
    expect(parse({ cur: ['EUR', 'GBP'] })).toEqual({ noBid: 'currency' })
    expect(parse({ cur: ['EUR', 'USD'] })).toHaveProperty('request')
    expect(parse({ cur: [] })).toHaveProperty('request')
    expect(parse({ cur: 'EUR' })).toHaveProperty('request')
  })

  test('a private auction without a deal for us gets no bid', () => {
    expect(refusal({ pmp: { private_auction: 1 } })).toEqual({ noBid: 'private_auction' })
    expect(refusal({ pmp: { private_auction: 1, deals: [{ id: 'd', wseat: ['x'] }] } })).toEqual({
      noBid: 'private_auction',
    })
    expect(refusal({ pmp: { private_auction: 1, deals: [{ id: 'd', wadomain: ['x.com'] }] } })).toEqual({
      noBid: 'private_auction',
    })
    expect(refusal({ pmp: { private_auction: 0, deals: [{ id: 'd', wseat: ['x'] }] } })).toHaveProperty(
      'request',
    )
  })

  test('the floor of the deal, in its own currency, replaces that of the imp', () => {
    const way = (imp: Json): [number, string | null] | unknown => {
      const parsed = refusal(imp) as ParsedBidRequest
      if (!('request' in parsed)) return parsed
      return [parsed.request.slots[0]?.floorMicros, parsed.terms.get('1')?.dealId]
    }
    const deal = { id: 'd', bidfloor: 2, wseat: ['other', 'marquee'] }
    expect(way({ bidfloor: 5, pmp: { private_auction: 1, deals: [deal] } })).toEqual([2_000_000, 'd'])
    expect(
      way({ bidfloor: 1, pmp: { private_auction: 1, deals: [deal, { id: 'e', bidfloor: 3 }] } }),
    ).toEqual([2_000_000, 'd'])
    expect(way({ bidfloor: 5, bidfloorcur: 'EUR', pmp: { deals: [deal] } })).toEqual([2_000_000, 'd'])
    expect(way({ bidfloor: 1, pmp: { deals: [deal] } })).toEqual([1_000_000, null])
    expect(way({ bidfloor: 5, pmp: { deals: [deal] } })).toEqual([2_000_000, 'd'])
    expect(way({ pmp: { private_auction: 1, deals: [{ ...deal, bidfloorcur: 'EUR' }] } })).toEqual({
      noBid: 'private_auction',
    })
  })
})

describe('what an imp allows', () => {
  test('an imp that must be secure gets no bid while our links are http', () => {
    expect(refusal({ secure: 1 }, { publicUrlIsHttps: false })).toEqual({ noBid: 'insecure' })
    expect(slot({ secure: 1 }).secure).toBe(true)
    expect(slot({ secure: 0 }, { publicUrlIsHttps: false }).secure).toBe(false)
    expect(slot({}, { publicUrlIsHttps: false }).secure).toBe(false)
  })

  test('btype may block linked images', () => {
    expect(refusal({ banner: { ...BANNER, btype: [1, 2] } })).toEqual({ noBid: 'banner_type_blocked' })
    expect(refusal({ banner: { ...BANNER, btype: [1, 3, 4] } })).toHaveProperty('request')
  })

  test('a list of blocks that is too long to read completely gets no bid', () => {
    const many = (ours: unknown) => [...Array(1000).fill(1), ours]
    expect(refusal({ banner: { ...BANNER, btype: many(2) } })).toEqual({ noBid: 'banner_type_blocked' })
    expect(refusal({ banner: { ...BANNER, battr: many(21) } })).toEqual({ noBid: 'block_list_too_long' })
    expect(parse({ bseat: many('marquee') })).toEqual({ noBid: 'seat_not_allowed' })
  })

  test('mimes and battr are passed on, cleaned', () => {
    const banner = { ...BANNER, mimes: ['image/JPG', 7, 'image/png'], battr: [9, '10', 22] }
    expect(slot({ banner })).toMatchObject({ mimes: ['image/jpeg', 'image/png'], blockedAttributes: [9, 22] })
    expect(slot({ banner: { ...BANNER, mimes: [] } }).mimes).toBeNull()
  })

  test('imps that cannot be served are left out, the others stay', () => {
    const imp = [{ id: 'v', video: {} }, { banner: BANNER }, null, 'x', { id: 'b', banner: BANNER }]
    expect(read({ imp }).slots.map(({ id }) => id)).toEqual(['b'])
  })

  test('a repeated imp id is one slot', () => {
    const imp = [
      { id: '1', banner: BANNER, bidfloor: 1 },
      { id: '1', banner: BANNER, bidfloor: 2 },
    ]
    expect(read({ imp }).slots).toMatchObject([{ floorMicros: 1_000_000 }])
  })

  test('at most a hundred imps are considered', () => {
    const imp = Array.from({ length: 10_000 }, (_, n) => ({ id: String(n), banner: BANNER }))
    expect(read({ imp }).slots).toHaveLength(MOST_IMPS)
  })

  test('a bid is valid for as long as the imp asks, otherwise depending on where it is shown', () => {
    const expiry = (imp: Json, more: Json = {}): unknown => {
      const parsed = parse({ imp: [{ id: '1', banner: { w: 320, h: 480 }, ...imp }], ...more })
      return 'terms' in parsed && parsed.terms.get('1')?.expiresInS
    }
    expect(expiry({})).toBe(60)
    expect(expiry({}, { app: {} })).toBe(300)
    expect(expiry({ instl: 1 })).toBe(1800)
    expect(expiry({ exp: 120 })).toBe(120)
    expect(expiry({ exp: 1e12 })).toBe(3600)
    expect(expiry({ exp: -1 })).toBe(60)
  })
})
