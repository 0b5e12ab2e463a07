// Ceilings hold for every way to make a change and for parallel calls. A change that exceeds one is refused as a whole.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const DAY_S = 86_400
const nowS = () => Math.floor(service.clock.nowMs() / 1000)

async function newCeiled(ceilings: object) {
  const ann = await service.newCustomer()
  const at = (path: string) => `${path}?cuid=${ann.cuid}`
  const set = (to: object | null) => service.call('PUT', `/customer/${ann.cuid}`, { body: { ceilings: to } })
  const call = (method: string, path: string, body?: object, as: TestPair = ann) =>
    service.call(method, at(path), { as, body })
  const order = (more: object = {}) => ({
    name: 'c',
    start: nowS(),
    end: nowS() + 10 * DAY_S,
    dailySpend: 10,
    ...more,
  })
  const create = async (more: object = {}) => (await call('POST', '/campaign', order(more))).body
  const state = async () => (await call('GET', '/campaign')).body
  expect((await set(ceilings)).body.ceilings).toEqual(ceilings)
  return { ann, set, call, order, create, state }
}

it('only the app sets the ceilings of a customer; the current ones can be sent back', async () => {
  const { ann, set } = await newCeiled({ dailySpend: 100, cpm: 5.5, writesPerHour: 1000 })
  const path = `/customer/${ann.cuid}`
  const put = (ceilings: object | null) => service.call('PUT', path, { as: ann, body: { ceilings } })
  expect((await put({ dailySpend: 200 })).body).toMatchObject({
    reason: 'app_only_field',
    params: { field: 'ceilings' },
  })
  expect((await put(null)).status).toBe(401)
  const { body } = await service.call('GET', path, { as: ann })
  expect((await service.call('PUT', path, { as: ann, body: { ...body, phone: '1' } })).status).toBe(200)
  expect((await set({ dailySpend: -1 })).body.errors[0].path).toBe('/ceilings/dailySpend')
  expect((await set({ hourly: 1 })).body.errors[0]).toMatchObject({
    path: '/ceilings/hourly',
    code: 'unknown_field',
  })
  expect((await set(null)).body.ceilings).toBeNull()
})

it('every kind of change is checked; the refusal says which ceiling, how high it is and what was asked', async () => {
  const { ann, set, call, order, create, state } = await newCeiled({ cpm: 1_000 })
  const high = await create({ dailySpend: 90, enabled: false })
  const low = await create({ dailySpend: 10, totalSpend: 60 })
  const gone = await create({ dailySpend: 90 })
  await call('DELETE', `/campaign/${gone.cid}`)
  await set({ dailySpend: 50, totalSpend: 100, cpm: 8, cpc: 1, increasePercent: 100 })
  const before = await state()
  const own = `/campaign/${low.cid}`
  const refused: [string, string, object | undefined, string, number, number?][] = [
    ['POST', '/campaign', order({ dailySpend: 51 }), 'dailySpend', 50, 51],
    ['POST', '/campaign', order({ dailySpend: 51, enabled: false }), 'dailySpend', 50, 51],
    ['POST', '/campaign', order({ totalSpend: 101 }), 'totalSpend', 100, 101],
    ['POST', '/campaign', order({ dailySpend: 10 }), 'totalSpend', 100, 110],
    ['POST', '/campaign', order({ totalSpend: 20, cpm: 8.01 }), 'cpm', 8, 8.01],
    ['POST', '/campaign', order({ totalSpend: 20, pricing: 'cpc', cpc: 1.01 }), 'cpc', 1, 1.01],
    ['PUT', own, { dailySpend: 50.01 }, 'dailySpend', 50, 50.01],
    ['PUT', own, { dailySpend: 20.1 }, 'increasePercent', 100, 101],
    ['PUT', own, { totalSpend: null, end: low.start + 2 * DAY_S }, 'increasePercent', 100],
    ['PUT', `/campaign/${high.cid}/resume`, undefined, 'dailySpend', 50, 90],
    ['POST', `/campaign/${high.cid}/copy`, {}, 'dailySpend', 50, 90],
    ['POST', `/campaign/${gone.cid}/restore`, undefined, 'dailySpend', 50, 90],
    ['PUT', '/campaign/by-external/new-2', order({ dailySpend: 70 }), 'dailySpend', 50, 70],
  ]
  for (const [method, path, body, ceiling, max, asked] of refused) {
    const answer = await call(method, path, body)
    const params = { ceiling, whose: 'customer', max, ...(asked === undefined ? {} : { asked }) }
    expect([path, body, answer.status, answer.body.code, answer.body.params]).toEqual([
      path,
      body,
      403,
      'ceiling_exceeded',
      params,
    ])
  }
  expect(await state()).toEqual(before)
  // Two edits of one campaign in a single call count as one change.
  const edit = (dailySpend: number) => ({ op: 'editCampaign', cid: low.cid, body: { dailySpend } })
  const bulk = await call('POST', '/bulk', { operations: [edit(15), edit(21), edit(51)] })
  expect(bulk.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 403, 403])
  // A value above a ceiling can be lowered and the campaign renamed. The app is not bound by ceilings.
  expect((await call('PUT', `/campaign/${high.cid}`, { name: 'x', dailySpend: 80 })).status).toBe(200)
  const byApp = await service.call('PUT', `/campaign/${high.cid}/resume?cuid=${ann.cuid}`)
  expect(byApp.status).toBe(200)
})

