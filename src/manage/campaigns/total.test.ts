// `totalSpend`: what a campaign may spend in its whole life. Impressions are served until it is used up, over days and
// edits, and then the campaign says which budget is spent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { testClock } from '../../../test/support/service.ts'
import { sweepShares } from '../../budget/shares/shares.ts'
import { verify } from '../../count/verify/verify.ts'
import { DAY_MS } from '../../kernel/time/units.ts'

const NOON = Date.UTC(2026, 10, 16, 12)
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

/** Requests an ad and reports it as seen. */
async function seeOne(): Promise<boolean> {
  const { status, json } = await service.bid(bidRequest({ user: { id: `user-${visitors++}` } }))
  if (status !== 200) {
    await refresh()
    return false
  }
  return (await service.send('POST', new URL(json.seatbid[0].bid[0].burl).pathname)).status === 200
}

/** Requests this many ads. Returns how many were seen, and why the next request gets none. */
async function see(count: number): Promise<{ seen: number; reason: string | null }> {
  let seen = 0
  for (let n = 0; n < count; n++) if (await seeOne()) seen++
  const visit = { size: '300x250', ip: '198.51.100.7', geo: { country: 'CA' } }
  return { seen, reason: (await service.serverAd(visit)).json.reason ?? null }
}

/** Requests ads until this many were seen: a payer that has just begun may have to wait for its first grant. */
async function seeAll(count: number): Promise<void> {
  let left = count
  const seeMore = async () => {
    while (left > 0 && (await seeOne())) left--
    return left
  }
  await expect.poll(seeMore).toBe(0)
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
  await customer.call('DELETE', `/campaign/${cid}`)
})

it('ceilings count what was spent by other dates and budgets, and by what is paused or gone by now', async () => {
  const startS = nowS()
  const campaign = { dailySpend: 0.03, cpm: CPM, pacing: 'asap', start: startS, end: startS + 2 * 86_400 }
  const { customer, cid } = await newServedCampaign(service, { campaign })
  const ceiled = (ceilings: object) =>
    service.call('PUT', `/customer/${customer.cuid}`, { body: { ceilings } })
  const edit = async (body: object) => {
    const answer = await customer.call('PUT', `/campaign/${cid}`, body)
    return [answer.status, answer.body.params?.ceiling, answer.body.params?.asked]
  }
  const ok = [200, undefined, undefined]
  await ceiled({ totalSpend: 0.09 })
  await refresh()
  expect((await see(6)).seen).toBe(3)
  service.clock.advance(DAY_MS)
  await refresh()
  expect((await see(6)).seen).toBe(3)
  // What was spent before the new start stays spent, and today's budget is not granted twice.
  expect(await edit({ start: nowS() })).toEqual(ok)
  expect(await edit({ end: startS + 3 * 86_400 })).toEqual([403, 'totalSpend', 0.12])
  expect(await edit({ start: nowS() + 86_400 / 2, end: nowS() + 86_400 })).toEqual(ok)
  expect(await edit({ end: nowS() + 86_400 + 86_400 })).toEqual([403, 'totalSpend', 0.12])
  expect(await edit({ dailySpend: 0.01, end: nowS() + 4 * 86_400 })).toEqual([403, 'totalSpend', 0.1])
  expect(await edit({ dailySpend: 0.01, end: nowS() + 3 * 86_400 })).toEqual(ok)
  // Pausing and resuming in between asks for nothing more.
  for (const verb of ['pause', 'resume'])
    expect((await customer.call('PUT', `/campaign/${cid}/${verb}`)).status).toBe(200)

  await ceiled({ dailySpendAll: 0.06 })
  const other = async (dailySpend: number) => {
    const body = { ...campaign, name: 'Other', dailySpend, end: startS + 9 * 86_400 }
    const answer = await customer.call('POST', '/campaign', body)
    return [answer.status, answer.body.params?.ceiling, answer.body.params?.asked]
  }
  for (const [method, path] of [
    ['PUT', `/campaign/${cid}/pause`] as const,
    ['DELETE', `/campaign/${cid}`] as const,
  ]) {
    await customer.call(method, path)
    expect(await other(0.04)).toEqual([403, 'dailySpendAll', 0.07])
  }
  expect(await other(0.03)).toEqual([201, undefined, undefined])
  service.clock.advance(DAY_MS)
  expect(await other(0.03)).toEqual([201, undefined, undefined])
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
  await customer.call('DELETE', `/campaign/${cid}`)
})

