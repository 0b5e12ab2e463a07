// Where clicks lead, through the API and by real clicks; and the daily look at those pages.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../../test/support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../../test/support/delivery.ts'
import { newWebhook, type Receiver, startReceiver } from '../../../../test/support/webhooks.ts'
import { createFollowPage } from './follow.ts'
import { checkDuePages } from './landing.ts'

let service: ListeningService
/** The status of each page, by path; each address that was asked for. */
const statuses = new Map<string, number>()
const asked: string[] = []
const pages = createServer((request, response) => {
  asked.push(request.url!)
  response.writeHead(statuses.get(request.url!.split('?')[0]!) ?? 200).end()
})
let pagesUrl: string
let receiver: Receiver
beforeAll(async () => {
  service = await startListeningService()
  await new Promise<void>(resolve => pages.listen(0, '127.0.0.1', resolve))
  pagesUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  receiver = await startReceiver()
  await newWebhook(service, { url: receiver.url, events: ['landing_page.broken'] })
})
afterAll(async () => {
  await receiver.close()
  pages.closeAllConnections()
  pages.close()
  await service.close()
})

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) A/1', origin: 'http://localhost' }
/** Names lead nowhere. */
const followPage = createFollowPage({ allowPrivate: true, lookup: async () => [] })
const DAY_MS = 86_400_000

async function clickOn(country: string): Promise<URL> {
  await service.delivery.running()!.refresh()
  const { json } = await service.ad({ size: '300x250', geo: { country } }, BROWSER)
  const { pathname } = new URL(json.ad.click)
  const answer = await service.send('GET', pathname, undefined, BROWSER)
  return new URL(answer.headers.location!)
}

const clickedOn = async (country: string) => {
  const url = await clickOn(country)
  expect(url.searchParams.get('mqclid')).toHaveLength(22)
  url.searchParams.delete('mqclid')
  return url.href
}

