// The same calls on a sandbox give the same figures, however fast the machine is.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { picture, until } from '../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { startTestSandbox, type TestSandbox } from '../../test/support/sandbox.ts'
import type { TestService } from '../../test/support/service.ts'
import { verify } from '../count/verify/verify.ts'
import { type Database, openDatabase } from '../platform/database.ts'

const START_S = Date.parse('2026-10-01T00:00:00Z') / 1000
const DAY_S = 86_400
const DATES = { start: START_S, end: START_S + 30 * DAY_S }
const CANADIANS = { countries: { CA: 1 }, sizes: { '300x250': 1 } }

let sandbox: TestSandbox
let service: TestService
let db: Database

beforeAll(async () => {
  sandbox = await startTestSandbox('2026-10-01')
  service = sandbox.service
  db = openDatabase({ url: service.databaseUrl, maxConnections: 1, onError: () => {} })
})

afterAll(async () => {
  await db.close()
  await service.close()
})

async function reset(): Promise<void> {
  expect((await service.call('POST', '/sandbox/reset')).status).toBe(200)
}
beforeEach(reset)

async function visit(body: object) {
  expect((await service.call('POST', '/sandbox/traffic', { body })).status).toBeLessThan(300)
  return until(async () => {
    const { body: now } = await service.call('GET', '/sandbox/traffic')
    return now.done ? now : null
  })
}

interface Shown {
  customer: TestCustomer
  cid: number
  path: string
}

/** A campaign with a persona and no banner. */
async function newCampaign(customer: TestCustomer, fields: object): Promise<Shown> {
  const { cid } = await customer.newCampaign({ ...DATES, pacing: 'asap', ...fields })
  const persona = await customer.call('POST', `/campaign/${cid}/persona`, {
    name: 'Everybody in Canada',
    geo: { geos: ['CA'] },
    device: { mobile: true, tablet: true, desktop: true },
  })
  return { customer, cid, path: `/campaign/${cid}/persona/${persona.body.pid}/banner` }
}

async function addBanner({ customer, path }: Shown): Promise<number> {
  const image = await picture(300, 250)
  const upload = await customer.call('POST', '/creative', image, { 'content-type': 'image/png' })
  const body = { creativeURL: upload.body.creativeURL, clickUrl: 'https://shop.example/' }
  return (await customer.call('POST', path, body)).body.bid
}

/** Resolves when the banner has been approved and is known to delivery. */
async function untilShown(bid: number): Promise<void> {
  const request = {
    id: '1',
    test: 1,
    imp: [{ id: '1', banner: { w: 300, h: 250 } }],
    device: { devicetype: 2, geo: { country: 'CAN' } },
  }
  const body = JSON.stringify(request)
  await until(async () => {
    const answer = await fetch(service.firstCredentials!.bidUrl, { method: 'POST', body })
    return (await answer.text()).includes(`"crid":"${bid}"`) ? true : null
  })
}

/** Impressions, clicks and spend of each campaign in each hour. */
async function figuresOf(campaigns: Shown[]): Promise<number[][][]> {
  const figures: number[][][] = []
  for (const { customer, cid } of campaigns) {
    const { body } = await customer.call('GET', `/stats/${cid}/timeseries?interval=hour`)
    figures.push(body.timeseries.map((row: Record<string, number>) => [row.imps, row.clicks, row.spend]))
  }
  return figures
}

it('figures do not depend on how fast banners are reviewed, or on which was known first', async () => {
  async function run(waits: boolean) {
    const customer = await newTestCustomer(service)
    const campaigns: Shown[] = []
    for (let n = 0; n < 4; n++) campaigns.push(await newCampaign(customer, { dailySpend: 1, cpm: 2 }))
    for (const campaign of campaigns.toReversed()) {
      const bid = await addBanner(campaign)
      if (waits) await untilShown(bid)
    }
    const traffic = await visit({ requests: 500, mix: CANADIANS })
    return { traffic, figures: await figuresOf(campaigns) }
  }
  const first = await run(true)
  expect(first.traffic.counted.imps).toBeGreaterThan(100)
  await reset()
  expect(await run(false)).toEqual(first)
})

/** From now on the database needs longer to grant and bill shares. */
async function slowDown(): Promise<void> {
  await db.run(
    `create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(0.03); return null; end'`,
  )
  await db.run('create trigger slowly after update on share for each statement execute function slowly()')
}