describe('of a flight', () => {
  it('is spent to the last impression, and the next flight goes on, in the middle of a day', async () => {
    const startS = nowS()
    const { customer, cid } = await newServedCampaign(service, {
      campaign: { dailySpend: 1, cpm: CPM, pacing: 'asap', start: startS, end: startS + 10 * 86_400 },
    })
    const first = await customer.newFlight(cid, {
      ...{ name: 'May', start: startS, end: startS + 3600, totalSpend: 0.02 },
    })
    expect(first).toMatchObject({ totalSpend: 0.02 })
    const free = await customer.newFlight(cid, { start: startS + 3600, end: startS + 7200 })
    const third = await customer.newFlight(cid, {
      ...{ name: 'July', start: startS + 7200, end: startS + 5 * 86_400, totalSpend: 0.03 },
    })
    const read = async () => (await customer.call('GET', `/campaign/${cid}`)).body
    const spend = async (id: number) => (await customer.call('GET', `/stats/${id}/summary`)).body.spend
    await refresh()

    expect(await see(5)).toEqual({ seen: 2, reason: 'total_spent' })
    expect(await read()).toMatchObject({ status: 'spent', spentBy: 'total', totalSpend: null })
    const listed = await customer.call('GET', '/campaign?status=spent')
    expect(listed.body.map((one: { cid: number }) => one.cid)).toEqual([cid])
    const [issue] = (await customer.call('GET', '/issues')).body
    expect(issue).toMatchObject({
      code: 'total_spent',
      findings: [{ code: 'flight_spent', params: { flight: 'May' } }],
    })

    service.clock.advance(3600_000)
    await refresh()
    expect(await read()).toMatchObject({ status: 'running', spentBy: null })
    await seeAll(4)
    expect(await spend(free.fid)).toBe(0.04)

    service.clock.advance(3600_000)
    await refresh()
    await seeAll(2)
    // The money of an ad that is open at midnight and never seen comes back to the flight.
    await service.bid(bidRequest({ user: { id: 'late' } }))
    service.clock.advance(10.5 * 3600_000)
    await refresh()
    await seeAll(1)
    expect(await see(3)).toEqual({ seen: 0, reason: 'total_spent' })
    const raised = await customer.call('PUT', `/campaign/${cid}/flight/${third.fid}`, { totalSpend: 0.04 })
    expect(raised.body).toMatchObject({ totalSpend: 0.04 })
    await refresh()
    await seeAll(1)
    expect(await see(3)).toEqual({ seen: 0, reason: 'total_spent' })
    expect([await spend(first.fid), await spend(third.fid)]).toEqual([0.02, 0.04])
    await customer.call('DELETE', `/campaign/${cid}`)
    await refresh()
  })

  it('set while it runs, it counts what it has spent, and it outlasts a deletion', async () => {
    const startS = nowS()
    const { customer, cid } = await newServedCampaign(service, {
      campaign: { dailySpend: 1, cpm: CPM, pacing: 'asap', start: startS - 60, end: startS + 86_400 },
    })
    const { fid } = await customer.newFlight(cid, { start: startS - 60, end: startS + 86_400 })
    const path = `/campaign/${cid}/flight/${fid}`
    await refresh()
    await seeAll(3)
    expect((await customer.call('PUT', path, { totalSpend: 0.05 })).status).toBe(200)
    await refresh()
    await seeAll(2)
    expect(await see(3)).toEqual({ seen: 0, reason: 'total_spent' })

    // Without flights of its own, the campaign delivers again; when this flight is restored, its spend still counts.
    service.clock.advance(7200_000)
    await refresh()
    await customer.call('DELETE', path)
    await refresh()
    await seeAll(2)
    await customer.call('POST', `${path}/restore`)
    await refresh()
    expect((await see(3)).seen).toBe(0)
    expect((await customer.call('PUT', path, { totalSpend: null })).body.totalSpend).toBe(null)
    await refresh()
    await seeAll(2)
    await customer.call('DELETE', `/campaign/${cid}`)
    await refresh()
  })

  it('is checked, copied with its campaign, kept in the history, and sent back as it was read', async () => {
    const startS = nowS()
    const { customer, cid } = await newServedCampaign(service, {
      campaign: { dailySpend: 5, start: startS, end: startS + 86_400 },
    })
    const base = `/campaign/${cid}/flight`
    const span = { start: startS, end: startS + 3600 }
    for (const totalSpend of [0, 0.001, -1, '5']) {
      const answer = await customer.call('POST', base, { name: 'x', ...span, totalSpend })
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/totalSpend'])
    }
    const flight = await customer.newFlight(cid, { ...span, totalSpend: 20.5 })
    const read = await customer.call('GET', `${base}/${flight.fid}`)
    expect(read.body).toEqual(flight)
    expect((await customer.call('PUT', `${base}/${flight.fid}`, { name: 'June' })).body.totalSpend).toBe(20.5)
    const copy = (await customer.call('POST', `/campaign/${cid}/copy`, {})).body
    const copied = (await customer.call('GET', `/campaign/${copy.cid}/flight`)).body
    expect(copied.map((one: { totalSpend: number | null }) => one.totalSpend)).toEqual([null, 20.5])
    const history = (await customer.call('GET', `/campaign/${cid}/history`)).body
    expect(history.at(-1)).toMatchObject({ noun: 'flight', after: { totalSpend: 20.5 } })
    await customer.call('DELETE', `/campaign/${cid}`)
  })
})

