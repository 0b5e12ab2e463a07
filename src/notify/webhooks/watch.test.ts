// Events caused by time and spending: each is reported once, however many processes watch, and again only if it happens
// again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { DAY_S, HOUR_S, newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import { inTx } from '../../changes/tx.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { removeCustomer, restoreCustomer } from '../../manage/customers/customers.ts'
import { type Database, openDatabase } from '../../platform/database.ts'
import { createWatch, nextPhase } from './watch.ts'
import type { WatchParts } from './watch-budgets.ts'

let service: TestService
let receiver: Receiver
let ann: TestCustomer
let look: () => Promise<void>

beforeAll(async () => {
  service = await startTestService()
  receiver = await startReceiver()
  await newWebhook(service, { url: receiver.url })
  ann = await newTestCustomer(service)
  look = createWatch(partsOn(service.db))
})
afterAll(async () => {
  await service?.close()
  await receiver?.close()
})

function partsOn(db: Database): WatchParts {
  const { clock } = service
  return { db, clock, defaultCpmMicros: 2_000_000, calendar: calendarOf('UTC') }
}
/** The watch of the service itself runs all the time, and may be working on some of them. */
async function watch(): Promise<void> {
  await until(async () => {
    await look()
    const now = new Date(service.clock.nowMs())
    return (await service.db.row('select 1 from campaign_watch where due_at <= $1', [now])) ? null : true
  })
}
const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const newCampaign = (fields: object = {}) => ann.newCampaign(fields)

/** The events recorded about a campaign, in order. */
async function recorded(cid: number): Promise<string[]> {
  const rows = await service.db.rows<{ type: string }>(
    `select type from webhook_delivery where (body::jsonb #>> '{data,cid}')::bigint = $1 order by did`,
    [cid],
  )
  return rows.map(row => row.type.replace('campaign.', ''))
}

describe('a start', () => {
  it('is reported by the service itself, with the campaign as it is shown', async () => {
    const campaign = await newCampaign()
    const [seen] = await until(async () => {
      const found = receiver.received.filter(({ body }) => body.data.cid === campaign.cid)
      return found.length > 0 ? found : null
    })
    expect(seen!.body).toMatchObject({
      type: 'campaign.started',
      data: { ...campaign, status: 'incomplete' },
    })
  })

  it('is reported when it is reached, not before', async () => {
    const { cid } = await newCampaign({ start: nowS() + HOUR_S, end: nowS() + DAY_S })
    await watch()
    expect(await recorded(cid)).toEqual([])
    service.clock.advance(HOUR_S * 1000)
    await watch()
    expect(await recorded(cid)).toEqual(['started'])
  })

  it('is reported once, however many processes watch and however often', async () => {
    const cids: number[] = []
    for (let i = 0; i < 12; i++) cids.push((await newCampaign({ start: nowS() + 60 })).cid)
    const pools = Array.from({ length: 4 }, () =>
      openDatabase({ url: service.config.DATABASE_URL!, maxConnections: 2, onError: () => {} }),
    )
    service.clock.advance(61_000)
    await Promise.all(pools.flatMap(db => [1, 2, 3].map(() => createWatch(partsOn(db))())))
    await watch()
    for (const cid of cids) expect(await recorded(cid)).toEqual(['started'])
    await Promise.all(pools.map(db => db.close()))
  })

  it('of a campaign that is paused at that time is reported only when it is resumed', async () => {
    const { cid } = await newCampaign({ enabled: false })
    await watch()
    expect(await recorded(cid)).toEqual([])
    await ann.call('PUT', `/campaign/${cid}/resume`)
    await watch()
    await ann.call('PUT', `/campaign/${cid}/pause`)
    await ann.call('PUT', `/campaign/${cid}/resume`)
    await watch()
    expect(await recorded(cid)).toEqual(['resumed', 'started', 'paused', 'resumed'])
  })

  it('is that of the first flight if a campaign has flights', async () => {
    const { cid } = await newCampaign({ start: nowS() + 60, end: nowS() + DAY_S })
    await ann.newFlight(cid, { start: nowS() + HOUR_S, end: nowS() + 2 * HOUR_S })
    service.clock.advance(61_000)
    await watch()
    expect(await recorded(cid)).toEqual([])
    service.clock.advance(HOUR_S * 1000)
    await watch()
    expect(await recorded(cid)).toEqual(['started'])
    service.clock.advance(HOUR_S * 1000)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'ended'])
  })
})

