// The cockpit through the API: every customer of the app once, with its health and its money, those that need a person
// first; and nothing of customers that the caller may not see.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  startTestService,
  type TestPair,
  type TestService,
  testClock,
} from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { createApp } from '../../identity/apps.ts'
import { addSuperPair } from '../../identity/super-pairs.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { Cockpit, CockpitCustomer } from './contract.ts'

const ZONE = 'Europe/Berlin'
/** 14:00 in Berlin; the tests begin two minutes later. */
const QUARTER_MS = Date.parse('2027-06-09T12:00:00Z')

let service: TestService
let otherApp: TestPair
let foreign: Tenant
let appId: number
let adNumber = 0

/** Each is named after its expected health. */
const tenants = new Map<string, Tenant>()

beforeAll(async () => {
  service = await startTestService({ TIMEZONE: ZONE }, testClock(QUARTER_MS + 120_000))
  const other = { name: 'other', passcode: false, nopasscode: false }
  otherApp = (await createApp(service.db, other, service.clock)).pair
  foreign = await buildTenant(service, otherApp)
  for (const name of ['delivers', 'spent', 'low', 'silent', 'bare', 'paused', 'refused', 'early'])
    tenants.set(name, await build(name))
  const row = await service.db.row<{ app_id: number }>('select app_id from customer where cuid = $1', [
    cuidOf('delivers'),
  ])
  appId = row!.app_id
  await shows('silent', [[3, 1_000_000]])
  await foldAll(service.db)
  await shows('delivers', [
    [0, 2_000_000],
    [1, 3_000_001],
    [6, 500_000],
    [9, 7_000_000],
  ])
  await shows('spent', [[1, 1_000_000]])
  // Nothing was credited yet.
  await edit('spent', { prepaid: true })
  await credit('low', 20)
  await edit('low', { lowBalance: 25 })
  await shows('low', [[0, 1_000_000]])
  await shows('refused', [[0, 10_000]])
  await as('bare', 'DELETE', at('bare', '/campaign/:cid/persona/:pid/banner/:bid'))
  await as('paused', 'PUT', at('paused', '/campaign/:cid/pause'))
  // As a day of refused events leaves them.
  await service.db.run(
    `insert into rollup_filtered (id, day, reason, imps) values ($1, $2, 'foreign_domain', 3870), ($1, $2, 'duplicate', 9000)`,
    [tenants.get('refused')!.ids.cid, dayAgo(0)],
  )
  // The campaign has run for days, so showing nothing is no matter of minutes.
  await service.db.run(
    `update campaign set start_at = start_at - interval '3 days', updated_at = updated_at - interval '3 days' where cid = $1`,
    [tenants.get('silent')!.ids.cid],
  )
  await service.db.run(`update banner set updated_at = updated_at - interval '3 days' where bid = $1`, [
    tenants.get('silent')!.ids.bid,
  ])
})
afterAll(() => service.close())

async function build(name: string): Promise<Tenant> {
  const tenant = await buildTenant(service, service.app, { website: 'https://bikes.example/' })
  await service.call('PUT', `/customer/${tenant.ids.cuid}`, { body: { company: `Company ${name}` } })
  await service.call('PUT', `/campaign/${tenant.ids.cid}?cuid=${tenant.ids.cuid}`, {
    body: { name: `Größe ${name}` },
  })
  const { cuid, cid, pid, bid } = tenant.ids
  const banner = await service.call('GET', `/campaign/${cid}/persona/${pid}/banner/${bid}?cuid=${cuid}`)
  expect(banner.body.status).toBe('approved')
  return tenant
}

const cuidOf = (name: string) => tenants.get(name)!.ids.cuid
const at = (name: string, path: string) =>
  path.replaceAll(/:(\w+)/g, (_, id: 'cid') => String(tenants.get(name)!.ids[id]))
const dayAgo = (days: number) =>
  new Date(service.clock.nowMs() - days * DAY_MS).toLocaleDateString('sv-SE', { timeZone: ZONE })

async function as(name: string, method: string, path: string, body?: object) {
  const { pair, ids } = tenants.get(name)!
  const answer = await service.call(method, `${path}?cuid=${ids.cuid}`, { as: pair, body })
  expect(answer.status, answer.text).toBeLessThan(300)
}

async function edit(name: string, body: object) {
  const answer = await service.call('PUT', `/customer/${cuidOf(name)}`, { body })
  expect(answer.status, answer.text).toBe(200)
}

