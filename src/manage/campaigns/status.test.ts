// The status of a campaign, from its dates, flights and spend.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService, testClock } from '../../../test/support/service.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { Campaign } from './contract.ts'

/** The campaign runs from 1000 to 2000 seconds after this, the beginning of a day. */
const BEGIN_S = (Math.floor(Date.now() / DAY_MS) + 2) * (DAY_MS / 1000)
const DAY = calendarOf('UTC').dayAt(BEGIN_S * 1000).key

let service: TestService
let ann: TestCustomer

beforeAll(async () => {
  service = await startTestService({ TIMEZONE: 'UTC' }, testClock(BEGIN_S * 1000))
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const at = (s: number) => BEGIN_S + s
/** The clock goes on from there. */
const goTo = (s: number) => service.clock.advance(at(s) * 1000 - service.clock.nowMs())

/** With an approved banner, so that it lacks nothing. */
async function newCampaign(flights: [start: number, end: number][] = []): Promise<number> {
  goTo(0)
  const { cid } = await ann.newCampaign({ start: at(1000), end: at(2000), dailySpend: 1, cpm: 3 })
  for (const [start, end] of flights)
    await ann.call('POST', `/campaign/${cid}/flight`, { name: 'f', start: at(start), end: at(end) })
  await service.db.run(
    `with p as (
       insert into persona (cid, name, geo, cat, device, demo, enabled, created_at, updated_at)
       values ($1, 'p', '{"geos":["CA"]}', '{}', '{"mobile":true,"tablet":true,"desktop":true}',
         '{"gender":null,"age":null}', true, now(), now()) returning pid
     )
     insert into banner (pid, name, creative_url, click_url, status, enabled, created_at, updated_at)
     select pid, 'b', 'https://a.example/b.png', 'https://a.example/', 'approved', true, now(), now() from p`,
    [cid],
  )
  return cid
}

async function spend(cid: number, micros: number): Promise<void> {
  await service.db.run(
    `insert into share (day, cid, node_id, granted_micros, billed_micros) values ($1, $2, 0, $3, $3)
     on conflict (day, cid, fid, node_id) do update set granted_micros = $3, billed_micros = $3`,
    [DAY, cid, micros],
  )
}

/** As it is read, and as it is found by it. */
async function statusAt(cid: number, s: number): Promise<Campaign['status']> {
  goTo(s)
  const { status } = (await ann.call('GET', `/campaign/${cid}`)).body as Campaign
  const found = (await ann.call('GET', `/campaign?status=${status}&limit=1000`)).body as Campaign[]
  expect(found.map(campaign => campaign.cid)).toContain(cid)
  return status
}

it('follows the dates of the campaign, half open', async () => {
  const cid = await newCampaign()
  const statuses = [
    [990, 'scheduled'],
    [1000, 'running'],
    [1990, 'running'],
    [2000, 'ended'],
  ] as const
  for (const [s, status] of statuses) expect(await statusAt(cid, s), String(s)).toBe(status)
})

it('follows its own flights if it has any', async () => {
  const cid = await newCampaign([
    [1100, 1200],
    [1300, 1400],
  ])
  const statuses = [
    [1000, 'scheduled'],
    [1100, 'running'],
    [1200, 'scheduled'],
    [1390, 'running'],
    [1400, 'ended'],
  ] as const
  for (const [s, status] of statuses) expect(await statusAt(cid, s), String(s)).toBe(status)
})

it('is spent once the rest of the daily budget buys no impression', async () => {
  const cid = await newCampaign()
  const priceMicros = 3000
  await spend(cid, 1_000_000 - priceMicros)
  expect(await statusAt(cid, 1500)).toBe('running')
  await spend(cid, 1_000_000 - priceMicros + 1)
  expect(await statusAt(cid, 1500)).toBe('spent')
  await spend(cid, 1_000_000)
  expect(await statusAt(cid, 1500)).toBe('spent')
})

it('is paused rather than spent or scheduled, and ended rather than paused', async () => {
  const cid = await newCampaign()
  await spend(cid, 1_000_000)
  await ann.call('PUT', `/campaign/${cid}/pause`)
  expect(await statusAt(cid, 1500)).toBe('paused')
  expect(await statusAt(cid, 500)).toBe('paused')
  expect(await statusAt(cid, 2000)).toBe('ended')
})
