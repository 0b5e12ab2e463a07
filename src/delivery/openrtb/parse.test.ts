import { describe, expect, test } from 'vitest'
import { bidContext, TORONTO_IP, testLookups } from '../../../test/support/ad-context.ts'
import type { AdRequest, Slot } from '../request.ts'
import type { BidContext } from './context.ts'
import { MOST_IMPS, type ParsedBidRequest, parseBidRequest } from './parse.ts'

type Json = Record<string, unknown>

const BANNER = { format: [{ w: 300, h: 250 }] }

function parse(changes: Json = {}, context: Partial<BidContext> = {}): ParsedBidRequest {
  return parseBidRequest({ id: 'q', imp: [{ id: '1', banner: BANNER }], ...changes }, bidContext(context))
}

function read(changes: Json = {}, context: Partial<BidContext> = {}): AdRequest {
  const parsed = parse(changes, context)
  if (!('request' in parsed)) throw new Error(`not read: ${JSON.stringify(parsed)}`)
  return parsed.request
}

function slot(imp: Json, context: Partial<BidContext> = {}): Slot {
  return read({ imp: [{ id: '1', banner: BANNER, ...imp }] }, context).slots[0] as Slot
}

function refusal(imp: Json, context: Partial<BidContext> = {}): unknown {
  return parse({ imp: [{ id: '1', banner: BANNER, ...imp }] }, context)
}

describe('malformed requests', () => {
  test.each([[null], [undefined], [7], ['text'], [true], [[]], [[{ id: '1' }]]])('%j is no request', json => {
    expect(parseBidRequest(json, bidContext())).toHaveProperty('malformed')
  })

  test.each([
    [{ imp: [{ id: '1' }] }],
    [{ id: '', imp: [{ id: '1' }] }],
    [{ id: 7, imp: [{ id: '1' }] }],
    [{ id: 'q' }],
    [{ id: 'q', imp: [] }],
    [{ id: 'q', imp: {} }],
    [{ id: 'q', imp: null }],
  ])('%j lacks what is required', json => {
    expect(parseBidRequest(json, bidContext())).toHaveProperty('malformed')
  })
})

