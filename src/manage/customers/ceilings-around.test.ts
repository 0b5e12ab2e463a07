// Ways around ceilings that somebody with few rights would try: none of them leads to more money.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  startTestService,
  type TestPair,
  type TestService,
  testClock,
} from '../../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ TIMEZONE: 'UTC' }, testClock(NOON))
})
afterAll(() => service.close())

const NOON = Date.UTC(2026, 10, 16, 12)
const DAY_S = 86_400
const nowS = () => Math.floor(service.clock.nowMs() / 1000)

async function newCeiled(ceilings: object) {
  const ann = await service.newCustomer()
  const call = (method: string, path: string, body?: object, as: TestPair = ann) =>
    service.call(method, `${path}?cuid=${ann.cuid}`, { as, body })
  const create = async (more: object = {}) => {
    const order = { name: 'c', start: nowS(), end: nowS() + 10 * DAY_S, dailySpend: 10, ...more }
    return (await call('POST', '/campaign', order)).body
  }
  const set = await service.call('PUT', `/customer/${ann.cuid}`, { body: { ceilings } })
  expect(set.status).toBe(200)
  return { ann, call, create }
}

// What was refused, or the status.
const outcome = ({ status, body }: { status: number; body: { params?: object } }) =>
  status === 403 ? body.params : status

it('a price that was put aside is the one that the next is compared with', async () => {
  const { call, create } = await newCeiled({ increasePercent: 50 })
  const { cid } = await create({ pricing: 'cpc', cpc: 0.5, cpm: 4 })
  const edit = async (body: object) => outcome(await call('PUT', `/campaign/${cid}`, body))
  const refused = (asked: number) => ({ whose: 'customer', ceiling: 'increasePercent', max: 50, asked })
  expect(await edit({ pricing: 'cpm' })).toBe(200)
  expect(await edit({ pricing: 'cpc', cpc: 0.76 })).toEqual(refused(52))
  // A dearer one in between, a pause, and a deletion change nothing.
  for (const [method, path] of [
    ['PUT', '/pause'],
    ['DELETE', ''],
    ['POST', '/restore'],
    ['PUT', '/resume'],
  ] as const)
    expect(outcome(await call(method, `/campaign/${cid}${path}`))).toBe(200)
  expect(await edit({ pricing: 'cpc', cpc: 1000 })).toEqual(refused(199_900))
  const twice = [
    { op: 'editCampaign', cid, body: { pricing: 'cpc', cpc: 0.75 } },
    { op: 'editCampaign', cid, body: { pricing: 'cpm' } },
    { op: 'editCampaign', cid, body: { pricing: 'cpc', cpc: 1.1 } },
  ]
  const bulk = await call('POST', '/bulk', { operations: twice })
  expect(bulk.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 200, 403])
  expect(await edit({ pricing: 'cpc', cpc: 0.75 })).toBe(200)
  // The other way round: the price per thousand is kept.
  expect(await edit({ pricing: 'cpm', cpm: 6.01 })).toEqual(refused(51))
  expect(await edit({ pricing: 'cpm', cpm: 6 })).toBe(200)
  // It never had one: there is nothing to compare with.
  const other = await create()
  expect(outcome(await call('PUT', `/campaign/${other.cid}`, { pricing: 'cpc', cpc: 3 }))).toBe(200)
})

it('what comes back in a call is compared with what it was', async () => {
  const { call, create } = await newCeiled({ increasePercent: 50 })
  const { cid } = await create({ dailySpend: 10, totalSpend: 20 })
  const raise = (body: object) => ({ op: 'editCampaign', cid, body })
  const back = [
    { op: 'deleteCampaign', cid },
    { op: 'restoreCampaign', cid },
  ]
  for (const body of [{ dailySpend: 900 }, { totalSpend: 900 }, { totalSpend: null }]) {
    const { results } = (await call('POST', '/bulk', { operations: [...back, raise(body)] })).body
    expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 200, 403])
  }
  await call('DELETE', `/campaign/${cid}`)
  const { results } = (await call('POST', '/bulk', { operations: [back[1], raise({ dailySpend: 900 })] }))
    .body
  expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 403])
  const { body } = await call('GET', `/campaign/${cid}`)
  expect(body).toMatchObject({ dailySpend: 10, totalSpend: 20 })
  // Lowered and raised again in one call is no increase.
  const again = [raise({ dailySpend: 5 }), raise({ dailySpend: 10 })]
  const lowered = await call('POST', '/bulk', { operations: again })
  expect(lowered.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 200])
})

it('a pair that may give rights has no ceilings of its own: it could make itself one without', async () => {
  const { ann } = await newCeiled({ dailySpend: 100 })
  const make = (body: object) => service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })
  for (const scope of [{}, { scope: 'all' }]) {
    const { status, body } = await make({ ...scope, ceilings: { dailySpend: 5 } })
    expect([status, body.errors]).toMatchObject([400, [{ path: '/ceilings', code: 'not_together' }]])
  }
  expect((await make({ scope: 'all', ceilings: {} })).status).toBe(201)
  expect((await make({ scope: 'spend', ceilings: { dailySpend: 5 } })).status).toBe(201)
})