describe('an end', () => {
  it('is reported when it is reached, once, even for a paused campaign', async () => {
    const { cid } = await newCampaign({ end: nowS() + HOUR_S })
    await watch()
    await ann.call('PUT', `/campaign/${cid}/pause`)
    service.clock.advance(HOUR_S * 1000)
    await watch()
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'paused', 'ended'])
    const row = await service.db.row<{ body: string }>(
      `select body from webhook_delivery where type = 'campaign.ended' order by did desc limit 1`,
    )
    expect(JSON.parse(row!.body).data).toMatchObject({ cid, status: 'ended' })
  })

  it('caused by an edit is reported', async () => {
    const { cid } = await newCampaign()
    await watch()
    await ann.call('PUT', `/campaign/${cid}`, { end: nowS() - 1 })
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'ended'])
  })

  it('that is postponed lets the campaign start again', async () => {
    const { cid } = await newCampaign({ end: nowS() + HOUR_S })
    await watch()
    service.clock.advance(HOUR_S * 1000)
    await watch()
    await ann.call('PUT', `/campaign/${cid}`, { start: nowS() + HOUR_S, end: nowS() + 2 * HOUR_S })
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'ended'])
    service.clock.advance(HOUR_S * 1000)
    await watch()
    await ann.call('PUT', `/campaign/${cid}`, { end: nowS() + 3 * HOUR_S })
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'ended', 'started'])
    service.clock.advance(3 * HOUR_S * 1000)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'ended', 'started', 'ended'])
  })

  it('that was reached while nobody watched is reported afterwards', async () => {
    const { cid } = await newCampaign({ end: nowS() + HOUR_S })
    service.clock.advance(2 * DAY_S * 1000)
    await watch()
    expect((await recorded(cid)).at(-1)).toBe('ended')
    expect((await recorded(cid)).filter(type => type === 'ended')).toHaveLength(1)
  })
})

