// The bid response is complete, exact, and conforms to OpenRTB.

import type { Bid as IabBid } from 'iab-openrtb/v26'
import { describe, expect, test } from 'vitest'
import { bidContext } from '../../../test/support/ad-context.ts'
import { bidResponseFaults } from '../../../test/support/openrtb-rules.ts'
import type { LiveBanner } from '../../budget/live.ts'
import { parseBidRequest } from './parse.ts'
import { bidResponse, type WonSlot } from './respond.ts'

type Json = Record<string, unknown>

/** The parsed response. */
interface BidResponse {
  id: string
  cur: string
  seatbid: { seat: string; bid: Bid[] }[]
}

interface Bid {
  id: string
  impid: string
  price: number
  adid: string
  crid: string
  cid: string
  adm: string
  adomain: string[]
  cat?: string[]
  attr: number[]
  w: number
  h: number
  mtype: 1
  iurl: string
  burl: string
  lurl: string
  exp: number
  dealid?: string
}

const PRICE_MACRO = ['$', '{AUCTION_PRICE}'].join('')
const US = { seat: 'marquee', currency: 'USD', domain: 'ads.example.net' }

const BANNER: LiveBanner = {
  bid: 41,
  pid: 31,
  width: 300,
  height: 250,
  type: 'image/png',
  animated: false,
  imagePath: '/creative/abc.png',
  clickUrl: 'https://shop.example.com/?a=1&b=2',
  adomain: 'shop.example.com',
}

function win(changes: Partial<WonSlot> = {}): WonSlot {
  return {
    slotId: '1',
    bidId: 'b-1',
    company: undefined,
    targeting: undefined,
    cid: 21,
    cpmMicros: 2_350_000,
    category: ['IAB18'],
    banner: BANNER,
    links: {
      image: 'https://ads.example.net/creative/abc.png',
      click: 'https://ads.example.net/t/c/tok',
      pixel: 'https://ads.example.net/t/i/tok',
      billing: `https://ads.example.net/t/b/tok?p=${PRICE_MACRO}`,
      view: 'https://ads.example.net/t/v/V',
      loss: 'https://ads.example.net/t/l/tok',
    },
    ...changes,
  }
}

function ask(changes: Json = {}, imp: Json = {}): Json {
  return { id: 'q', imp: [{ id: '1', secure: 1, banner: { w: 300, h: 250 }, ...imp }], ...changes }
}

function answer(json: Json, wins: WonSlot[]): BidResponse | null {
  const parsed = parseBidRequest(json, bidContext())
  if (!('request' in parsed)) throw new Error(JSON.stringify(parsed))
  const text = bidResponse(parsed.request, parsed.terms, wins, US)
  return text === null ? null : JSON.parse(text)
}

