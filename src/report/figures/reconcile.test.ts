// Whatever happened: summary = sum of the series = sum of every breakdown = number of events = number of exported rows,
// for every id, zone, interval and period. Random events; the seed is printed, SEED replays it.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ExportedRow, exportedRows } from '../../../test/support/exported.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { localityOf } from '../../manage/reference/localities.ts'
import { INTERVALS } from './buckets.ts'
import { DIMENSIONS, type StatsEvent } from './contract.ts'
import type { Figures } from './figures.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const EVENTS = Number(process.env.EVENTS ?? 250)
const ZONE = 'America/St_Johns'
/** Clocks change in both hemispheres between these dates. */
const FROM_S = Date.UTC(2026, 1, 1) / 1000
const TO_S = Date.UTC(2026, 4, 1) / 1000

type Sums = Pick<Figures, 'imps' | 'clicks' | 'actions' | 'spend' | 'value'>

let service: TestService
let tenants: Tenant[]
let ids: { owner: Tenant; id: number }[]
let recorded: TestEvent[]
let exported: ExportedRow[]
const random = seeded(SEED)

beforeAll(async () => {
  console.log(`reconcile: SEED=${SEED}`)
  service = await startTestService({ TIMEZONE: ZONE })
  tenants = [await buildTenant(service, service.app), await buildTenant(service, service.app)]
  const families = (await Promise.all(tenants.map(familiesOf))).flat()
  ids = families.flatMap(({ owner, ids: { cid, fid, pid, bid } }) =>
    [cid, fid, pid, bid].map(id => ({ owner, id })),
  )
  recorded = Array.from({ length: EVENTS }, (_, index) => randomEvent(index, pick(families).ids))
  // Half of them are folded into the rollups, the others are fresh.
  await recordEvents(service.db, recorded.slice(0, EVENTS / 2), ZONE)
  await foldAll(service.db)
  await recordEvents(service.db, recorded.slice(EVENTS / 2), ZONE)
  exported = await exportedRows(service)
})
afterAll(() => service.close())

/** The tenant's own banner, and two more beneath another persona. */
async function familiesOf(owner: Tenant) {
  const { cuid, cid, fid } = owner.ids
  const create = async (path: string, body: object) =>
    (await service.call('POST', `${path}?cuid=${cuid}`, { as: owner.pair, body })).body
  const persona = { name: 'other', geo: { geos: ['CA'] }, device: { mobile: true } }
  const { pid } = await create(`/campaign/${cid}/persona`, persona)
  const path = `/campaign/${cid}/persona/${pid}/banner`
  const banner = { creativeURL: 'https://images.tenant.example/b.png' }
  const [first, second] = [await create(path, banner), await create(path, banner)]
  return [owner.ids, { ...owner.ids, pid, bid: first.bid }, { ...owner.ids, fid, pid, bid: second.bid }].map(
    found => ({ owner, ids: found }),
  )
}

function randomEvent(adNumber: number, { cuid, cid, fid, pid, bid }: Tenant['ids']): TestEvent {
  const kind = pick(['impression', 'impression', 'impression', 'click', 'action'] as const)
  const onQuarter = random() < 0.2
  const timeS = FROM_S + random() * (TO_S - FROM_S)
  const atMs = onQuarter ? Math.floor(timeS / 900) * 900_000 : Math.floor(timeS * 1000)
  return {
    kind,
    atMs,
    adNumber,
    ...{ cuid, cid, fid, pid, bid },
    spendMicros: kind === 'impression' ? Math.floor(random() * 100_000) : 0,
    ...(kind === 'action' && random() < 0.8 ? { valueMicros: Math.floor(random() * 1e9) } : {}),
    name: pick(['buy', 'sign up']),
    os: pick(['iOS', 'Android', 'Windows']),
    device: pick(['mobile', 'desktop']),
    country: pick(['CA', 'US', 'DE']),
    locality: pick([0, localityOf('CA', 'ON', 'toronto'), localityOf('CA', 'ON', null)]),
    audience: pick([0, 16, 17, 33, 6 * 16 + 14]),
    ...pick([{ domain: 'a.example' }, { domain: 'b.example' }, { app: 'com.example.app' }, {}]),
  }
}

async function get(owner: Tenant, path: string) {
  const mark = path.includes('?') ? '&' : '?'
  const answer = await service.call('GET', `/stats/${path}${mark}cuid=${owner.ids.cuid}`, { as: owner.pair })
  expect(answer.status, answer.text.slice(0, 300)).toBe(200)
  return answer.body
}

function sumOf(records: Sums[]): Sums {
  const sums = { imps: 0, clicks: 0, actions: 0 }
  let [spend, value] = [0, 0]
  for (const record of records) {
    sums.imps += record.imps
    sums.clicks += record.clicks
    sums.actions += record.actions
    spend += Math.round(record.spend * 1e6)
    value += Math.round(record.value * 1e6)
  }
  return { ...sums, spend: spend / 1e6, value: value / 1e6 }
}

function countOf(events: Pick<StatsEvent, 'kind' | 'spend' | 'value'>[]): Sums {
  return sumOf(
    events.map(({ kind, spend, value }) => ({
      imps: Number(kind === 'impression'),
      clicks: Number(kind === 'click'),
      actions: Number(kind === 'action'),
      spend,
      value: value ?? 0,
    })),
  )
}