async function credit(name: string, amount: number) {
  await edit(name, { prepaid: true })
  const body = { amount, reference: `cockpit ${name}` }
  const answer = await service.call('POST', `/customer/${cuidOf(name)}/credit`, { body })
  expect(answer.status, answer.text).toBeLessThan(300)
}

/** One impression with this spend on the day this many days ago. */
async function shows(name: string, spends: [daysAgo: number, spendMicros: number][], zone = ZONE) {
  const { cuid, cid, fid, pid, bid } = tenants.get(name)!.ids
  const events = spends.map(
    ([daysAgo, spendMicros]): TestEvent => ({
      kind: 'impression',
      atMs: service.clock.nowMs() - daysAgo * DAY_MS,
      adNumber: ++adNumber,
      ...{ cuid, cid, fid, pid, bid },
      spendMicros,
    }),
  )
  await recordEvents(service.db, events, zone)
}

async function read(query = '', options: object = {}): Promise<Cockpit> {
  const answer = await service.call('GET', `/cockpit${query}`, options)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const namesOf = ({ customers }: Cockpit) => customers.map(({ company }) => company.replace('Company ', ''))
const find = ({ customers }: Cockpit, name: string): CockpitCustomer =>
  customers.find(({ cuid }) => cuid === cuidOf(name))!

it('reports the health of each customer and why, those that need a person first', async () => {
  const cockpit = await read()
  const said = Object.fromEntries(
    [...tenants.keys()].map(name => [
      name,
      [find(cockpit, name).health.level, find(cockpit, name).health.code],
    ]),
  )
  expect(said).toMatchObject({
    spent: ['problem', 'balance_spent'],
    silent: ['problem', 'nothing_delivered'],
    bare: ['problem', 'nothing_to_show'],
    refused: ['problem', 'refused'],
    low: ['warning', 'balance_low'],
    paused: ['idle', 'paused'],
  })
  expect(find(cockpit, 'delivers').health.level).toBe('ok')
  expect(find(cockpit, 'early').health.level).toBe('ok')
  expect(find(cockpit, 'silent').health.since).toBe(dayAgo(3))
  expect(find(cockpit, 'bare').health).toMatchObject({ count: 1, of: 1 })
  expect(find(cockpit, 'refused').health).toMatchObject({ count: 3870, reason: 'foreign_domain' })
  const levels = cockpit.customers.map(({ health }) => health.level)
  const order = ['problem', 'warning', 'ok', 'idle']
  expect(levels).toEqual(levels.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
  expect(cockpit.groups).toEqual({ attention: 5, delivers: 2, idle: 1 })
})

it('has the same money as the statistics, to the micro, before and after folding', async () => {
  for (const fold of [false, true]) {
    if (fold) await foldAll(service.db)
    const cockpit = await read()
    const { days, spend, spendToday, imps } = find(cockpit, 'delivers')
    expect(days).toEqual([0.5, 0, 0, 0, 0, 3.000001, 2])
    expect({ spend, spendToday, imps }).toEqual({ spend: 5.500001, spendToday: 2, imps: 3 })
    const micros = cockpit.customers.map(one => Math.round(one.spend * 1e6))
    expect(Math.round(cockpit.total.spend * 1e6)).toBe(micros.reduce((sum, one) => sum + one, 0))
    expect(cockpit.strip.spendToday).toBe(3.01)
    expect(cockpit.total.spendToday).toBe(3.01)
    const { balance, balanceState } = find(cockpit, 'low')
    expect({ balance, balanceState }).toEqual({ balance: 20, balanceState: 'low' })
  }
})

it('compares today with yesterday until the same quarter of an hour', async () => {
  const { strip } = await read()
  // What was shown in the two minutes since does not count, neither for today nor for yesterday.
  expect(strip).toMatchObject({ until: QUARTER_MS / 1000, todayUntil: 0, yesterdayUntil: 0 })
  await shows('early', [
    [1 / 24, 100_001],
    [1 + 1 / 24, 250_000],
    [2, 9_000_000],
  ])
  for (const fold of [false, true]) {
    if (fold) await foldAll(service.db)
    expect((await read()).strip).toMatchObject({ todayUntil: 0.100001, yesterdayUntil: 0.25 })
  }
})

it('compares mornings, afternoons and days of customers with a changed zone in the same way', async () => {
  const west = 'America/Los_Angeles'
  // It is 14:00 in Berlin and 5:00 in Los Angeles.
  const hours = {
    [ZONE]: { today: [1, 13.9], yesterday: [25, 37.9], neither: [15, 23, 39] },
    [west]: { today: [1, 4.9], yesterday: [25, 28.9], neither: [6, 23, 30] },
  }
  const cases = [
    { name: 'delivers', zone: ZONE, before: null, days: ZONE },
    { name: 'early', zone: west, before: null, days: west },
    // Its figures are kept by days of an earlier zone.
    { name: 'refused', zone: west, before: [[ZONE, 1_000_000]], days: ZONE },
  ] as const
  const setZone = (name: string, zone: string | null, before: unknown) =>
    service.db.run('update customer set timezone = $2, timezone_before = $3 where cuid = $1', [
      cuidOf(name),
      zone,
      before && JSON.stringify(before),
    ])
  for (const { name, zone, before } of cases) await setZone(name, zone, before)
  await foldAll(service.db)
  for (const fold of [false, true]) {
    const { strip } = await read()
    let [today, yesterday] = [0, 0]
    for (const [index, { name, zone, days }] of cases.entries()) {
      const spends: [number, number][] = []
      for (const [when, list] of Object.entries(hours[zone])) {
        for (const [nth, ago] of list.entries()) {
          const micros = 10 ** (index * 2) * (1 + nth)
          if (when === 'today') today += micros
          if (when === 'yesterday') yesterday += micros
          spends.push([ago / 24, micros])
        }
      }
      await shows(name, spends, days)
    }
    if (fold) await foldAll(service.db)
    const after = (await read()).strip
    const added = {
      today: Math.round((after.todayUntil - strip.todayUntil) * 1e6),
      yesterday: Math.round((after.yesterdayUntil - strip.yesterdayUntil) * 1e6),
    }
    expect(added).toEqual({ today, yesterday })
  }
  for (const { name } of cases) await setZone(name, null, null)
})

it('filters by each figure of the strip, which stays the same', async () => {
  const whole = await read()
  const by = async (filter: string) => {
    const cockpit = await read(`?filter=${filter}`)
    expect({ ...cockpit.strip, until: 0, todayUntil: 0, yesterdayUntil: 0 }).toEqual({
      ...whole.strip,
      until: 0,
      todayUntil: 0,
      yesterdayUntil: 0,
    })
    expect(cockpit.total.customers).toBe(cockpit.customers.length)
    return namesOf(cockpit).toSorted()
  }
  expect(await by('problems')).toEqual(['bare', 'refused', 'silent', 'spent'])
  expect(whole.strip.problems).toBe(4)
  expect(await by('balance')).toEqual(['low', 'spent'])
  expect(whole.strip).toMatchObject({ balanceLow: 2, balanceSpent: 1 })
  expect(await by('idle')).toEqual(['paused'])
  expect(await by('banners')).toEqual([])
  expect(await by('proposals')).toEqual([])
  const answer = await service.call('GET', '/cockpit?filter=bad')
  expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, '?filter'])
})