describe('of a month', () => {
  const month = (service: ListeningService) => new Date(service.clock.nowMs()).getUTCMonth()

  it('is spent to the last impression, never exceeded over days, and begins again at the customer’s midnight', async () => {
    const campaign = {
      ...{ dailySpend: 0.03, monthlySpend: 0.05, cpm: CPM, pacing: 'asap' },
      ...{ start: nowS() - 60, end: nowS() + 100 * 86_400 },
    }
    const { customer, cid } = await newServedCampaign(service, {
      campaign,
      customer: { timezone: 'America/New_York' },
    })
    const read = async () => (await customer.call('GET', `/campaign/${cid}`)).body
    const spend = async () => (await customer.call('GET', `/stats/${cid}/summary`)).body.spend
    await refresh()
    expect(await see(6)).toEqual({ seen: 3, reason: 'budget_spent' })
    expect(await read()).toMatchObject({ spentBy: 'day', resumes: null, monthlySpend: 0.05 })

    service.clock.advance(DAY_MS)
    await refresh()
    expect(await see(6)).toEqual({ seen: 2, reason: 'month_spent' })
    const firstS = Date.UTC(2026, month(service) + 1, 1, 5) / 1000
    expect(await read()).toMatchObject({ status: 'spent', spentBy: 'month', resumes: firstS })
    const issues = (await customer.call('GET', '/issues')).body
    expect(issues.map((issue: { code: string }) => issue.code)).toEqual(['month_spent'])

    // Raised, removed and set again, it counts everything of the month, also what closed days were billed.
    service.clock.advance(DAY_MS)
    await sweepShares(service.db, 20261118)
    await refresh()
    expect(await see(3)).toEqual({ seen: 0, reason: 'month_spent' })
    expect((await customer.call('PUT', `/campaign/${cid}`, { monthlySpend: 0.06 })).body.status).toBe(
      'running',
    )
    await refresh()
    expect(await see(3)).toEqual({ seen: 1, reason: 'month_spent' })
    expect((await customer.call('PUT', `/campaign/${cid}`, { monthlySpend: null })).body).toMatchObject({
      ...{ monthlySpend: null, status: 'running', resumes: null },
    })
    await refresh()
    await seeAll(1)
    expect((await customer.call('PUT', `/campaign/${cid}`, { monthlySpend: 0.08 })).body.status).toBe(
      'running',
    )
    await refresh()
    expect(await see(3)).toEqual({ seen: 1, reason: 'budget_spent' })
    service.clock.advance(DAY_MS)
    await refresh()
    expect(await see(3)).toEqual({ seen: 0, reason: 'month_spent' })
    expect(await spend()).toBe(0.08)

    service.clock.advance(firstS * 1000 - service.clock.nowMs())
    await refresh()
    await seeAll(3)
    expect(await read()).toMatchObject({ spentBy: 'day', resumes: null })
    expect(await spend()).toBe(0.11)
    const checks = await verify(service.db, { timeZone: 'UTC', clickWindowS: 86_400 })
    expect(checks.find(({ check }) => check === 'pools')!.differences).toEqual([])
    await customer.call('DELETE', `/campaign/${cid}`)
    await refresh()
  })

  it('is checked, copied, reset by null, kept in the history, and sent back as it was read', async () => {
    const { customer, cid } = await newServedCampaign(service, {
      campaign: { dailySpend: 5, monthlySpend: 100.5, start: nowS(), end: nowS() + 86_400 },
    })
    for (const monthlySpend of [0, 0.001, -1, '5']) {
      const answer = await customer.call('PUT', `/campaign/${cid}`, { monthlySpend })
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, '/monthlySpend'])
    }
    expect((await customer.call('POST', `/campaign/${cid}/copy`, {})).body.monthlySpend).toBe(100.5)
    const copy = await customer.call('POST', `/campaign/${cid}/copy`, { monthlySpend: null })
    expect(copy.body.monthlySpend).toBe(null)
    const { body } = await customer.call('GET', `/campaign/${cid}`)
    expect((await customer.call('PUT', `/campaign/${cid}`, body)).body).toEqual(body)
    await customer.call('PUT', `/campaign/${cid}`, { monthlySpend: 60 })
    const history = (await customer.call('GET', `/campaign/${cid}/history`)).body
    expect(history.at(-1)).toMatchObject({ before: { monthlySpend: 100.5 }, after: { monthlySpend: 60 } })
    await customer.call('DELETE', `/campaign/${cid}`)
  })

  it('counts for the ceiling of a campaign’s life, and its rise for that of a rise', async () => {
    const startS = Date.UTC(2027, 0, 1) / 1000
    const { customer, cid } = await newServedCampaign(service, {
      campaign: { dailySpend: 5, start: startS, end: startS + 59 * 86_400 },
    })
    const edit = async (body: object) => {
      const answer = await customer.call('PUT', `/campaign/${cid}`, body)
      return [answer.status, answer.body.params?.ceiling, answer.body.params?.asked]
    }
    const ceiled = (ceilings: object) =>
      service.call('PUT', `/customer/${customer.cuid}`, { body: { ceilings } })
    await ceiled({ totalSpend: 100 })
    expect(await edit({ monthlySpend: 50 })).toEqual([200, undefined, undefined])
    expect(await edit({ monthlySpend: 51 })).toEqual([403, 'totalSpend', 102])
    expect((await edit({ end: startS + 60 * 86_400 })).slice(0, 2)).toEqual([403, 'totalSpend'])
    await ceiled({ increasePercent: 10 })
    expect(await edit({ monthlySpend: 55 })).toEqual([200, undefined, undefined])
    expect(await edit({ monthlySpend: 61 })).toEqual([403, 'increasePercent', 11])
    expect((await edit({ monthlySpend: null })).slice(0, 2)).toEqual([403, 'increasePercent'])
    await customer.call('DELETE', `/campaign/${cid}`)
  })
})
