// Rotation in a sandbox, with visitors who click some banners more often than others: the same calls, the same figures.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { picture, until } from '../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { startTestSandbox, type TestSandbox } from '../../test/support/sandbox.ts'

const START_S = Date.parse('2026-10-01T00:00:00Z') / 1000
const DAY_S = 86_400
const DATES = { start: START_S, end: START_S + 30 * DAY_S }
const CANADIANS = { countries: { CA: 1 }, sizes: { '300x250': 1 } }

let sandbox: TestSandbox
let customer: TestCustomer
let path: string
beforeAll(async () => {
  sandbox = await startTestSandbox('2026-10-01')
})
afterAll(() => sandbox.service.close())
beforeEach(async () => {
  expect((await sandbox.service.call('POST', '/sandbox/reset')).status).toBe(200)
})

async function newPersona(rotation: string): Promise<void> {
  customer = await newTestCustomer(sandbox.service)
  const { cid } = await customer.newCampaign({ ...DATES, pacing: 'asap' })
  const persona = await customer.call('POST', `/campaign/${cid}/persona`, {
    name: 'Everybody in Canada',
    geo: { geos: ['CA'] },
    device: { mobile: true, tablet: true, desktop: true },
    rotation,
  })
  expect(persona.body.rotation).toBe(rotation)
  path = `/campaign/${cid}/persona/${persona.body.pid}`
}

async function addBanner(fields: object = {}): Promise<number> {
  const image = await picture(300, 250)
  const upload = await customer.call('POST', '/creative', image, { 'content-type': 'image/png' })
  const body = { creativeURL: upload.body.creativeURL, clickUrl: 'https://shop.example/', ...fields }
  const { bid } = (await customer.call('POST', `${path}/banner`, body)).body
  await until(async () =>
    (await customer.call('GET', `${path}/banner/${bid}`)).body.status === 'approved' ? true : null,
  )
  return bid
}

async function visit(days: number, appeal: Record<string, number>): Promise<void> {
  const body = { to: (await sandbox.now()) + days * DAY_S, requests: days * 1_000, seed: 'rotation' }
  const mix = { ...CANADIANS, ctr: 0.05, appeal }
  await sandbox.service.call('POST', '/sandbox/traffic', { body: { ...body, mix } })
  await until(async () => ((await sandbox.service.call('GET', '/sandbox/traffic')).body.done ? true : null))
}

const impsOf = (bids: number[]): Promise<number[]> =>
  Promise.all(bids.map(async bid => (await customer.call('GET', `/stats/${bid}/summary`)).body.imps))

async function regretOf(rotation: string): Promise<{ regret: number; imps: number[] }> {
  await sandbox.service.call('POST', '/sandbox/reset')
  await newPersona(rotation)
  const bids = [await addBanner(), await addBanner()]
  await visit(3, { [bids[1]!]: 4 })
  const imps = await impsOf(bids)
  return { regret: imps[0]! / (imps[0]! + imps[1]!), imps }
}

it('the best more often: less regret than evenly, the same again, and a new banner gets its chance', async () => {
  const best = await regretOf('best')
  const even = await regretOf('even')
  expect(even.regret).toBeGreaterThan(0.45)
  expect(best.regret).toBeLessThan(even.regret / 2)
  expect(await regretOf('best')).toEqual(best)

  const added = await addBanner()
  await visit(3, { [added]: 12 })
  const [imps] = await impsOf([added])
  expect(imps).toBeGreaterThan(900)
})

it('by weight: each as often as its weight says', async () => {
  await newPersona('weighted')
  const bids = [await addBanner(), await addBanner({ weight: 4 })]
  await visit(2, {})
  const [one, four] = await impsOf(bids)
  expect(four! / one!).toBeGreaterThan(3)
  expect(four! / one!).toBeLessThan(5.3)
})