it('finds customers by company, email and the names of their campaigns, without case and accents', async () => {
  expect(namesOf(await read('?q=company%20LOW'))).toEqual(['low'])
  expect(namesOf(await read(`?q=${tenants.get('bare')!.secretName}@`))).toEqual(['bare'])
  expect(namesOf(await read('?q=grosse'))).toEqual([])
  expect(namesOf(await read('?q=groSSe'.replace('SS', 'ß')))).toHaveLength(tenants.size)
  expect(namesOf(await read('?q=gro%C3%9Fe%20paused'))).toEqual(['paused'])
  const { body } = await service.call('GET', '/search?q=gr%C3%B6%C3%9Fe%20refused')
  expect(body).toEqual([
    {
      cid: tenants.get('refused')!.ids.cid,
      name: 'Größe refused',
      externalId: null,
      cuid: cuidOf('refused'),
      company: 'Company refused',
    },
  ])
})

it('goes through all of them page by page, each once', async () => {
  const whole = namesOf(await read())
  const paged: string[] = []
  let after = ''
  for (;;) {
    const page = await read(`?limit=3${after}`)
    expect(page.total.customers).toBe(tenants.size)
    paged.push(...namesOf(page))
    if (page.next === null) break
    after = `&after=${page.next}`
  }
  expect(paged).toEqual(whole)
  const found: number[] = []
  for (let last = 0; found.length < tenants.size; ) {
    const { body } = await service.call('GET', `/search?q=e&limit=3${last ? `&after=${last}` : ''}`)
    found.push(...body.map((one: { cid: number }) => one.cid))
    last = found.at(-1)!
  }
  expect(new Set(found).size).toBe(tenants.size)
})

