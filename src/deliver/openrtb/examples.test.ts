// Requests in the shape of the examples of the OpenRTB 2.5 and 2.6 specifications (IAB Tech Lab, CC BY 3.0).

import { describe, expect, test } from 'vitest'
import { bidContext } from '../../../test/support/ad-context.ts'
import type { AdRequest } from '../targeting/request.ts'
import { parseBidRequest } from './parse.ts'

const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_6_8) AppleWebKit/537.13 (KHTML, like Gecko) Version/5.1.7 Safari/534.57.2'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 6_1 like Mac OS X) AppleWebKit/534.46 (KHTML, like Gecko) Version/5.1 Mobile/9A334 Safari/7534.48.3'

const SITE = {
  id: '102855',
  cat: ['IAB3-1'],
  domain: 'www.foobar.com',
  page: 'http://www.foobar.com/1234.html ',
  publisher: { id: '8953', name: 'foobar.com', cat: ['IAB3-1'], domain: 'foobar.com' },
}
const USER = { id: '55816b39711f9b5acf3b90e313ed29e51665623f' }

function read(json: unknown, context = bidContext()): AdRequest {
  const parsed = parseBidRequest(json, context)
  if (!('request' in parsed)) throw new Error(`not read: ${JSON.stringify(parsed)}`)
  return parsed.request
}

describe('the examples of the specification', () => {
  test('a simple banner', () => {
    const simple = {
      id: '80ce30c53c16e6ede735f123ef6e32361bfc7b22',
      at: 1,
      cur: ['USD'],
      imp: [{ id: '1', bidfloor: 0.03, banner: { h: 250, w: 300, pos: 0 } }],
      site: SITE,
      device: { ua: MAC, ip: '123.145.167.10' },
      user: USER,
    }
    const request = read(simple)
    expect(request.userKey).not.toBeNull()
    expect({ ...request, userKey: '' }).toEqual({
      id: simple.id,
      slots: [
        {
          id: '1',
          sizes: [{ width: 300, height: 250 }],
          floorMicros: 30_000,
          secure: false,
          mimes: null,
          blockedAttributes: [],
        },
      ],
      country: null,
      region: null,
      city: null,
      lat: null,
      lon: null,
      categories: ['IAB3-1'],
      device: 'desktop',
      gender: null,
      age: null,
      userKey: '',
      blockedCategories: [],
      blockedDomains: [],
      test: false,
      site: 'foobar.com',
      app: null,
      os: 'macOS',
    })
  })

  test('an app on a phone, with an interstitial without a size', () => {
    const imp = { bidfloor: 0.5, tagid: 'agltb3B1Yi1pbmNyDQsSBFNpdGUY7fD0FAw' }
    const more = { btype: [4], battr: [14], api: [3] }
    const mobile = {
      id: 'IxexyLDIIk',
      at: 2,
      bcat: ['IAB25', 'IAB7-39', 'IAB8-18', 'IAB8-5', 'IAB9-9'],
      badv: ['apple.com', 'go-text.me', 'heywire.com'],
      imp: [
        { ...imp, id: '1', banner: { w: 728, h: 90, pos: 1, ...more } },
        { ...imp, id: '2', instl: 1, banner: { w: 0, h: 0, pos: 2, ...more } },
      ],
      app: { id: 'x', name: 'Yahoo Weather', cat: ['IAB15', 'IAB15-10'], bundle: '12345' },
      device: {
        dnt: 0,
        ua: IPHONE,
        ip: '123.145.167.189',
        ifa: 'AA000DFE74168477C70D291f574D344790E0BB11',
        os: 'iOS',
        devicetype: 1,
        geo: { lat: 35.012345, lon: -115.12345, country: 'USA', region: 'CA', city: 'Los Angeles' },
      },
      user: { id: 'ffffffd5135596709273b3a1a07e466ea2bf4fff', yob: 1984, gender: 'M' },
    }
    const request = read(mobile)
    expect(request).toMatchObject({
      country: 'US',
      region: 'CA',
      city: 'los angeles',
      lat: 35.012345,
      lon: -115.12345,
      categories: ['IAB15', 'IAB15-10'],
      device: 'mobile',
      gender: 'male',
      age: '35to49',
      blockedCategories: mobile.bcat,
      blockedDomains: mobile.badv,
      site: null,
      app: '12345',
      os: 'iOS',
    })
    expect(request.slots[0]).toMatchObject({
      id: '1',
      sizes: [{ width: 728, height: 90 }],
      floorMicros: 500_000,
      blockedAttributes: [14],
    })
    expect(request.slots[1]?.sizes).toContainEqual({ width: 320, height: 480 })
  })

  test('a private auction with deals for other agencies gets no bid; with a deal for us it gets a bid in that deal', () => {
    const deals = [
      { id: 'AB-Agency1-0001', at: 1, bidfloor: 2.5, wseat: ['Agency1'] },
      { id: 'XY-Agency2-0001', at: 2, bidfloor: 2, wseat: ['Agency2'] },
    ]
    const pmp = { private_auction: 1, deals }
    const request = {
      id: '8',
      imp: [{ id: '1', bidfloor: 0.03, banner: { h: 250, w: 300 }, pmp }],
      site: SITE,
    }
    expect(parseBidRequest(request, bidContext())).toEqual({ noBid: 'private_auction' })
    const parsed = parseBidRequest(request, bidContext({ seat: 'Agency1' }))
    expect(parsed).toMatchObject({ request: { slots: [{ floorMicros: 2_500_000 }] } })
    expect('terms' in parsed && parsed.terms.get('1')?.dealId).toBe('AB-Agency1-0001')
  })

  test('an expandable banner with data about the user', () => {
    const data = [{ id: '6', name: 'Data Provider 1', segment: [{ id: '12341318394918', name: 'auto' }] }]
    const request = read({
      id: '123456789316e6ede735f123ef6e32361bfc7b22',
      imp: [
        {
          id: '1',
          bidfloor: 0.03,
          iframebuster: ['vendor1.com'],
          banner: { h: 250, w: 300, battr: [13], expdir: [2, 4] },
        },
      ],
      site: SITE,
      user: { ...USER, buyeruid: '545678765467876567898765678987654', data },
    })
    expect(request).toMatchObject({ device: null, os: null, slots: [{ blockedAttributes: [13] }] })
  })

  test.each([
    [
      'video',
      { video: { w: 640, h: 480, mimes: ['video/mp4'], companionad: [{ id: '1', w: 300, h: 250 }] } },
    ],
    ['native', { native: { request: '{}', ver: '1.0', battr: [13, 14] } }],
    ['audio', { audio: { mimes: ['audio/mp4'] } }],
  ])('%s alone gets no bid', (_, format) => {
    const request = { id: '1234567893', tmax: 120, imp: [{ id: '1', bidfloor: 0.03, ...format }], site: SITE }
    expect(parseBidRequest(request, bidContext())).toEqual({ noBid: 'no_banner' })
  })
})
