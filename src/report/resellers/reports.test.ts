// A reseller's report through the API: all customers of the app, none of any other, and sums that agree with the
// statistics of each.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { createApp } from '../../identity/apps.ts'
import { addSuperPair } from '../../identity/super-pairs.ts'
import { zoneOfSetting } from '../figures/zone.ts'
import { GROUPINGS, type Report, type ReportRow } from './contract.ts'
import { report } from './reports.ts'

const ZONE = 'Europe/Berlin'
const DAY_S = 86_400

let service: TestService
let otherApp: TestPair
let tenants: Tenant[]
let foreign: Tenant
let nowS: number
let next = 0

beforeAll(async () => {
  const random = seededRandom('reports').next
  service = await startTestService({ TIMEZONE: ZONE })
  otherApp = (
    await createApp(service.db, { name: 'other', passcode: false, nopasscode: false }, service.clock)
  ).pair
  tenants = []
  for (let i = 0; i < 3; i++) tenants.push(await buildTenant(service, service.app))
  foreign = await buildTenant(service, otherApp)
  const { cuid } = tenants[1]!.ids
  await service.call('PUT', `/customer/${cuid}`, { body: { prepaid: true } })
  await service.call('POST', `/customer/${cuid}/credit`, { body: { amount: 12.34, reference: 'report' } })
  nowS = Math.floor(service.clock.nowMs() / 1000)
  // Half of the events are in the rollups, half of them are fresh.
  for (const part of [0, 1]) {
    const events = [...tenants, foreign].flatMap(tenant =>
      Array.from({ length: 40 }, () => randomEvent(tenant, random)),
    )
    await recordEvents(service.db, events, ZONE)
    if (part === 0) await foldAll(service.db)
  }
})
afterAll(() => service.close())

function randomEvent(tenant: Tenant, random: () => number): TestEvent {
  const { cuid, cid, fid, pid, bid } = tenant.ids
  const kind = (['impression', 'impression', 'click', 'action'] as const)[Math.floor(random() * 4)]!
  const spendMicros = kind === 'impression' ? 1 + Math.floor(random() * 9999) : 0
  const atMs = (nowS - Math.floor(random() * 70 * DAY_S)) * 1000
  const worth = kind === 'action' ? { valueMicros: 1 + Math.floor(random() * 1e8) } : {}
  return { kind, atMs, adNumber: ++next, cuid, cid, fid, pid, bid, spendMicros, ...worth }
}

async function read(query = '', options: object = {}): Promise<Report> {
  const answer = await service.call('GET', `/report${query}`, options)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

function micros(rows: ReportRow[]): number {
  return rows.reduce((sum, row) => sum + Math.round(row.spend * 1e6), 0)
}

function valueMicros(rows: ReportRow[]): number {
  return rows.reduce((sum, row) => sum + Math.round(row.value * 1e6), 0)
}

describe('the sums', () => {
  it('for a super pair of some customers include only these, for every grouping', async () => {
    const { app_id } = (await service.db.row<{ app_id: number }>(
      'select app_id from customer where cuid = $1',
      [tenants[0]!.ids.cuid],
    ))!
    const cuids = [tenants[0]!.ids.cuid, tenants[2]!.ids.cuid]
    const limits = { name: 'some', scope: 'read', cuids, expiresAt: null } as const
    const app = await addSuperPair(service.db, app_id, limits, service.clock)
    const whole = (await read('?by=customer')).rows.filter(row => cuids.includes(row.cuid!))
    for (const by of GROUPINGS) {
      const { rows, total } = await read(`?by=${by}`, { app })
      expect(micros(rows), by).toBe(micros(whole))
      expect(Math.round(total.value * 1e6), by).toBe(valueMicros(whole))
      expect(valueMicros(rows), by).toBe(valueMicros(whole))
    }
  })

  it('of each customer are those of its own statistics, before and after folding', async () => {
    for (const fold of [false, true]) {
      if (fold) await foldAll(service.db)
      const { rows, by } = await read()
      expect(by).toBe('customer')
      expect(rows.map(row => row.cuid)).toEqual(tenants.map(tenant => tenant.ids.cuid))
      for (const [index, tenant] of tenants.entries()) {
        const { cuid } = tenant.ids
        const { body } = await service.call('GET', `/stats/${cuid}/summary?cuid=${cuid}`)
        const { imps, clicks, actions, spend } = body
        expect(rows[index]).toMatchObject({ imps, clicks, actions, spend, deleted: false, externalId: null })
      }
    }
  })

  it('are the same however they are grouped, for any period', async () => {
    for (const period of ['', `start=${nowS - 40 * DAY_S}&end=${nowS - 9 * DAY_S}`]) {
      const { total } = await read(`?${period}`)
      expect(total.imps).toBeGreaterThan(0)
      for (const by of GROUPINGS) {
        const answer = await read(`?by=${by}&${period}`)
        expect(answer.total).toEqual(total)
        expect(micros(answer.rows)).toBe(Math.round(total.spend * 1e6))
        expect(answer.rows.reduce((sum, row) => sum + row.clicks, 0)).toBe(total.clicks)
      }
    }
  })

  it('by day equal the time series of that day, in the time zone of the deployment', async () => {
    const { cuid, cid } = tenants[0]!.ids
    const period = `start=${nowS - 70 * DAY_S}&end=${nowS + 1}`
    const { rows } = await read(`?by=customer,day&${period}`)
    const { body } = await service.call('GET', `/stats/${cid}/timeseries?cuid=${cuid}&${period}`)
    const series = body.timeseries.filter((entry: ReportRow) => entry.imps + entry.clicks + entry.actions > 0)
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE })
    expect(rows.filter(row => row.cuid === cuid).map(row => [row.day, row.imps, row.spend])).toEqual(
      series.map((entry: ReportRow & { date: number }) => [
        format.format(entry.date * 1000),
        entry.imps,
        entry.spend,
      ]),
    )
  })

  it('include every day that start and end touch', async () => {
    const { rows } = await read('?by=day')
    const [first] = rows
    const noonS = Date.parse(`${first!.day}T12:00:00Z`) / 1000
    expect((await read(`?by=day&start=${noonS}&end=${noonS + 1}`)).rows).toEqual([first])
    expect((await read(`?start=${noonS}&end=${noonS}`)).rows).toEqual([])
  })
})