it('a click leads to the finished address: the nearest parameters win, and edits of what they name count', async () => {
  const { customer, cid, bid, path } = await newServedCampaign(service, {
    customer: { company: 'Blue Bikes', clickParameters: 'utm_source=marquee&co={customer.company}' },
    campaign: { name: 'Spring & co' },
    persona: { geo: { geos: ['AD'] } },
    banner: { clickUrl: 'https://bikes.example/buy?x=1#now' },
  })
  const edit = async (where: string, body: object) => {
    const answer = await customer.call('PUT', where, body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const banner = `${path}/banner/${bid}`
  const read = async () => (await customer.call('GET', banner)).body
  expect(await clickedOn('AD')).toBe('https://bikes.example/buy?x=1&utm_source=marquee&co=Blue+Bikes#now')
  expect((await read()).landingUrl).toBe(
    'https://bikes.example/buy?x=1&utm_source=marquee&co=Blue%20Bikes#now',
  )

  const campaign = `/campaign/${cid}`
  expect(
    (await edit(campaign, { clickParameters: 'c={campaign.name}&b={banner.bid}' })).clickParameters,
  ).toBe('c={campaign.name}&b={banner.bid}')
  expect(await clickedOn('AD')).toBe(`https://bikes.example/buy?x=1&c=Spring+%26+co&b=${bid}#now`)
  await edit(campaign, { name: 'Autumn' })
  expect(await clickedOn('AD')).toBe(`https://bikes.example/buy?x=1&c=Autumn&b=${bid}#now`)

  const edited = await edit(banner, { clickParameters: 's={banner.size}&x=2' })
  expect([edited.status, edited.landingUrl]).toEqual([
    'approved',
    'https://bikes.example/buy?x=1&s=300x250#now',
  ])
  expect(await clickedOn('AD')).toBe('https://bikes.example/buy?x=1&s=300x250#now')
  // What was read can be sent back.
  expect((await customer.call('PUT', banner, await read())).status).toBe(200)

  await edit(banner, { clickParameters: null })
  await edit(campaign, { clickParameters: null })
  await edit(`/customer/${customer.cuid}`, { clickParameters: null })
  expect(await clickedOn('AD')).toBe('https://bikes.example/buy?x=1#now')
  expect((await read()).landingUrl).toBe('https://bikes.example/buy?x=1#now')
})

it('an ad that is on a page leads to the finished address although its banner is gone', async () => {
  const { customer, bid, path } = await newServedCampaign(service, {
    persona: { geo: { geos: ['AE'] } },
    banner: { clickUrl: 'https://bikes.example/', clickParameters: 'b={banner.bid}' },
  })
  const { json } = await service.ad({ size: '300x250', geo: { country: 'AE' } }, BROWSER)
  await customer.call('DELETE', `${path}/banner/${bid}`)
  await service.delivery.running()!.refresh()
  const answer = await service.send('GET', new URL(json.ad.click).pathname, undefined, BROWSER)
  expect(answer.headers.location).toMatch(new RegExp(`^https://bikes\\.example/\\?b=${bid}&mqclid=`))
})

it('a dry run shows the finished address without the id that the banner will not have', async () => {
  const { customer, path } = await newServedCampaign(service, { persona: { geo: { geos: ['AF'] } } })
  const body = { creativeURL: 'https://cdn.example/a.png', clickUrl: 'https://bikes.example/' }
  const tried = await customer.call('POST', `${path}/banner?dryRun=true`, {
    ...body,
    clickParameters: 'b={banner.bid}&n={banner.name}',
  })
  expect(tried.body).toMatchObject({ dryRun: true, landingUrl: 'https://bikes.example/?b={bid}&n=a.png' })
  const wrong = await customer.call('POST', `${path}/banner`, { ...body, clickParameters: 'b={banner.id}' })
  expect([wrong.status, wrong.body.errors[0].path, wrong.body.errors[0].code]).toEqual([
    400,
    '/clickParameters',
    'unknown_macro',
  ])
})

it('copies of campaigns and banners keep their parameters', async () => {
  const { customer, cid } = await newServedCampaign(service, {
    campaign: { clickParameters: 'c={campaign.cid}' },
    persona: { geo: { geos: ['AG'] } },
    banner: { clickUrl: 'https://bikes.example/', clickParameters: 'b={banner.bid}' },
  })
  const { body: copy } = await customer.call('POST', `/campaign/${cid}/copy`, {})
  expect(copy.clickParameters).toBe('c={campaign.cid}')
  const [banner] = copy.personas[0].banners
  expect(banner).toMatchObject({
    clickParameters: 'b={banner.bid}',
    landingUrl: `https://bikes.example/?b=${banner.bid}`,
  })
})

it('a page that breaks is an issue and reported once; mended and looked at again, it is none', async () => {
  const url = `${pagesUrl}/shop`
  const { customer, cid, bid, path } = await newServedCampaign(service, {
    persona: { geo: { geos: ['AI'] } },
    banner: { clickUrl: url },
  })
  const page = `${path}/banner/${bid}/landing-page`
  const read = async () => (await customer.call('GET', page)).body
  const issues = async () =>
    (await customer.call('GET', `/campaign/${cid}/issues`)).body.map(
      ({ code, bid, findings }: { code: string; bid: number; findings: { code: string }[] }) => [
        code,
        bid,
        findings.map(one => one.code),
      ],
    )
  const look = () => checkDuePages(service.db, { clock: service.clock, followPage })
  expect(await read()).toEqual({ url, checked: null, brokenSince: null, findings: [] })

  service.clock.advance(3_700_000)
  await look()
  expect(await read()).toMatchObject({ url, checked: expect.any(Number), findings: [] })
  expect(await issues()).toEqual([])

  statuses.set('/shop', 404)
  await look()
  expect((await read()).findings).toEqual([])
  service.clock.advance(DAY_MS)
  await customer.call('PUT', `/campaign/${cid}`, {
    end: Math.floor(service.clock.nowMs() / 1000) + 30 * 86_400,
  })
  await look()
  expect((await read()).findings).toMatchObject([{ code: 'landing_status', params: { status: 404 } }])
  expect(await issues()).toEqual([['landing_page', bid, ['landing_status']]])
  expect((await customer.call('GET', `${path}/banner/${bid}`)).body.status).toBe('approved')
  const reported = () => receiver.received.filter(({ body }) => body.data.url === url)
  const [sent] = await until(async () => (reported().length > 0 ? reported() : null))
  expect(sent!.body).toMatchObject({
    type: 'landing_page.broken',
    data: { url, cuid: customer.cuid, findings: [{ code: 'landing_status' }], banners: [{ bid, cid }] },
  })

  service.clock.advance(DAY_MS)
  await look()
  statuses.set('/shop', 200)
  const checked = await customer.call('POST', `${page}/check`)
  // It was looked at a moment ago.
  expect(checked.body.findings).toHaveLength(1)
  service.clock.advance(11_000)
  expect((await customer.call('POST', `${page}/check`)).body).toMatchObject({
    brokenSince: null,
    findings: [],
  })
  expect(await issues()).toEqual([])
  expect(reported()).toHaveLength(1)
})

it('what is away for a moment is not reported, and what stays away is', async () => {
  const url = `${pagesUrl}/busy`
  statuses.set('/busy', 503)
  const { customer, bid, path } = await newServedCampaign(service, {
    persona: { geo: { geos: ['AL'] } },
    banner: { clickUrl: url },
  })
  const page = `${path}/banner/${bid}/landing-page`
  const found = async () => {
    await checkDuePages(service.db, { clock: service.clock, followPage })
    return (await customer.call('GET', page)).body.findings.map(({ code }: { code: string }) => code)
  }
  service.clock.advance(3_700_000)
  expect(await found()).toEqual([])
  statuses.set('/busy', 200)
  service.clock.advance(600_000)
  expect(await found()).toEqual([])
  statuses.set('/busy', 503)
  await service.db.run('update landing_page set next_at = $1', [new Date(service.clock.nowMs())])
  expect(await found()).toEqual([])
  service.clock.advance(600_000)
  expect(await found()).toEqual(['landing_status'])
})

it('many banners that lead to one page are one look, and an erased customer leaves none', async () => {
  const url = `${pagesUrl}/many`
  statuses.set('/many', 410)
  const { customer, cid, bid, path } = await newServedCampaign(service, {
    persona: { geo: { geos: ['AM'] } },
    banner: { clickUrl: url, clickParameters: 'b={banner.bid}' },
  })
  for (let n = 0; n < 3; n++) await customer.call('POST', `${path}/banner/${bid}/copy`, {})
  service.clock.advance(3_700_000)
  await checkDuePages(service.db, { clock: service.clock, followPage })
  const looks = asked.filter(path => path.startsWith('/many'))
  expect(looks).toEqual([`/many?b=${bid}&mqclid=AAAAAAAAAAAAAAAAAAAAAA`])
  const { body } = await customer.call('GET', `/campaign/${cid}/issues`)
  expect(body.map(({ code }: { code: string }) => code)).toEqual(['landing_page'])
  await service.call('DELETE', `/customer/${customer.cuid}`)
  await service.call('DELETE', `/customer/${customer.cuid}?erase=true`)
  const rows = () => service.db.rows('select bid from landing_page where cuid = $1', [customer.cuid])
  expect(await rows()).toEqual([])
})
