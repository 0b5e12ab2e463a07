// Tests the statistics endpoints through the API, rule by rule.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'

let service: TestService
let tenant: Tenant
let next = 0
/** The first second of an hour three hours ago; the campaign has begun by then. */
let baseS: number

beforeAll(async () => {
  service = await startTestService({ TIMEZONE: 'Europe/Berlin' })
  tenant = await newTenant()
  baseS = Math.floor(service.clock.nowMs() / 3_600_000) * 3600 - 3 * 3600
})
afterAll(() => service.close())

/** A tenant with a campaign that began ten days ago. */
async function newTenant(): Promise<Tenant> {
  const built = await buildTenant(service, service.app)
  await service.db.run(
    `update campaign set start_at = now() - interval '10 days' where cid = ${built.ids.cid}`,
  )
  return built
}

function event(owner: Tenant, kind: TestEvent['kind'], timeS: number, more: Partial<TestEvent> = {}) {
  const { cuid, cid, fid, pid, bid } = owner.ids
  const spendMicros = kind === 'impression' ? 2000 : 0
  return { kind, atMs: timeS * 1000, adNumber: ++next, cuid, cid, fid, pid, bid, spendMicros, ...more }
}

function record(...events: TestEvent[]): Promise<void> {
  return recordEvents(service.db, events, 'Europe/Berlin')
}

function get(path: string, owner: Tenant = tenant, headers: Record<string, string> = {}) {
  const mark = path.includes('?') ? '&' : '?'
  return service.call('GET', `/stats/${path}${mark}cuid=${owner.ids.cuid}`, { as: owner.pair, headers })
}

const NO_VALUE = { value: 0, roas: 0, valuePerAction: 0 }

describe('summary', () => {
  it('nothing delivered is all zeros, and nothing is divided by zero', async () => {
    const { status, body } = await get(`${tenant.ids.cid}/summary`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: tenant.ids.cid,
      imps: 0,
      views: 0,
      clicks: 0,
      actions: 0,
      spend: 0,
      ctr: 0,
      cnvr: 0,
      ...NO_VALUE,
    })
  })

  it('an event counts for its campaign, flight, persona and banner; rates are ratios', async () => {
    const owner = await newTenant()
    for (let i = 0; i < 8; i++) await record(event(owner, 'impression', baseS))
    await record(event(owner, 'click', baseS), event(owner, 'click', baseS), event(owner, 'action', baseS))
    for (const id of [owner.ids.cid, owner.ids.fid, owner.ids.pid, owner.ids.bid]) {
      expect((await get(`${id}/summary`, owner)).body).toEqual({
        id,
        imps: 8,
        views: 0,
        clicks: 2,
        actions: 1,
        spend: 0.016,
        ctr: 0.25,
        cnvr: 0.5,
        ...NO_VALUE,
      })
    }
  })

  it('spend is exact where floats would add up wrongly', async () => {
    const owner = await newTenant()
    const cent = { spendMicros: 10_000 }
    for (let i = 0; i < 70; i++) await record(event(owner, 'impression', baseS, cent))
    expect((await get(`${owner.ids.cid}/summary`, owner)).body.spend).toBe(0.7)
  })

  it('every quarter that start and end touch is included', async () => {
    const owner = await newTenant()
    await record(event(owner, 'impression', baseS), event(owner, 'impression', baseS + 900))
    const imps = async (start: number, end: number) =>
      (await get(`${owner.ids.cid}/summary?start=${start}&end=${end}`, owner)).body.imps
    expect(await imps(baseS, baseS + 900)).toBe(1)
    expect(await imps(baseS + 899, baseS + 901)).toBe(2)
    expect(await imps(baseS + 900, baseS + 1800)).toBe(1)
    expect(await imps(baseS + 10, baseS + 10)).toBe(0)
  })
})