describe('who sees what', () => {
  it('another app sees only its own customers, and a customer pair nothing', async () => {
    const { rows } = await read('?by=campaign', { app: otherApp })
    expect(rows.map(row => [row.cuid, row.cid])).toEqual([[foreign.ids.cuid, foreign.ids.cid]])
    const ours = await service.call('GET', '/report?by=campaign,day')
    expect(ours.text).not.toContain(foreign.secretName)
    expect((await service.call('GET', '/report', { as: tenants[0]!.pair })).status).toBe(401)
  })
})

it('names are shown unchanged, whatever they contain', async () => {
  const { cuid, cid } = tenants[2]!.ids
  const odd = 'A "quoted" \\ name, \u{1F6B2}\u2028 and\na line\u0001 {"cuid":1}'
  const body = { company: odd, externalId: odd }
  expect((await service.call('PUT', `/customer/${cuid}`, { body })).status).toBe(200)
  const renamed = await service.call('PUT', `/campaign/${cid}?cuid=${cuid}`, { body: { name: odd } })
  expect(renamed.status).toBe(200)
  const { rows } = await read('?by=campaign,month')
  for (const row of rows.filter(item => item.cuid === cuid))
    expect(row).toMatchObject({ company: odd, externalId: odd, campaign: odd })
})

describe('rows of customers and campaigns', () => {
  it('have the currency, the balance of customers that pay in advance, and the ids of the app', async () => {
    const { cuid, cid } = tenants[1]!.ids
    await service.call('PUT', `/campaign/${cid}?cuid=${cuid}`, { body: { externalId: 'crm "7"' } })
    const { rows } = await read()
    expect(rows.map(row => [row.balance, row.currency])).toEqual([
      [null, 'USD'],
      [12.34, 'USD'],
      [null, 'USD'],
    ])
    const campaigns = (await read('?by=campaign,day')).rows.filter(row => row.cid === cid)
    expect(campaigns.length).toBeGreaterThan(0)
    for (const row of campaigns)
      expect(row).toMatchObject({ campaignExternalId: 'crm "7"', balance: 12.34, currency: 'USD' })
    expect((await read('?by=day')).rows[0]).not.toHaveProperty('currency')
  })
})

