// What is really spent keeps to ceilings, whatever somebody with a restricted pair does in between.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { type TestPair, testClock } from '../../../test/support/service.ts'

const NOON = Date.UTC(2026, 10, 16, 12)
const DAY_S = 86_400
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const VISITOR = { origin: 'http://localhost', 'user-agent': AGENT }

let service: ListeningService
let visitors = 0

beforeAll(async () => {
  service = await startListeningService(
    { TIMEZONE: 'UTC', VISITOR_SHARE: '25', VISITOR_OPEN_ADS: '0' },
    testClock(NOON),
  )
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const refresh = () => service.delivery.running()!.refresh()
type Served = Awaited<ReturnType<typeof newServedCampaign>>
const spendOf = async ({ customer }: Served) =>
  (await customer.call('GET', `/stats/${customer.cuid}/summary`)).body.spend
const ceiled = ({ customer }: Served, ceilings: object) =>
  service.call('PUT', `/customer/${customer.cuid}`, { body: { ceilings } })

/** Asks for this many ads in exchanges and reports them as seen. */
async function see(count: number, country: string): Promise<void> {
  for (let n = 0; n < count; n++) {
    const bid = bidRequest({
      user: { id: `user-${visitors++}` },
      device: { devicetype: 2, geo: { country } },
    })
    const { status, json } = await service.bid(bid)
    if (status === 200) await service.send('POST', new URL(json.seatbid[0].bid[0].burl).pathname)
    else await refresh()
  }
}

it('a change of the time zone gives no campaign a day more than its ceiling allows', async () => {
  const campaign = { dailySpend: 0.03, cpm: 10, pacing: 'asap', start: nowS(), end: nowS() + 2 * DAY_S }
  const served = await newServedCampaign(service, { campaign, persona: { geo: { geos: ['SE'] } } })
  await ceiled(served, { totalSpend: 0.09 })
  await refresh()
  const { customer } = served
  const path = `/customer/${customer.cuid}`
  const to = async (as: TestPair, timezone: string | null) => {
    const { status, body } = await service.call('PUT', path, { as, body: { timezone } })
    return [status, body.code, body.params]
  }
  // The 16th, the first hours of the 17th, the 18th from 10:00, and the last two hours: the 19th.
  const changed = await to(customer, 'Pacific/Kiritimati')
  for (const hours of [0, 12.5, 12, 22]) {
    service.clock.advance(hours * 3_600_000)
    await refresh()
    await see(6, 'SWE')
  }
  expect(await spendOf(served)).toBe(0.09)
  expect(changed).toEqual([
    403,
    'ceiling_exceeded',
    { whose: 'customer', ceiling: 'totalSpend', max: 0.09, asked: 0.12 },
  ])
  service.clock.advance(-46.5 * 3_600_000)
})

/** Ads of a campaign that is paid by click, all of them seen. */
async function openAds(count: number, country: string): Promise<string[]> {
  const clicks: string[] = []
  const openOne = async () => {
    const visit = { size: '300x250', geo: { country }, ip: '127.0.0.1', ua: AGENT }
    const { json } = await service.serverAd(visit)
    if (json.ad) {
      const { pathname } = new URL(json.ad.impression)
      await fetch(service.url + pathname, { headers: VISITOR })
      clicks.push(json.ad.click)
    } else await refresh()
    return clicks.length
  }
  await expect.poll(openOne, { interval: 1 }).toBe(count)
  return clicks
}

/** Clicks on all of them, again and again, until this much was spent for them: money may be on its way. */
async function clickUntil(served: Served, links: string[], spend: number): Promise<void> {
  const clickAll = async () => {
    for (const link of links) {
      const { pathname, search } = new URL(link)
      await fetch(service.url + pathname + search, { headers: VISITOR, redirect: 'manual' })
    }
    await refresh()
    return spendOf(served)
  }
  await expect.poll(clickAll).toBe(spend)
}

it('a paused campaign whose ads may be clicked counts for all together, until it is over', async () => {
  const campaign = {
    ...{ dailySpend: 2, pricing: 'cpc', cpc: 0.5, pacing: 'asap' },
    ...{ start: nowS(), end: nowS() + 5 * DAY_S },
  }
  const served = await newServedCampaign(service, { campaign, persona: { geo: { geos: ['NO'] } } })
  const { customer, cid } = served
  const path = `/campaign/${cid}`
  const other = async (dailySpend: number) => {
    const body = { ...campaign, end: nowS() + 5 * DAY_S, name: 'Other', dailySpend }
    const answer = await customer.call('POST', '/campaign', body)
    return [answer.status, answer.body.params?.ceiling, answer.body.params?.asked]
  }
  const ok = [201, undefined, undefined]
  await ceiled(served, { dailySpendAll: 4 })
  await refresh()
  const links = await openAds(8, 'NO')
  await customer.call('PUT', `${path}/pause`)
  await refresh()
  const both = await other(4)
  await clickUntil(served, links, 2)
  expect(both).toEqual([403, 'dailySpendAll', 6])
  expect(await other(2)).toEqual(ok)
  // Nor may it be raised meanwhile.
  const raised = await customer.call('PUT', path, { dailySpend: 2.5 })
  expect([raised.status, raised.body.params]).toMatchObject([403, { ceiling: 'dailySpendAll', asked: 4.5 }])

  // On the next day, too, as far as its budget goes.
  service.clock.advance(DAY_S * 1000)
  await refresh()
  expect(await other(2)).toEqual([403, 'dailySpendAll', 6])
  expect((await customer.call('PUT', path, { dailySpend: 1 })).status).toBe(200)
  await refresh()
  expect(await other(1)).toEqual(ok)
  await clickUntil(served, links, 3)
  expect((await customer.call('DELETE', path)).status).toBe(200)
  service.clock.advance(DAY_S * 1000)
  await refresh()
  expect(await other(1)).toEqual(ok)
  // One that never ran has no ads.
  const paused = await customer.call('POST', '/campaign', {
    ...campaign,
    name: 'Never',
    dailySpend: 3,
    enabled: false,
  })
  expect(paused.status).toBe(201)
  expect(await other(0.01)).toEqual([403, 'dailySpendAll', 4.01])
})

it('who may only propose cannot decide what clicks on the ads of a paused campaign may cost', async () => {
  const campaign = {
    ...{ dailySpend: 2, pricing: 'cpc', cpc: 0.5, pacing: 'asap' },
    ...{ start: nowS(), end: nowS() + DAY_S / 4 },
  }
  const served = await newServedCampaign(service, { campaign, persona: { geo: { geos: ['FI'] } } })
  const { customer, cid } = served
  const body = { scope: 'propose' }
  const path = `/customer/${customer.cuid}/credential`
  const editor = (await service.call('POST', path, { as: customer, body })).body as TestPair
  const edit = async (id: number, dailySpend: number) => {
    const answer = await service.call('PUT', `/campaign/${id}?cuid=${customer.cuid}`, {
      as: editor,
      body: { dailySpend },
    })
    return [answer.status, answer.body.proposal?.costsAtMost]
  }
  const never = { ...campaign, name: 'Never', enabled: false }
  const paused = (await customer.call('POST', '/campaign', never)).body
  expect(await edit(paused.cid, 100)).toEqual([200, undefined])
  await refresh()
  await openAds(1, 'FI')
  await service.call('PUT', `/campaign/${cid}/pause?cuid=${customer.cuid}`, { as: editor })
  expect(await edit(cid, 1)).toEqual([200, undefined])
  expect(await edit(cid, 100)).toEqual([202, 99])
})
