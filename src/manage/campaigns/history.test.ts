// Tests through the API that the history says what was done to a campaign, and by whom.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_S, newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

describe('history', () => {
  it('tells who did what, with before and after, and pages', async () => {
    const made = await ann.newCampaign()
    const path = `/campaign/${made.cid}`
    await ann.call('PUT', path, { name: 'Second' })
    await ann.newFlight(made.cid, { start: made.start, end: made.start + DAY_S })
    const { body: entries } = await ann.call('GET', `${path}/history`)
    expect(entries.map((e: { noun: string; action: string }) => `${e.noun} ${e.action}`)).toEqual([
      'campaign create',
      'campaign edit',
      'flight create',
    ])
    expect(entries[1]).toMatchObject({
      nounId: made.cid,
      actor: ann.key,
      before: { name: 'Bikes', dailySpend: 100 },
      after: { name: 'Second', dailySpend: 100 },
    })
    const page = await ann.call('GET', `${path}/history?limit=1&after=${entries[0].id}`)
    expect(page.body).toEqual([entries[1]])
    expect(page.headers.link).toContain(`after=${entries[1].id}`)
  })

  it('shows a customer no key of its app', async () => {
    const { cid } = await ann.newCampaign()
    await service.call('PUT', `/campaign/${cid}/pause?cuid=${ann.cuid}`)
    const url = `/campaign/${cid}/history`
    expect((await ann.call('GET', url)).body.at(-1).actor).toBe('app')
    const byApp = await service.call('GET', `${url}?cuid=${ann.cuid}`)
    expect(byApp.body.at(-1).actor).toBe(service.app.key)
    expect(byApp.text).not.toContain(service.app.token)
  })
})
