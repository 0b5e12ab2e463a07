// What an ad request says about place, page and person is in the breakdowns, from the bid to the figures. An action has
// the values of its click, and what nobody reported is `unknown`.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { countLocalities, localityNamed, localityOf } from '../../manage/reference/localities.ts'

let service: ListeningService
let campaign: ServedCampaign
beforeAll(async () => {
  service = await startListeningService()
  campaign = await newServedCampaign(service)
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

/** Shows an ad, clicks it if asked, and returns its `mqclid`; null without a click. */
async function show(changes: object, isClicked = false): Promise<string | null> {
  const answer = await service.bid(bidRequest(changes))
  expect(answer.status).toBe(200)
  const { burl, adm } = answer.json.seatbid[0].bid[0]
  const paid = new URL(burl)
  expect((await service.send('GET', `${paid.pathname}?p=1`)).status).toBe(200)
  if (!isClicked) return null
  const click = /\/t\/c\/[\w-]+/.exec(adm)![0]
  const { headers } = await service.send('GET', click, undefined, {
    'user-agent': String((bidRequest() as { device: { ua: string } }).device.ua),
  })
  return new URL(headers.location!).searchParams.get('mqclid')
}

async function breakdown(dimension: string, id = campaign.cid): Promise<Record<string, number[]>> {
  const { status, body } = await campaign.customer.call('GET', `/stats/${id}/breakdown/${dimension}`)
  expect(status).toBe(200)
  return Object.fromEntries(
    body.breakdown.map((row: { name: string; imps: number; clicks: number; actions: number }) => [
      row.name,
      [row.imps, row.clicks, row.actions],
    ]),
  )
}

it('region, city, size, age, gender and category are reported, before and after folding', async () => {
  const born = new Date(service.clock.nowMs()).getUTCFullYear() - 25
  const clicked = await show({ user: { id: 'u1', gender: 'F', yob: born } }, true)
  await show({
    device: { geo: { country: 'CAN', region: 'ON', city: 'Nowhere at all' } },
    user: { gender: 'M' },
  })
  await show({
    device: { geo: { country: 'CAN' } },
    site: { domain: 'news.example', cat: ['IAB99-99', 'IAB2'] },
    user: {},
  })
  const action = await campaign.customer.call('POST', '/action', { click: clicked, name: 'buy' })
  expect(action.body).toMatchObject({ counted: true })
  const wanted = {
    region: { 'CA-ON': [2, 1, 1], unknown: [1, 0, 0] },
    city: { 'CA-ON-Toronto': [1, 1, 1], unknown: [2, 0, 0] },
    size: { '300x250': [3, 1, 1] },
    age: { '18to34': [1, 1, 1], unknown: [2, 0, 0] },
    gender: { female: [1, 1, 1], male: [1, 0, 0], unknown: [1, 0, 0] },
    category: { 'IAB17-3': [2, 1, 1], IAB2: [1, 0, 0] },
  }
  for (const when of ['fresh', 'folded']) {
    for (const [dimension, rows] of Object.entries(wanted)) {
      expect(await breakdown(dimension), `${when} ${dimension}`).toEqual(rows)
      expect(await breakdown(dimension, campaign.customer.cuid), `${when} ${dimension}`).toEqual(rows)
    }
    const hours = await breakdown('hour', campaign.customer.cuid)
    expect(Object.values(hours)).toEqual([[3, 1, 1]])
    expect(hours).toEqual(await breakdown('hour'))
    await foldAll(service.db)
  }
  const { body: events } = await campaign.customer.call('GET', `/stats/${campaign.cid}/events`)
  expect(events[0]).toMatchObject({ region: 'CA-ON', city: 'Toronto', category: 'IAB17-3' })
  expect(events[0]).not.toHaveProperty('gender')
})

it('an unknown dimension is refused with the list of known ones', async () => {
  const answer = await campaign.customer.call('GET', `/stats/${campaign.cid}/breakdown/weather`)
  expect(answer.status).toBe(404)
  expect(answer.text).toContain('region, city, size, age, gender, category')
  const byCampaign = await campaign.customer.call('GET', `/stats/${campaign.cid}/breakdown/campaign`)
  expect(byCampaign.status).toBe(404)
})

it('regions, cities and categories have names besides their codes', async () => {
  const labels = async (dimension: string) => {
    const { body } = await campaign.customer.call(
      'GET',
      `/stats/${campaign.customer.cuid}/breakdown/${dimension}`,
    )
    return Object.fromEntries(
      body.breakdown.map((row: { name: string; label?: string }) => [row.name, row.label]),
    )
  }
  expect(await labels('region')).toEqual({ 'CA-ON': 'Ontario, Canada', unknown: undefined })
  expect(await labels('city')).toEqual({
    'CA-ON-Toronto': 'Toronto, Ontario, Canada',
    unknown: undefined,
  })
  expect(await labels('category')).toEqual({ 'IAB17-3': 'Bicycling', IAB2: 'Automotive' })
  expect(await labels('size')).toEqual({ '300x250': undefined })
})

it('every region and city of our tables has a number of its own', () => {
  const { codes, numbers } = countLocalities()
  expect(numbers).toBe(codes)
  expect(codes).toBeGreaterThan(45_000)
  expect(localityNamed(localityOf('CA', 'ON', 'toronto'))).toEqual({
    country: 'CA',
    region: 'ON',
    city: 'Toronto',
  })
  expect(localityNamed(localityOf('CA', 'ON', 'no such town'))).toMatchObject({ region: 'ON', city: '' })
  expect([
    localityOf('CA', null, 'toronto'),
    localityOf('CA', 'XX', 'toronto'),
    localityOf(null, null, null),
  ]).toEqual([0, 0, 0])
})