describe('sizes', () => {
  test('format goes before w and h, which count where format says nothing usable', () => {
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

  test('an interstitial takes its own size and what fits and fills half of it', () => {
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
  ])('a floor of %s is %s micros: never less than what was asked', (bidfloor, micros) => {
    expect(slot({ bidfloor }).floorMicros).toBe(micros)
  })

  test('a floor in another currency gets no bid, but 0 is 0 in all of them', () => {
    expect(refusal({ bidfloor: 1, bidfloorcur: 'EUR' })).toEqual({ noBid: 'floor_currency' })
    expect(refusal({ bidfloor: 1 }, { currency: 'EUR' })).toEqual({ noBid: 'floor_currency' })
    expect(slot({ bidfloor: 1, bidfloorcur: 'EUR' }, { currency: 'EUR' }).floorMicros).toBe(1_000_000)
    expect(slot({ bidfloor: 0, bidfloorcur: 'EUR' }).floorMicros).toBe(0)
  })

  test('cur must allow our currency where it is given', () => {
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

  test('the floor of the deal replaces that of the imp, with a currency of its own', () => {
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

  test('linked images may be blocked by btype', () => {
    expect(refusal({ banner: { ...BANNER, btype: [1, 2] } })).toEqual({ noBid: 'banner_type_blocked' })
    expect(refusal({ banner: { ...BANNER, btype: [1, 3, 4] } })).toHaveProperty('request')
  })

  test('a list of refusals that is too long to be read whole is answered with no bid', () => {
    const many = (ours: unknown) => [...Array(1000).fill(1), ours]
    expect(refusal({ banner: { ...BANNER, btype: many(2) } })).toEqual({ noBid: 'banner_type_blocked' })
    expect(refusal({ banner: { ...BANNER, battr: many(21) } })).toEqual({ noBid: 'block_list_too_long' })
    expect(parse({ bseat: many('marquee') })).toEqual({ noBid: 'seat_not_allowed' })
  })

  test('mimes and battr are handed on, cleaned', () => {
    const banner = { ...BANNER, mimes: ['image/JPG', 7, 'image/png'], battr: [9, '10', 22] }
    expect(slot({ banner })).toMatchObject({ mimes: ['image/jpeg', 'image/png'], blockedAttributes: [9, 22] })
    expect(slot({ banner: { ...BANNER, mimes: [] } }).mimes).toBeNull()
  })

  test('imps that cannot be served are left out, the others stay', () => {
    const imp = [{ id: 'v', video: {} }, { banner: BANNER }, null, 'x', { id: 'b', banner: BANNER }]
    expect(read({ imp }).slots.map(({ id }) => id)).toEqual(['b'])
  })

  test('an imp id that comes twice is one slot', () => {
    const imp = [
      { id: '1', banner: BANNER, bidfloor: 1 },
      { id: '1', banner: BANNER, bidfloor: 2 },
    ]
    expect(read({ imp }).slots).toMatchObject([{ floorMicros: 1_000_000 }])
  })

  test('no more than a hundred imps are looked at', () => {
    const imp = Array.from({ length: 10_000 }, (_, n) => ({ id: String(n), banner: BANNER }))
    expect(read({ imp }).slots).toHaveLength(MOST_IMPS)
  })

  test('a bid holds as long as the imp asks for, else by where it is shown', () => {
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

describe('who is refused', () => {
  test('seats: wseat must name ours, bseat must not', () => {
    expect(parse({ wseat: ['a', 'b'] })).toEqual({ noBid: 'seat_not_allowed' })
    expect(parse({ wseat: ['a', 'marquee'] })).toHaveProperty('request')
    expect(parse({ wseat: [] })).toHaveProperty('request')
    expect(parse({ bseat: ['marquee'] })).toEqual({ noBid: 'seat_not_allowed' })
    expect(parse({ bseat: ['a'] })).toHaveProperty('request')
  })

  test('a request that leaves too little time gets no bid', () => {
    expect(parse({ tmax: 5 })).toEqual({ noBid: 'too_little_time' })
    expect(parse({ tmax: 10 })).toHaveProperty('request')
    expect(parse({ tmax: 0 })).toHaveProperty('request')
    expect(parse({ tmax: '5' })).toHaveProperty('request')
  })

  test('robots get no bid', () => {
    const lookups = { ...testLookups(), isBot: (ua: string) => ua.includes('bot') }
    expect(parse({ device: { ua: 'Googlebot' } }, { lookups })).toEqual({ noBid: 'bot' })
    expect(parse({ device: {} }, { lookups })).toHaveProperty('request')
  })

  test('blocked categories and domains are cleaned and kept once', () => {
    const request = read({
      bcat: ['IAB25', 'iab7-39', 'IAB25', 'IAB99', 5, '483'],
      badv: ['WWW.Ford.com', 'ford.com.', ' ford.com', 7, '', 'bücher.de'],
    })
    expect(request.blockedCategories).toEqual(['IAB25', 'IAB7-39'])
    expect(request.blockedDomains).toEqual(['ford.com', 'xn--bcher-kva.de'])
  })

  test.each(['https://ford.com', 'HTTP://www.ford.com:8080/a?b#c', 'ford.com/', '.ford.com', '*.ford.com'])(
    '%s blocks ford.com',
    entry => {
      expect(read({ badv: [entry] }).blockedDomains).toEqual(['ford.com'])
    },
  )

  test('a refusal that stands alone instead of in a list refuses as well', () => {
    expect(read({ badv: 'ford.com', bcat: 'IAB25' })).toMatchObject({
      blockedDomains: ['ford.com'],
      blockedCategories: ['IAB25'],
    })
  })

  test('a block list that is too long to be honoured whole gets no bid', () => {
    expect(parse({ badv: Array.from({ length: 20_001 }, (_, n) => `a${n}.com`) })).toEqual({
      noBid: 'block_list_too_long',
    })
    expect(parse({ bcat: Array(2_001).fill('IAB25') })).toEqual({ noBid: 'block_list_too_long' })
    expect(read({ badv: Array.from({ length: 20_000 }, (_, n) => `a${n}.com`) }).blockedDomains).toHaveLength(
      20_000,
    )
  })

  test('a list of the only categories that are allowed gets no bid', () => {
    expect(parse({ acat: ['IAB1'] })).toEqual({ noBid: 'category_allow_list' })
  })

  test('test is handed on', () => {
    expect(read({ test: 1 }).test).toBe(true)
    expect(read({ test: 0 }).test).toBe(false)
  })
})

describe('content', () => {
  test('categories are the union of site, section, page and content', () => {
    const site = {
      cat: ['IAB1'],
      sectioncat: ['IAB2-1'],
      pagecat: ['iab3', 'IAB1'],
      content: { cat: ['IAB4'] },
    }
    expect(read({ site }).categories).toEqual(['IAB1', 'IAB2-1', 'IAB3', 'IAB4'])
    expect(read({ app: site }).categories).toHaveLength(4)
  })

  test('codes of another taxonomy are not read', () => {
    expect(read({ site: { cattax: 6, cat: ['IAB1'], content: { cat: ['IAB4'] } } }).categories).toEqual([
      'IAB4',
    ])
    expect(read({ site: { cattax: 1, cat: ['IAB1'] } }).categories).toEqual(['IAB1'])
    expect(read({ site: { cat: ['1', 'IAB0', 'IAB27', 'IAB1-', {}] } }).categories).toEqual([])
  })

  test.each([
    [{ domain: 'WWW.Foo.com' }, 'foo.com'],
    [{ page: 'https://news.foo.com:8443/a?b#c' }, 'news.foo.com'],
    [{ page: 'http://[2001:db8::1]:80/' }, '[2001:db8::1]'],
    [{ page: 'ftp://foo.com/' }, null],
    [{ page: 'https://user@foo.com/' }, null],
    [{ domain: 'a\u0000b.com' }, null],
    [{ domain: 'a\ud800b.com', page: 'https://foo.com' }, 'foo.com'],
    [{ domain: 'x'.repeat(300) }, null],
    [{}, null],
  ])('the site of %j is %s', (site, name) => {
    expect(read({ site }).site).toBe(name)
  })

  test('an app is known by its bundle, else its name', () => {
    expect(read({ app: { bundle: 'com.foo', name: 'Foo' } }).app).toBe('com.foo')
    expect(read({ app: { name: 'Foo' } }).app).toBe('Foo')
    expect(read({ app: {} }).app).toBeNull()
  })
})

describe('place', () => {
  const place = (changes: Json, context: Partial<BidContext> = {}) => {
    const { country, region, city, lat, lon } = read(changes, context)
    return [country, region, city, lat, lon]
  }
  const inToronto = { country: 'CA', region: 'ON', city: 'toronto', lat: 43.65, lon: -79.38 }
  const lookups = testLookups({ [TORONTO_IP]: inToronto, '2001:db8::1': inToronto })

  test.each([
    [{ country: 'CAN', region: 'ON', city: 'Toronto' }, ['CA', 'ON', 'toronto', null, null]],
    [{ country: 'CAN', region: 'CA-ON', city: 'CATOR' }, ['CA', 'ON', 'toronto', null, null]],
    [{ country: 'CAN', region: 'Ontario', city: 'CA TOR' }, ['CA', 'ON', 'toronto', null, null]],
    [{ country: 'ca', region: 'QC', city: 'Trois-Rivières' }, ['CA', 'QC', 'trois rivieres', null, null]],
    [{ country: 'FRA', city: 'PARIS' }, ['FR', null, 'paris', null, null]],
    [{ country: 'PAN', city: 'PARIS' }, ['PA', '4', 'rio sereno', null, null]],
    [{ country: 'CAN', city: 'CATOR' }, ['CA', 'ON', 'toronto', null, null]],
    [{ region: 'XX-ON' }, [null, null, null, null, null]],
    [{ region: 'CA-ON' }, ['CA', 'ON', null, null, null]],
    [{ city: 'USNYC' }, ['US', 'NY', 'new york', null, null]],
    [{ country: 'USA', region: 'XX', lat: 1, lon: 2 }, ['US', null, null, 1, 2]],
    [{ country: 'ß' }, [null, null, null, null, null]],
    [{ country: 'ZZZ' }, [null, null, null, null, null]],
    [{ lat: 91, lon: 0 }, [null, null, null, null, null]],
    [{ lat: 43.65 }, [null, null, null, null, null]],
    [{ lat: 0, lon: 0 }, [null, null, null, 0, 0]],
    [{ lat: '1', lon: '2', country: 5, region: [], city: {} }, [null, null, null, null, null]],
  ])('device.geo %j is read as %j', (geo, expected) => {
    expect(place({ device: { geo } })).toEqual(expected)
  })

  test('user.geo stands in for device.geo, and the address for both', () => {
    const user = { geo: { country: 'USA' } }
    expect(place({ device: { geo: { country: 'CAN' }, ip: TORONTO_IP }, user }, { lookups })[0]).toBe('CA')
    expect(place({ device: { geo: {}, ip: TORONTO_IP }, user }, { lookups })[0]).toBe('US')
    expect(place({ device: { ip: TORONTO_IP } }, { lookups })).toEqual(['CA', 'ON', 'toronto', 43.65, -79.38])
    expect(place({ device: { ipv6: '2001:db8::1' } }, { lookups })[2]).toBe('toronto')
    expect(place({ device: { ip: '10.0.0.1' } }, { lookups })[0]).toBeNull()
  })

  test('a bare position takes its country from the address and stays where it is', () => {
    const device = { geo: { lat: 43.7, lon: -79.4 }, ip: TORONTO_IP }
    expect(place({ device }, { lookups })).toEqual(['CA', 'ON', 'toronto', 43.7, -79.4])
  })
})

describe('device, gender and age', () => {
  const IPAD = 'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1'
  test.each([
    [{ devicetype: 2 }, 'desktop'],
    [{ devicetype: 4 }, 'mobile'],
    [{ devicetype: 5 }, 'tablet'],
    [{ devicetype: 1, ua: IPAD }, 'tablet'],
    [{ devicetype: 1, sua: { mobile: 1 } }, 'mobile'],
    [{ devicetype: 1, sua: { mobile: 0, platform: { brand: 'Android' } } }, 'tablet'],
    [{ devicetype: 1 }, 'mobile'],
    [{ devicetype: 3, ua: IPAD }, null],
    [{ devicetype: 6, ua: IPAD }, null],
    [{ devicetype: 7, ua: IPAD }, null],
    [{ devicetype: 8, ua: IPAD }, null],
    [{ ua: IPAD }, 'tablet'],
    [{ devicetype: '4', ua: IPAD }, 'tablet'],
    [{ sua: { mobile: 1, platform: { brand: 'Android' } }, ua: 'Mozilla/5.0 (X11; Linux x86_64)' }, 'mobile'],
    [{ sua: 'x', ua: 'Mozilla/5.0 (X11; Linux x86_64)' }, 'desktop'],
    [{}, null],
  ])('%j is %s', (device, expected) => {
    expect(read({ device }).device).toBe(expected)
  })

  test('a request without a device has none', () => {
    expect(read()).toMatchObject({ device: null, os: null })
  })

  test.each([
    [{ gender: 'M', yob: 2026 - 13 }, 'male', '13to17'],
    [{ gender: 'F', yob: 2026 - 18 }, 'female', '18to34'],
    [{ gender: 'O', yob: 2026 - 34 }, null, '18to34'],
    [{ gender: 1, yob: 2026 - 35 }, null, '35to49'],
    [{ yob: 2026 - 50 }, null, '50+'],
    [{ yob: 2026 - 12 }, null, null],
    [{ yob: 2030 }, null, null],
    [{ yob: 0 }, null, null],
    [{ yob: '1984' }, null, null],
    [{ yob: 1984.5 }, null, null],
  ])('user %j', (user, gender, age) => {
    expect(read({ user })).toMatchObject({ gender, age })
  })
})
