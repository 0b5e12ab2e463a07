// Many calls in one: each has its own result, and one that fails affects no other and leaves nothing behind.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
let ann: Advertiser
beforeAll(async () => {
  service = await startTestService()
  ann = await newAdvertiser(service)
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const bulk = (operations: object[], more: object = {}, query = '') =>
  ann.call('POST', `/bulk${query}`, { operations, ...more })

async function newCampaigns(count: number): Promise<number[]> {
  const body = { name: 'Many', start: nowS() - 60, end: nowS() + 86_400, dailySpend: 10 }
  const { body: made } = await bulk(Array.from({ length: count }, () => ({ op: 'createCampaign', body })))
  expect(made).toMatchObject({ applied: true, succeeded: count, failed: 0 })
  return made.results.map((result: { answer: { cid: number } }) => result.answer.cid)
}

async function enabledOf(cids: number[]): Promise<boolean[]> {
  const { body } = await ann.call('GET', '/campaign')
  return body
    .filter((campaign: { cid: number }) => cids.includes(campaign.cid))
    .map((campaign: { enabled: boolean }) => campaign.enabled)
}

it('pauses 200 campaigns in one request, each with its own result', async () => {
  const cids = await newCampaigns(200)
  const { status, body } = await bulk(cids.map(cid => ({ op: 'pauseCampaign', cid })))
  expect(status).toBe(200)
  expect(body).toMatchObject({ applied: true, succeeded: 200, failed: 0 })
  expect(body.results.map((result: { answer: { cid: number } }) => result.answer.cid)).toEqual(cids)
  expect(await enabledOf(cids)).toEqual(cids.map(() => false))
})

it('reports each failure separately, and a failed operation leaves nothing behind', async () => {
  const [one, two] = await newCampaigns(2)
  const bob = await newAdvertiser(service)
  const { body } = await bulk([
    { op: 'editCampaign', cid: one, body: { dailySpend: 77 } },
    { op: 'editCampaign', cid: two, body: { dailySpend: 0.001 } },
    { op: 'pauseCampaign', cid: bob.cid },
    { op: 'pauseCampaign' },
    { op: 'pauseCampaign', cid: one, pid: 5 },
    { op: 'deleteCampaign', cid: two, ifMatch: '"1-1"' },
    { op: 'pausePersona', cid: ann.cid, pid: ann.pid },
    { op: 'resumeCampaign', cid: one, body: {} },
    { op: 'createCampaign', body: { name: 'x' } },
  ])
  expect(body).toMatchObject({ applied: true, succeeded: 2, failed: 7 })
  expect(body.results.map((result: { status: number }) => result.status)).toEqual([
    200, 400, 404, 400, 400, 412, 200, 400, 400,
  ])
  expect(body.results[1].error).toMatchObject({ code: 'invalid_input', errors: [{ path: '/dailySpend' }] })
  expect(body.results[3].error.errors[0]).toEqual({
    path: '/cid',
    code: 'required_for',
    params: { operation: 'pauseCampaign' },
    message: 'is required for pauseCampaign',
  })
  expect((await ann.call('GET', `/campaign/${one}`)).body.dailySpend).toBe(77)
  expect((await ann.call('GET', `/campaign/${two}`)).body.dailySpend).toBe(10)
  expect((await bob.call('GET', `/campaign/${bob.cid}`)).body.enabled).toBe(true)
})

it('keeps nothing with dryRun, or with atomic when one fails, but reports what would happen', async () => {
  const cids = await newCampaigns(3)
  const operations = [...cids.map(cid => ({ op: 'pauseCampaign', cid })), { op: 'pauseCampaign', cid: 1 }]
  const tried = await bulk(operations, {}, '?dryRun=true')
  expect(tried.body).toMatchObject({ applied: false, succeeded: 3, failed: 1 })
  expect(tried.body.results[0].answer).toMatchObject({ cid: cids[0], enabled: false })
  const body = { name: 'New', start: nowS() - 60, end: nowS() + 86_400, dailySpend: 10 }
  const creating = [{ op: 'createCampaign', body }]
  const created = (await bulk(creating, {}, '?dryRun=true')).body
  expect(created).toMatchObject({ dryRun: true, results: [{ status: 201, answer: { name: 'New' } }] })
  expect(created.results[0].answer.cid).toBeUndefined()
  const failing = await bulk([...creating, { op: 'pauseCampaign', cid: 1 }], { atomic: true })
  expect(failing.body.dryRun).toBeUndefined()
  expect(failing.body.results[0].answer.cid).toBeUndefined()
  const undone = await bulk(operations, { atomic: true })
  expect(undone.body).toMatchObject({ applied: false, succeeded: 3, failed: 1 })
  expect(await enabledOf(cids)).toEqual([true, true, true])
  expect((await bulk(operations.slice(0, 3), { atomic: true })).body.applied).toBe(true)
  expect((await bulk(operations, { atomic: null })).body).toMatchObject({ applied: true, failed: 1 })
  expect(await enabledOf(cids)).toEqual([false, false, false])
})

it('runs once for one idempotency key', async () => {
  const before = (await ann.call('GET', '/campaign')).body.length
  const body = { name: 'Once', start: nowS() - 60, end: nowS() + 86_400, dailySpend: 10 }
  const request = { operations: [{ op: 'createCampaign', body }] }
  const send = () => ann.call('POST', '/bulk', request, { 'idempotency-key': 'bulk-once' })
  const [first, second] = [await send(), await send()]
  expect(second.text).toBe(first.text)
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect((await ann.call('GET', '/campaign')).body).toHaveLength(before + 1)
})

it('refuses more than 1,000 operations, none, and an unknown one', async () => {
  const many = Array.from({ length: 1001 }, () => ({ op: 'pauseCampaign', cid: 1 }))
  expect((await bulk(many)).body.errors[0].path).toBe('/operations')
  expect((await bulk([])).status).toBe(400)
  expect((await bulk([{ op: 'readCampaign', cid: ann.cid }])).body.errors[0].path).toBe('/operations/0/op')
})

it('two bulk calls over the same campaigns in opposite orders both finish', async () => {
  const cids = await newCampaigns(30)
  const edit = (cid: number, name: string) => ({ op: 'editCampaign', cid, body: { name } })
  const answers = await Promise.all([
    bulk(cids.map(cid => edit(cid, 'a'))),
    bulk(cids.toReversed().map(cid => edit(cid, 'b'))),
    bulk(cids.map(cid => ({ op: 'pauseCampaign', cid }))),
  ])
  expect(answers.map(answer => [answer.status, answer.body.failed])).toEqual([
    [200, 0],
    [200, 0],
    [200, 0],
  ])
})

it('begins nothing more once its answers are very large together', async () => {
  const cat = await newAdvertiser(service)
  await service.db.run(
    `update persona set geo = jsonb_build_object('geos', (
       select jsonb_agg('CA-ON-' || rpad(n || '-', 5000, 'x')) from generate_series(1, 1000) n
     )) where pid = $1`,
    [cat.pid],
  )
  const operations = Array.from({ length: 7 }, (_, n) => ({
    op: n % 2 ? 'resumePersona' : 'pausePersona',
    cid: cat.cid,
    pid: cat.pid,
  }))
  const { status, body, text } = await cat.call('POST', '/bulk', { operations })
  expect(status).toBe(200)
  expect(text.length).toBeLessThan(25_000_000)
  expect(body).toMatchObject({ applied: true, succeeded: 4, failed: 3 })
  expect(body.results[4]).toMatchObject({
    status: 400,
    error: { code: 'too_many_objects', params: { max: 20_000_000 } },
  })
  const { body: history } = await cat.call('GET', `/campaign/${cat.cid}/history`)
  const paused = history.filter(({ action }: { action: string }) => /pause|resume/.test(action))
  expect(paused.map(({ action }: { action: string }) => action)).toEqual([
    'pause',
    'resume',
    'pause',
    'resume',
  ])
  const { body: whole } = await cat.call('POST', '/bulk', { operations, atomic: true })
  expect([whole.applied, whole.failed]).toEqual([false, 3])
})