describe('which ids', () => {
  it("a deleted thing is no longer found, and stays in its parent's figures", async () => {
    const owner = await newTenant()
    const { cid, fid, pid, bid, cuid } = owner.ids
    await record(event(owner, 'impression', baseS))
    const remove = (path: string) => service.call('DELETE', `${path}?cuid=${cuid}`, { as: owner.pair })
    const status = async (id: number) => (await get(`${id}/summary`, owner)).status
    expect((await remove(`/campaign/${cid}/persona/${pid}/banner/${bid}`)).status).toBe(200)
    expect([await status(bid), await status(pid)]).toEqual([404, 200])
    expect((await get(`${pid}/summary`, owner)).body.imps).toBe(1)
    expect((await remove(`/campaign/${cid}/persona/${pid}`)).status).toBe(200)
    expect((await remove(`/campaign/${cid}/flight/${fid}`)).status).toBe(200)
    expect([await status(pid), await status(fid), await status(cid)]).toEqual([404, 404, 200])
    expect((await get(`${cid}/summary`, owner)).body.imps).toBe(1)
    const banners = (await get(`${cid}/breakdown/banner`, owner)).body.breakdown
    expect(banners).toMatchObject([{ id: bid, imps: 1 }])
    expect((await remove(`/campaign/${cid}`)).status).toBe(200)
    expect(await status(cid)).toBe(404)
  })

  it('nothing is found beneath something deleted', async () => {
    const owner = await newTenant()
    await service.call('DELETE', `/campaign/${owner.ids.cid}?cuid=${owner.ids.cuid}`, { as: owner.pair })
    for (const id of [owner.ids.cid, owner.ids.fid, owner.ids.pid, owner.ids.bid]) {
      expect((await get(`${id}/summary`, owner)).status).toBe(404)
    }
  })

  it("another customer's id and anything that is not an id: 404", async () => {
    const other = await newTenant()
    for (const id of [other.ids.cid, other.ids.bid, other.ids.cuid, 0, '1e3', 'x', '99999999999999999999']) {
      for (const path of ['summary', 'timeseries', 'breakdown/os', 'filtered', 'events']) {
        expect((await get(`${id}/${path}`)).status, `${id}/${path}`).toBe(404)
      }
    }
  })

  it("the customer's own id: the figures of all its campaigns, also by campaign; raw events are a campaign's", async () => {
    const { cuid, cid } = tenant.ids
    const [own, ofCampaign] = [await get(`${cuid}/summary`), await get(`${cid}/summary`)]
    const { id: _own, ...figures } = own.body
    const { id: _campaign, ...expected } = ofCampaign.body
    expect(figures).toEqual(expected)
    const { body } = await get(`${cuid}/breakdown/campaign`)
    const sum = body.breakdown.reduce((total: number, row: { imps: number }) => total + row.imps, 0)
    expect(sum).toBe(figures.imps)
    for (const path of ['timeseries', 'filtered']) expect((await get(`${cuid}/${path}`)).status).toBe(200)
    expect((await get(`${cuid}/events`)).status).toBe(404)
    expect((await get(`${cid}/breakdown/campaign`)).status).toBe(404)
  })

  it('the born flight has figures too', async () => {
    const { cid, cuid } = tenant.ids
    const flights = await service.call('GET', `/campaign/${cid}/flight?cuid=${cuid}`, { as: tenant.pair })
    const born = flights.body.find((flight: { default: boolean }) => flight.default)
    expect((await get(`${born.fid}/summary`)).status).toBe(200)
  })
})

