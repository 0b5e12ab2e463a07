// Sources as staff see them: what each showed today for their own customers, and no secrets.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAdvertiser } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { createApp } from '../../identity/apps.ts'
import { addSource, revokeSource } from './sources.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
  await service.delivery.started
})
afterAll(() => service.close())

it('staff see each site and exchange with what it showed today for their own customers, and no secret', async () => {
  const site = await addSource(
    service.db,
    { kind: 'site', name: 'news', domain: 'news.example' },
    service.clock,
  )
  const exchange = await addSource(service.db, { kind: 'exchange', name: 'big' }, service.clock)
  await addSource(service.db, { kind: 'exchange', name: 'gone' }, service.clock)
  await revokeSource(service.db, 'gone', service.clock)
  const { cuid, cid, pid } = await newAdvertiser(service)
  const ad = { kind: 'impression', cuid, cid, pid, fid: cid, bid: pid, spendMicros: 2000 } as const
  const nowMs = service.clock.nowMs()
  const dayMs = 86_400_000
  await recordEvents(service.db, [
    { ...ad, atMs: nowMs, adNumber: 1 },
    { ...ad, atMs: nowMs, adNumber: 2 },
    { ...ad, atMs: nowMs - dayMs, adNumber: 3 },
  ])
  await service.db.run('update event set source_id = $1', [site.sourceId])

  const answer = await service.call('GET', '/source')
  const named = (name: string) => answer.body.find((source: { name: string }) => source.name === name)
  expect(named('news')).toMatchObject({
    kind: 'site',
    domain: 'news.example',
    key: site.key,
    serverKey: true,
    today: { requests: 0, imps: 2, spend: 0.004 },
  })
  expect(named('big')).toMatchObject({
    kind: 'exchange',
    key: null,
    today: { requests: 0, imps: 0, spend: 0 },
  })
  expect(named('gone')).toBeUndefined()
  expect(answer.text).not.toContain(site.serverKey!)
  expect(answer.text).not.toContain(exchange.key)

  const { pair } = await createApp(service.db, { name: 'other' }, service.clock)
  const theirs = await service.call('GET', '/source', { app: pair })
  expect(theirs.body.map((source: { today: object }) => source.today)).toEqual(
    theirs.body.map(() => ({ requests: 0, imps: 0, spend: 0 })),
  )
})

it('the requests of a source are its places, filled or not, without tests and earlier days, for every app', async () => {
  const site = await addSource(
    service.db,
    { kind: 'site', name: 'asks', domain: 'asks.example' },
    service.clock,
  )
  const exchange = await addSource(service.db, { kind: 'exchange', name: 'bids' }, service.clock)
  await service.delivery.running()!.refresh()
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBeLessThan(300)
    await answer.arrayBuffer()
  }
  const visit = { size: '300x250', page: 'https://asks.example/' }
  for (let n = 0; n < 3; n++) await post('/ad', { source: site.key, ...visit })
  await post('/ad', { source: site.key, ...visit, page: 'https://elsewhere.example/' })
  const imp = (id: string) => ({ id, banner: { w: 300, h: 250 } })
  const bid = { id: '1', imp: [imp('1'), imp('2')], site: { page: 'https://any.example/' } }
  await post(`/openrtb2/bid/${exchange.key}`, bid)
  await post(`/openrtb2/bid/${exchange.key}`, { ...bid, test: 1 })
  const { pair } = await createApp(service.db, { name: 'third' }, service.clock)
  await service.db.run(
    "insert into source_outcome values ($1, $2, 'requested', 40), ($1, $3, 'counted', 50), ($1, $3, 'bot', 60)",
    [site.sourceId, new Date(service.clock.nowMs() - 86_400_000), new Date(service.clock.nowMs())],
  )
  const written = () =>
    service.db.row("select sum(calls)::integer as places from source_outcome where outcome = 'requested'")
  await expect.poll(written, { timeout: 20_000 }).toEqual({ places: 40 + 3 + 2 })
  const listed = (await service.call('GET', '/source', { app: pair })).body
  const today = (id: number) => listed.find((one: { sourceId: number }) => one.sourceId === id).today
  expect(today(site.sourceId)).toEqual({ requests: 3, imps: 0, spend: 0 })
  expect(today(exchange.sourceId)).toEqual({ requests: 2, imps: 0, spend: 0 })
})
