// The raw events behind the figures, as a stream.

import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { openRequest, recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { createLeaves } from '../../count/ingest/leaves.ts'
import { dayOf, ensurePartitions } from '../../count/ingest/partitions.ts'
import { createApp } from '../../identity/apps.ts'
import type { StatsEvent } from './contract.ts'

const EVENT_COLUMNS = `ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country, kind,
  device, os`

let service: TestService
let tenant: Tenant
let url: string
const baseS = Date.UTC(2026, 4, 1) / 1000

beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
  tenant = await buildTenant(service, service.app)
  const { cuid, cid, fid, pid, bid } = tenant.ids
  const own = { cuid, cid, fid, pid, bid }
  const at = (seconds: number) => ({ ...own, atMs: (baseS + seconds) * 1000 })
  const events: TestEvent[] = [
    { ...at(10), kind: 'impression', adNumber: 1, spendMicros: 2500, domain: '=news.example', os: 'iOS' },
    { ...at(20), kind: 'click', adNumber: 1, app: 'com.example.game', country: 'CA', device: 'mobile' },
    { ...at(15), kind: 'action', adNumber: 1, name: 'buy' },
    { ...at(30), kind: 'impression', adNumber: 2, spendMicros: 2500, pid: pid + 5000, bid: bid + 5000 },
  ]
  await recordEvents(service.db, events)
})
afterAll(() => service.close())

function get(path: string, headers: Record<string, string> = {}, owner = tenant) {
  const mark = path.includes('?') ? '&' : '?'
  return service.call('GET', `/stats/${path}${mark}cuid=${owner.ids.cuid}`, { as: owner.pair, headers })
}

it('a JSON array in time order, with everything but the user', async () => {
  const { status, body, text } = await get(`${tenant.ids.cid}/events`)
  expect(status).toBe(200)
  expect(body.map((event: StatsEvent) => [event.kind, event.time - baseS])).toEqual([
    ['impression', 10],
    ['action', 15],
    ['click', 20],
    ['impression', 30],
  ])
  const { cid, fid, pid, bid } = tenant.ids
  expect(body[0]).toEqual({
    kind: 'impression',
    time: baseS + 10,
    ad: body[2].ad,
    ...{ cid, fid, pid, bid },
    source: 1,
    spend: 0.0025,
    domain: '=news.example',
    app: null,
    device: null,
    os: 'iOS',
    country: null,
    region: null,
    city: null,
    category: null,
    name: null,
    value: null,
    creditedTo: null,
  })
  expect(body[1]).toMatchObject({ name: 'buy', creditedTo: 'click', source: null, ad: body[0].ad })
  expect(text).not.toMatch(/user|hash/i)
})