describe('bid response', () => {
  test('contains everything that was decided, and conforms to the rules', () => {
    const json = ask({ site: {} }, { bidfloor: 2.35 })
    const response = answer(json, [win()])
    expect(response).toMatchObject({
      id: 'q',
      cur: 'USD',
      seatbid: [
        {
          seat: 'marquee',
          bid: [
            {
              id: 'b-1',
              impid: '1',
              price: 2.35,
              adid: '41',
              crid: '41',
              cid: '21',
              adomain: ['shop.example.com'],
              cat: ['IAB18'],
              attr: [21],
              w: 300,
              h: 250,
              mtype: 1,
              iurl: 'https://ads.example.net/creative/abc.png',
              burl: `https://ads.example.net/t/b/tok?p=${PRICE_MACRO}`,
              lurl: 'https://ads.example.net/t/l/tok',
              exp: 60,
            },
          ],
        },
      ],
    })
    expect(bidResponseFaults(json, response, US)).toEqual([])
  })

  test('fits the IAB types of 2.6, whose list of attributes ends before ours', () => {
    const bid: Omit<IabBid, 'attr'> | undefined = answer(ask(), [win()])?.seatbid[0]?.bid[0]
    expect(bid?.impid).toBe('1')
  })

  test('the price is the campaign price to the last digit', () => {
    for (const cents of [1, 7, 29, 57, 115, 999, 100_000_001]) {
      const response = answer(ask(), [win({ cpmMicros: cents * 10_000 })])
      expect(JSON.stringify(response)).toContain(`"price":${cents / 100},`)
    }
  })

  test('an imp gets at most one bid, and without a win there is no response', () => {
    const bids = answer(ask(), [win(), win({ bidId: 'b-2' })])?.seatbid[0]?.bid as Bid[]
    expect(bids.map(({ id }) => id)).toEqual(['b-1'])
    expect(answer(ask(), [])).toBeNull()
  })

  test('a bid in a deal names it, and an animated banner is declared as such', () => {
    const json = ask({}, { pmp: { private_auction: 1, deals: [{ id: 'd-1', bidfloor: 2 }] } })
    const response = answer(json, [win({ banner: { ...BANNER, animated: true }, category: [] })])
    expect(response?.seatbid[0]?.bid[0]).toMatchObject({ dealid: 'd-1', attr: [22] })
    expect(response?.seatbid[0]?.bid[0]).not.toHaveProperty('cat')
    expect(bidResponseFaults(json, response, US)).toEqual([])
  })

  test('whatever names an exchange or advertiser uses, the answer is valid JSON that means the same', () => {
    const odd = 'a"b\\c\n\u2028\ud800</script>\u00e9'
    const response = answer(ask({ id: odd }, { id: odd, pmp: { deals: [{ id: odd }] }, bidfloor: 9 }), [
      win({ slotId: odd, banner: { ...BANNER, adomain: odd }, category: [odd] }),
    ])
    expect(response).toMatchObject({
      id: odd,
      seatbid: [{ bid: [{ impid: odd, dealid: odd, adomain: [odd], cat: [odd] }] }],
    })
  })

  test('several imps, several bids', () => {
    const imp = ['1', '2', '3'].map(id => ({ id, banner: { w: 300, h: 250 } }))
    const json = ask({ imp })
    const response = answer(json, [win(), win({ slotId: '3', bidId: 'b-3' })])
    expect(response?.seatbid[0]?.bid.map(({ impid }) => impid)).toEqual(['1', '3'])
    expect(bidResponseFaults(json, response, US)).toEqual([])
  })
})

describe('the response checker finds', () => {
  const broken: [string, Json, Partial<WonSlot>][] = [
    ['under the floor', ask({}, { bidfloor: 2.36 }), {}],
    ['not in the request', ask(), { slotId: '9' }],
    ['size 300x250 is not allowed', ask({}, { banner: { w: 728, h: 90 } }), {}],
    ['size 300x250 is not allowed', ask({}, { banner: { format: [{ w: 728, h: 90 }], w: 300, h: 250 } }), {}],
    ['blocked by badv', ask({ badv: ['example.com'] }), {}],
    ['blocked by bcat', ask({ bcat: ['IAB18'] }), { category: ['IAB18-5'] }],
    ['blocked by battr', ask({}, { banner: { w: 300, h: 250, battr: [21] } }), {}],
    ['iurl is not secure', ask(), { links: { ...win().links, image: 'http://ads.example.net/a.png' } }],
    ['adm has an insecure link', ask(), { links: { ...win().links, pixel: 'http://ads.example.net/t/i/x' } }],
    [
      'no macro for the price',
      ask(),
      { links: { ...win().links, billing: 'https://ads.example.net/t/b/x' } },
    ],
  ]
  test.each(broken)('%s', (words, json, changes) => {
    expect(bidResponseFaults(json, answer(json, [win(changes)]), US).join('; ')).toContain(words)
  })

  test('a bid outside the deals of a private auction, and a foreign id or seat', () => {
    const response = answer(ask(), [win()])
    const json = ask({}, { pmp: { private_auction: 1, deals: [{ id: 'd' }] } })
    expect(bidResponseFaults(json, response, US).join()).toContain('a private auction wants a deal')
    expect(bidResponseFaults({ ...ask(), id: 'other' }, response, US).join()).toContain('id is not')
    expect(bidResponseFaults(ask(), response, { ...US, seat: 'x' }).join()).toContain('seat is')
    expect(bidResponseFaults({ ...ask(), bseat: ['marquee'] }, response, US).join()).toContain('bseat')
  })
})
