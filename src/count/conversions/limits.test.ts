// The limits that keep strangers from filling an advertiser's figures, tested with the real pixel and server call.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AGENT, type Counting, startCounting, trialAd } from '../../../bench/counting-service.ts'
import { until } from '../../../test/support/banners.ts'
import { figuresOf } from '../../../test/support/counting.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type TestClock, testClock } from '../../../test/support/service.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { foldAll } from '../fold/fold.ts'
import { clickIdOf, type ServedAd } from '../tracking/ad.ts'
import type { NewAction } from './contract.ts'
import { countServerAction } from './conversions.ts'
import { sweepActions } from './retention.ts'

const CUID = 10
const NAMES = 30
const NEW_NAMES = 12
const PER_HOUR = 40
const MOST_BY_PIXEL = 50_000

let database: TestDatabase
let counting: Counting
let clock: TestClock

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  clock = testClock()
  counting = await start()
  await counting.db.run(
    'truncate event, action, action_click, action_names, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, rollup_filtered',
  )
  await counting.db.run(
    `insert into app (app_id, name, created_at) values (1, 'a', now()) on conflict do nothing`,
  )
  await counting.db.run(
    `insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
     values ($1, 1, 'Bikes', 'a@b.example', 'a@b.example', now(), now()) on conflict do nothing`,
    [CUID],
  )
  return () => counting.stop()
})
afterAll(() => database.drop())

const start = () =>
  startCounting({
    databaseUrl: database.url,
    clock,
    batch: { ignoredFlushMs: 5 },
    actionLimits: {
      ...{ names: NAMES, newNamesPerDay: NEW_NAMES, perVisitorAndHour: PER_HOUR },
      valueByPixel: MOST_BY_PIXEL,
    },
  })

const get = (
  path: string,
  query: Record<string, string> = {},
  agent = AGENT,
  remoteAddress = '203.0.113.1',
) =>
  counting.handle({
    path,
    query: new URLSearchParams(query).toString(),
    headers: { 'user-agent': agent },
    remoteAddress,
  })

async function seen(more: Partial<ServedAd> = {}): Promise<ServedAd> {
  const ad = trialAd(counting, more)
  await get(`/t/i/${counting.sign(ad).impression}`)
  return ad
}

async function clickOn(ad: ServedAd, agent = AGENT): Promise<string> {
  expect((await get(`/t/c/${counting.sign(ad).click}`, {}, agent)).status).toBe(302)
  return clickIdOf(ad)
}

const clicked = async () => clickOn(await seen())

async function pixel(query: Record<string, string>, agent = AGENT, address = '203.0.113.1'): Promise<void> {
  const answer = await get('/t/a.gif', query, agent, address)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/gif'])
}

const report = (body: NewAction) => countServerAction(counting.db, CUID, body, counting.conversions)

async function actions(): Promise<number> {
  return ((await figuresOf(counting.db, CUID)) as { actions: number }).actions
}

/** The customer's filtered actions by reason. */
async function filtered(): Promise<Record<string, number>> {
  await until(async () => counting.batcher.isIdle() || null)
  const rows = await counting.db.rows<{ reason: string; actions: number }>(
    'select reason, actions from rollup_filtered where id = $1 and actions > 0',
    [CUID],
  )
  return Object.fromEntries(rows.map(row => [row.reason, row.actions]))
}

test('one click has at most ten names by pixel, however many come at once and to however many processes', async () => {
  const other = await start()
  const click = await clicked()
  for (let n = 0; n < NAMES; n += NEW_NAMES) {
    clock.advance(DAY_MS)
    for (let m = n; m < Math.min(n + NEW_NAMES, NAMES); m++)
      await report({ click, name: `n${m}`, test: true })
  }
  const handlers = [counting, other]
  const names = Array.from({ length: NAMES }, (_, n) => `n${n}`)
  await Promise.all(
    [...names, ...names].map((name, n) =>
      handlers[n % 2]!.handle({ path: '/t/a.gif', query: `click=${click}&name=${name}` }),
    ),
  )
  await other.stop()
  expect(await actions()).toBe(10)
  expect(await counting.db.rows('select cardinality(names) as names from action_click')).toEqual([
    { names: 10 },
  ])
  expect((await filtered()).too_many_names).toBeGreaterThanOrEqual(1)
  const text = await counting.metrics.registry.metrics()
  expect(text).toMatch(/marquee_tracking_calls_total\{[^}]*outcome="too_many_names"/)
  // The limit does not apply to a server, which is no stranger.
  expect(await report({ click, name: 'n29' })).toEqual({ counted: true })
})