describe('time series', () => {
  const series = async (path: string, owner = tenant) =>
    (await get(`${owner.ids.cid}/timeseries${path}`, owner)).body.timeseries

  it("by default: days of the deployment's zone, zero-filled, from the campaign's start to now", async () => {
    const owner = await newTenant()
    await record(event(owner, 'impression', baseS))
    const days = await series('', owner)
    expect([11, 12]).toContain(days.length)
    const midnights = days.map((day: { date: number }) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'medium' }).format(
        day.date * 1000,
      ),
    )
    expect(new Set(midnights)).toEqual(new Set(['00:00:00']))
    expect(days.reduce((sum: number, day: { imps: number }) => sum + day.imps, 0)).toBe(1)
    expect(days.at(-1).date).toBeLessThanOrEqual(service.clock.nowMs() / 1000)
  })

  it('a campaign that is over ends its series at its end', async () => {
    const owner = await newTenant()
    await service.db.run(
      `update campaign set start_at = '2026-01-05T00:00:00+01:00', end_at = '2026-01-07T00:00:00+01:00'
       where cid = ${owner.ids.cid}`,
    )
    expect((await series('', owner)).map((day: { date: number }) => day.date)).toEqual([
      Date.UTC(2026, 0, 4, 23) / 1000,
      Date.UTC(2026, 0, 5, 23) / 1000,
    ])
  })

  it('a campaign that has not begun has an empty series', async () => {
    const owner = await newTenant()
    await service.db.run(
      `update campaign set start_at = now() + interval '1 day' where cid = ${owner.ids.cid}`,
    )
    expect(await series('', owner)).toEqual([])
  })

  it('a start inside a bucket: the date is that of the bucket, the figures begin with the quarter of the start', async () => {
    const owner = await newTenant()
    await record(event(owner, 'impression', baseS), event(owner, 'click', baseS + 1800))
    const hours = await series(`?start=${baseS + 1000}&end=${baseS + 7200}&interval=hour`, owner)
    expect(hours).toMatchObject([
      { date: baseS, imps: 0, clicks: 1 },
      { date: baseS + 3600, imps: 0, clicks: 0 },
    ])
  })

  it("an interval and a zone of the caller's choice", async () => {
    const owner = await newTenant()
    const at = Date.UTC(2026, 2, 29, 0, 30) / 1000
    await record(event(owner, 'impression', at))
    const range = `start=${Date.UTC(2026, 2, 1) / 1000}&end=${Date.UTC(2026, 3, 2) / 1000}`
    const inZone = (interval: string, tz: string) =>
      series(`?${range}&interval=${interval}&tz=${encodeURIComponent(tz)}`, owner)
    const where = (buckets: { date: number; imps: number }[]) =>
      new Date(buckets.find(bucket => bucket.imps === 1)!.date * 1000).toISOString()
    expect(where(await inZone('day', 'America/New_York'))).toBe('2026-03-28T04:00:00.000Z')
    expect(where(await inZone('hour', 'Asia/Kathmandu'))).toBe('2026-03-29T00:15:00.000Z')
    expect(where(await inZone('week', 'Asia/Tokyo'))).toBe('2026-03-22T15:00:00.000Z')
    expect(where(await inZone('month', 'Pacific/Auckland'))).toBe('2026-02-28T11:00:00.000Z')
  })

  it('start = end is an empty series; start > end, an unknown zone and too many buckets are refused by name', async () => {
    expect(await series('?start=1000&end=1000')).toEqual([])
    const refused = async (query: string, path: string) => {
      const { status, body } = await get(`${tenant.ids.cid}/timeseries?${query}`)
      expect([status, body.code, body.errors?.[0].path], query).toEqual([400, 'invalid_input', path])
    }
    await refused('start=1001&end=1000', '?start')
    await refused('tz=Mars/Base', '?tz')
    await refused('tz=', '?tz')
    await refused('interval=minute', '?interval')
    await refused(`interval=hour&start=0&end=${10_000 * 3600 + 1}`, '?interval')
    await refused('start=0&end=100000000000&interval=month', '?interval')
    await refused('start=1790000000000', '?start')
    expect(await series(`?interval=hour&tz=UTC&start=0&end=${10_000 * 3600}`)).toHaveLength(10_000)
  })

  it('every quarter counts once, even in a zone whose clocks do not follow quarters', async () => {
    const owner = await newTenant()
    await record(event(owner, 'impression', 0), event(owner, 'impression', 2700), event(owner, 'click', 5400))
    const hours = await series('?start=1&end=7200&interval=hour&tz=Africa/Monrovia', owner)
    const sum = (name: string) =>
      hours.reduce((all: number, hour: Record<string, number>) => all + hour[name]!, 0)
    expect([sum('imps'), sum('clicks')]).toEqual([2, 1])
  })
})

describe('breakdown', () => {
  it('largest first, with the share of impressions', async () => {
    const owner = await newTenant()
    await record(
      event(owner, 'impression', baseS, { domain: 'b.example', os: 'iOS' }),
      event(owner, 'impression', baseS, { domain: 'a.example' }),
      event(owner, 'impression', baseS, { domain: 'a.example' }),
      event(owner, 'impression', baseS, { domain: 'a.example' }),
      event(owner, 'action', baseS, { name: 'signup' }),
    )
    const of = async (path: string) => (await get(`${owner.ids.cid}/breakdown/${path}`, owner)).body
    expect(await of('domain')).toMatchObject({
      id: owner.ids.cid,
      dimension: 'domain',
      breakdown: [
        { name: 'a.example', imps: 3, spend: 0.006, share: 0.75 },
        { name: 'b.example', imps: 1, share: 0.25 },
        { name: 'unknown', imps: 0, actions: 1, share: 0 },
      ],
    })
    expect((await of('action')).breakdown).toMatchObject([{ name: 'signup', actions: 1, share: 1 }])
    expect((await of('app')).breakdown).toMatchObject([
      { name: '(web)', imps: 4, share: 1 },
      { name: 'unknown', imps: 0, actions: 1 },
    ])
    expect((await of('banner')).breakdown).toMatchObject([{ id: owner.ids.bid, name: owner.secretName }])
    expect((await of('persona')).breakdown).toMatchObject([{ id: owner.ids.pid, name: owner.secretName }])
  })

  it('what is beyond the limit is one last row, so that the sum is right', async () => {
    const owner = await newTenant()
    for (let i = 0; i < 5; i++) {
      await record(event(owner, 'impression', baseS, { domain: `d${i}.example` }))
    }
    const { body } = await get(`${owner.ids.cid}/breakdown/domain?limit=2`, owner)
    expect(body.breakdown).toMatchObject([
      { name: 'd0.example', imps: 1 },
      { name: 'd1.example', imps: 1 },
      { name: '(other)', imps: 3, share: 0.6 },
    ])
  })

  it("every day of the deployment's zone that start and end touch is included", async () => {
    const owner = await newTenant()
    const midnight = Date.UTC(2026, 0, 4, 23) / 1000
    await record(event(owner, 'impression', midnight - 1), event(owner, 'impression', midnight))
    const imps = async (start: number, end: number) => {
      const { body } = await get(`${owner.ids.cid}/breakdown/device?start=${start}&end=${end}`, owner)
      return body.breakdown.reduce((sum: number, row: { imps: number }) => sum + row.imps, 0)
    }
    expect(await imps(midnight, midnight + 60)).toBe(1)
    expect(await imps(midnight - 60, midnight)).toBe(1)
    expect(await imps(midnight - 60, midnight + 1)).toBe(2)
    expect(await imps(midnight, midnight)).toBe(0)
  })

  it('a dimension that does not exist: 404 that names those that do', async () => {
    const { status, body } = await get(`${tenant.ids.cid}/breakdown/colour`)
    expect(status).toBe(404)
    expect(body.message).toContain('domain, app, os')
  })
})

