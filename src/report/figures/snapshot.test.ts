// GET /stats/:id/figures: all figures that a page shows of a period are of the same moment.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService, testClock } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'

const DAY_S = 86_400
let service: TestService
let tenant: Tenant
let todayS: number
let next = 0
beforeAll(async () => {
  service = await startTestService()
  tenant = await buildTenant(service, service.app)
  todayS = Math.floor(service.clock.nowMs() / 1000 / DAY_S) * DAY_S
})
afterAll(() => service.close())

function event(timeS: number, more: Partial<TestEvent> = {}): TestEvent {
  const { cuid, cid, fid, pid, bid } = tenant.ids
  return {
    ...{ kind: 'impression', atMs: timeS * 1000, adNumber: ++next, spendMicros: 1_234 },
    ...{ cuid, cid, fid, pid, bid },
    ...more,
  }
}

const get = (id: number, query: string) =>
  service.call('GET', `/stats/${id}/figures?cuid=${tenant.ids.cuid}&${query}`, { as: tenant.pair })

const sum = (rows: { imps: number; spend: number }[]) => ({
  imps: rows.reduce((total, row) => total + row.imps, 0),
  micros: rows.reduce((total, row) => total + Math.round(row.spend * 1e6), 0),
})

it('summary, series, breakdown and today agree in every answer while events come in', async () => {
  const { cuid, cid } = tenant.ids
  let writing = true
  const write = async () => {
    while (writing) await recordEvents(service.db, [event(todayS), event(todayS, { domain: 'a.example' })])
  }
  const writer = write()
  const seen = new Set<number>()
  try {
    while (seen.size < 8) {
      const range = `start=${todayS}&end=${todayS + DAY_S}&interval=hour`
      const answers = [
        (await get(cid, `${range}&dimension=domain`)).body,
        (await get(cuid, `${range}&dimension=campaign&today=true`)).body,
      ]
      for (const { summary, timeseries, breakdown, today } of answers) {
        const whole = sum([summary])
        expect(sum(timeseries)).toEqual(whole)
        expect(sum(breakdown)).toEqual(whole)
        if (today) expect(sum([today])).toEqual(whole)
        seen.add(whole.imps)
      }
    }
  } finally {
    writing = false
    await writer
  }
  const { body } = await get(cid, `start=${todayS}&dimension=domain`)
  expect(body.breakdown.map((row: { name: string }) => row.name).sort()).toEqual(['a.example', 'unknown'])
  expect(Math.abs(body.asOf - service.clock.nowMs() / 1000)).toBeLessThan(60)
})

it('the previous period comes with its own series, and is not part of the figures of this one', async () => {
  const [start, previousStart] = [todayS - 10 * DAY_S, todayS - 12 * DAY_S]
  const range = `start=${start}&end=${start + 2 * DAY_S}&previousStart=${previousStart}`
  await recordEvents(service.db, [event(start), event(start - 1), event(previousStart)])
  const { body } = await get(tenant.ids.cid, `${range}&interval=day&filtered=true`)
  expect(body.summary.imps).toBe(1)
  expect(body.previous.summary.imps).toBe(2)
  expect(body.previous.timeseries.map((bucket: { imps: number }) => bucket.imps)).toEqual([1, 1])
  expect(body.filtered).toEqual([])
  expect(body.previous).toMatchObject({ end: start, until: start + 2 * DAY_S, soFar: body.summary })
  expect((await get(tenant.ids.cid, range)).body.previous).not.toHaveProperty('timeseries')
  const earlier = `${range}&previousEnd=${previousStart + DAY_S}`
  expect((await get(tenant.ids.cid, earlier)).body.previous).toMatchObject({
    summary: { imps: 1 },
    end: previousStart + DAY_S,
  })
})

