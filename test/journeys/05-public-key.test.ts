// What a stranger who read a site's public key in its page can do with it: request ads, see them, and little more.
// Others are still served, and the advertiser can see what happened.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldAll } from '../../src/count/fold/fold.ts'
import { addSource } from '../../src/manage/sources/sources.ts'
import { until } from '../support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../support/delivery.ts'

const OPEN_ADS = 90
const PER_HOUR = 30
const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** One impression at the default price, which is 2.00 per thousand. */
const IMPRESSION = 0.002

let service: ListeningService
let countries: string[]

beforeAll(async () => {
  service = await startListeningService({
    TRUST_PROXY: 'loopback',
    METRICS_TOKEN: 'token-of-metrics',
    VISITOR_OPEN_ADS: String(OPEN_ADS),
    VISITOR_IMPRESSIONS: String(PER_HOUR),
    // The part of a campaign's day that one address may take: tested in 06-visitor-share.test.ts.
    VISITOR_SHARE: '0',
  })
  countries = ['BR', 'CL', 'PE', 'UY', 'MX', 'JP', 'IN', 'KE', 'NG', 'GH', 'SN', 'MA']
})
afterAll(() => service.close())

interface Target extends ServedCampaign {
  country: string
}

/** A campaign that no other request in this file fits. */
async function newTarget(campaign: object): Promise<Target> {
  const country = countries.pop()!
  const served = await newServedCampaign(service, { campaign, persona: { geo: { geos: [country] } } })
  await service.delivery.running()!.refresh()
  return { ...served, country }
}

function visitor(address: string, agent = AGENT, more: Record<string, string> = {}) {
  return { 'x-forwarded-for': address, 'user-agent': agent, origin: 'http://localhost', ...more }
}

async function ask({ country }: Target, headers: Record<string, string>, body: object = {}) {
  return (await service.ad({ size: '300x250', geo: { country }, ...body }, headers)).json
}

async function see({ ad }: { ad: { impression: string } }, headers: Record<string, string>): Promise<void> {
  const { pathname } = new URL(ad.impression)
  expect((await service.send('GET', pathname, undefined, headers)).status).toBe(200)
}

async function filteredOf({ customer, cid }: Target): Promise<Record<string, number>> {
  const { body } = await customer.call('GET', `/stats/${cid}/filtered`)
  return Object.fromEntries(
    body.filtered.map((row: { reason: string; imps: number }) => [row.reason, row.imps]),
  )
}

async function issuesOf({ customer, cid }: Target): Promise<Record<string, string[]>> {
  const { body } = await customer.call('GET', `/campaign/${cid}/issues`)
  return Object.fromEntries(body.map((row: { code: string; reasons: string[] }) => [row.code, row.reasons]))
}

async function impsOf({ customer, cid }: Target): Promise<number> {
  return (await customer.call('GET', `/stats/${cid}/summary`)).body.imps
}

