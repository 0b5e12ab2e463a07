// Reports everything that keeps campaigns from delivering, and nothing else.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAdvertiser, picture } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { spend } from '../../../test/support/shares.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

it('reports no persona, rejected banners and a spent budget, each until it is fixed', async () => {
  const { call, cid, pid, path, banner, reviewed } = await newAdvertiser(service)
  const codes = async () => (await call('GET', '/issues')).body.map((issue: { code: string }) => issue.code)

  const { body: empty } = await call('POST', '/campaign', {
    name: 'Empty',
    start: Math.floor(service.clock.nowMs() / 1000),
    end: Math.floor(service.clock.nowMs() / 1000) + 86_400,
    dailySpend: 1,
  })
  expect(await codes()).toEqual(['no_persona', 'no_banner'])
  await call('PUT', `/campaign/${empty.cid}/pause`)
  expect(await codes()).toEqual(['no_banner'])

  const wrong = await call('POST', '/creative', await picture(301, 250), { 'content-type': 'image/png' })
  const { bid } = await banner({ creativeURL: wrong.body.creativeURL, name: 'Odd' })
  await reviewed(bid)
  const { body: issues } = await call('GET', '/issues')
  expect(issues).toEqual([
    {
      code: 'banner_rejected',
      cid,
      campaign: 'Summer',
      pid,
      persona: 'Cyclists',
      bid,
      banner: 'Odd',
      reasons: [expect.stringContaining('301x250')],
      findings: [expect.objectContaining({ code: 'image_size_not_allowed' })],
    },
  ])

  await call('PUT', `/campaign/${cid}/persona/${pid}/pause`)
  expect(await codes()).toEqual(['personas_paused'])
  await call('PUT', `/campaign/${cid}/persona/${pid}/resume`)
  await call('DELETE', `${path}/${bid}`)
  const right = await call('POST', '/creative', await picture(300, 250), { 'content-type': 'image/png' })
  const good = await banner({ creativeURL: right.body.creativeURL })
  expect((await reviewed(good.bid)).status).toBe('approved')
  expect(await codes()).toEqual([])

  const today = Number(new Date(service.clock.nowMs()).toISOString().slice(0, 10).replaceAll('-', ''))
  await spend(service.db, cid, today, 10_000_000)
  expect(await codes()).toEqual(['budget_spent'])
  expect((await call('GET', `/campaign/${cid}`)).body.status).toBe('spent')
})

it('says how many unseen ads one address may have, where ads were not served for that', async () => {
  const { call, cid } = await newAdvertiser(service)
  await service.db.run(
    `insert into rollup_filtered (id, day, reason, imps) values ($1, (now() at time zone 'UTC')::date, 'too_many_unseen', 12)`,
    [cid],
  )
  const { body } = await call('GET', `/campaign/${cid}/issues`)
  const issue = body.find(({ code }: { code: string }) => code === 'too_many_unseen')
  expect(issue.findings).toMatchObject([{ params: { ads: 12, max: service.config.VISITOR_OPEN_ADS } }])
  expect(issue.reasons[0]).toContain('may have 200 unseen ads')
})