describe('as CSV', () => {
  it('has a column for each key and figure, and the same rows', async () => {
    for (const by of GROUPINGS) {
      const { rows } = await read(`?by=${by}`)
      const { headers, text } = await service.call('GET', `/report?by=${by}`, {
        headers: { accept: 'text/csv' },
      })
      expect(headers['content-type']).toContain('text/csv')
      expect(headers['content-disposition']).toContain(`report-by-${by.replace(',', '-')}.csv`)
      const [head, ...lines] = text.trimEnd().split('\r\n')
      expect(head!).toContain('imps,clicks,actions,spend,views')
      expect(new Set(head!.split(','))).toEqual(new Set(Object.keys(rows[0]!)))
      expect(lines).toHaveLength(rows.length)
    }
  })
})

describe('bad input', () => {
  it.each([
    ['by=weather', '?by'],
    ['by=day,day', '?by'],
    ['start=yesterday', '?start'],
    ['start=20&end=10', '?start'],
    ['cuid=1', '?cuid'],
  ])('%s is refused with the wrong field', async (query, path) => {
    const { status, body } = await service.call('GET', `/report?${query}`)
    expect([status, body.errors[0].path]).toEqual([400, path])
  })

  it('more rows than the limit are refused; none is left out silently', async () => {
    const { app_id } = (await service.db.row<{ app_id: number }>(
      'select app_id from customer where cuid = $1',
      [tenants[0]!.ids.cuid],
    ))!
    const texts: (string | null)[] = []
    const db = {
      ...service.db,
      rows: async <Row>(...query: Parameters<typeof service.db.rows>) => {
        const rows = await service.db.rows<Row>(...query)
        texts.push(...rows.map(row => (row as { text: string | null }).text))
        return rows
      },
    }
    const parts = { zone: zoneOfSetting(ZONE), currency: 'EUR' }
    const made = (max?: number) => report(db, { appId: app_id, cuids: null }, { by: 'day' }, parts, max)
    const { rows } = await made()
    expect((await made(rows)).rows).toBe(rows)
    expect(texts.splice(0)).toEqual(Array(2).fill(expect.stringContaining('"imps"')))
    await expect(made(rows - 1)).rejects.toThrow()
    // Nor does the database send them first.
    expect(texts).toEqual([null])
  })

  it('that are too many are refused before anything is added up, however they are named', async () => {
    const { app_id } = (await service.db.row<{ app_id: number }>(
      'select app_id from customer where cuid = $1',
      [tenants[0]!.ids.cuid],
    ))!
    await foldAll(service.db)
    let sums = 0
    const db = {
      ...service.db,
      rows: <Row>(...query: Parameters<typeof service.db.rows>) => {
        if (query[0].includes('string_agg')) sums++
        return service.db.rows<Row>(...query)
      },
    }
    const scope = { appId: app_id, cuids: null }
    const parts = { zone: zoneOfSetting(ZONE), currency: 'EUR' }
    for (const by of GROUPINGS.filter(name => /customer|campaign/.test(name))) {
      const { rows } = await report(service.db, scope, { by }, parts)
      sums = 0
      await expect(report(db, scope, { by }, parts, rows - 1)).rejects.toThrow()
      expect(sums, by).toBe(0)
      expect((await report(db, scope, { by }, parts, rows)).rows, by).toBe(rows)
      const start = Math.floor(service.clock.nowMs() / 1000) - 20 * DAY_S
      const { rows: fewer } = await report(service.db, scope, { by, start }, parts)
      expect((await report(db, scope, { by, start }, parts, fewer)).rows, by).toBe(fewer)
      sums = 0
      await expect(report(db, scope, { by, start }, parts, fewer - 1)).rejects.toThrow()
      expect(sums, by).toBe(0)
    }
  })
})

it('what was deleted keeps its figures', async () => {
  const before = await read('?by=campaign')
  const [one, two] = tenants
  await service.call('DELETE', `/campaign/${one!.ids.cid}?cuid=${one!.ids.cuid}`)
  await service.call('DELETE', `/customer/${two!.ids.cuid}`)
  const after = await read('?by=campaign')
  expect(after.rows.map(row => row.deleted)).toEqual([true, true, false])
  expect(after.rows.map(row => ({ ...row, deleted: false }))).toEqual(before.rows)
  expect(after.total).toEqual(before.total)
  expect((await read()).rows.map(row => row.deleted)).toEqual([false, true, false])
})

it('HEAD answers without a body, and leaves no slot taken', async () => {
  for (let i = 0; i < 10; i++) {
    const { status, text } = await service.call('HEAD', '/report')
    expect([status, text]).toEqual([200, ''])
  }
  expect((await read()).rows).toHaveLength(3)
})