it('figures of campaigns that are paid by click and share a balance do not depend on how fast the database is', async () => {
  async function run(isSlow: boolean) {
    const customer = await newTestCustomer(service, { prepaid: true })
    const credit = { amount: 3, reference: 'invoice 1' }
    expect((await service.call('POST', `/customer/${customer.cuid}/credit`, { body: credit })).status).toBe(
      201,
    )
    const campaigns: Shown[] = []
    for (const cpc of [0.05, 0.06, 0.07]) {
      const campaign = await newCampaign(customer, { dailySpend: 1, pricing: 'cpc', cpc })
      campaigns.push(campaign)
      await addBanner(campaign)
    }
    if (isSlow) await slowDown()
    const traffic = await visit({ requests: 1_000, mix: { ...CANADIANS, ctr: 0.2 } })
    return { traffic, figures: await figuresOf(campaigns) }
  }
  const first = await run(false)
  expect(first.traffic.counted.clicks).toBeGreaterThan(10)
  await reset()
  expect(await run(true)).toEqual(first)
})

it('a click that comes after its traffic gets its share of a budget', async () => {
  const customer = await newTestCustomer(service, { prepaid: true })
  const credit = { amount: 8, reference: 'invoice 1' }
  await service.call('POST', `/customer/${customer.cuid}/credit`, { body: credit })
  const campaign = await newCampaign(customer, { dailySpend: 8, pricing: 'cpc', cpc: 0.2 })
  await addBanner(campaign)
  await sandbox.move({ by: 10 })
  const traffic = await visit({ to: START_S + 12, requests: 60, mix: { ...CANADIANS, ctr: 1 } })
  expect(traffic.counted.clicks).toBe(0)
  await sandbox.move({ by: 300 })
  const { body } = await customer.call('GET', `/stats/${campaign.cid}/summary`)
  const { body: filtered } = await customer.call('GET', `/stats/${campaign.cid}/filtered`)
  expect(filtered.filtered).toEqual([])
  expect(body.clicks).toBeGreaterThan(15)
})

it('from a balance, an even day is sold to its last impression, and each is reported as spent', async () => {
  const customer = await newTestCustomer(service, { prepaid: true })
  const credit = { amount: 100, reference: 'invoice 1' }
  await service.call('POST', `/customer/${customer.cuid}/credit`, { body: credit })
  await service.call('POST', '/webhook', { body: { url: 'https://app.example/hook' } })
  const campaign = await newCampaign(customer, { dailySpend: 2.5, cpm: 5, pacing: 'even' })
  await untilShown(await addBanner(campaign))
  for (const day of [1, 2]) await visit({ to: START_S + day * DAY_S, requests: 1_300, mix: CANADIANS })
  const { body } = await customer.call('GET', `/stats/${campaign.cid}/timeseries`)
  expect(body.timeseries.map((row: Record<string, number>) => [row.imps, row.spend])).toEqual([
    [500, 2.5],
    [500, 2.5],
  ])
  const reported = await db.rows<{ day: string }>(
    `select left(body::jsonb ->> 'timestamp', 10) as day from webhook_delivery
     where type = 'campaign.budget_spent' and (body::jsonb #>> '{data,cid}')::bigint = $1 order by did`,
    [campaign.cid],
  )
  expect(reported).toEqual([{ day: '2026-10-01' }, { day: '2026-10-02' }])
})

it('a crowd is counted and billed person by person, as far as budgets reach, clicks as often as it should, and is the same again', async () => {
  async function run() {
    const customer = await newTestCustomer(service)
    const one = await newCampaign(customer, { dailySpend: 1, cpm: 2 })
    await untilShown(await addBanner(one))
    const first = await visit({ requests: 300, crowd: 50, mix: { ...CANADIANS, ctr: 0.01 } })
    expect([first.counted.imps, first.counted.spend]).toEqual([500, 1])
    await customer.call('PUT', `/campaign/${one.cid}`, { dailySpend: 80, pacing: 'even' })
    const more = await visit({ requests: 300, crowd: 50, mix: { ...CANADIANS, ctr: 0.01, cvr: 0.1 } })
    expect(more.counted.imps).toBeGreaterThan(10_000)
    expect([more.counted.imps % 50, more.counted.views % 50]).toEqual([0, 0])
    const { clicks, imps } = more.counted
    expect(Math.abs(clicks / imps - 0.01)).toBeLessThan(0.001)
    const { body } = await customer.call('GET', `/stats/${one.cid}/summary`)
    expect([body.imps, body.spend]).toEqual([500 + imps, 1 + more.counted.spend])
    const options = { timeZone: service.config.TIMEZONE, clickWindowS: service.config.CLICK_WINDOW }
    expect((await verify(db, options)).flatMap(({ differences }) => differences)).toEqual([])
    return [first, more]
  }
  const before = await run()
  await reset()
  expect(await run()).toEqual(before)
})