describe('a spent budget', () => {
  let ads = 0
  function spend(cid: number, units: number) {
    const ids = { cuid: ann.cuid, cid, fid: cid, pid: cid, bid: cid }
    const event = { kind: 'impression' as const, atMs: service.clock.nowMs(), adNumber: ++ads, ...ids }
    return recordEvents(service.db, [{ ...event, spendMicros: units * 1_000_000 }])
  }

  it('is reported once per day, with the campaign as spent, however many processes watch', async () => {
    const { cid } = await newCampaign({ dailySpend: 5, cpm: 2 })
    await spend(cid, 4)
    await watch()
    expect(await recorded(cid)).toEqual(['started'])
    // Less is left than one impression costs.
    await spend(cid, 0.999)
    await Promise.all([watch(), watch(), watch(), watch()])
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    const row = await service.db.row<{ body: string }>(
      `select body from webhook_delivery where type = 'campaign.budget_spent' order by did desc limit 1`,
    )
    expect(JSON.parse(row!.body).data).toMatchObject({ cid, status: 'spent', dailySpend: 5 })
    await ann.call('PUT', `/campaign/${cid}`, { dailySpend: 6 })
    await spend(cid, 1)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    service.clock.advance(DAY_S * 1000)
    await spend(cid, 6)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent', 'budget_spent'])
  })

  it('in the last seconds of a day is reported, at its time, once, and before what follows', async () => {
    const toMidnight = () => DAY_S * 1000 - (service.clock.nowMs() % (DAY_S * 1000))
    const { cid } = await newCampaign({ dailySpend: 5, cpm: 2 })
    const edited = await newCampaign({ dailySpend: 5, cpm: 2 })
    await watch()
    service.clock.advance(toMidnight() - 2_000)
    const timestamp = new Date(service.clock.nowMs()).toISOString()
    await spend(cid, 5)
    await spend(edited.cid, 4)
    service.clock.advance(5_000)
    // Less than it spent yesterday: yesterday it was not spent.
    await ann.call('PUT', `/campaign/${edited.cid}`, { dailySpend: 3 })
    await watch()
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    expect(await recorded(edited.cid)).not.toContain('budget_spent')
    const rows = await service.db.rows(
      `select body::jsonb as body from webhook_delivery
       where type = 'campaign.budget_spent' and (body::jsonb #>> '{data,cid}')::bigint = $1`,
      [cid],
    )
    expect(rows).toMatchObject([
      { body: { timestamp, data: { status: 'spent', spentBy: 'day', by: 'day' } } },
    ])
    await spend(cid, 5)
    await watch()
    // Another process that never looked before finds nothing new.
    await createWatch(partsOn(service.db))()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent', 'budget_spent'])
    service.clock.advance(toMidnight() + 1000)
    await watch()
    expect(await recorded(cid)).toHaveLength(3)
  })

  it('is reported however many others, between two flights, have spent theirs without a report', async () => {
    const now = new Date(service.clock.nowMs())
    const day = calendarOf('UTC').dayAt(service.clock.nowMs()).key
    await service.db.run(
      `with made as (
         insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
           pacing, created_at, updated_at)
         select $1, 'c', $2::timestamptz - interval '2 days', $2::timestamptz + interval '2 days', true, 0, 5000000,
           2000000, '{}', 'even', $2, $2 from generate_series(1, 120) returning cid
       ), flights as (
         insert into flight (cid, is_default, name, start_at, end_at, created_at, updated_at)
         select cid, false, 'f', $2::timestamptz + f * interval '1 day' - interval '1 hour',
           $2::timestamptz + f * interval '1 day' - interval '1 minute', $2, $2 from made, generate_series(0, 1) f
       ), watched as (
         insert into campaign_watch (cid, phase, due_at) select cid, 'begun', 'infinity' from made
       )
       insert into share (day, cid, node_id, granted_micros, billed_micros)
       select $3, cid, 0, 5000000, 5000000 from made`,
      [ann.cuid, now, day],
    )
    const { cid } = await newCampaign({ dailySpend: 5, cpm: 2 })
    await spend(cid, 5)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    await service.db.run(
      'update campaign set deleted_at = $1 where cid in (select cid from campaign_watch where due_at = $2)',
      [now, 'infinity'],
    )
  })

  it('of each flight with its own total is reported, even on the same day', async () => {
    service.clock.advance(DAY_S * 1000 - (service.clock.nowMs() % (DAY_S * 1000)))
    const startS = nowS()
    const flight = (name: string, start: number, hours: number) => ({
      ...{ name, start, end: start + hours * HOUR_S, totalSpend: 2 },
    })
    const flights = [flight('first', startS, 6), flight('second', startS + 6 * HOUR_S, 6)]
    const { cid } = await newCampaign({ start: startS, dailySpend: 50, cpm: 2, flights })
    const list = await ann.call('GET', `/campaign/${cid}/flight`)
    const fids: number[] = list.body.slice(1).map((one: { fid: number }) => one.fid)
    // The node of the service may hold some of it.
    const spendTotal = (fid: number) =>
      service.db.run(
        `with granted as (update pool set granted_micros = limit_micros where id = $1)
         update share set billed_micros = granted_micros where fid = $1`,
        [fid],
      )
    await spend(cid, 1)
    await spendTotal(fids[0]!)
    await watch()
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    service.clock.advance(7 * HOUR_S * 1000)
    await spend(cid, 1)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    await spendTotal(fids[1]!)
    await spend(cid, 1)
    await watch()
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent', 'budget_spent'])
    const mails = await service.db.rows<{ facts: object }>(
      `select facts from mail where kind = 'budgetSpent' and (facts ->> 'cid')::bigint = $1 order by about`,
      [cid],
    )
    expect(mails.map(({ facts }) => facts)).toMatchObject(fids.map(fid => ({ fid, by: 'total', budget: 2 })))
  })

  it('of a month is reported once, though days of it are left', async () => {
    const { cid } = await newCampaign({ dailySpend: 50, monthlySpend: 2, cpm: 2 })
    await spend(cid, 1)
    const day = calendarOf('UTC').dayAt(service.clock.nowMs()).key
    // The node of the service may hold some of it.
    await service.db.run(
      `with granted as (
         insert into pool as p (id, limit_micros, granted_micros) values (month_pool($1, $2), 2000000, 2000000)
         on conflict (id) do update set granted_micros = p.limit_micros
       )
       update share set billed_micros = granted_micros where cid = $1 and node_id > 0`,
      [cid, day],
    )
    await spend(cid, 1)
    await watch()
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'budget_spent'])
    const mails = await service.db.rows<{ facts: object }>(
      `select facts from mail where kind = 'budgetSpent' and (facts ->> 'cid')::bigint = $1`,
      [cid],
    )
    expect(mails.map(({ facts }) => facts)).toMatchObject([{ cid, by: 'month', budget: 2 }])
    await ann.call('DELETE', `/campaign/${cid}`)
  })

  it('of a paused campaign is reported only when it is resumed', async () => {
    const { cid } = await newCampaign({ dailySpend: 5, cpm: 2 })
    await watch()
    await ann.call('PUT', `/campaign/${cid}/pause`)
    await spend(cid, 5)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'paused'])
    await ann.call('PUT', `/campaign/${cid}/resume`)
    await watch()
    expect(await recorded(cid)).toEqual(['started', 'paused', 'resumed', 'budget_spent'])
  })
})