const isOf = (id: number) => (row: ExportedRow) =>
  [row.cid, row.fid, row.pid, row.bid].map(Number).includes(id)

const summed = ({ imps, clicks, actions, spend, value }: Sums): Sums => ({
  ...{ imps, clicks, actions, spend, value },
})

it('the rows equal the events that were written', async () => {
  let all = 0
  for (const owner of tenants) all += (await get(owner, `${owner.ids.cid}/events`)).length
  expect(all).toBe(recorded.length)
})

it('over everything: summary = breakdowns = events = exported rows, for every id', async () => {
  for (const { owner, id } of ids) {
    const summary = summed(await get(owner, `${id}/summary`))
    expect(countOf(await get(owner, `${id}/events`))).toEqual(summary)
    expect(countOf(exported.filter(isOf(id)))).toEqual(summary)
    for (const dimension of DIMENSIONS.filter(name => name !== 'campaign' && name !== 'action')) {
      const limit = pick(['', '?limit=1', '?limit=2'])
      const { breakdown } = await get(owner, `${id}/breakdown/${dimension}${limit}`)
      expect(sumOf(breakdown), `${id} ${dimension}`).toEqual(summary)
    }
    const actions = (await get(owner, `${id}/breakdown/action`)).breakdown
    expect(sumOf(actions)).toMatchObject({ actions: summary.actions, value: summary.value })
  }
})

it('by default: summary = series, also for what came before a start that was moved and after the end', async () => {
  await service.db.run(
    `update campaign set start_at = to_timestamp($1), end_at = to_timestamp($2) where cid = any($3)`,
    [FROM_S + 20 * 86_400, FROM_S + 40 * 86_400, tenants.map(owner => owner.ids.cid)],
  )
  const all = [...ids, ...tenants.map(owner => ({ owner, id: owner.ids.cuid }))]
  for (const { owner, id } of all) {
    const [interval, tz] = [pick(INTERVALS), pick(['UTC', ZONE, 'Asia/Kathmandu'])]
    const { timeseries } = await get(owner, `${id}/timeseries?interval=${interval}&tz=${tz}`)
    expect(sumOf(timeseries), `${id} ${interval} ${tz}`).toEqual(summed(await get(owner, `${id}/summary`)))
  }
})

it('a customer: summary = sum of every breakdown = exported rows', async () => {
  for (const owner of tenants) {
    const { cuid } = owner.ids
    const summary = summed(await get(owner, `${cuid}/summary`))
    expect(countOf(exported.filter(row => Number(row.cuid) === cuid))).toEqual(summary)
    for (const dimension of DIMENSIONS.filter(name => name !== 'action')) {
      const { breakdown } = await get(owner, `${cuid}/breakdown/${dimension}?limit=${pick([1, 2, 1000])}`)
      expect(sumOf(breakdown), dimension).toEqual(summary)
    }
  }
})

it('reports by customer, campaign, day and month have the values of the exported rows', async () => {
  for (const by of ['customer', 'campaign', 'day', 'month', 'campaign,day']) {
    const { body } = await service.call('GET', `/report?by=${by}`)
    expect(sumOf(body.rows).value, by).toBe(countOf(exported).value)
    expect(body.total.value, by).toBe(countOf(exported).value)
  }
})

it('over any period of whole quarters: summary = series = events = exported rows, in any zone and interval', async () => {
  const zones = Intl.supportedValuesOf('timeZone')
  for (let round = 0; round < 60; round++) {
    const { owner, id } = pick(ids)
    const [a, b] = [quarter(), quarter()]
    const [start, end] = [Math.min(a, b), Math.max(a, b)]
    const period = `start=${start}&end=${end}`
    const [zone, interval] = [pick(zones), pick(INTERVALS)]
    const label = `${id} ${period} ${zone} ${interval}`
    const summary = summed(await get(owner, `${id}/summary?${period}`))
    const question = `${period}&interval=${interval}&tz=${encodeURIComponent(zone)}`
    const { timeseries } = await get(owner, `${id}/timeseries?${question}`)
    expect(sumOf(timeseries), label).toEqual(summary)
    expect(countOf(await get(owner, `${id}/events?${period}`)), label).toEqual(summary)
    const rows = exported.filter(isOf(id)).filter(row => row.time >= start && row.time < end)
    expect(countOf(rows), label).toEqual(summary)
  }
})

it('each bucket of a series contains exactly the events of its time', async () => {
  const zones = [
    'Europe/Berlin',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Africa/Casablanca',
  ]
  for (const zone of zones) {
    const owner = pick(tenants)
    const { cid } = owner.ids
    const question = `start=${FROM_S}&end=${TO_S}&interval=${pick(INTERVALS)}&tz=${zone}`
    const { timeseries } = await get(owner, `${cid}/timeseries?${question}`)
    const own = recorded.filter(event => event.cid === cid)
    for (const [index, bucket] of timeseries.entries()) {
      const endMs = (timeseries[index + 1]?.date ?? TO_S) * 1000
      const inside = own.filter(event => event.atMs >= bucket.date * 1000 && event.atMs < endMs)
      const imps = inside.filter(event => event.kind === 'impression').length
      expect(bucket.imps, `${zone} ${bucket.date}`).toBe(imps)
    }
  }
})

function quarter(): number {
  return Math.floor((FROM_S + random() * (TO_S - FROM_S)) / 900) * 900
}

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!
}

function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