it('with the moment of the first page, all pages are of that moment: each customer once, whatever changes meanwhile', async () => {
  const whole = await read()
  const first = await read('?limit=3')
  const paused = cuidOf('paused')
  const isIdle = ({ customers }: Cockpit) => customers.find(({ cuid }) => cuid === paused)!.health.code
  // The last customer moves to the front, and the first to the end.
  const [top] = namesOf(first)
  await as('paused', 'PUT', at('paused', '/campaign/:cid/resume'))
  await as(top!, 'PUT', at(top!, '/campaign/:cid/pause'))
  const paged = namesOf(first)
  for (let { next, asOf } = first; next !== null; ) {
    const page = await read(`?limit=3&after=${next}&asOf=${asOf}`)
    expect(page.asOf).toBe(asOf)
    expect(page.total).toEqual(first.total)
    paged.push(...namesOf(page))
    next = page.next
  }
  expect(paged).toEqual(namesOf(whole))
  const then = await read(`?q=Company%20paused&asOf=${first.asOf}`)
  expect([namesOf(then), isIdle(then)]).toEqual([['paused'], 'paused'])
  expect(namesOf(await read(`?filter=idle&asOf=${first.asOf}`))).toEqual(['paused'])
  // Without `asOf`, the answer is current.
  expect(isIdle(await read())).not.toBe('paused')
  await as('paused', 'PUT', at('paused', '/campaign/:cid/pause'))
  await as(top!, 'PUT', at(top!, '/campaign/:cid/resume'))
})

it('a moment without a picture is answered as of now', async () => {
  const { asOf } = await read(`?asOf=${Math.floor(service.clock.nowMs() / 1000) - 3600}`)
  expect(asOf).toBe(Math.floor(service.clock.nowMs() / 1000))
  const answer = await service.call('GET', '/cockpit?asOf=yesterday')
  expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, '?asOf'])
})

it('lists the issues of all customers, or of one kind', async () => {
  const { body } = await service.call('GET', '/cockpit/issues')
  const codes = body.issues.map((issue: { company: string; code: string }) => [issue.company, issue.code])
  expect(codes).toContainEqual(['Company bare', 'no_banner'])
  expect(codes).toContainEqual(['Company spent', 'balance_spent'])
  expect(body.next).toBeNull()
  const only = await service.call('GET', '/cockpit/issues?code=no_banner&limit=2')
  const rest = await service.call('GET', `/cockpit/issues?code=no_banner&after=${only.body.next}`)
  const both = [...only.body.issues, ...rest.body.issues]
  expect(both.map((issue: { cuid: number }) => issue.cuid)).toEqual([cuidOf('bare')])
})

it('has nothing of another app, and for a super pair of some customers nothing of the others', async () => {
  const cuids = [cuidOf('low'), cuidOf('bare')]
  const limits = { name: 'some', scope: 'read', cuids, expiresAt: null } as const
  const some = await addSuperPair(service.db, appId, limits, service.clock)
  for (const [app, names] of [
    [some, ['bare', 'low']],
    [otherApp, [foreign.secretName]],
  ] as const) {
    // The moment of another caller's picture does not open that picture.
    const { asOf } = await read()
    for (const query of ['', `?asOf=${asOf}`])
      expect(namesOf(await read(query, { app })).toSorted()).toEqual(names)
    const cockpit = await read('', { app })
    expect(cockpit.total.customers).toBe(names.length)
    const { body: found } = await service.call('GET', '/search?q=e', { app })
    expect(found).toHaveLength(names.length)
    const { body: listed } = await service.call('GET', '/cockpit/issues', { app })
    for (const issue of listed.issues) expect(names).toContain(issue.company.replace('Company ', ''))
    expect(namesOf(await read('?q=Gr%C3%B6%C3%9Fe%20silent', { app }))).toEqual([])
  }
  // Sources are of the whole deployment.
  await service.db.run(
    `insert into source_outcome (source_id, at, outcome, calls)
     select source_id, $1, outcome, calls from (values ('other_visitor', 100), ('requested', 900)) of (outcome, calls),
       (select source_id from source where kind = 'site' order by source_id limit 1) site`,
    [new Date(service.clock.nowMs())],
  )
  expect((await read()).refusedSources).toMatchObject([{ reason: 'other_visitor', refused: 100, of: 100 }])
  expect((await read('', { app: some })).refusedSources).toEqual([])
  await service.db.run('truncate source_outcome')
  const own = await service.call('GET', '/cockpit', { as: tenants.get('low')!.pair })
  expect(own.status).toBe(401)
})