it('another time zone is checked like a later end', async () => {
  const { ann, call } = await newCeiled({ totalSpend: 40, dailySpendAll: 500 })
  const midnight = (Math.floor(nowS() / DAY_S) + 10) * DAY_S
  const two = { name: 'c', start: midnight, end: midnight + 2 * DAY_S, dailySpend: 10 }
  const post = async (more: object = {}) => outcome(await call('POST', '/campaign', { ...two, ...more }))
  const zone = (as: TestPair, timezone: string | null) =>
    service.call('PUT', `/customer/${ann.cuid}`, { as, body: { timezone } })
  const refused = { whose: 'customer', ceiling: 'totalSpend', max: 40, asked: 50 }
  expect(await post()).toBe(201)
  const pairOf = async (body: object) =>
    (await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })).body as TestPair
  const editor = await pairOf({ scope: 'propose' })
  // Its days are three then: who may only propose cannot decide it, who may spend can.
  const asked = await zone(editor, 'Europe/Berlin')
  expect([asked.status, asked.body.code, asked.body.reason]).toEqual([
    403,
    'scope_too_low',
    'scope_cannot_spend',
  ])
  expect((await zone(editor, 'UTC')).status).toBe(200)
  expect((await zone(ann, 'Europe/Berlin')).status).toBe(200)
  // One that is to come counts already.
  const long = { start: nowS(), end: nowS() + 3 * DAY_S }
  expect((await zone(ann, 'UTC')).status).toBe(200)
  expect(await post(long)).toBe(201)
  expect(outcome(await zone(ann, 'Pacific/Kiritimati'))).toEqual(refused)
  expect((await zone(ann, 'Etc/GMT+12')).status).toBe(200)
  const [, { cid }] = (await call('GET', '/campaign')).body
  expect((await call('PUT', `/campaign/${cid}/pause`)).status).toBe(200)
  expect((await zone(ann, 'Pacific/Kiritimati')).status).toBe(200)
  expect(outcome(await call('PUT', `/campaign/${cid}/resume`))).toEqual(refused)
  expect(await post(long)).toEqual(refused)
  // A total ends it, whatever its days are.
  expect(await post({ ...long, totalSpend: 40 })).toBe(201)
  expect((await zone(editor, null)).status).toBe(200)
  expect((await zone(ann, 'Pacific/Kiritimati')).status).toBe(200)
  // The app is not bound.
  expect((await zone(ann, null)).status).toBe(200)
  expect((await call('PUT', `/campaign/${cid}/resume`)).status).toBe(200)
  expect(
    (await service.call('PUT', `/customer/${ann.cuid}`, { body: { timezone: 'Pacific/Kiritimati' } })).status,
  ).toBe(200)
})

it('a time zone and a campaign at once do not fit together by not seeing each other', async () => {
  for (let round = 0; round < 8; round++) {
    const { ann, call, create } = await newCeiled({ totalSpend: 40 })
    const { cid } = await create({ end: nowS() + 3 * DAY_S, enabled: false })
    const [campaign, zone] = await Promise.all([
      call('PUT', `/campaign/${cid}/resume`),
      service.call('PUT', `/customer/${ann.cuid}`, { as: ann, body: { timezone: 'Pacific/Kiritimati' } }),
    ])
    expect([campaign.status === 200, zone.status === 200].filter(Boolean)).toHaveLength(1)
  }
})

it('by an id of one’s own, undone, approved late or copied, nothing gets higher than by an edit', async () => {
  const { ann, call, create } = await newCeiled({})
  const { cid } = await create({ dailySpend: 10, cpm: 4, externalId: 'x' })
  const path = `/campaign/${cid}`
  await call('PUT', path, { cpm: 1 })
  const waiting = await service.call('PUT', `${path}?cuid=${ann.cuid}&propose=true`, {
    as: ann,
    body: { dailySpend: 40 },
  })
  const ceilings = { dailySpend: 30, increasePercent: 150 }
  await service.call('PUT', `/customer/${ann.cuid}`, { body: { ceilings } })
  const [, lowered] = (await call('GET', `${path}/history`)).body
  const tries: [string, string, object | undefined, string, number][] = [
    ['POST', `/history/${lowered.id}/undo`, undefined, 'increasePercent', 300],
    ['PUT', `/proposal/${waiting.body.proposal.id}/approve`, undefined, 'dailySpend', 40],
    ['PUT', '/campaign/by-external/x', { dailySpend: 26 }, 'increasePercent', 160],
    ['POST', `${path}/copy`, { dailySpend: 31 }, 'dailySpend', 31],
  ]
  for (const [method, at, body, ceiling, asked] of tries)
    expect([at, outcome(await call(method, at, body))]).toMatchObject([at, { ceiling, asked }])
  expect((await call('GET', path)).body).toMatchObject({ dailySpend: 10, cpm: 1 })
})