it('what was filtered is reported by reason, largest first', async () => {
  const { cid } = tenant.ids
  await service.db.run(
    `insert into rollup_filtered values (${cid}, '2026-01-01', 'bot', 5, 1, 0),
     (${cid}, '2026-01-02', 'bot', 5, 0, 0), (${cid}, '2026-01-02', 'duplicate', 20, 0, 1)`,
  )
  const all = (await get(`${cid}/filtered`)).body
  expect(all).toEqual({
    id: cid,
    filtered: [
      { reason: 'duplicate', imps: 20, clicks: 0, actions: 1 },
      { reason: 'bot', imps: 10, clicks: 1, actions: 0 },
    ],
  })
  const end = Date.UTC(2026, 0, 1, 23) / 1000
  expect((await get(`${cid}/filtered?end=${end}`)).body.filtered).toEqual([
    { reason: 'bot', imps: 5, clicks: 1, actions: 0 },
  ])
})

describe('CSV', () => {
  it('every figure is available as CSV, safe for a spreadsheet', async () => {
    const owner = await newTenant()
    await record(event(owner, 'impression', baseS, { domain: '=cmd()|x' }))
    const csv = (path: string) => get(`${owner.ids.cid}/${path}`, owner, { accept: 'text/csv' })
    const answer = await csv('breakdown/domain')
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="domain-${owner.ids.cid}.csv"`)
    expect(answer.headers.vary).toBe('accept')
    expect(answer.text).toBe(
      'name,imps,clicks,actions,spend,ctr,cnvr,share,views,value,roas,valuePerAction\r\n"\'=cmd()|x",1,0,0,0.002,0,0,1,0,0,0,0\r\n',
    )
    expect((await csv('summary')).text).toBe(
      `id,imps,clicks,actions,spend,ctr,cnvr,views,value,roas,valuePerAction\r\n${owner.ids.cid},1,0,0,0.002,0,0,0,0,0,0\r\n`,
    )
    expect((await csv(`timeseries?start=${baseS}&end=${baseS + 1}&interval=hour`)).text).toBe(
      `date,imps,clicks,actions,spend,ctr,cnvr,views,value,roas,valuePerAction\r\n${baseS},1,0,0,0.002,0,0,0,0,0,0\r\n`,
    )
    expect((await csv('breakdown/banner')).text).toMatch(/^id,name,imps/)
    expect((await csv('filtered')).text).toBe('reason,imps,clicks,actions\r\n')
  })

  it('a refusal is JSON anyway', async () => {
    const { status, body } = await get(`${tenant.ids.cid}/summary?start=2&end=1`, tenant, {
      accept: 'text/csv',
    })
    expect([status, body.code]).toEqual([400, 'invalid_input'])
  })
})

it('HEAD has the headers of GET and no body', async () => {
  for (const path of [`${tenant.ids.cid}/summary`, `${tenant.ids.cid}/events`, 'live']) {
    const url = `/stats/${path}?cuid=${tenant.ids.cuid}`
    const headers = { accept: 'text/event-stream, */*;q=0.1' }
    const answer = await service.call('HEAD', url, { as: tenant.pair, headers })
    expect([answer.status, answer.text], path).toEqual([200, ''])
  }
})

it("the status of a campaign says that it has spent today's budget", async () => {
  const owner = await newTenant()
  const { cid, cuid } = owner.ids
  const status = async () =>
    (await service.call('GET', `/campaign/${cid}?cuid=${cuid}`, { as: owner.pair })).body.status
  await record(
    event(owner, 'impression', service.clock.nowMs() / 1000 - 3 * 86_400, { spendMicros: 50_000_000 }),
  )
  expect(await status()).toBe('incomplete')
  await record(event(owner, 'impression', service.clock.nowMs() / 1000, { spendMicros: 50_000_000 }))
  expect(await status()).toBe('spent')
})