describe('ads that are never shown to anybody', () => {
  it('hold a bounded part of a budget for a minute, and the advertiser is told', async () => {
    const target = await newTarget({ dailySpend: 400 * IMPRESSION, pacing: 'asap' })
    let [given, refused] = [0, 0]
    for (let n = 0; n < 200 && refused < 20; n++) {
      const { ad, reason } = await ask(target, visitor('198.51.100.7'))
      if (ad) given++
      if (reason === 'too_many_unseen') refused++
    }
    expect([given, refused]).toEqual([OPEN_ADS, 20])
    // Other visitors are served as usual.
    const honest = visitor('203.0.113.5')
    for (let n = 0; n < 20; n++) await see(await ask(target, honest), honest)
    expect(await impsOf(target)).toBe(20)
    await until(async () => (await filteredOf(target)).too_many_unseen === refused || null)
    const issues = await until(async () => {
      const now = await issuesOf(target)
      return now.ads_unseen?.[0] === '20 of 110 ads served today were seen.' ? now : null
    })
    expect(issues.too_many_unseen![0]).toContain(`${refused} ads`)
    const { text } = await service.call('GET', '/metrics', {
      headers: { authorization: 'Bearer token-of-metrics' },
    })
    expect(text).toContain('outcome="too_many_unseen"')

    service.clock.advance(60_000)
    expect((await ask(target, visitor('198.51.100.7'))).ad).not.toBeNull()
  })

  it('of one address hold at most a quarter of what a campaign may spend, so that even a small one survives', async () => {
    const target = await newTarget({ dailySpend: 10 * IMPRESSION, pacing: 'asap' })
    const given = []
    for (let n = 0; n < 20; n++) given.push((await ask(target, visitor('198.51.100.8'))).ad)
    expect(given.filter(Boolean)).toHaveLength(2)
    for (let n = 1; n <= 3; n++) {
      const honest = visitor(`203.0.113.${n}`)
      await see(await ask(target, honest), honest)
    }
    expect(await impsOf(target)).toBe(3)
  })

  it('cannot silence a paced campaign with ten requests', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'even' })
    for (let n = 0; n < 10; n++) await ask(target, visitor('198.51.100.9'))
    const honest = visitor('203.0.113.9')
    const answer = await ask(target, honest)
    expect(answer.ad).not.toBeNull()
    await see(answer, honest)
    expect(await impsOf(target)).toBe(1)
  })
})

describe('a script that loads the pixels', () => {
  it('is billed up to a limit per hour, and again in the next hour', async () => {
    const target = await newTarget({ dailySpend: 200 * IMPRESSION, pacing: 'asap' })
    const script = visitor('198.51.100.20')
    for (let n = 0; n < 2 * PER_HOUR; n++) {
      const answer = await ask(target, script)
      if (answer.ad) await see(answer, script)
    }
    expect(await impsOf(target)).toBe(PER_HOUR)
    const issues = await until(async () => {
      const now = await issuesOf(target)
      return now.too_many_seen ? now : null
    })
    expect(issues.too_many_seen![0]).toContain('impressions were not billed')
    service.clock.advance(3_600_000)
    // If the next hour belongs to the next day, its budget must be granted first.
    const answer = await until(async () => {
      const next = await ask(target, script)
      return next.ad ? next : null
    })
    await see(answer, script)
    expect(await impsOf(target)).toBe(PER_HOUR + 1)
  })

  it('counts as one visitor by its /64, separately for each site; unbilled ads are in figures, issues and metrics', async () => {
    const target = await newTarget({ dailySpend: 200 * IMPRESSION, pacing: 'asap' })
    const other = await addSource(
      service.db,
      { kind: 'site', name: 'another site', domain: 'localhost' },
      service.clock,
    )
    await service.delivery.running()!.refresh()
    const [over, house] = [5, '2001:db8:1:2']
    for (let [n, seen] = [1, 0]; seen < PER_HOUR + over; n++) {
      const script = visitor(`${house}::${n}`)
      const answer = await ask(target, script)
      if (!answer.ad) continue
      await see(answer, script)
      seen++
    }
    expect(await impsOf(target)).toBe(PER_HOUR)
    await until(async () => (await filteredOf(target)).too_many_seen === over || null)
    const { text } = await service.call('GET', '/metrics', {
      headers: { authorization: 'Bearer token-of-metrics' },
    })
    expect(text).toMatch(/marquee_tracking_calls_total\{[^}]*too_many_seen/)
    // A neighbouring address, and the same address at another site.
    const next = visitor('2001:db8:1:3::1')
    await see(await ask(target, next), next)
    await see(await ask(target, visitor(`${house}::1`), { source: other.key }), visitor(`${house}::1`))
    expect(await impsOf(target)).toBe(PER_HOUR + 2)
    // A /48 is one network; the next /48 is another.
    const asked = await ask(target, next)
    await see(asked, visitor('2001:db8:2::1'))
    expect(await until(async () => (await filteredOf(target)).other_visitor ?? null)).toBe(1)
    await see(asked, visitor('2001:db8:1:ffff::1'))
    expect(await impsOf(target)).toBe(PER_HOUR + 3)
  })

  it('is reported to the advertiser if many of its pixels come from elsewhere', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap' })
    const asked = visitor('203.0.113.33')
    for (let n = 0; n < 5; n++) await see(await ask(target, asked), visitor('198.51.100.33'))
    const issues = await until(async () => {
      const now = await issuesOf(target)
      return now.other_visitor ? now : null
    })
    expect(issues.other_visitor).toEqual([
      '5 impressions were not counted today: they came from visitors who had not asked for those ads.',
    ])
    const { text } = await service.call('GET', '/metrics', {
      headers: { authorization: 'Bearer token-of-metrics' },
    })
    expect(text).toMatch(/marquee_tracking_calls_total\{[^}]*other_visitor/)
  })

  it('from another place than the visitor who asked is not counted, and shows as filtered', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap' })
    const asked = visitor('203.0.113.30')
    const answer = await ask(target, asked)
    await see(answer, visitor('198.51.100.30'))
    await see(answer, visitor('203.0.113.30', AGENT.replace('140', '139')))
    expect(await until(async () => (await filteredOf(target)).other_visitor ?? null)).toBe(2)
    expect(await impsOf(target)).toBe(0)
    // That does not use up the ad, and an address may change within its network.
    await see(answer, visitor('203.0.113.31'))
    expect(await impsOf(target)).toBe(1)
  })

  it('cannot pretend to be many people by inventing ids and cookies', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap', frequency: 1 })
    const script = visitor('198.51.100.40')
    const named = await ask(target, script, { user: { id: 'made-up' }, ip: '192.0.2.1', ua: AGENT })
    expect(named.errors.map(({ path }: { path: string }) => path)).toEqual(['/ip', '/ua', '/user/id'])
    expect(named.errors[0].message).toContain('server key')
    const answers = []
    for (let n = 0; n < 5; n++)
      answers.push(await ask(target, { ...script, cookie: `mquid=${String(n).repeat(22)}` }))
    expect(answers.map(({ ad, reason }) => (ad ? 'ad' : reason))).toEqual([
      'ad',
      'capped',
      'capped',
      'capped',
      'capped',
    ])
  })
})