it('parallel calls that would each fit cannot exceed a ceiling together', async () => {
  const { call, create, order, state } = await newCeiled({ dailySpendAll: 100 })
  const sum = async () =>
    (await state())
      .filter(({ enabled }: { enabled: boolean }) => enabled)
      .reduce((all: number, { dailySpend }: { dailySpend: number }) => all + dailySpend, 0)
  const made = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', '/campaign', order({ dailySpend: 30 }))),
  )
  expect(made.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(await sum()).toBe(90)
  const cids = []
  for (let i = 0; i < 4; i++) cids.push((await create({ dailySpend: 10, enabled: false })).cid)
  const resumed = await Promise.all(cids.map(cid => call('PUT', `/campaign/${cid}/resume`)))
  expect(resumed.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  expect(await sum()).toBe(100)
})

it('a pair has ceilings of its own besides those of its customer; writes are counted by the hour', async () => {
  const { ann, call, create } = await newCeiled({ dailySpend: 100 })
  const { cid } = await create()
  const ceilings = { dailySpend: 40, writesPerHour: 3 }
  const pair = (
    await service.call('POST', `/customer/${ann.cuid}/credential`, {
      as: ann,
      body: { scope: 'spend', ceilings },
    })
  ).body
  expect(pair.ceilings).toEqual(ceilings)
  const edit = (dailySpend: number, as: TestPair) => call('PUT', `/campaign/${cid}`, { dailySpend }, as)
  expect((await edit(41, pair)).body.params).toEqual({
    ceiling: 'dailySpend',
    whose: 'pair',
    max: 40,
    asked: 41,
  })
  expect((await edit(41, ann)).status).toBe(200)
  // Starts just after a full hour, so that the hour does not end during the edits.
  service.clock.advance(3_600_000 - (service.clock.nowMs() % 3_600_000) + 1000)
  const edits = await Promise.all([31, 32, 33, 34, 35].map(spend => edit(spend, pair)))
  expect(edits.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403])
  expect(edits.find(({ status }) => status === 403)!.body.params).toMatchObject({
    ceiling: 'writesPerHour',
    max: 3,
  })
  expect((await edit(20, ann)).status).toBe(200)
  service.clock.advance(3_600_000)
  expect((await edit(36, pair)).status).toBe(200)
})

