// A bid request in our own terms: which requests are refused, and how content, place and audience are read.

import { describe, expect, test } from 'vitest'
import { bidContext, TORONTO_IP, testLookups } from '../../../test/support/ad-context.ts'
import { type Json, parse, read } from '../../../test/support/bid-parse.ts'
import type { BidContext } from './context.ts'
import { parseBidRequest } from './parse.ts'

describe('malformed requests', () => {
  test.each([[null], [undefined], [7], ['text'], [true], [[]], [[{ id: '1' }]]])(
    '%j is not a request',
    json => {
      expect(parseBidRequest(json, bidContext())).toHaveProperty('malformed')
    },
  )

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

describe('which requests are refused', () => {
  test('wseat must name our seat, bseat must not', () => {
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

  test('a single block instead of a list blocks, too', () => {
    expect(read({ badv: 'ford.com', bcat: 'IAB25' })).toMatchObject({
      blockedDomains: ['ford.com'],
      blockedCategories: ['IAB25'],
    })
  })

  test('a block list that is too long to honour completely gets no bid', () => {
    expect(parse({ badv: Array.from({ length: 20_001 }, (_, n) => `a${n}.com`) })).toEqual({
      noBid: 'block_list_too_long',
    })
    expect(parse({ bcat: Array(2_001).fill('IAB25') })).toEqual({ noBid: 'block_list_too_long' })
    expect(read({ badv: Array.from({ length: 20_000 }, (_, n) => `a${n}.com`) }).blockedDomains).toHaveLength(
      20_000,
    )
  })

  test.each([2, 5, 6, 7, '9'])('blocks in content taxonomy %j are read by the IAB’s mapping', cattax => {
    const blocked = (...bcat: unknown[]) => read({ bcat, cattax }).blockedCategories.toSorted()
    // Alcohol: two codes; the pets and all beneath; hair care: what is nearest above it, beauty.
    expect(blocked('211')).toEqual(['IAB8-18', 'IAB8-5'])
    expect(blocked(422)).toEqual(['IAB16', ...[1, 2, 3, 4, 5, 6, 7].map(n => `IAB16-${n}`)])
    expect(blocked('554')).toEqual(['IAB18-1'])
    expect(blocked('Rm3SiT', '181', '386')).toEqual(['IAB11-4', 'IAB25-3', 'IAB9-7'])
    // Kinds of content, and codes of taxonomy 1.0 by mistake.
    expect(blocked('1014', 'IAB25')).toEqual(['IAB25'])
    expect(blocked('483')).toContain('IAB17-44')
    expect(blocked('286')).toContain('IAB7-11')
  })

  test('categories blocked in another taxonomy get no bid: they cannot be mapped to ours', () => {
    for (const cattax of [3, 8, '4', 'x'])
      expect(parse({ bcat: ['483'], cattax })).toEqual({ noBid: 'block_list_unreadable' })
    expect(parse({ bcat: ['483', '999'], cattax: 6 })).toEqual({ noBid: 'block_list_unreadable' })
    for (const cattax of [1, '1', null, undefined])
      expect(read({ bcat: ['IAB25'], cattax }).blockedCategories).toEqual(['IAB25'])
    for (const bcat of [[], null, undefined]) expect(parse({ bcat, cattax: 6 })).toHaveProperty('request')
  })

  test('a list of allowed categories gets no bid', () => {
    expect(parse({ acat: ['IAB1'] })).toEqual({ noBid: 'category_allow_list' })
  })

  test('test is passed on', () => {
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

  test('an app is identified by its bundle, otherwise by its name', () => {
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

  test('user.geo replaces a missing device.geo, and the address replaces both', () => {
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