it('stalled campaigns are shown with their reason, until somebody changes them or they deliver', async () => {
  const { cuid, cid } = tenants.get('delivers')!.ids
  const health = async () => {
    const { body } = await service.call('GET', '/cockpit')
    return (body as Cockpit).customers.find(customer => customer.cuid === cuid)!.health
  }
  const before = await health()
  const stall = (code: string) =>
    service.db.run(
      `insert into stalled (cid, code, params, since, checked_at) values ($1, $2, '{}', $3, $3)
       on conflict (cid) do update set code = $2, checked_at = $3, ended_at = null`,
      [cid, code, new Date(service.clock.nowMs() + 1_000)],
    )
  for (const reason of [
    'no_request_fits',
    'below_floors',
    'mostly_blocked',
    'mostly_capped',
    'mostly_outbid',
  ]) {
    await stall(reason)
    expect(await health()).toMatchObject({ level: 'problem', code: 'stalled', reason, count: 1, of: 1 })
  }
  // One of several campaigns: the others still deliver.
  const nowS = Math.floor(service.clock.nowMs() / 1000)
  const dates = { start: nowS - 60, end: nowS + 86_400 }
  const { body: copy } = await service.call('POST', `/campaign/${cid}/copy?cuid=${cuid}`, {
    body: { name: 'Second', ...dates, enabled: true },
  })
  expect(await health()).toMatchObject({
    level: 'warning',
    code: 'some_stalled',
    reason: 'mostly_outbid',
    of: 2,
  })
  await service.call('DELETE', `/campaign/${copy.cid}?cuid=${cuid}`)
  // An edit counts as a remedy until the next check.
  service.clock.advance(2_000)
  await service.call('PUT', `/campaign/${cid}?cuid=${cuid}`, { body: { cpm: 4 } })
  expect((await health()).code).toBe(before.code)
  await stall('below_floors')
  expect((await health()).code).toBe('stalled')
  await service.db.run('update stalled set ended_at = checked_at where cid = $1', [cid])
  expect((await health()).code).toBe(before.code)
})

it('budgets of any height can be added up, of campaigns that can deliver', async () => {
  const app = (
    await createApp(service.db, { name: 'large', passcode: false, nopasscode: false }, service.clock)
  ).pair
  const { ids, pair } = await buildTenant(service, app, { website: 'https://bikes.example/' })
  const start = Math.floor(service.clock.nowMs() / 1000) - 60
  const order = { name: 'large', start, end: start + DAY_MS / 1000, enabled: true }
  const large = { as: pair, body: { dailySpend: 1e9 } }
  await service.call('PUT', `/campaign/${ids.cid}?cuid=${ids.cuid}`, large)
  for (let i = 0; i < 10; i++) {
    const path = `/campaign/${ids.cid}/copy?cuid=${ids.cuid}`
    expect((await service.call('POST', path, { as: pair, body: order })).status).toBe(201)
  }
  // It has nothing to show, so the pages of the customer count it nowhere either.
  const bare = await service.call('POST', `/campaign?cuid=${ids.cuid}`, {
    as: pair,
    body: { ...order, dailySpend: 1e9 },
  })
  expect(bare.status).toBe(201)
  const { status, body } = await service.call('GET', '/cockpit', { app })
  expect(status).toBe(200)
  const campaigns = await service.call('GET', `/campaign?cuid=${ids.cuid}`, { as: pair })
  const running = campaigns.body.filter((one: { status: string }) => one.status === 'running')
  const budgets = running.map((one: { dailySpend: number }) => one.dailySpend)
  expect(body.total.budgetToday).toBe(budgets.reduce((sum: number, one: number) => sum + one, 0))
  expect(body.total.budgetToday).toBeGreaterThanOrEqual(1e10)
})