it('one object per line, or CSV, on request', async () => {
  const lines = await get(`${tenant.ids.cid}/events`, { accept: 'application/x-ndjson' })
  expect(lines.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
  expect(
    lines.text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual((await get(`${tenant.ids.cid}/events`)).body)
  const csv = await get(`${tenant.ids.cid}/events`, { accept: 'text/csv' })
  expect(csv.headers['content-disposition']).toContain(`events-${tenant.ids.cid}.csv`)
  const [header, first] = csv.text.split('\r\n')
  expect(header).toMatch(/^kind,time,ad,cid,fid,pid,bid,source,spend,domain/)
  expect(first).toContain(",'=news.example,")
})

it('start and end are exact, and the end is excluded', async () => {
  const { body } = await get(`${tenant.ids.cid}/events?start=${baseS + 15}&end=${baseS + 20}`)
  expect(body.map((event: StatsEvent) => event.kind)).toEqual(['action'])
  expect((await get(`${tenant.ids.cid}/events?start=2&end=1`)).status).toBe(400)
})

it('a persona, banner or flight has only its own', async () => {
  for (const id of [tenant.ids.pid, tenant.ids.bid]) expect((await get(`${id}/events`)).body).toHaveLength(3)
  expect((await get(`${tenant.ids.fid}/events`)).body).toHaveLength(4)
})

it('without events there is an empty array, an empty text, or only a header', async () => {
  const empty = await buildTenant(service, service.app)
  const path = `${empty.ids.cid}/events`
  expect((await get(path, {}, empty)).body).toEqual([])
  expect((await get(path, { accept: 'application/x-ndjson' }, empty)).text).toBe('')
  expect((await get(path, { accept: 'text/csv' }, empty)).text.split('\r\n')).toHaveLength(2)
})

it('many events, even all in the same microsecond, come once each over all pages', async () => {
  const many = await buildTenant(service, service.app)
  const { cuid, cid, fid, pid, bid } = many.ids
  const [leaf] = await createLeaves()(service.db, [many.ids])
  await ensurePartitions(service.db, [dayOf(Date.UTC(2026, 4, 2))])
  const moment = `timestamptz '2026-05-02 10:00:00.123456Z'`
  await service.db.run(
    `insert into event (${EVENT_COLUMNS})
     select (left(first_ad('2026-05-02')::text, 8) || left(md5(n::text), 24))::uuid,
       case when n % 2 = 0 then ${moment} else ${moment} + n * interval '1 microsecond' end,
       ${cid}, ${leaf}, 1, 0, 0, 0, 1, 20260502, 0, kind, '?', '?'
     from generate_series(1, 4000) n, (values ('i'::"char"), ('c')) kinds (kind)`,
  )
  await service.db.run(
    `insert into action (cuid, dedupe, at, name, served_at, ad_id, credited_to, cid, fid, pid, bid)
     select ${cuid}, n::text, ${moment} + n * interval '1 microsecond', 'buy', ${moment}, substring(decode(md5(n::text), 'hex') from 1 for 12),
       'click', ${cid}, ${fid}, ${pid}, ${bid} from generate_series(1, 6000) n`,
  )
  const { body } = await get(`${cid}/events`, {}, many)
  const keys = new Set(body.map((event: StatsEvent) => `${event.kind} ${event.ad}`))
  expect(keys.size).toBe(4000 * 2 + 6000)
  expect(body).toHaveLength(keys.size)
})

/** More than the buffers of a connection take: while nobody reads them, an export cannot end. */
async function addMany({ ids }: Tenant): Promise<void> {
  const [leaf] = await createLeaves()(service.db, [ids])
  await ensurePartitions(service.db, [dayOf(Date.UTC(2026, 4, 3))])
  await service.db.run(
    `insert into event (${EVENT_COLUMNS})
     select (left(first_ad('2026-05-03')::text, 8) || left(md5('x' || n), 24))::uuid,
       timestamptz '2026-05-03Z' + (n % 100000) * interval '1 millisecond', ${ids.cid}, ${leaf}, 1, 0, 0, 0, 0, 20260503, 0, 'c', '?', '?'
     from generate_series(${ids.cid}::bigint * 100000 + 1, ${ids.cid}::bigint * 100000 + 60000) n`,
  )
}

function exportOf({ ids, pair }: Tenant) {
  const headers = { 'x-access-key': pair.key, 'x-access-token': pair.token }
  return openRequest(`${url}/stats/${ids.cid}/events?cuid=${ids.cuid}`, headers)
}

it('concurrent exports are limited per customer, and a finished one makes room', async () => {
  await addMany(tenant)
  const open = () => exportOf(tenant)
  const held = [await open(), await open()]
  expect(held.map(answer => answer.statusCode)).toEqual([200, 200])
  const refused = await open()
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '10'])
  refused.resume()
  held[0]!.destroy()
  await expect
    .poll(async () => {
      const answer = await open()
      answer.destroy()
      return answer.statusCode
    })
    .toBe(200)
  expect(await json(held[1]!)).toHaveLength(60_004)
})

it('and per app: one of whoever has most ends for whoever has clearly fewer; another app is not affected', async () => {
  const { pair } = await createApp(service.db, { name: 'exports', passcode: true }, service.clock)
  const [second, third, other] = await Promise.all(
    [service.app, service.app, pair].map(app => buildTenant(service, app)),
  )
  await addMany(second!)
  await addMany(third!)
  const held = await Promise.all([tenant, tenant, second!, second!].map(exportOf))
  expect(held.map(answer => answer.statusCode)).toEqual([200, 200, 200, 200])
  held.push(await exportOf(third!))
  expect(held[4]!.statusCode).toBe(200)
  const refused = await exportOf(third!)
  expect(refused.statusCode).toBe(429)
  expect(await json(refused)).toMatchObject({ code: 'too_many_at_once', reason: 'too_many_at_once_of_app' })
  expect((await get(`${other!.ids.cid}/events`, {}, other)).status).toBe(200)
  const whole = await Promise.allSettled(held.map(json))
  expect(whole.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill('fulfilled'), 'rejected'])
  expect((await exportOf(third!)).resume().statusCode).toBe(200)
})
