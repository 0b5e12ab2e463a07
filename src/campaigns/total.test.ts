// `totalSpend`: what a campaign may spend in its whole life. It is served to the last impression that fits, over days
// and edits, and then the campaign says which budget is spent.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import { testClock } from '../../test/support/service.ts'

const NOON = Date.UTC(2026, 10, 16, 12)
const DAY_MS = 86_400_000
/** One impression costs 0.01. */
const CPM = 10

let service: ListeningService
let visitors = 0

beforeAll(async () => {
  service = await startListeningService({ TIMEZONE: 'UTC' }, testClock(NOON))
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const refresh = () => service.delivery.running()!.refresh()

/** Asks for this many ads, reports each as seen, and returns how many there were, and why there is none now. */
async function see(count: number): Promise<{ seen: number; reason: string | null }> {
  let seen = 0
  for (let n = 0; n < count; n++) {
    const { status, json } = await service.bid(bidRequest({ user: { id: `user-${visitors++}` } }))
    if (status === 200) {
      const { pathname } = new URL(json.seatbid[0].bid[0].burl)
      if ((await service.send('POST', pathname)).status === 200) seen++
    } else await refresh()
  }
  const visit = { size: '300x250', ip: '198.51.100.7', geo: { country: 'CA' } }
  return { seen, reason: (await service.serverAd(visit)).json.reason ?? null }
}

it('is spent to the last impression and never exceeded, over days; a higher one goes on', async () => {
  const campaign = {
    dailySpend: 0.03,
    totalSpend: 0.05,
    cpm: CPM,
    start: nowS() - 60,
    end: nowS() + 10 * 86_400,
  }
  const { customer, cid } = await newServedCampaign(service, { campaign })
  const read = async () => (await customer.call('GET', `/campaign/${cid}`)).body
  const issues = async () =>
    (await customer.call('GET', '/issues')).body.map((issue: { code: string }) => issue.code)
  await refresh()

  expect(await see(6)).toEqual({ seen: 3, reason: 'budget_spent' })
  expect(await read()).toMatchObject({ status: 'spent', spentBy: 'day', totalSpend: 0.05 })

  service.clock.advance(DAY_MS)
  await refresh()
  expect(await see(6)).toEqual({ seen: 2, reason: 'total_spent' })
  expect(await read()).toMatchObject({ status: 'spent', spentBy: 'total' })
  expect(await issues()).toEqual(['total_spent'])
  const listed = await customer.call('GET', '/campaign?status=spent')
  expect(listed.body.map((one: { cid: number }) => one.cid)).toEqual([cid])

  service.clock.advance(DAY_MS)
  await refresh()
  expect(await see(3)).toEqual({ seen: 0, reason: 'total_spent' })

  expect((await customer.call('PUT', `/campaign/${cid}`, { totalSpend: 0.06 })).body.status).toBe('running')
  await refresh()
  expect(await see(3)).toEqual({ seen: 1, reason: 'total_spent' })
  expect((await customer.call('PUT', `/campaign/${cid}`, { totalSpend: null })).body).toMatchObject({
    totalSpend: null,
    status: 'running',
    spentBy: null,
  })
  await refresh()
  expect((await see(5)).seen).toBe(2)

  // Set again, it counts everything that was ever spent.
  expect((await customer.call('PUT', `/campaign/${cid}`, { totalSpend: 0.08 })).body.spentBy).toBe('total')
  const { body } = await customer.call('GET', `/stats/${cid}/summary`)
  expect(body.spend).toBe(0.08)
})

it('is checked, copied, reset by null, and sent back as it was read', async () => {
  const { customer, cid } = await newServedCampaign(service, {
    campaign: { dailySpend: 5, totalSpend: 20.5, start: nowS(), end: nowS() + 86_400 },
  })
  for (const totalSpend of [0, 0.001, -1, '5']) {
    const answer = await customer.call('PUT', `/campaign/${cid}`, { totalSpend })
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/totalSpend'])
  }
  const copy = await customer.call('POST', `/campaign/${cid}/copy`, {})
  expect(copy.body).toMatchObject({ totalSpend: 20.5, dailySpend: 5 })
  const { body } = await customer.call('GET', `/campaign/${cid}`)
  expect((await customer.call('PUT', `/campaign/${cid}`, body)).body).toEqual(body)
})
