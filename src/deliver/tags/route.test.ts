// Tags through a real socket: the JSON, the page, the script, cookies, origins.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { readLink } from '../../count/tracking/links.ts'

let service: ListeningService
let served: ServedCampaign

beforeAll(async () => {
  service = await startListeningService({ TRUST_PROXY: 'loopback' })
  served = await newServedCampaign(service)
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const VISIT = { size: '300x250', geo: { country: 'CA', region: 'ON', city: 'Toronto' } }
const LOCAL = { origin: 'http://localhost:3000' }

function linkOf(url: string) {
  const token = /\/t\/i\/([\w-]+)/.exec(url)![1]!
  return readLink('impression', token, service.delivery.running()!.keys)
}

describe('POST /ad', () => {
  it('answers with an ad of the campaign, its image and its links', async () => {
    const answer = await service.ad(VISIT, LOCAL)
    expect(answer.status).toBe(200)
    expect(answer.json.ad).toMatchObject({
      bid: served.bid,
      cid: served.cid,
      pid: served.pid,
      width: 300,
      height: 250,
    })
    expect(answer.json.ad.image).toMatch(/^http:\/\/localhost:8080\/creative\/[0-9a-f]{64}\.png$/)
    expect(answer.json.ad.html).toContain(answer.json.ad.click)
    const image = await service.send('GET', new URL(answer.json.ad.image).pathname)
    expect(image.status).toBe(200)
    expect(linkOf(answer.json.ad.impression)).toMatchObject({
      cid: served.cid,
      foreignDomain: false,
      billsOn: 'pixel',
      takesPrice: false,
      country: 'CA',
    })
  })

  it('says that the customer is frozen, until it is not', async () => {
    const freeze = (verb: string) => service.call('PUT', `/customer/${served.customer.cuid}/${verb}`)
    await freeze('freeze')
    await until(async () => ((await service.ad(VISIT)).json.reason === 'frozen' ? true : null))
    await freeze('unfreeze')
    await until(async () => (await service.ad(VISIT)).json.ad)
  })

  it('says why there is no ad', async () => {
    expect((await service.ad({ ...VISIT, size: '77x7' })).json).toEqual({ ad: null, reason: 'no_match' })
    expect((await service.ad({ ...VISIT, geo: { country: 'JP' } })).json).toEqual({
      ad: null,
      reason: 'no_match',
    })
  })

  it('a page of another domain gets an ad that is never billed and reserves no money', async () => {
    const foreign = await service.ad(VISIT, { origin: 'https://elsewhere.example' })
    expect(linkOf(foreign.json.ad.impression)).toMatchObject({ foreignDomain: true })
    const sandboxed = { origin: 'null', referer: 'https://elsewhere.example/a' }
    expect(linkOf((await service.ad(VISIT, sandboxed)).json.ad.impression)).toMatchObject({
      foreignDomain: true,
    })
    const { ledger } = service.delivery.running()!
    const dayKey = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))
    const before = ledger.account(served.cid, dayKey)!.reservedMicros
    await service.ad(VISIT, { origin: 'https://elsewhere.example' })
    expect(ledger.account(served.cid, dayKey)!.reservedMicros).toBe(before)
  })

  it('a subdomain of the site, and a server without either header, count as the site', async () => {
    for (const headers of [
      { origin: 'http://www.localhost' } as Record<string, string>,
      { referer: 'http://localhost/page' },
      {},
    ]) {
      expect(linkOf((await service.ad(VISIT, headers)).json.ad.impression)).toMatchObject({
        foreignDomain: false,
      })
    }
  })

  it('a browser that names no page is foreign; a server is not, even if its fetch sends one of the headers', async () => {
    const browser = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    // This is what undici sends, the fetch of Node.
    const program = { 'sec-fetch-mode': 'cors' }
    const source = service.serverKey
    const isForeign = async (body: object, headers: Record<string, string>) => {
      const link = linkOf((await service.ad({ ...VISIT, ...body }, headers)).json.ad.impression)
      return 'foreignDomain' in link && link.foreignDomain
    }
    expect(await isForeign({}, browser)).toBe(true)
    expect(await isForeign({}, program)).toBe(false)
    expect(await isForeign({ source }, browser)).toBe(false)
    expect(await isForeign({ source, page: 'https://elsewhere.example/' }, program)).toBe(true)
  })

  it('is open to every origin, with a preflight', async () => {
    const preflight = await service.send('OPTIONS', '/ad', undefined, { origin: 'https://news.example' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-methods']).toBe('POST')
    const answer = await service.ad(VISIT, { origin: 'https://news.example' })
    expect(answer.headers['access-control-allow-origin']).toBe('https://news.example')
    const refused = await service.ad({ size: 'large' }, { origin: 'https://news.example' })
    expect(refused.headers['access-control-allow-origin']).toBe('https://news.example')
  })

  it('400 names what is wrong, 404 means an unknown source, 405 another method', async () => {
    const wrong = await service.ad({ ...VISIT, colour: 'red', geo: { country: 'XX' } })
    expect(wrong.status).toBe(400)
    expect(wrong.json).toMatchObject({ code: 'invalid_input', requestId: expect.any(String) })
    expect(wrong.json.errors.map((error: { path: string }) => error.path).sort()).toEqual([
      '/colour',
      '/geo/country',
    ])
    expect((await service.send('POST', '/ad', '{')).json.code).toBe('malformed_request')
    expect((await service.send('POST', '/ad', { ...VISIT, source: 'nobody' })).json.code).toBe('not_found')
    const exchangeKey = service.bidPath.split('/').at(-1)
    expect((await service.send('POST', '/ad', { ...VISIT, source: exchangeKey })).status).toBe(404)
    for (const source of [undefined, null, 5]) {
      const { status, json } = await service.send('POST', '/ad', { ...VISIT, source })
      expect([status, json.errors?.[0].path, json.errors?.[0].code]).toEqual([400, '/source', 'required'])
    }
    const get = await service.send('GET', '/ad')
    expect([get.status, get.headers.allow]).toEqual([405, 'POST, OPTIONS'])
  })

  it('other paths with the same beginning are not answered', async () => {
    expect((await service.send('GET', '/additional')).json.code).toBe('not_found')
    expect((await service.send('POST', '/ad/', { ...VISIT, source: service.siteKey })).status).toBe(200)
  })
})

describe('the cookie', () => {
  const cookieOf = async (body: object, headers = {}) =>
    (await service.ad(body, { ...LOCAL, ...headers })).headers['set-cookie']

  it('is set if no consent is needed, once', async () => {
    const [cookie] = (await cookieOf(VISIT)) as unknown as string[]
    expect(cookie).toMatch(
      /^mquid=[\w-]{22}(\.\d{8}\.[0-9a-f]{32})?\.[\w-]{16}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
    expect(await cookieOf(VISIT, { cookie: cookie!.split(';')[0]! })).toBeUndefined()
  })

  it('is not set if consent is needed, the country is unknown, or the visitor objects', async () => {
    expect(await cookieOf({ ...VISIT, geo: { country: 'DE' } })).toBeUndefined()
    expect(await cookieOf({ size: '300x250' })).toBeUndefined()
    expect(await cookieOf(VISIT, { dnt: '1' })).toBeUndefined()
    expect(await cookieOf(VISIT, { 'sec-gpc': '1' })).toBeUndefined()
  })

  it('identifies the user for frequency caps', async () => {
    await newServedCampaign(service, {
      campaign: { frequency: 2, cpm: 50 },
      persona: { geo: { geos: ['CL'] } },
    })
    await service.delivery.running()!.refresh()
    const { cookies } = service.delivery.running()!
    const ask = async (cookie: string) =>
      (await service.ad({ size: '300x250', geo: { country: 'CL' } }, { cookie: `mquid=${cookie}` })).json
    for (const id of ['a', 'b']) {
      const cookie = cookies.valueOf({ id, first: null })
      expect((await ask(cookie)).ad).not.toBeNull()
      expect((await ask(cookie)).ad).not.toBeNull()
      expect(await ask(cookie)).toEqual({ ad: null, reason: 'capped' })
    }
    // A cookie that was made up or changed identifies nobody.
    expect(await ask('c'.repeat(22))).toEqual({ ad: null, reason: 'no_user' })
    expect(await ask(cookies.valueOf({ id: 'd', first: null }).replace('d', 'e'))).toMatchObject({ ad: null })
  })
})

describe('a server that does not say who the visitor is', () => {
  it('its visitors are not one user: a campaign with a cap is not shown, and the reason says why', async () => {
    await newServedCampaign(service, {
      campaign: { frequency: 1, cpm: 50 },
      persona: { geo: { geos: ['PY'] } },
    })
    await service.delivery.running()!.refresh()
    const visit = { size: '300x250', geo: { country: 'PY' } }
    const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) A/1' }
    for (let visitor = 0; visitor < 3; visitor++)
      expect((await service.serverAd(visit, { ...LOCAL, ...agent })).json).toEqual({
        ad: null,
        reason: 'no_user',
      })
    for (const ip of ['203.0.113.7', '203.0.113.8']) {
      expect((await service.serverAd({ ...visit, ip }, { ...LOCAL, ...agent })).json.ad).not.toBeNull()
      expect((await service.serverAd({ ...visit, ip }, { ...LOCAL, ...agent })).json.reason).toBe('capped')
    }
    expect((await service.serverAd({ ...visit, user: { id: 'u' } }, LOCAL)).json.ad).not.toBeNull()
  })

  it('its visitors are not where the server is', async () => {
    await newServedCampaign(service, { persona: { geo: { geos: ['AU'] } } })
    await service.delivery.running()!.refresh()
    const inAustralia = '1.128.0.1'
    const server = { 'x-forwarded-for': inAustralia }
    const visit = { size: '300x250', user: { id: 'reader' } }
    expect((await service.serverAd(visit, server)).json).toEqual({ ad: null, reason: 'no_match' })
    expect((await service.serverAd({ ...visit, ip: inAustralia }, server)).json.ad).not.toBeNull()
    expect((await service.serverAd({ ...visit, geo: { country: 'AU' } }, server)).json.ad).not.toBeNull()
    // A browser is where it is.
    expect((await service.ad({ size: '300x250' }, { ...LOCAL, ...server })).json.ad).not.toBeNull()
  })
})

describe('a new visitor', () => {
  it('gets no more than the cap on the first day, although the first ad came before the cookie', async () => {
    await newServedCampaign(service, {
      campaign: { frequency: 2, cpm: 50 },
      persona: { geo: { geos: ['UY'] } },
    })
    await service.delivery.running()!.refresh()
    const visit = { size: '300x250', geo: { country: 'UY' }, ua: 'Mozilla/5.0 (X11; Linux x86_64) A/1' }
    const first = await service.serverAd({ ...visit, ip: '203.0.113.1' }, LOCAL)
    const cookie = (first.headers['set-cookie'] as unknown as string[])[0]!.split(';')[0]!
    expect(first.json.ad).not.toBeNull()
    // The visitor is in another network meanwhile, but the cookie still identifies them.
    const ask = async () =>
      (await service.serverAd({ ...visit, ip: '203.0.113.2' }, { ...LOCAL, cookie })).json
    expect((await ask()).ad).not.toBeNull()
    expect(await ask()).toEqual({ ad: null, reason: 'capped' })
    service.clock.advance(86_400_000)
    await service.delivery.running()!.refill.sync()
    expect((await ask()).ad).not.toBeNull()
  })
})

describe('GET /ad.html and GET /tag.js', () => {
  it('the page contains the ad and a policy for it', async () => {
    const query = `source=${service.siteKey}&size=300x250&country=CA&region=ON`
    const answer = await service.send('GET', `/ad.html?${query}`, undefined, { referer: 'http://localhost/' })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.headers['x-frame-options']).toBeUndefined()
    expect(answer.headers['cross-origin-embedder-policy']).toBe('require-corp')
    expect(answer.text).toContain(`data-width="300"`)
    expect(answer.text).toMatch(/\/t\/i\/[\w-]+/)
  })

  it('the page is empty if there is no ad, or nobody is looking yet', async () => {
    const page = `/ad.html?source=${service.siteKey}&size=300x250&country=JP`
    expect((await service.send('GET', page)).text).toContain('data-width="0"')
    const ahead = await service.send('GET', page.replace('country=JP', 'country=CA'), undefined, {
      'sec-purpose': 'prefetch',
    })
    expect(ahead.text).toContain('data-width="0"')
  })

  it('an IAB consent string decides whether the cookie is set', async () => {
    const page = (more: string) =>
      service.send('GET', `/ad.html?source=${service.siteKey}&size=300x250&country=CA${more}`)
    expect((await page('')).headers['set-cookie']).toBeDefined()
    expect((await page('&gdpr=1')).headers['set-cookie']).toBeUndefined()
    expect((await page('&gdpr=1&gdpr_consent=nonsense')).headers['set-cookie']).toBeUndefined()
  })

  // California: three notices, then opted out of sale, and not.
  const OPTED_OUT = 'DBABBg~BVVqAAAA'
  const NOT_OPTED_OUT = 'DBABBg~BVqqAAAA'
  it.each([
    ['&us_privacy=1YYN', { usPrivacy: '1YYN' }],
    ['&usPrivacy=1YYN', { usPrivacy: '1yyn' }],
    [`&gpp=${OPTED_OUT}&gpp_sid=8`, { gpp: OPTED_OUT, gppSid: [8] }],
    [`&gpp=${OPTED_OUT}`, { gpp: OPTED_OUT }],
    ['&gppSid=7_8', { gppSid: [7, 8] }],
    ['&us_privacy=%24%7BUS_PRIVACY%7D', { usPrivacy: 'nonsense' }],
    ['&gpp=%24%7BGPP%7D', { gpp: 'nonsense' }],
    ['&gpp_sid=%24%7BGPP_SID%7D', { gppSid: [9_999] }],
  ])('an opt-out, or one that cannot be read: no cookie and no id; %s %j', async (query, fields) => {
    const path = `/ad.html?source=${service.siteKey}&size=300x250&country=CA${query}`
    const page = await service.send('GET', path)
    expect([page.text.includes('data-width="300"'), page.headers['set-cookie']]).toEqual([true, undefined])
    const body = await service.ad({ ...VISIT, ...fields }, LOCAL)
    expect([body.json.ad === null, body.headers['set-cookie']]).toEqual([false, undefined])
    const users = new Set<unknown>()
    for (const url of [/\/t\/i\/[\w-]+/.exec(page.text)![0], body.json.ad.impression])
      users.add((linkOf(url) as { user?: unknown }).user)
    expect([...users]).toEqual([null])
  })

  it('a US string without an opt-out changes nothing, and what is wrong with a body is said', async () => {
    const page = `/ad.html?source=${service.siteKey}&size=300x250&country=CA`
    for (const more of ['&us_privacy=1YNN', `&gpp=${NOT_OPTED_OUT}&gpp_sid=8`, '&gpp_sid=-1', '&gpp_sid='])
      expect((await service.send('GET', page + more)).headers['set-cookie']).toBeDefined()
    const { status, json } = await service.ad({ ...VISIT, gpp: 7, gppSid: [8, 'x', 7.5], usPrivacy: [] })
    expect([status, json.errors.map((error: { path: string }) => error.path)]).toEqual([
      400,
      ['/gpp', '/usPrivacy', '/gppSid/1', '/gppSid/2'],
    ])
    expect((await service.ad({ ...VISIT, gppSid: '8' })).json.errors).toMatchObject([
      { path: '/gppSid', code: 'wrong_type' },
    ])
  })

  it('a visitor who has not agreed is unknown: ads that need to recognise users are not shown', async () => {
    const capped = { campaign: { frequency: 3 }, persona: { geo: { geos: ['NO'] } } }
    await newServedCampaign(service, capped)
    await service.delivery.running()!.refresh()
    const widthFor = async (more: string) => {
      const page = `/ad.html?source=${service.siteKey}&size=300x250&country=NO${more}`
      const { text } = await service.send('GET', page, undefined, {
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
      })
      return /data-width="(\d+)"/.exec(text)![1]
    }
    expect(await widthFor('')).toBe('300')
    expect(await widthFor('&gdpr=0')).toBe('300')
    expect(await widthFor('&gdpr=1')).toBe('0')
    expect(await widthFor('&gdpr_consent=nonsense')).toBe('0')
    expect(await widthFor('&us_privacy=1YYN')).toBe('0')
    const adFor = async (more: object) => {
      const visit = { size: '300x250', geo: { country: 'NO' }, user: { id: 'known' }, ...more }
      return (await service.serverAd(visit, LOCAL)).json
    }
    expect((await adFor({ gdpr: false })).ad).not.toBeNull()
    expect((await adFor({ gdpr: true })).ad).toBeNull()
    expect((await adFor({ gdprConsent: 'nonsense' })).ad).toBeNull()
    expect((await adFor({ gdpr: 1, gdprConsent: 2 })).errors).toMatchObject([
      { path: '/gdpr', code: 'wrong_type', message: 'must be true or false, not a number' },
      { path: '/gdprConsent', code: 'wrong_type', message: 'must be a string, not a number' },
    ])
  })

  it('a persona for everywhere reaches visitors whose country is unknown', async () => {
    const visit = async () => (await service.serverAd({ size: '300x250' }, LOCAL)).json.ad
    expect(await visit()).toBeNull()
    const { customer, path, cid } = await newServedCampaign(service, { persona: { geo: { geos: ['*'] } } })
    expect((await customer.call('GET', path)).body.geo).toEqual({ geos: ['*'] })
    await service.delivery.running()!.refresh()
    expect((await visit()).cid).toBe(cid)
    await customer.call('PUT', `/campaign/${cid}/pause`)
    await service.delivery.running()!.refresh()
  })

  it('unknown source: 404; no source, or a wrong field: 400', async () => {
    for (const query of ['', 'source=&']) {
      const { status, json } = await service.send('GET', `/ad.html?${query}size=300x250`)
      expect([status, json.errors?.[0].path]).toEqual([400, '/source'])
    }
    expect((await service.send('GET', '/ad.html?source=x&size=300x250')).status).toBe(404)
    expect((await service.send('GET', `/ad.html?source=${service.siteKey}&size=big`)).json.code).toBe(
      'invalid_input',
    )
  })

  it('the script is cached and revalidated', async () => {
    const script = await service.send('GET', '/tag.js')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect((await service.send('HEAD', '/tag.js')).status).toBe(200)
    for (const encoding of ['br', 'gzip']) {
      const packed = await service.send('GET', '/tag.js', undefined, {
        'accept-encoding': `zstd, ${encoding}`,
      })
      expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
      expect(Number(packed.headers['content-length'])).toBeLessThan(4_000)
    }
    const weak = await service.send('GET', '/tag.js', undefined, {
      'if-none-match': `W/${script.headers.etag!}`,
    })
    expect(weak.status).toBe(304)
    const again = await service.send('GET', '/tag.js', undefined, { 'if-none-match': script.headers.etag! })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

it('an https deployment sets a cookie for frames of other sites', async () => {
  const secure = await startListeningService({ PUBLIC_URL: 'https://ads.example' })
  const [cookie, twin] = (await secure.ad(VISIT)).headers['set-cookie'] as unknown as string[]
  expect(cookie).toMatch(/; SameSite=None; Secure$/)
  // Browsers that block third-party cookies keep only this one, for the site that shows the ad.
  expect(twin).toBe(`${cookie}; Partitioned`)
  expect((await secure.ad(VISIT, { cookie: twin!.split(';')[0]! })).headers['set-cookie']).toBeUndefined()
  await secure.close()
})

it('tags are answered without an ad while delivery is not running', async () => {
  const resting = await startListeningService()
  await resting.delivery.stop()
  const answer = await resting.ad(VISIT, LOCAL)
  expect([answer.status, answer.json]).toEqual([200, { ad: null, reason: 'not_ready' }])
  expect(answer.headers['access-control-allow-origin']).toBe(LOCAL.origin)
  const page = await resting.send('GET', `/ad.html?source=${resting.siteKey}&size=300x250`)
  expect(page.text).toContain('data-width="0"')
  expect((await resting.send('GET', '/tag.js')).status).toBe(200)
  expect((await resting.send('POST', resting.bidPath, {})).status).toBe(204)
  await resting.close()
})
