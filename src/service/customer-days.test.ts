// The day is the customer's: on one deployment, budgets and caps of each customer renew at that customer's midnight,
// and a change of its zone never gives an instant two budgets. Clocks are moved; sockets and database are real.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import { testClock } from '../../test/support/service.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { MINUTE_MS } from '../kernel/time/units.ts'

/** How many ads a day's budget pays for. */
const ADS_A_DAY = 5
const at = (iso: string) => Date.parse(iso)

let service: ListeningService
const start = (iso: string) => async () => {
  service = await startListeningService({ TIMEZONE: 'UTC' }, testClock(at(iso)))
}
const stop = () => service.close()

const served = (timezone: string, country: string, campaign: object = {}) =>
  newServedCampaign(service, {
    customer: { timezone },
    campaign: { dailySpend: 0.01, cpm: 2, ...campaign },
    persona: { geo: { geos: [country] } },
  })

async function moveTo(ms: number): Promise<void> {
  service.clock.advance(ms - service.clock.monotonicMs())
  await service.delivery.running()!.refresh()
}

/** Makes one request and bills its ad. */
async function sellOne(country: string, user = 'user-1'): Promise<boolean> {
  const answer = await service.bid(bidRequest({ device: { geo: { country } }, user: { id: user } }))
  if (answer.status !== 200) return false
  const { pathname } = new URL(answer.json.seatbid[0].bid[0].burl)
  expect((await service.send('GET', `${pathname}?p=2`)).status).toBe(200)
  return true
}

/** Makes more requests than the budget pays for, and bills each ad. Returns how many ads there were. */
async function sell(country: string, user = 'user-1'): Promise<number> {
  let sold = 0
  for (let n = 0; n < ADS_A_DAY + 2; n++) if (await sellOne(country, user)) sold++
  return sold
}

const statusOf = async ({ customer, cid }: ServedCampaign) =>
  (await customer.call('GET', `/campaign/${cid}`)).body.status
const issuesOf = async ({ customer }: ServedCampaign) =>
  (await customer.call('GET', '/issues')).body.map(({ code }: { code: string }) => code)
const daysOf = async ({ cid }: ServedCampaign) =>
  (
    await service.db.rows<{ day: number }>('select day from budget_day where cid = $1 order by day', [cid])
  ).map(row => row.day)

describe('two customers, in Auckland and Honolulu', () => {
  beforeAll(start('2026-11-17T05:00:00Z'))
  afterAll(stop)
  let auckland: ServedCampaign
  let honolulu: ServedCampaign

  /** The share of a new day is there when the day begins: its very first request is served. */
  async function begins(iso: string, country: string): Promise<void> {
    await moveTo(at(iso) - 2_000)
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, 0])
    service.clock.advance(2_000)
    expect(await sellOne(country)).toBe(true)
  }

  it('spend the budgets of their own days', async () => {
    auckland = await served('Pacific/Auckland', 'NZ')
    honolulu = await served('Pacific/Honolulu', 'US')
    await service.delivery.running()!.refresh()
    expect([await sell('NZL'), await sell('USA')]).toEqual([ADS_A_DAY, ADS_A_DAY])
    expect([await statusOf(auckland), await statusOf(honolulu)]).toEqual(['spent', 'spent'])
    expect(await issuesOf(honolulu)).toContain('budget_spent')
    const list = await honolulu.customer.call('GET', '/campaign?status=spent')
    expect(list.body).toHaveLength(1)
    expect([await daysOf(auckland), await daysOf(honolulu)]).toEqual([[20261117], [20261116]])
  })

  it('get new ones at their own midnights, neither earlier nor with the deployment', async () => {
    await moveTo(at('2026-11-17T09:59:00Z'))
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, 0])
    await begins('2026-11-17T10:00:00Z', 'USA')
    expect(await statusOf(honolulu)).toBe('running')
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, ADS_A_DAY - 1])
    expect([await statusOf(auckland), await statusOf(honolulu)]).toEqual(['spent', 'spent'])
    await begins('2026-11-17T11:00:00Z', 'NZL')
    expect([await sell('NZL'), await sell('USA')]).toEqual([ADS_A_DAY - 1, 0])
    await moveTo(at('2026-11-18T00:00:01Z'))
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, 0])
    expect([await daysOf(auckland), await daysOf(honolulu)]).toEqual([
      [20261117, 20261118],
      [20261116, 20261117],
    ])
  })

  it('keep what they spent through a restart, each on its own day', async () => {
    const before = service.delivery.running()
    service.delivery.restart()
    await until(async () => {
      const running = service.delivery.running()
      return running !== null && running !== before ? true : null
    })
    await moveTo(at('2026-11-18T00:10:00Z'))
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, 0])
  })
})