test('pixels bring in few new names a day and half of all names; a name that a server has used is known', async () => {
  const many = async (from: number, to: number) => {
    for (let n = from; n < to; n++)
      await pixel({ click: await clicked(), name: `stranger ${n}` }, AGENT, `198.51.100.${n}`)
  }
  await many(0, NEW_NAMES + 5)
  expect(await actions()).toBe(NEW_NAMES)
  expect(await filtered()).toEqual({ name_quota: 5 })
  clock.advance(DAY_MS)
  await many(NEW_NAMES + 5, 2 * NEW_NAMES + 5)
  expect(await actions()).toBe(NAMES / 2)
  // The customer's own new names are still accepted, and then its pixel may use them.
  const click = await clicked()
  expect(await report({ name: 'mine', test: true })).toEqual({ counted: false, reason: 'no_credit' })
  await pixel({ click, name: 'mine' })
  expect(await actions()).toBe(NAMES / 2 + 1)
  for (let n = 1; n < NAMES / 2; n++)
    expect(await report({ click, name: `own ${n}` })).toEqual({ counted: true })
  expect(await report({ click, name: 'one too many' })).toEqual({ counted: false, reason: 'name_quota' })
  expect(await report({ click, name: 'own 1', order: 'B' })).toEqual({ counted: true })
})

test('values that could no longer be added up are refused, and others are not affected', async () => {
  const click = await clicked()
  const value = 1_000_000_000
  expect(await report({ click, value, order: 'first' })).toEqual({ counted: true })
  await foldAll(counting.db)
  // As if this value had been reported a thousand million times.
  for (const table of ['rollup_value', 'rollup_value_dimension'])
    await counting.db.run(`update ${table} set value_micros = 9223372036854775807 where id in ($1, $2)`, [
      CUID,
      -CUID,
    ])
  const beyond = { counted: false, reason: 'value_quota' }
  expect(
    await Promise.all([
      report({ click, value, order: 'second' }),
      report({ click, value: 10_000, order: 'third' }),
      report({ click, order: 'without a value' }),
    ]),
  ).toEqual([beyond, beyond, { counted: true }])
  await pixel({ click, name: 'dear', value: '50000' })
  expect(await actions()).toBe(2)
  expect(await filtered()).toEqual({ value_quota: 3 })
  clock.advance(5 * DAY_MS)
  expect(await report({ click, value, order: 'later' })).toEqual({ counted: true })
})

test('values that are not folded yet count towards what can be added up', async () => {
  const click = await clicked()
  const value = 1_000_000_000
  expect(await report({ click, value, order: 'first' })).toEqual({ counted: true })
  // As if this value had been reported thousands of times.
  await counting.db.run('update fresh_value set value_micros = 4000000000000000000 where cuid = $1', [CUID])
  expect(await report({ click, value, order: 'second' })).toEqual({ counted: false, reason: 'value_quota' })
})

test('a value that is too high for a pixel counts if a server reports it', async () => {
  const click = await clicked()
  await pixel({ click, name: 'buy', value: '999999999' })
  await pixel({ click, name: 'buy', value: `${MOST_BY_PIXEL + 0.01}` })
  expect([await actions(), await filtered()]).toEqual([0, { value_too_high: 2 }])
  await pixel({ click, name: 'buy', value: String(MOST_BY_PIXEL) })
  expect(await report({ click, name: 'order', value: 999_999_999 })).toEqual({ counted: true })
  expect(await actions()).toBe(2)
})

test('two visitors who bring in the same new name at the same moment are both counted', async () => {
  for (let round = 0; round < 5; round++) {
    const clicks = [await clicked(), await clicked(), await clicked()]
    await Promise.all(clicks.map(click => pixel({ click, name: `round ${round}` })))
  }
  expect(await actions()).toBe(15)
})

test('a click that counts without its ad, as older versions counted, is credited by a server only', async () => {
  const click = await clicked()
  await counting.db.run("delete from event where kind = 'i'")
  await pixel({ click, name: 'buy' })
  expect(await actions()).toBe(0)
  expect(await filtered()).toEqual({ uncounted_ad: 1 })
  expect(await report({ click, name: 'buy' })).toEqual({ counted: true })
})