describe('what was deleted', () => {
  it('reports nothing', async () => {
    const { cid } = await newCampaign({ start: nowS() + 60, end: nowS() + HOUR_S })
    await ann.call('DELETE', `/campaign/${cid}`)
    service.clock.advance(2 * HOUR_S * 1000)
    await watch()
    expect(await recorded(cid)).toEqual([])
  })

  it('reports nothing while its customer is removed, and continues when it is back', async () => {
    const bob = await newTestCustomer(service)
    const { cid } = await bob.newCampaign({ start: nowS() + 60, end: nowS() + 10 * DAY_S })
    await inTx(service.db, tx => removeCustomer(tx, bob.cuid, service.clock))
    service.clock.advance(61_000)
    await watch()
    expect(await recorded(cid)).toEqual([])
    await inTx(service.db, tx => restoreCustomer(tx, bob.cuid, service.clock))
    service.clock.advance(HOUR_S * 1000)
    await watch()
    expect(await recorded(cid)).toEqual(['started'])
  })
})

describe('the events of a campaign', () => {
  const SPAN = { startS: 100, endS: 200 }
  it.each([
    ['ahead', true, 99, 'ahead', null, 100],
    ['ahead', true, 100, 'begun', 'campaign.started', 200],
    ['ahead', false, 100, 'ahead', null, 200],
    ['ahead', true, 200, 'over', 'campaign.ended', null],
    ['begun', true, 199, 'begun', null, 200],
    ['begun', false, 199, 'begun', null, 200],
    ['begun', true, 99, 'ahead', null, 100],
    ['begun', false, 200, 'over', 'campaign.ended', null],
    ['over', true, 200, 'over', null, null],
    ['over', true, 150, 'begun', 'campaign.started', 200],
    ['over', false, 150, 'ahead', null, 200],
    ['over', true, 50, 'ahead', null, 100],
  ] as const)('that was %s, enabled %s, at %i: %s, reporting %s', (was, enabled, at, phase, tells, dueS) => {
    expect(nextPhase(was, enabled, SPAN, at)).toEqual({ phase, recorded: tells, dueS })
  })
})