it('puts first where most money is at stake, and what buys next to nothing is no problem', async () => {
  const budget = (name: string, dailySpend: number) =>
    as(name, 'PUT', at(name, '/campaign/:cid'), { dailySpend })
  const problems = async () => namesOf(await read('?filter=problems'))
  const { strip } = await read()
  expect(await problems()).toEqual(expect.arrayContaining(['bare', 'spent']))
  await budget('bare', 300)
  await budget('spent', 200)
  expect((await problems()).slice(0, 2)).toEqual(['bare', 'spent'])
  await budget('spent', 400)
  expect((await problems()).slice(0, 2)).toEqual(['spent', 'bare'])
  // The order is that of the pages too.
  const first = await read('?filter=problems&limit=1')
  expect(namesOf(await read(`?filter=problems&limit=1&after=${first.next}`))).toEqual(['bare'])
  await budget('bare', 0.01)
  const cockpit = await read()
  expect(find(cockpit, 'bare').health).toMatchObject({ level: 'warning', code: 'nothing_to_show' })
  expect(cockpit.strip.problems).toBe(strip.problems - 1)
  for (const name of ['bare', 'spent']) await budget(name, 50)
})

it('one number says how many are idle, and one customer alone has the health that it has among all', async () => {
  const cockpit = await read()
  expect(cockpit.strip.idle).toBe(cockpit.groups.idle)
  expect(namesOf(await read('?filter=idle'))).toHaveLength(cockpit.groups.idle)
  for (const name of ['bare', 'low', 'paused']) {
    const { customers, total } = await read(`?cuid=${cuidOf(name)}`)
    const { evenToday: _, ...same } = find(cockpit, name)
    expect(customers).toMatchObject([same])
    expect(total.customers).toBe(1)
  }
  expect((await read(`?cuid=${foreign.ids.cuid}`)).customers).toEqual([])
})

it('a customer that has spent nearly nothing is far behind, not a little slow', async () => {
  // As if it had run all day: by now an even day would have spent 29 of its 50.
  await service.db.run(
    `update campaign set start_at = start_at - interval '2 days', created_at = start_at - interval '2 days' where cid = $1`,
    [tenants.get('delivers')!.ids.cid],
  )
  await service.db.run(`update flight set start_at = start_at - interval '2 days' where cid = $1`, [
    tenants.get('delivers')!.ids.cid,
  ])
  const after = async (spendMicros: number) => {
    await shows('delivers', [[0, spendMicros]])
    const { level, code } = find(await read(), 'delivers').health
    return [level, code]
  }
  const warnings = (await read()).strip.warnings
  expect(await after(160_000)).toEqual(['warning', 'very_slow'])
  expect(await after(16_000_000)).toEqual(['ok', 'slow'])
  expect((await read()).strip.warnings).toBe(warnings - 1)
  expect(await after(12_000_000)).toEqual(['ok', 'delivers'])
})

it('an even day begins with the campaign, not before it was there', async () => {
  const { body } = await service.call('GET', `/cockpit?cuid=${cuidOf('low')}`)
  const [{ evenToday, budgetToday }] = body.customers
  // It began some minutes before, in the afternoon.
  expect(evenToday).toBeLessThan(budgetToday * 0.02)
  await service.db.run(`update campaign set start_at = start_at - interval '2 days' where cid = $1`, [
    tenants.get('low')!.ids.cid,
  ])
  await service.db.run(`update flight set start_at = start_at - interval '2 days' where cid = $1`, [
    tenants.get('low')!.ids.cid,
  ])
  const again = await service.call('GET', `/cockpit?cuid=${cuidOf('low')}`)
  expect(again.body.customers[0].evenToday).toBeLessThan(budgetToday * 0.02)
})

it('a customer that delivered yesterday and not yet today is far behind', async () => {
  await service.db.run(
    `update campaign set start_at = start_at - interval '2 days', created_at = start_at - interval '2 days' where cid = $1`,
    [tenants.get('early')!.ids.cid],
  )
  await service.db.run(`update flight set start_at = start_at - interval '2 days' where cid = $1`, [
    tenants.get('early')!.ids.cid,
  ])
  service.clock.advance(DAY_MS / 2)
  expect(find(await read(), 'early')).toMatchObject({ spendToday: 0, health: { level: 'ok', code: 'ready' } })
  service.clock.advance(DAY_MS / 2)
  expect(find(await read(), 'early')).toMatchObject({
    spendToday: 0,
    health: { level: 'warning', code: 'very_slow' },
  })
})
