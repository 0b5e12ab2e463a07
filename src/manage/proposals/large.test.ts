// Proposals of very much at once, and very many of them.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { MOST_CHARACTERS } from './draft.ts'
import { MOST_SETTLED } from './proposals.ts'

let service: TestService
let ann: Advertiser
beforeAll(async () => {
  service = await startTestService()
  ann = await newAdvertiser(service)
})
afterAll(() => service.close())

it('what would show too much is refused in words, and changes and stores nothing', async () => {
  const persona = { name: 'Many', geo: { geos: ['CA'] }, device: { mobile: true } }
  const path = `/campaign/${ann.cid}/persona`
  const pids = [ann.pid, (await ann.call('POST', path, persona)).body.pid]
  await service.db.run(
    `update persona set geo = jsonb_build_object('geos', (
       select jsonb_agg('CA-ON-' || rpad(n || '-', 800, 'x')) from generate_series(1, 1000) n
     )) where cid = $1`,
    [ann.cid],
  )
  const pauses = (of: number[]) => ({
    operations: of.map(pid => ({ op: 'pausePersona', cid: ann.cid, pid })),
  })
  const refused = await ann.call('POST', '/bulk?propose=true', pauses(pids))
  expect([refused.status, refused.body.code]).toEqual([400, 'too_many_objects'])
  expect(refused.body.params).toEqual({ max: MOST_CHARACTERS })
  expect((await ann.call('GET', '/proposal')).body).toEqual([])
  expect((await ann.call('GET', path)).body.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([
    true,
    true,
  ])
  expect((await ann.call('POST', '/bulk?propose=true', pauses([ann.pid]))).status).toBe(202)
})

it('of those that are settled, the last ones are kept', async () => {
  const bob = await newAdvertiser(service)
  const settle = (status: string) =>
    service.db.run(
      `insert into proposal (cuid, status, operation, params, cids, bound, costs_micros, actor, created_at, expires_at,
         decided_by, decided_at)
       select $1, $2, 'pauseCampaign', '{}', '{}', '[]', 0, 'operator', now(), now() + interval '7 days', 'operator', now()
       from generate_series(1, ${MOST_SETTLED})`,
      [bob.cuid, status],
    )
  await settle('declined')
  await settle('approved')
  const proposed = await bob.call('PUT', `/campaign/${bob.cid}?propose=true`, { name: 'Later' })
  expect(proposed.status).toBe(202)
  const counts = await service.db.rows(
    'select status, count(*)::int as count from proposal where cuid = $1 group by status order by status',
    [bob.cuid],
  )
  expect(counts).toEqual([
    { status: 'approved', count: MOST_SETTLED },
    { status: 'pending', count: 1 },
  ])
})
