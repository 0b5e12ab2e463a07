// How much of a campaign's day one visitor address can take: a bounded part, whatever it asks for and however long.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../support/delivery.ts'
import { callMarquee } from '../support/process.ts'

const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** One impression at the default price, which is 2.00 per thousand. */
const IMPRESSION = 0.002
const METRICS = { headers: { authorization: 'Bearer token-of-metrics' } }

let service: ListeningService
const countries = ['SE', 'BR', 'CL', 'PE', 'UY', 'MX', 'JP']

beforeAll(async () => {
  service = await startListeningService({
    TRUST_PROXY: 'loopback',
    METRICS_TOKEN: 'token-of-metrics',
    VISITOR_IMPRESSIONS: '0',
  })
})
afterAll(() => service.close())

interface Target extends ServedCampaign {
  country: string
}

/** A campaign that no other request in this file fits, with a daily budget of this many impressions. */
async function newTarget(impressions: number): Promise<Target> {
  const country = countries.pop()!
  const campaign = { dailySpend: Math.round(impressions * IMPRESSION * 100) / 100, pacing: 'asap' }
  const served = await newServedCampaign(service, { campaign, persona: { geo: { geos: [country] } } })
  await service.delivery.running()!.refresh()
  return { ...served, country }
}

const visitor = (address: string) => ({
  'x-forwarded-for': address,
  'user-agent': AGENT,
  origin: 'http://localhost',
})

/** Asks again while a share of the budget is still being granted. */
async function ask({ country }: Target, headers: Record<string, string>, body: object = {}) {
  return until(async () => {
    const { json } = await service.ad({ size: '300x250', geo: { country }, ...body }, headers)
    return json.reason === 'share_wait' ? null : json
  })
}

/** Asks for ads and sees them, this many times; returns the reasons why there was no ad. */
async function see(
  target: Target,
  addressOf: (n: number) => string,
  times: number,
  body: (address: string) => object = () => ({}),
): Promise<string[]> {
  const reasons: string[] = []
  for (let n = 0; n < times; n++) {
    const address = addressOf(n)
    const { ad, reason } = await ask(target, visitor(address), body(address))
    if (!ad) reasons.push(reason)
    else await service.send('GET', new URL(ad.impression).pathname, undefined, visitor(address))
  }
  return reasons
}

async function summaryOf({ customer, cid }: Target): Promise<{ imps: number; spend: number }> {
  return (await customer.call('GET', `/stats/${cid}/summary`)).body
}

it('one address takes a tenth of the day, and the others are served; the advertiser and the operator can see it', async () => {
  const target = await newTarget(500)
  const reasons = await see(target, () => '198.51.100.7', 70)
  expect((await summaryOf(target)).imps).toBe(50)
  expect(reasons).toEqual(Array(20).fill('visitor_share'))
  // Another port, or another spelling of the address, is not another visitor.
  expect(await see(target, n => `198.51.100.7:${5000 + n}`, 2)).toHaveLength(2)
  expect(await see(target, () => '::ffff:198.51.100.7', 1)).toHaveLength(1)
  expect(await see(target, () => '203.0.113.5', 5)).toEqual([])
  expect((await summaryOf(target)).imps).toBe(55)
  const { customer, cid } = target
  const filtered = await until(async () => {
    const { body } = await customer.call('GET', `/stats/${cid}/filtered`)
    const row = body.filtered.find((one: { reason: string }) => one.reason === 'visitor_share')
    return row?.imps === 23 ? row : null
  })
  expect(filtered).toMatchObject({ reason: 'visitor_share', imps: 23 })
  const issues = (await customer.call('GET', `/campaign/${cid}/issues`)).body
  expect(issues).toMatchObject([{ code: 'visitor_share', reasons: [expect.stringContaining('23 ads')] }])
  expect((await service.call('GET', '/metrics', METRICS)).text).toContain('outcome="visitor_share"')
})

it('ads that it got before and shows later are not billed beyond that', async () => {
  const target = await newTarget(500)
  const headers = visitor('198.51.100.8')
  const ads = []
  for (let n = 0; n < 60; n++) ads.push((await ask(target, headers)).ad)
  // Ads that it holds unseen count too.
  const given = ads.filter(Boolean)
  expect(given).toHaveLength(50)
  await Promise.all(
    given.map(({ impression }) => service.send('GET', new URL(impression).pathname, undefined, headers)),
  )
  expect((await summaryOf(target)).imps).toBe(50)
})

it('a network takes three tenths, however many addresses it has', async () => {
  const target = await newTarget(400)
  await see(target, n => `198.51.101.${n % 250}`, 150)
  expect((await summaryOf(target)).imps).toBe(120)
  const six = await newTarget(400)
  await see(six, n => `2001:db8:9:${n.toString(16)}::1`, 150)
  expect((await summaryOf(six)).imps).toBe(120)
})

it('one address gets twenty impressions of a tiny budget', async () => {
  const target = await newTarget(50)
  await see(target, () => '198.51.102.1', 30)
  expect((await summaryOf(target)).imps).toBe(20)
})

it('the server of a site requests ads for its visitors: its key is secret, and their part is not limited', async () => {
  const target = await newTarget(100)
  const body = (ip: string) => ({ source: service.serverKey, page: 'http://localhost/', ip, ua: AGENT })
  const reasons = await see(target, () => '198.51.103.1', 60, body)
  expect(reasons).toEqual([])
  expect((await summaryOf(target)).imps).toBe(60)
})

it('a chain of proxies that is not the configured one is told to the operator and to staff, with the source', async () => {
  const refused = async () => (await service.call('GET', '/cockpit')).body.refusedSources
  const doctor = async () => {
    const { config } = service
    const env = { DATABASE_URL: config.DATABASE_URL!, DATA_DIR: config.DATA_DIR, PORT: '0' }
    return (await callMarquee(['doctor'], env)).output
  }
  const target = await newTarget(2000)
  // Two machines of a CDN that is not in TRUST_PROXY: one passes on the request, another one the pixel.
  for (let n = 0; n < 150; n++) {
    const { ad } = await ask(target, visitor(`203.0.${n}.1`))
    const { status } = await service.send(
      'GET',
      new URL(ad.impression).pathname,
      undefined,
      visitor('192.0.2.9'),
    )
    expect(status).toBe(200)
  }
  expect((await summaryOf(target)).imps).toBe(0)
  const found = await until(
    async () => (await refused()).find((one: Refused) => one.reason === 'other_visitor') ?? null,
    30_000,
  )
  expect(found).toMatchObject({ source: 'default-site', refused: 150 })
  await expect
    .poll(async () => (await service.call('GET', '/metrics', METRICS)).text)
    .toContain('marquee_sources_refused{outcome="other_visitor"} 1')
  expect(service.logLines.join()).toContain('many impressions of a source are not counted')
  expect(await doctor()).toMatch(
    /^WARNING +impressions +150 of \d+ impressions .*other_visitor\.\n.*TRUST_PROXY/m,
  )
})

interface Refused {
  reason: string
}
