// Bid requests from pages through a real socket: OpenRTB with the rules of a site's tag.

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { switchDebug } from '../../manage/sources/sources.ts'

const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const READER = { 'x-forwarded-for': '99.224.0.1', 'user-agent': AGENT, origin: 'http://localhost' }

let service: ListeningService
let served: ServedCampaign

beforeAll(async () => {
  service = await startListeningService({ TRUST_PROXY: 'loopback' })
  served = await newServedCampaign(service, { campaign: { cpm: 2.5 } })
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const pageRequest = (changes: object = {}) => ({
  id: 'page-1',
  imp: [{ id: 'place', banner: { format: [{ w: 300, h: 250 }] } }],
  site: { page: 'http://localhost/cycling' },
  ...changes,
})
const ask = (body: unknown, headers: Record<string, string> = READER, key = service.siteKey) =>
  service.send('POST', `/openrtb2/site/${key}`, body, headers)
const imps = async () => (await served.customer.call('GET', `/stats/${served.cid}/summary`)).body.imps
const pixelOf = (adm: string) => /\/t\/i\/[\w-]+/.exec(adm)![0]

describe('a page that requests bids', () => {
  it('gets one that is counted by its own visitor’s pixel, once, at the bid price; there are no notices', async () => {
    const before = await imps()
    const here = { domain: 'localhost:3000', page: 'http://localhost:3000/cycling' }
    const { status, headers, json } = await ask(pageRequest({ site: here }))
    expect([status, headers['access-control-allow-origin']]).toEqual([200, 'http://localhost'])
    const [bid] = json.seatbid[0].bid
    expect(bid).toMatchObject({ impid: 'place', price: 2.5, mtype: 1, exp: 50, w: 300, h: 250 })
    expect([bid.burl, bid.lurl]).toEqual([undefined, undefined])
    const pixel = pixelOf(bid.adm)
    await service.send('GET', pixel, undefined, { ...READER, 'x-forwarded-for': '203.0.113.9' })
    expect(await imps()).toBe(before)
    await service.send('GET', `${pixel}?p=0`, undefined, READER)
    await service.send('GET', pixel, undefined, READER)
    const { body } = await served.customer.call('GET', `/stats/${served.cid}/summary`)
    expect(body).toMatchObject({ imps: before + 1, spend: (before + 1) * 0.0025 })
  })

  it('cannot say who or where its visitor is, or which agent it has', async () => {
    const elsewhere = { 'x-forwarded-for': '198.51.100.1', 'user-agent': AGENT, origin: 'http://localhost' }
    const inCanada = { geo: { country: 'CAN' }, ip: '99.224.0.1', ua: AGENT }
    const made = pageRequest({ device: inCanada, user: { id: 'u', geo: { country: 'CAN' } } })
    expect((await ask(made, elsewhere)).status).toBe(204)
    // Only a test request, which nobody pays for, may say where it is.
    expect((await ask({ ...made, test: 1 }, elsewhere)).status).toBe(200)
    const bot = { ...READER, 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }
    expect((await ask(pageRequest({ device: { ua: AGENT } }), bot)).status).toBe(204)
    expect((await ask(pageRequest({ app: { bundle: 'x' } }))).status).toBe(200)
  })

  it('of another domain, or prefetched, is not billed', async () => {
    const before = await imps()
    const foreign = [
      ask(pageRequest({ site: { page: 'https://evil.example/' } })),
      ask(pageRequest(), { ...READER, origin: 'https://evil.example' }),
      ask(pageRequest({ test: 1 })),
    ]
    for (const { json } of await Promise.all(foreign))
      await service.send('GET', pixelOf(json.seatbid[0].bid[0].adm), undefined, READER)
    expect(await imps()).toBe(before)
    expect((await ask(pageRequest(), { ...READER, 'sec-purpose': 'prefetch' })).status).toBe(204)
  })

  it('is answered whatever it sends, and browsers may send a preflight', async () => {
    const preflight = await service.send('OPTIONS', `/openrtb2/site/${service.siteKey}`, undefined, {
      origin: 'https://news.example',
      'access-control-request-method': 'POST',
    })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      'https://news.example',
    ])
    expect(preflight.headers['access-control-allow-headers']).toContain('x-marquee-debug')
    const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
    expect(await statusOf('{')).toBe(400)
    expect(await statusOf([])).toBe(400)
    expect(await statusOf(pageRequest({ imp: [] }))).toBe(400)
    expect(await statusOf(pageRequest(), READER, 'mqsUnknown0000000000000000')).toBe(404)
    expect(await statusOf(pageRequest(), READER, service.serverKey)).toBe(404)
    expect(await statusOf(pageRequest(), { ...READER, 'content-encoding': 'gzip' })).toBe(415)
    expect(await statusOf(gzipSync('{}'), { ...READER, 'content-encoding': 'gzip' })).toBe(415)
    expect(await statusOf(pageRequest({ ext: 'x'.repeat(17_000) }))).toBe(413)
    expect((await service.send('GET', `/openrtb2/site/${service.siteKey}`)).status).toBe(405)
    const many = Array.from({ length: 60 }, (_, n) => ({
      id: String(n),
      banner: { format: [{ w: 300, h: 250 }] },
    }))
    const { json } = await ask(pageRequest({ imp: many }))
    expect(json.seatbid[0].bid.length).toBeLessThanOrEqual(20)
  })
})