it('a period that is not over is compared up to the same time of day, over a change of clocks too', async () => {
  // Clocks went back in the night to Sunday: 10:07 in Berlin.
  const clock = testClock(Date.parse('2026-10-25T09:07:00Z'))
  const at = (time: string) => Date.parse(`2026-10-${time}Z`) / 1000
  const [start, end, asked] = [at('24T22:00:00'), at('25T23:00:00'), `interval=hour&tz=Europe/Berlin`]
  const other = await startTestService({}, clock)
  const { ids, pair } = await buildTenant(other, other.app)
  const shown = (time: string) => ({ ...event(at(time)), ...ids })
  await recordEvents(
    other.db,
    // Saturday until 10:00, later on Saturday; Sunday until 10:00, after it.
    ['24T07:59:59', '24T08:00:00', '24T18:00:00', '25T00:10:00', '25T08:59:59', '25T09:01:00'].map(shown),
  )
  const read = async (range: string) =>
    (await other.call('GET', `/stats/${ids.cid}/figures?cuid=${ids.cuid}&${range}&${asked}`, { as: pair }))
      .body
  const today = await read(`start=${start}&end=${end}&previousStart=${at('23T22:00:00')}`)
  expect(today.summary.imps).toBe(3)
  expect(today.previous).toMatchObject({
    ...{ until: at('25T09:00:00'), end: at('24T08:00:00') },
    ...{ soFar: { imps: 2 }, summary: { imps: 1 } },
  })
  expect(sum(today.previous.timeseries).imps).toBe(1)
  // Of two days, the first counts as a whole; without an end, a period is never over.
  const days = await read(`start=${at('23T22:00:00')}&previousStart=${at('21T22:00:00')}`)
  expect(days.previous).toMatchObject({ end: at('23T08:00:00'), soFar: { imps: 5 } })
  // What has not begun has nothing to be compared with.
  const later = await read(`start=${end}&end=${end + DAY_S}&previousStart=${start}`)
  expect(later.previous).toMatchObject({ end: start, until: end, soFar: { imps: 0 }, summary: { imps: 0 } })
  await other.close()
})

it('deleted objects are marked in a breakdown, and so are objects beneath them', async () => {
  const other = await buildTenant(service, service.app)
  const { cuid, cid, pid } = other.ids
  const { fid, bid } = other.ids
  await recordEvents(service.db, [event(todayS, { cuid, cid, fid, pid, bid })])
  const call = (method: string, path: string) =>
    service.call(method, `${path}${path.includes('?') ? '&' : '?'}cuid=${cuid}`, { as: other.pair })
  const rows = async (dimension: string) =>
    (await call('GET', `/stats/${cuid}/figures?dimension=${dimension}`)).body.breakdown
  expect(await rows('campaign')).toMatchObject([{ id: cid, imps: 1 }])
  expect((await rows('campaign'))[0]).not.toHaveProperty('deleted')
  await call('DELETE', `/campaign/${cid}`)
  expect(await rows('campaign')).toMatchObject([{ id: cid, imps: 1, deleted: true }])
  expect(await rows('persona')).toMatchObject([{ id: pid, imps: 1, deleted: true }])
})

it('parts that cannot agree are refused and named', async () => {
  const { cid } = tenant.ids
  const pathOf = async (id: number, query: string) => {
    const { status, body } = await get(id, query)
    expect([query, status]).toEqual([query, 400])
    return body.errors[0].path
  }
  expect(await pathOf(cid, `start=${todayS + 900}&dimension=domain`)).toBe('?start')
  expect(await pathOf(cid, `end=${todayS + 900}&filtered=true`)).toBe('?end')
  expect(await pathOf(cid, `previousStart=${todayS}`)).toBe('?previousStart')
  expect(await pathOf(cid, `previousStart=${todayS}&start=${todayS - 1}`)).toBe('?previousStart')
  expect(await pathOf(cid, `start=9&previousStart=8&previousEnd=7`)).toBe('?previousStart')
  expect(await pathOf(cid, 'today=true')).toBe('?today')
  expect(await pathOf(cid, 'dimension=campaign')).toBe('?dimension')
  expect(await pathOf(cid, `start=5&end=4`)).toBe('?start')
  // Figures by quarter alone may begin at any quarter.
  expect((await get(cid, `start=${todayS + 900}&interval=hour`)).status).toBe(200)
})
