// Requests from tags and servers in our own terms: what is read, completed and refused.

import { describe, expect, test } from 'vitest'
import { TEST_SECRETS, TORONTO_IP, tagContext, testLookups } from '../../../test/support/ad-context.ts'
import { idKey } from '../audience/user.ts'
import type { AdRequest } from '../targeting/request.ts'
import { parseAdBody, parseAdQuery, sourceKeyOf, type TagContext } from './parse.ts'

type Json = Record<string, unknown>

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36'
const BROWSER = { ua: CHROME, hintMobile: null, hintPlatform: null }
const IN_TORONTO = { country: 'CA', region: 'ON', city: 'toronto', lat: 43.65, lon: -79.38 }
const lookups = testLookups({ [TORONTO_IP]: IN_TORONTO })

function read(changes: Json = {}, context: Partial<TagContext> = {}): AdRequest {
  const parsed = parseAdBody({ source: 'key', size: '300x250', ...changes }, tagContext(context))
  if (!('request' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.request
}

function faults(changes: Json): string[] {
  const parsed = parseAdBody({ source: 'key', size: '300x250', ...changes }, tagContext())
  return 'errors' in parsed ? parsed.errors.map(({ path }) => path) : []
}

describe('POST /ad', () => {
  test('every given field is read', () => {
    const parsed = parseAdBody(
      {
        source: ' key ',
        size: ['300x250', ' 728 X 90'],
        page: 'https://www.news.example.com/a?b',
        cat: ['IAB1', 'iab2-3', 'IAB1'],
        ip: TORONTO_IP,
        ua: CHROME,
        geo: { country: 'ca', region: 'on', city: 'Toronto', lat: 1, lon: 2 },
        device: 'tablet',
        user: { id: 'u', gender: 'female', age: 27 },
      },
      tagContext({ lookups }),
    )
    expect(parsed).toEqual({
      source: 'key',
      isKnownBefore: true,
      visitor: { address: TORONTO_IP, agent: CHROME },
      request: {
        id: 'r-1',
        slots: [
          {
            id: '1',
            sizes: [
              { width: 300, height: 250 },
              { width: 728, height: 90 },
            ],
            floorMicros: 0,
            secure: false,
            mimes: null,
            blockedAttributes: [],
          },
        ],
        country: 'CA',
        region: 'ON',
        city: 'toronto',
        lat: 1,
        lon: 2,
        categories: ['IAB1', 'IAB2-3'],
        device: 'tablet',
        gender: 'female',
        age: '18to34',
        userKey: idKey('user', 'u', TEST_SECRETS.idSecret),
        blockedCategories: [],
        blockedDomains: [],
        test: false,
        site: 'news.example.com',
        app: null,
        os: 'Windows',
      },
    })
  })

  test('missing fields come from address, agent, headers and cookie', () => {
    const context = {
      isServer: false,
      ip: TORONTO_IP,
      agent: BROWSER,
      cookie: { id: 'c', first: null },
      page: 'http://localhost:3000/x',
      lookups,
    }
    expect(read({}, context)).toMatchObject({
      ...IN_TORONTO,
      device: 'desktop',
      os: 'Windows',
      site: 'localhost',
      userKey: idKey('cookie', 'c', TEST_SECRETS.idSecret),
    })
    const page = { ...context, cookie: null }
    expect(read({}, page).userKey).not.toBeNull()
    // The address of a server says neither who nor where a visitor is.
    const server = { ...page, isServer: true }
    expect(read({}, server)).toMatchObject({ country: null, city: null, lat: null, userKey: null })
    expect(read({ ip: TORONTO_IP }, server)).toMatchObject(IN_TORONTO)
    expect(read({ ip: TORONTO_IP }, server).userKey).not.toBeNull()
    expect(read({})).toMatchObject({ country: null, device: null, site: null, userKey: null, os: null })
  })

  test('null is treated as not given', () => {
    const nothing = { page: null, cat: null, ip: null, ua: null, geo: null, device: null, user: null }
    expect(read(nothing)).toEqual(read())
    expect(read({ geo: { country: null, lat: null, lon: null }, user: { id: null, age: null } })).toEqual(
      read(),
    )
  })

  test('the address completes a place only if it agrees with what is given', () => {
    const place = (geo: Json) => {
      const { country, region, city, lat, lon } = read({ geo, ip: TORONTO_IP }, { lookups })
      return [country, region, city, lat, lon]
    }
    const whole = ['CA', 'ON', 'toronto', 43.65, -79.38]
    expect(place({})).toEqual(whole)
    expect(place({ country: 'CA' })).toEqual(whole)
    expect(place({ country: 'CA', region: 'ON' })).toEqual(whole)
    expect(place({ country: 'CA', region: 'QC' })).toEqual(['CA', 'QC', null, null, null])
    expect(place({ country: 'US' })).toEqual(['US', null, null, null, null])
    expect(place({ country: 'CA', region: 'ON', city: 'Ottawa' })).toEqual(['CA', 'ON', 'ottawa', null, null])
    expect(place({ lat: 5, lon: 6 })).toEqual(['CA', 'ON', 'toronto', 5, 6])
  })

  test('on its first day, a cookie gives the key under which its visitor was counted before', () => {
    const keyOf = (dayKey: number) =>
      read({}, { cookie: { id: 'c', first: { dayKey: 20261115, userKey: 'ab' } }, dayKey }).userKey
    expect(keyOf(20261115)).toBe('ab')
    expect(keyOf(20261116)).toBe(idKey('cookie', 'c', TEST_SECRETS.idSecret))
  })

  test('a visitor who asks not to be tracked has no key', () => {
    expect(
      read({ user: { id: 'u' } }, { doNotTrack: true, cookie: { id: 'c', first: null } }).userKey,
    ).toBeNull()
  })

  test('an age under 13 belongs to no band', () => {
    expect(read({ user: { age: 12 } }).age).toBeNull()
    expect(read({ user: { age: 13 } }).age).toBe('13to17')
    expect(read({ user: { age: 50 } }).age).toBe('50+')
  })

  test.each<[Json, string[]]>([
    [{ source: undefined }, ['/source']],
    [{ source: 7 }, ['/source']],
    [{ source: ' ' }, ['/source']],
    [{ size: undefined }, ['/size']],
    [{ size: [] }, ['/size']],
    [{ size: '300' }, ['/size']],
    [{ size: '0x250' }, ['/size']],
    [{ size: '300x250,' }, ['/size']],
    [{ size: Array(21).fill('300x250').join() }, ['/size']],
    [{ size: ['300x250', 'big', 7] }, ['/size/1', '/size/2']],
    [{ size: Array(21).fill('300x250') }, ['/size']],
    [{ sise: '300x250' }, ['/sise']],
    [{ 'a/b~c': 1 }, ['/a~1b~0c']],
    [{ page: 'javascript:alert(1)' }, ['/page']],
    [{ page: 'not a url' }, ['/page']],
    [{ cat: ['IAB1', 'IAB99', 3] }, ['/cat/1', '/cat/2']],
    [{ cat: 'IAB24-1' }, ['/cat']],
    [{ ip: '300.1.1.1' }, ['/ip']],
    [{ ip: '0x7f.1' }, ['/ip']],
    [{ ip: 5 }, ['/ip']],
    [{ ua: 'a\u0000b' }, ['/ua']],
    [{ ua: 'x'.repeat(2049) }, ['/ua']],
    [{ geo: 'CA' }, ['/geo']],
    [{ geo: { country: 'Canada' } }, ['/geo/country']],
    [{ geo: { country: 'XX' } }, ['/geo/country']],
    [{ geo: { country: 'CA', region: 'XX' } }, ['/geo/region']],
    [{ geo: { region: 'ON' } }, ['/geo/country']],
    [{ geo: { city: 'Toronto' } }, ['/geo/country']],
    [{ geo: { lat: 1 } }, ['/geo/lon']],
    [{ geo: { lat: 91, lon: 0 } }, ['/geo/lat']],
    [{ geo: { lat: '1', lon: 0 } }, ['/geo/lat']],
    [{ geo: { zip: '1' } }, ['/geo/zip']],
    [{ device: 'phone' }, ['/device']],
    [{ user: 'u' }, ['/user']],
    [{ user: { id: 5 } }, ['/user/id']],
    [{ user: { gender: 'M' } }, ['/user/gender']],
    [{ user: { age: -1 } }, ['/user/age']],
    [{ user: { age: '27' } }, ['/user/age']],
    [{ user: { mail: 'x' } }, ['/user/mail']],
    [{ device: 'x', ip: 'y', size: 'z' }, ['/size', '/ip', '/device']],
  ])('%j is refused at %j', (changes, paths) => {
    expect(faults(changes)).toEqual(paths)
  })

  test.each([[null], [undefined], ['text'], [[]], [7]])('a body of %j is refused', body => {
    expect(parseAdBody(body, tagContext())).toMatchObject({ errors: [{ path: '' }] })
  })

  test('the source can be read before the rest is checked', () => {
    expect(sourceKeyOf({ source: ' key ', size: 5 })).toBe('key')
    expect(sourceKeyOf({ source: ['key', 'other'] })).toBe('key')
    for (const input of [null, 7, {}, { source: 7 }, { source: '' }]) expect(sourceKeyOf(input)).toBeNull()
  })
})

test('several sizes may stand in one text, as in a tag', () => {
  const sizesOf = (size: unknown) => read({ size }).slots[0]!.sizes
  expect(sizesOf('300x250,728x90')).toEqual(sizesOf(['300x250', '728x90']))
  expect(sizesOf('300x250 , 728 x 90')).toEqual(sizesOf(['300x250', '728x90']))
})

describe('GET /ad.html', () => {
  test('flat names mean the same as the body', () => {
    const query = {
      source: 'key',
      size: '300x250,728x90',
      page: 'https://news.example.com/',
      cat: ['IAB1', 'IAB2,IAB3'],
      country: 'CA',
      region: 'ON',
      city: 'Toronto',
      lat: '43.5',
      lon: '-79.25',
      device: 'mobile',
      gender: 'male',
      age: '41',
      user: 'u',
      cb: '12345',
    }
    const body = {
      source: 'key',
      size: ['300x250', '728x90'],
      page: 'https://news.example.com/',
      cat: ['IAB1', 'IAB2', 'IAB3'],
      geo: { country: 'CA', region: 'ON', city: 'Toronto', lat: 43.5, lon: -79.25 },
      device: 'mobile',
      user: { id: 'u', gender: 'male', age: 41 },
    }
    expect(parseAdQuery(query, tagContext())).toEqual(parseAdBody(body, tagContext()))
  })

  test('an empty value is treated as not given', () => {
    const empty = { country: '', region: ' ', lat: '', cat: '', gender: '', user: '', page: '' }
    const plain = { source: 'key', size: '300x250' }
    expect(parseAdQuery({ ...plain, ...empty }, tagContext())).toEqual(parseAdQuery(plain, tagContext()))
  })

  test('errors use the names of the query', () => {
    const query = {
      size: 'x',
      country: 'XX',
      lat: '1e1',
      lon: '0x1',
      gender: 'M',
      age: 'old',
      user: 'u'.repeat(300),
    }
    const parsed = parseAdQuery(query, tagContext())
    const paths = 'errors' in parsed ? parsed.errors.map(({ path }) => path) : []
    expect(paths).toEqual(['/source', '/size', '/country', '/lat', '/lon', '/user', '/gender', '/age'])
  })
})