describe('a view', () => {
  const view = async ({ ad }: { ad: { view: string } }, headers: Record<string, string>) => {
    const answer = await service.send('GET', new URL(ad.view).pathname, undefined, headers)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/gif'])
  }

  it('counts once, only after an impression that counted, only from the visitor who was shown the ad, and is free', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap' })
    const reader = visitor('203.0.113.70')
    const figures = async (path = 'summary') =>
      (await target.customer.call('GET', `/stats/${target.cid}/${path}`)).body
    const unseen = await ask(target, reader)
    await view(unseen, reader)
    expect(await figures()).toMatchObject({ imps: 0, views: 0 })
    const answer = await ask(target, reader)
    await see(answer, reader)
    await view(answer, visitor('198.51.100.70'))
    await view(answer, visitor('203.0.113.70', 'Googlebot/2.1 (+http://www.google.com/bot.html)'))
    const foreign = await ask(target, { ...reader, origin: 'https://evil.example' })
    await see(foreign, reader)
    await view(foreign, reader)
    expect(await figures()).toMatchObject({ imps: 1, views: 0 })
    await Promise.all(Array.from({ length: 10 }, () => view(answer, reader)))
    await view(answer, reader)
    const counted = { imps: 1, views: 1, clicks: 0, spend: IMPRESSION }
    // The same for fresh and folded events, and by every call.
    for (const fold of [async () => 0, () => foldAll(service.db)]) {
      await fold()
      expect(await figures()).toMatchObject(counted)
      const { timeseries } = await figures('timeseries')
      expect(timeseries.reduce((sum: number, row: { views: number }) => sum + row.views, 0)).toBe(1)
      for (const dimension of ['domain', 'os', 'device', 'country', 'banner', 'persona', 'hour']) {
        const { breakdown } = await figures(`breakdown/${dimension}`)
        expect([dimension, breakdown]).toEqual([dimension, [expect.objectContaining(counted)]])
      }
      const live = await target.customer.call('GET', '/stats/live')
      expect(live.body).toMatchObject({ views: 1, campaigns: [{ cid: target.cid, views: 1 }] })
    }
    const csv = await target.customer.call('GET', `/stats/${target.cid}/summary`, undefined, {
      accept: 'text/csv',
    })
    expect(csv.text.split('\r\n')[0]).toBe(
      'id,imps,clicks,actions,spend,ctr,cnvr,views,value,roas,valuePerAction',
    )
    const events = await figures('events')
    expect(events.map(({ kind, spend }: { kind: string; spend: number }) => [kind, spend])).toEqual([
      ['impression', IMPRESSION],
      ['view', 0],
    ])
    // A day later it is too late for a view of the other ad.
    const later = await ask(target, reader)
    await see(later, reader)
    service.clock.advance(86_400_000)
    await view(later, reader)
    expect(await figures()).toMatchObject({ imps: 2, views: 1 })
  })

  it('has its own link: that of the impression counts no view', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap' })
    const reader = visitor('203.0.113.71')
    const { ad } = await ask(target, reader)
    const forged = new URL(ad.impression).pathname.replace('/t/i/', '/t/v/')
    expect((await service.send('GET', forged, undefined, reader)).status).toBe(400)
    expect((await service.send('POST', new URL(ad.view).pathname, undefined, reader)).status).toBe(405)
  })
})