describe('caps', () => {
  beforeAll(start('2026-11-17T05:00:00Z'))
  afterAll(stop)

  it('begin anew at the customer’s midnight', async () => {
    await served('Pacific/Auckland', 'NZ', { freq: 1, dailySpend: 10 })
    await served('Pacific/Honolulu', 'US', { freq: 1, dailySpend: 10 })
    await service.delivery.running()!.refresh()
    expect([await sell('NZL'), await sell('USA')]).toEqual([1, 1])
    await moveTo(at('2026-11-17T10:00:01Z'))
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, 1])
    await moveTo(at('2026-11-17T11:00:01Z'))
    expect([await sell('NZL'), await sell('USA')]).toEqual([1, 0])
    await moveTo(at('2026-11-17T23:00:00Z'))
    expect([await sell('NZL'), await sell('USA')]).toEqual([0, 0])
  })
})

describe('a change of the zone', () => {
  beforeAll(start('2026-11-17T05:00:00Z'))
  afterAll(stop)

  it('to the west gives one budget for the day that continues', async () => {
    const moving = await served('Pacific/Auckland', 'NZ')
    const { cuid } = moving.customer
    await service.delivery.running()!.refresh()
    expect(await sell('NZL')).toBe(ADS_A_DAY)
    const { body } = await service.call('PUT', `/customer/${cuid}`, {
      body: { timezone: 'Pacific/Honolulu' },
    })
    expect(body.timezonePending.from * 1000).toBe(at('2026-11-18T10:00:00Z'))
    await service.delivery.running()!.refresh()
    expect(await sell('NZL')).toBe(0)
    await moveTo(at('2026-11-17T11:00:01Z'))
    expect(await sell('NZL')).toBe(ADS_A_DAY)
    // The 18th of Auckland continues as the 18th of Honolulu.
    for (const time of ['2026-11-18T10:00:01Z', '2026-11-18T11:00:01Z', '2026-11-19T09:59:00Z']) {
      await moveTo(at(time))
      expect(await sell('NZL'), time).toBe(0)
      expect(await statusOf(moving)).toBe('spent')
    }
    await moveTo(at('2026-11-19T10:00:01Z'))
    expect(await sell('NZL')).toBe(ADS_A_DAY)
    expect(await daysOf(moving)).toEqual([20261117, 20261118, 20261119])
  })
})

describe.each([
  ['23 hours', '2027-03-28T10:00:00+02:00'],
  ['25 hours', '2027-10-31T10:00:00+01:00'],
])('on a summer-time day of %s', (_hours, morning) => {
  beforeAll(start(morning))
  afterAll(stop)

  it('the budget is new when the customer’s clocks show midnight', async () => {
    await served('Europe/Berlin', 'CH')
    await service.delivery.running()!.refresh()
    const { endMs } = calendarOf('Europe/Berlin').dayAt(at(morning))
    expect(await sell('CHE')).toBe(ADS_A_DAY)
    await moveTo(endMs - MINUTE_MS)
    expect(await sell('CHE')).toBe(0)
    await moveTo(endMs + 1000)
    expect(await sell('CHE')).toBe(ADS_A_DAY)
  })
})