describe('x-marquee-debug', () => {
  it('tells why there is no bid if the operator has switched it on, and only then', async () => {
    const debug = { 'x-marquee-debug': '1' }
    const dear = bidRequest({ imp: [{ id: '1', bidfloor: 99, banner: { format: [{ w: 300, h: 250 }] } }] })
    const tooDear = pageRequest({ imp: dear.imp })
    expect((await service.bid(dear, debug)).status).toBe(204)
    expect((await ask(tooDear, { ...READER, ...debug })).status).toBe(204)
    await switchDebug(service.db, 'default-exchange', true, service.clock)
    await switchDebug(service.db, 'default-site', true, service.clock)
    const noBid = await until(async () => {
      const answer = await service.bid(dear, debug)
      return answer.status === 200 ? answer.json : null
    })
    expect(noBid).toEqual({ id: 'auction-1', seatbid: [], ext: { marquee: { reason: 'floor' } } })
    expect((await service.bid(dear)).status).toBe(204)
    expect((await service.bid(dear, { 'x-marquee-debug': '0' })).status).toBe(204)
    const reasonOf = async (request: object) =>
      (await service.bid(request, debug)).json.ext.marquee.reason as string
    expect(await reasonOf(bidRequest({ cur: ['JPY'] }))).toBe('currency')
    expect(await reasonOf(bidRequest({ tmax: 1 }))).toBe('too_little_time')
    expect(await reasonOf(bidRequest({ device: { geo: { country: 'JPN' } } }))).toBe('no_match')
    expect((await service.bid({ id: 'x' }, debug)).json).toMatchObject({
      message: 'imp: at least one is required',
      code: 'malformed_request',
    })
    expect((await service.bid(dear, { ...debug, 'content-encoding': 'deflate' })).json.message).toBe(
      'the body is not JSON, plain or in gzip with content-encoding: gzip',
    )
    const page = await until(async () => (await ask(tooDear, { ...READER, ...debug })).json ?? null)
    expect(page).toMatchObject({ id: 'page-1', ext: { marquee: { reason: 'floor' } } })
    // A request that gets a bid gets it with the header, too.
    expect((await service.bid(bidRequest(), debug)).json.seatbid[0].bid).toHaveLength(1)
    await switchDebug(service.db, 'default-exchange', false, service.clock)
    await until(async () => ((await service.bid(dear, debug)).status === 204 ? true : null))
  })
})