test('a pixel counts for the browser that clicked, in any version and network; not for another browser', async () => {
  const click = await clicked()
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'
  await pixel({ click, name: 'buy' }, firefox)
  await pixel({ click, name: 'buy' }, AGENT.replace('Windows NT 10.0; Win64; x64', 'X11; Linux x86_64'))
  expect(await actions()).toBe(0)
  expect(await filtered()).toEqual({ other_visitor: 2 })
  clock.advance(20 * DAY_MS)
  await pixel({ click, name: 'buy' }, AGENT.replace('Chrome/140', 'Chrome/141'), '2001:db8::7')
  expect(await actions()).toBe(1)
})

test('one address has a limited number of actions per hour by pixel, and so has the network around it', async () => {
  const click = () => clicked()
  for (let n = 0; n < PER_HOUR + 3; n++) await pixel({ click: await click(), name: 'buy' })
  expect(await actions()).toBe(PER_HOUR)
  expect(await filtered()).toEqual({ too_many_actions: 3 })
  await pixel({ click: await click(), name: 'buy' }, AGENT, '203.0.113.2')
  // A duplicate uses up nothing.
  const again = await click()
  for (let n = 0; n < PER_HOUR; n++) await pixel({ click: again, name: 'buy' }, AGENT, '203.0.113.3')
  await pixel({ click: await click(), name: 'buy' }, AGENT, '203.0.113.3')
  expect(await actions()).toBe(PER_HOUR + 3)
  for (let n = 0; n < 4 * PER_HOUR + 5; n++)
    await pixel({ click: await click(), name: 'buy' }, AGENT, `2001:db8:1:${(n % 200).toString(16)}::1`)
  expect(await actions()).toBe(5 * PER_HOUR + 3)
  clock.advance(3_600_000)
  await pixel({ click: await click(), name: 'buy' })
  expect(await actions()).toBe(5 * PER_HOUR + 4)
})

test('old actions are deleted in bounded steps, figures stay, and neither click nor order counts again meanwhile', async () => {
  const click = await clicked()
  expect(await report({ click, name: 'buy', order: 'A' })).toEqual({ counted: true })
  await pixel({ click, name: 'buy' })
  clock.advance(10 * DAY_MS)
  const later = await clicked()
  expect(await report({ click: later, name: 'rent', order: 'B' })).toEqual({ counted: true })
  const figures = await figuresOf(counting.db, CUID)
  const names = () =>
    counting.db.rows('select cardinality(names) + cardinality(by_pixel) as names from action_names')
  expect(await names()).toEqual([{ names: 2 }])
  // The ad of the older actions was served before this moment, that of the later one after it.
  await sweepActions(counting.db, clock.nowMs() - 5 * DAY_MS)
  expect(await counting.db.rows('select dedupe from action')).toEqual([{ dedupe: 'o:B' }])
  expect(await counting.db.rows('select from action_click')).toEqual([])
  expect(await names()).toEqual([{ names: 1 }])
  expect(await figuresOf(counting.db, CUID)).toEqual(figures)
  expect(await report({ click: later, name: 'x', order: 'B' })).toEqual({
    counted: false,
    reason: 'duplicate',
  })
  await sweepActions(counting.db, clock.nowMs() - 5 * DAY_MS)
  expect(await counting.db.rows('select dedupe from action')).toHaveLength(1)
})

test('the sweep finds what is old by an index, whatever the number of actions', async () => {
  await counting.db.run(
    `insert into action (cuid, dedupe, at, name, served_at, ad_id, credited_to, cid, fid, pid, bid)
     select 1, 'o:' || n, now() - n * interval '1 minute', 'buy', now() - n * interval '1 minute', '\\x00', 'click', 1, 1, 1, 1
     from generate_series(1, 5000) n`,
  )
  await counting.db.run('analyze action')
  const plan = await counting.db.rows<{ 'QUERY PLAN': string }>(
    `explain select action_id from action where at < now() - interval '3 days' and served_at < now() order by at limit 1000 for update skip locked`,
  )
  expect(plan.map(row => row['QUERY PLAN']).join('\n')).toContain('Index Scan using action_by_age')
})
