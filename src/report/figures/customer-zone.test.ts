// The zone of a customer is the default of all its figures: they are all by the customer's days, and they agree.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService, testClock } from '../../../test/support/service.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { verify } from '../../count/verify/verify.ts'

const at = (iso: string) => Date.parse(iso) / 1000
let service: TestService
let tenant: Tenant
let ads = 0

beforeAll(async () => {
  service = await startTestService({ TIMEZONE: 'UTC' }, testClock(Date.parse('2026-11-17T20:00:00Z')))
  tenant = await buildTenant(service, service.app)
  const { cuid, cid } = tenant.ids
  await service.db.run(`update customer set timezone = 'Pacific/Auckland' where cuid = $1`, [cuid])
  await service.db.run(`update campaign set start_at = '2026-11-16T11:00:00Z' where cid = $1`, [cid])
  // Two events are on the 17th in Auckland, which is the 16th and 17th in UTC; three are on the 18th.
  const times = ['16T12:00', '17T10:59', '17T11:00', '17T15:00', '17T19:00']
  await recordEvents(
    service.db,
    times.map(time => ({
      kind: 'impression' as const,
      atMs: Date.parse(`2026-11-${time}:00Z`),
      adNumber: ++ads,
      ...tenant.ids,
      spendMicros: 2000,
    })),
  )
})
afterAll(() => service.close())

const get = async (path: string) => {
  const mark = path.includes('?') ? '&' : '?'
  const answer = await service.call('GET', `/stats/${path}${mark}cuid=${tenant.ids.cuid}`, {
    as: tenant.pair,
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const imps = (rows: { imps: number }[]) => rows.map(row => row.imps)

it.each(['fresh', 'folded'])(
  '%s figures are of the customer’s days, and tz= still overrides',
  async state => {
    if (state === 'folded') await foldAll(service.db)
    const { cid, cuid } = tenant.ids
    const { timeseries } = await get(`${cid}/timeseries`)
    expect(timeseries.map((row: { date: number }) => row.date)).toEqual([
      at('2026-11-16T11:00:00Z'),
      at('2026-11-17T11:00:00Z'),
    ])
    expect(imps(timeseries)).toEqual([2, 3])
    expect(imps((await get(`${cid}/timeseries?tz=UTC`)).timeseries)).toEqual([1, 4])
    const today = `start=${at('2026-11-17T11:00:00Z')}&end=${at('2026-11-18T11:00:00Z')}`
    expect(imps((await get(`${cid}/breakdown/device?${today}`)).breakdown)).toEqual([3])
    const { breakdown } = await get(`${cid}/breakdown/hour?${today}`)
    expect(breakdown.map((row: { name: string }) => row.name).sort()).toEqual(['00', '04', '08'])
    const figures = await get(`${cuid}/figures?${today}&dimension=device&today=true`)
    expect(figures.summary.imps).toBe(3)
    expect(imps(figures.breakdown)).toEqual([3])
    expect(figures.today).toMatchObject({ date: at('2026-11-17T11:00:00Z'), imps: 3 })
    expect(await get('live')).toMatchObject({ date: at('2026-11-17T11:00:00Z'), imps: 3 })
  },
)

it('a report over all customers has each customer’s own days', async () => {
  const { body } = await service.call('GET', '/report?by=day')
  expect(body.rows.map((row: { day: string; imps: number }) => [row.day, row.imps])).toEqual([
    ['2026-11-17', 2],
    ['2026-11-18', 3],
  ])
})

it('everything that is stored by day agrees with the events', async () => {
  const checks = await verify(service.db, { timeZone: 'UTC', clickWindowS: 30 * 86_400 })
  const wrong = checks.filter(({ check }) => ['statements', 'summaries', 'breakdowns'].includes(check))
  expect(wrong.flatMap(({ differences }) => differences)).toEqual([])
})
