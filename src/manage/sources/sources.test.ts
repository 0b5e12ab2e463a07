// Sources as staff see them: what each showed today for their own customers, and no secrets.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAdvertiser } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { createApp } from '../../identity/apps.ts'
import { addSource, revokeSource } from './sources.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
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
    today: { imps: 2, spend: 0.004 },
  })
  expect(named('big')).toMatchObject({ kind: 'exchange', key: null, today: { imps: 0, spend: 0 } })
  expect(named('gone')).toBeUndefined()
  expect(answer.text).not.toContain(site.serverKey!)
  expect(answer.text).not.toContain(exchange.key)

  const { pair } = await createApp(service.db, { name: 'other' }, service.clock)
  const theirs = await service.call('GET', '/source', { app: pair })
  expect(theirs.body.map((source: { today: object }) => source.today)).toEqual(
    theirs.body.map(() => ({ imps: 0, spend: 0 })),
  )
})