describe('a page', () => {
  it('of another domain, or a browser’s request without a page, is answered and never billed', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap' })
    const base = { 'x-forwarded-for': '203.0.113.50', 'user-agent': AGENT }
    const cases: [Record<string, string>, object, boolean][] = [
      [{ origin: 'https://evil.example' }, {}, false],
      [{ referer: 'https://localhost.evil.example/' }, {}, false],
      [{}, { page: 'https://evil.example/' }, false],
      [{ origin: 'http://localhost' }, { page: 'https://evil.example/' }, false],
      [{ 'sec-fetch-site': 'cross-site' }, {}, false],
      [{ 'sec-fetch-site': 'cross-site', origin: 'null' }, {}, false],
      [{ 'sec-fetch-site': 'cross-site' }, { page: 'http://localhost/a' }, true],
      [{ 'sec-fetch-site': 'cross-site', origin: 'http://www.localhost:3000' }, {}, true],
      // Node's own fetch sends only this header.
      [{ 'sec-fetch-mode': 'cors' }, {}, true],
      [{}, {}, true],
    ]
    let billed = 0
    for (const [headers, body, isBilled] of cases) {
      await see(await ask(target, { ...base, ...headers }, body), base)
      if (isBilled) billed++
      expect([headers, body, await impsOf(target)]).toEqual([headers, body, billed])
    }
  })
})

describe('the server key', () => {
  it('speaks for visitors, and only they can report what they see', async () => {
    const target = await newTarget({ dailySpend: 1, pacing: 'asap', frequency: 1 })
    const visit = (id: string, ip: string) => ({
      size: '300x250',
      geo: { country: target.country },
      ip,
      ua: AGENT,
      user: { id },
    })
    const first = (await service.serverAd(visit('ann', '203.0.113.60'))).json
    expect((await service.serverAd(visit('ann', '203.0.113.60'))).json.reason).toBe('capped')
    expect((await service.serverAd(visit('bob', '203.0.113.61'))).json.ad).not.toBeNull()
    await see(first, visitor('127.0.0.1'))
    expect(await impsOf(target)).toBe(0)
    await see(first, visitor('203.0.113.60'))
    expect(await impsOf(target)).toBe(1)
  })

  it('does not belong in a page', async () => {
    const answer = await service.send('GET', `/ad.html?source=${service.serverKey}&size=300x250`)
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('secret')])
    const user = await service.send('GET', `/ad.html?source=${service.siteKey}&size=300x250&user=made-up`)
    expect([user.status, user.json.errors[0].path]).toEqual([400, '/user'])
  })
})