it('a copy counts as a write for each object that it makes', async () => {
  const { ann, call, create } = await newCeiled({ dailySpend: 100 })
  const banners = Array.from({ length: 6 }, () => ({ creativeURL: 'https://bluebikes.example/a.png' }))
  const personas = [{ name: 'p', geo: { geos: ['CA'] }, device: { mobile: true }, banners }]
  const { cid, personas: made } = await create({ enabled: false, personas })
  const pair = (
    await service.call('POST', `/customer/${ann.cuid}/credential`, {
      as: ann,
      body: { scope: 'spend', ceilings: { writesPerHour: 6 } },
    })
  ).body
  const copies = [
    [`/campaign/${cid}/persona/${made[0].pid}/copy`, 7],
    [`/campaign/${cid}/copy`, 8],
  ] as const
  for (const [path, asked] of copies) {
    const { status, body } = await call('POST', path, {}, pair)
    expect([status, body.params]).toEqual([403, { whose: 'pair', ceiling: 'writesPerHour', max: 6, asked }])
  }
})

it('a dry run says what a change costs at most: the days that it affects, or a total if that is less', async () => {
  const { ann, call, create, state } = await newCeiled({ cpm: 1_000 })
  await service.call('PUT', `/customer/${ann.cuid}`, { body: { timezone: 'Etc/UTC' } })
  const midnight = (Math.floor(nowS() / DAY_S) + 10) * DAY_S
  const ten = { start: midnight, end: midnight + 10 * DAY_S }
  const running = await create({ ...ten, dailySpend: 10 })
  const paused = await create({ ...ten, dailySpend: 10, enabled: false })
  const limited = await create({ ...ten, dailySpend: 10, totalSpend: 50 })
  const tried = async (method: string, path: string, body?: object) => {
    const url = `${path}?dryRun=true&cuid=${ann.cuid}`
    return (await service.call(method, url, { as: ann, body })).body.costsAtMost
  }
  const before = await state()
  const of = ({ cid }: { cid: number }) => `/campaign/${cid}`
  const flight = { name: 'f', start: midnight, end: midnight + 2 * DAY_S }
  const cases: [string, string, object | undefined, number][] = [
    ['POST', '/campaign', { name: 'n', ...ten, dailySpend: 7.5 }, 75],
    ['POST', '/campaign', { name: 'n', ...ten, dailySpend: 7.5, totalSpend: 20 }, 20],
    ['POST', '/campaign', { name: 'n', ...ten, dailySpend: 7.5, enabled: false }, 0],
    ['POST', '/campaign', { name: 'n', start: midnight + 60, end: midnight + DAY_S + 60, dailySpend: 5 }, 10],
    ['PUT', of(running), { dailySpend: 12.5 }, 25],
    ['PUT', of(running), { dailySpend: 5 }, 0],
    ['PUT', of(running), { name: 'other', cpm: 9 }, 0],
    ['PUT', of(running), { end: ten.end + DAY_S }, 10],
    ['PUT', of(running), { totalSpend: 30 }, 0],
    ['PUT', of(paused), { dailySpend: 1000 }, 0],
    ['PUT', `${of(paused)}/resume`, undefined, 100],
    ['PUT', of(limited), { totalSpend: 70 }, 20],
    ['PUT', of(limited), { totalSpend: null }, 100],
    // How much of the total is spent is not known: the total may be what stops it.
    ['PUT', of(limited), { dailySpend: 20, totalSpend: 60 }, 60],
    ['POST', `${of(running)}/copy`, { enabled: true }, 100],
    ['POST', `${of(running)}/copy`, {}, 0],
    ['POST', `${of(running)}/flight`, flight, 0],
    ['DELETE', of(running), undefined, 0],
  ]
  for (const [method, path, body, most] of cases)
    expect([method, path, body, await tried(method, path, body)]).toEqual([method, path, body, most])
  const { fid } = (await call('POST', `${of(running)}/flight`, flight)).body
  expect(await tried('PUT', `${of(running)}/flight/${fid}`, { end: flight.end + DAY_S })).toBe(10)
  expect(await tried('DELETE', `${of(running)}/flight/${fid}`)).toBe(80)
  const operations = [
    { op: 'editCampaign', cid: running.cid, body: { dailySpend: 20 } },
    { op: 'resumeCampaign', cid: paused.cid },
    { op: 'editCampaign', cid: limited.cid, body: { dailySpend: 0 } },
  ]
  // Two days of the first campaign, which has a flight, and all days of the second.
  expect(await tried('POST', '/bulk', { operations })).toBe(20 + 100)
  expect(await state()).toEqual(before)
})
