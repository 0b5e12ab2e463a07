// A paused banner is not shown, and the campaign says what it lacks to deliver.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { newTestCustomer } from '../../../test/support/campaigns.ts'
import {
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'

let service: ListeningService
beforeAll(async () => {
  service = await startListeningService()
})
afterAll(() => service.close())

const VISIT = { size: '300x250', geo: { country: 'CA' } }
const LOCAL = { origin: 'http://localhost:3000' }

it('pausing a banner stops its delivery, and resuming starts it again', async () => {
  const served = await newServedCampaign(service)
  const path = `${served.path}/banner/${served.bid}`
  const isShown = (wanted: boolean) =>
    until(async () => (((await service.ad(VISIT, LOCAL)).json.ad !== null) === wanted ? true : null))
  const campaign = async () => (await served.customer.call('GET', `/campaign/${served.cid}`)).body
  await isShown(true)
  expect(await campaign()).toMatchObject({ status: 'running', missing: [] })

  const paused = await served.customer.call('PUT', `${path}/pause`)
  expect(paused).toMatchObject({ status: 200, body: { bid: served.bid, enabled: false, status: 'approved' } })
  const again = await served.customer.call('PUT', `${path}/pause`)
  expect([again.text, again.headers.etag]).toEqual([paused.text, paused.headers.etag])
  await isShown(false)
  expect(await campaign()).toMatchObject({ status: 'incomplete', missing: ['banners_paused'] })
  const issues = (await served.customer.call('GET', '/issues')).body
  expect(issues).toMatchObject([{ code: 'banners_paused', cid: served.cid, pid: served.pid }])

  expect((await served.customer.call('PUT', path, { enabled: true })).body.enabled).toBe(true)
  await isShown(true)
  const actions = (await served.customer.call('GET', `/campaign/${served.cid}/history`)).body
    .filter((entry: { noun: string }) => entry.noun === 'banner')
    .map((entry: { action: string }) => entry.action)
  expect(actions).toEqual(['create', 'approve', 'pause', 'resume'])
})

it('a campaign says what it lacks: persona, banner, review, approval', async () => {
  const ann = await newTestCustomer(service)
  const { cid } = await ann.newCampaign()
  const seen = async () => {
    const { status, missing } = (await ann.call('GET', `/campaign/${cid}`)).body
    return [status, ...missing]
  }
  expect(await seen()).toEqual(['incomplete', 'no_persona'])
  const body = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true }, enabled: false }
  const { pid } = (await ann.call('POST', `/campaign/${cid}/persona`, body)).body
  expect(await seen()).toEqual(['incomplete', 'personas_paused'])
  await ann.call('PUT', `/campaign/${cid}/persona/${pid}/resume`)
  expect(await seen()).toEqual(['incomplete', 'no_banner'])
  const banners = `/campaign/${cid}/persona/${pid}/banner`
  const { bid } = (await ann.call('POST', banners, { creativeURL: 'http://127.0.0.1:9/a.png' })).body
  expect(await seen()).toEqual(['incomplete', 'banner_pending'])
  await service.db.run("update banner set status = 'rejected' where bid = $1", [bid])
  expect(await seen()).toEqual(['incomplete', 'banner_rejected'])
  await ann.call('PUT', `/campaign/${cid}/pause`)
  expect(await seen()).toEqual(['paused', 'banner_rejected'])
  const listed = (await ann.call('GET', '/campaign?status=incomplete')).body
  expect(listed).toEqual([])
})
