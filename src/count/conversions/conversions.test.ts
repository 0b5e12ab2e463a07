// Actions: what they are credited to, and that each is counted once.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  AGENT,
  type Counting,
  startCounting,
  trialAd,
  trialUserHash,
} from '../../../bench/counting-service.ts'
import { until } from '../../../test/support/banners.ts'
import { brokenDown, figuresMustBeTheEvents, figuresOf } from '../../../test/support/counting.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type TestClock, testClock } from '../../../test/support/service.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { byQuarter, ofOne } from '../fold/figures-queries.ts'
import { foldAll } from '../fold/fold.ts'
import { clickIdOf, type ServedAd } from '../tracking/ad.ts'
import { USER_COOKIE } from '../tracking/cookie.ts'
import type { NewAction } from './contract.ts'
import { countServerAction, seenActions } from './conversions.ts'

let database: TestDatabase
let counting: Counting
let clock: TestClock

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  clock = testClock()
  counting = await startCounting({ databaseUrl: database.url, clock, batch: { ignoredFlushMs: 5 } })
  await counting.db.run(
    'truncate event, action, action_click, action_names, action_test, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, rollup_filtered',
  )
  await counting.db.run('update share set billed_micros = 0')
  return () => counting.stop()
})
afterAll(() => database.drop())

const CUID = 10

async function see(ad: ServedAd): Promise<ServedAd> {
  await counting.handle({ path: `/t/i/${counting.sign(ad).impression}` })
  return ad
}

async function clicked(more: Partial<ServedAd> = {}, headers = { 'user-agent': AGENT }): Promise<string> {
  return clickOn(await see(trialAd(counting, more)), headers)
}

async function clickOn(ad: ServedAd, headers = { 'user-agent': AGENT }): Promise<string> {
  const answer = await counting.handle({ path: `/t/c/${counting.sign(ad).click}`, headers })
  expect(answer.status).toBe(302)
  return clickIdOf(ad)
}

const report = (body: NewAction, cuid = CUID) =>
  countServerAction(counting.db, cuid, body, counting.conversions)

async function pixel(query: Record<string, string>, headers: Record<string, string> = {}): Promise<number> {
  const answer = await counting.handle({
    path: '/t/a.gif',
    query: new URLSearchParams(query).toString(),
    headers: { 'user-agent': AGENT, ...headers },
  })
  return answer.status
}

const cookieOf = (id: string) => counting.cookies.valueOf({ id, first: null })

async function actions(id = 20): Promise<number> {
  return ((await figuresOf(counting.db, id)) as { actions: number }).actions
}

const COUNTED = { counted: true }
const not = (reason: string) => ({ counted: false, reason })

describe('by click', () => {
  test('an action with a click id is credited to everything that the click belongs to', async () => {
    const click = await clicked()
    expect(await report({ click, name: 'purchase', value: 49.9, order: 'A-1' })).toEqual(COUNTED)
    for (const id of [10, 20, 30, 40, 50]) expect(await actions(id)).toBe(1)
    const row = await counting.db.row(
      'select name, value_micros, credited_to, dedupe, cid, country, device from action',
    )
    expect(row).toEqual({
      name: 'purchase',
      value_micros: 49_900_000,
      credited_to: 'click',
      dedupe: 'o:A-1',
      cid: 20,
      country: 'CA',
      device: 'desktop',
    })
    expect(await brokenDown(counting.db, 20)).toMatchObject({ 'action:purchase': [0, 0, 1] })
  })

  test('an order is counted once, whatever click and name it is reported with', async () => {
    const [one, other] = [await clicked(), await clicked()]
    expect(await report({ click: one, order: 'A', name: 'x' })).toEqual(COUNTED)
    expect(await report({ click: other, order: 'A', name: 'y' })).toEqual(not('duplicate'))
    expect(await report({ click: one, order: 'B' })).toEqual(COUNTED)
    expect(await actions()).toBe(2)
  })

  test('without an order, a click and name are counted once, even when reported at once', async () => {
    const click = await clicked()
    const answers = await Promise.all(Array.from({ length: 10 }, () => report({ click, name: 'signup' })))
    expect(answers.filter(answer => answer !== 'unavailable' && answer.counted)).toHaveLength(1)
    expect(await report({ click, name: 'other' })).toEqual(COUNTED)
    expect(await report({ click })).toEqual(COUNTED)
    expect(await report({ click, name: 'action' })).toEqual(not('duplicate'))
    expect(await actions()).toBe(3)
  })

  test('the same order number of two customers is two orders', async () => {
    expect(await report({ click: await clicked(), order: 'A' })).toEqual(COUNTED)
    expect(await report({ click: await clicked({ cuid: 11 }), order: 'A' }, 11)).toEqual(COUNTED)
  })

  test("another customer's click is unknown", async () => {
    expect(await report({ click: await clicked({ cuid: 11 }) })).toEqual(not('unknown_click'))
    expect(await actions(11)).toBe(0)
  })

  test('a click that was not counted or does not exist is unknown', async () => {
    const ad = trialAd(counting, { test: true })
    await counting.handle({ path: `/t/c/${counting.sign(ad).click}` })
    for (const click of [clickIdOf(ad), clickIdOf(trialAd(counting)), 'nonsense', 'A'.repeat(22)]) {
      expect(await report({ click })).toEqual(not('unknown_click'))
    }
  })

  test('30 days after the click an action is too old, a moment earlier it is not', async () => {
    const click = await clicked()
    clock.advance(30 * DAY_MS - 60_000)
    expect(await report({ click, name: 'a' })).toEqual(COUNTED)
    clock.advance(120_000)
    expect(await report({ click, name: 'b' })).toEqual(not('too_old'))
  })

  test('the reported time is the one that counts', async () => {
    const click = await clicked()
    const nowS = Math.floor(clock.nowMs() / 1000)
    expect(await report({ click, time: nowS + 3600 })).toEqual(not('future_time'))
    expect(await report({ click, time: nowS - 3600 })).toEqual(not('before_click'))
    clock.advance(40 * DAY_MS)
    expect(await report({ click, time: nowS + 29 * 86_400 })).toEqual(COUNTED)
    const row = await counting.db.row<{ at: Date }>('select at from action')
    expect(row!.at.getTime()).toBe((nowS + 29 * 86_400) * 1000)
  })
})

describe('by impression', () => {
  const ann = trialUserHash('user', 'ann')

  test('without a click id the latest impression by the same user within a day is credited', async () => {
    await see(trialAd(counting, { user: ann, bid: 51 }))
    clock.advance(1000)
    const latest = await see(trialAd(counting, { user: ann, bid: 52 }))
    expect(await report({ user: 'bob' })).toEqual(not('no_credit'))
    expect(await report({})).toEqual(not('no_credit'))
    expect(await report({ user: 'ann' })).toEqual(COUNTED)
    expect(await actions(52)).toBe(1)
    const row = await counting.db.row('select credited_to, dedupe from action')
    expect(row).toEqual({ credited_to: 'view', dedupe: `v:${latest.adId}:action` })
    expect(await report({ user: 'ann' })).toEqual(not('duplicate'))
  })

  test('a day later an impression is not credited', async () => {
    await see(trialAd(counting, { user: ann }))
    clock.advance(DAY_MS - 60_000)
    expect(await report({ user: 'ann', name: 'a' })).toEqual(COUNTED)
    clock.advance(120_000)
    expect(await report({ user: 'ann', name: 'b' })).toEqual(not('no_credit'))
  })

  test("the impressions of other customers' ads are ignored", async () => {
    await see(trialAd(counting, { user: ann, cuid: 11 }))
    expect(await report({ user: 'ann' })).toEqual(not('no_credit'))
  })

  test('a useless click id does not take the impression away', async () => {
    await see(trialAd(counting, { user: ann }))
    expect(await report({ user: 'ann', click: 'nonsense' })).toEqual(COUNTED)
  })
})

describe('values', () => {
  const worth = async () => {
    const ever = { from: `'2000-01-01Z'`, to: `'2100-01-01Z'`, fromQuarter: '0', toQuarter: '10000000' }
    const figures = byQuarter(ofOne('campaign'), ever)
    const row = await counting.db.row<{ value: number }>(
      `select sum(value_micros)::bigint as value from ${figures}`,
      [20, 20],
    )
    return row!.value
  }
  const waiting = () => counting.db.rows('select value_micros from fresh_value order by value_micros')

  test('are in the figures at once, without a sum that the answer waits for, and the same when folded', async () => {
    const click = await clicked()
    expect(await report({ click, value: 40, order: 'A' })).toEqual(COUNTED)
    expect(await report({ click, value: 40, order: 'A' })).toEqual(not('duplicate'))
    expect(await report({ click, value: 2.5, order: 'B' })).toEqual(COUNTED)
    expect(await report({ click, order: 'C' })).toEqual(COUNTED)
    expect(await waiting()).toEqual([{ value_micros: 2_500_000 }, { value_micros: 40_000_000 }])
    expect(await counting.db.rows('select from rollup_value')).toEqual([])
    expect(await worth()).toBe(42_500_000)
    await figuresMustBeTheEvents(counting.db)
    await foldAll(counting.db)
    expect(await waiting()).toEqual([])
    expect(await worth()).toBe(42_500_000)
    await figuresMustBeTheEvents(counting.db)
  })

  test('of the version before, which runs beside this one during an upgrade, are added up once', async () => {
    const click = await clicked()
    expect(await report({ click, value: 1, name: 'buy', order: 'new' })).toEqual(COUNTED)
    await counting.db.run(
      `insert into action (cuid, dedupe, at, name, value_micros, served_at, ad_id, credited_to, cid, fid, pid, bid,
         place_hash, device, os, country, locality, audience)
       select cuid, 'o:before', at, name, value_micros, served_at, ad_id, credited_to, cid, fid, pid, bid, place_hash,
         device, os, country, locality, audience from action`,
    )
    expect(await waiting()).toHaveLength(1)
    expect(await worth()).toBe(2_000_000)
    // It folds the conversions, and leaves what they are worth.
    await counting.db.run(`delete from fresh where kind = 'a'`)
    await foldAll(counting.db)
    expect(await waiting()).toEqual([])
    expect(await worth()).toBe(2_000_000)
  })
})

describe('by pixel', () => {
  test('what is reported both by pixel and by server is counted twice, once each way, with or without an order', async () => {
    const click = await clicked()
    expect(await pixel({ click, name: 'buy', order: 'A' })).toBe(200)
    expect(await report({ click, name: 'buy', order: 'A' })).toEqual(COUNTED)
    expect(await actions()).toBe(2)
    const other = await clicked()
    expect(await report({ click: other, name: 'buy' })).toEqual(COUNTED)
    expect(await pixel({ click: other, name: 'buy' })).toBe(200)
    expect(await actions()).toBe(4)
    // Neither way is counted more than once.
    expect(await report({ click: other, name: 'buy' })).toEqual(not('duplicate'))
    expect(await report({ click: other, name: 'buy', order: 'A' })).toEqual(not('duplicate'))
    for (const order of ['A', 'B', '']) await pixel({ click: other, name: 'buy', order })
    expect(await actions()).toBe(4)
  })

  test('a pixel does not count what an older version counted, which did not tell the two ways apart', async () => {
    const click = await clicked()
    expect(await report({ click, name: 'buy' })).toEqual(COUNTED)
    await counting.db.run('update action set by_pixel = null')
    await pixel({ click, name: 'buy' })
    expect(await report({ click, name: 'buy' })).toEqual(not('duplicate'))
    expect(await actions()).toBe(1)
  })

  test('a pixel takes no order number, and counts once for its click and name whatever order it names', async () => {
    const click = await clicked()
    for (const order of ['A', 'B', 'C']) expect(await pixel({ click, name: 'buy', order })).toBe(200)
    expect(await actions()).toBe(1)
    for (const order of ['A', 'B']) expect(await report({ click, name: 'buy', order })).toEqual(COUNTED)
    expect(await pixel({ click: await clicked(), name: 'buy', order: 'A' })).toBe(200)
    expect(await actions()).toBe(4)
  })

  test('an action for a customer that does not exist writes nothing', async () => {
    await counting.db.run(`insert into app (app_id, name, created_at) values (1, 'a', now())`)
    await counting.db.run(
      `insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
       values (10, 1, 'Bikes', 'a@b.example', 'a@b.example', now(), now())`,
    )
    for (const cuid of ['10', '20', '987654321']) expect(await pixel({ cuid, click: 'nonsense' })).toBe(200)
    await until(async () => counting.batcher.isIdle() || null)
    const rows = await counting.db.rows('select id, reason, actions from rollup_filtered')
    expect(rows).toEqual([{ id: 10, reason: 'unknown_click', actions: 1 }])
  })

  test('the pixel is a GIF, and counts like a server call', async () => {
    const click = await clicked()
    const query = { click, name: ' sign up ', value: '12.345', order: 'ä/1' }
    expect(await pixel(query)).toBe(200)
    expect(await pixel(query)).toBe(200)
    const row = await counting.db.row('select name, value_micros, dedupe from action')
    expect(row).toEqual({
      name: 'sign up',
      value_micros: 12_345_000,
      dedupe: expect.stringMatching(/^pc:[\w-]{16}:sign up$/),
    })
    expect(await actions()).toBe(1)
  })

  test('an invalid value is left out, and so are control characters', async () => {
    for (const value of ['', 'x', '-1', '1e9', '99999999999', '0x10']) {
      expect(await pixel({ click: await clicked(), value, name: 'a\u0000b' })).toBe(200)
    }
    const rows = await counting.db.rows('select distinct name, value_micros from action')
    expect(rows).toEqual([{ name: 'ab', value_micros: null }])
    expect(await actions()).toBe(6)
  })

  test('the first-party cookie credits an impression', async () => {
    await see(trialAd(counting, { user: trialUserHash('cookie', 'c1') }))
    expect(await pixel({}, { cookie: `a=b; ${USER_COOKIE}=c1` })).toBe(200)
    expect(await actions()).toBe(0)
    await pixel({}, { cookie: `a=b; ${USER_COOKIE}=${cookieOf('c1')}; z=1` })
    expect(await actions()).toBe(1)
  })

  test('a pixel that names no customer is credited only if exactly one customer is possible', async () => {
    const user = trialUserHash('cookie', 'c2')
    const cookie = `${USER_COOKIE}=${cookieOf('c2')}`
    await see(trialAd(counting, { user }))
    await see(trialAd(counting, { user, cuid: 11, cid: 20 }))
    await pixel({}, { cookie })
    expect(await actions()).toBe(0)
    await pixel({ cuid: '11' }, { cookie })
    expect([await actions(10), await actions(11)]).toEqual([0, 1])
    expect(await pixel({ cuid: 'x' }, { cookie })).toBe(400)
  })

  test('bots and prefetches are answered and shown as filtered', async () => {
    const click = await clicked()
    expect(await pixel({ click }, { 'user-agent': 'Googlebot/2.1' })).toBe(200)
    expect(await pixel({ click }, { 'sec-purpose': 'prefetch' })).toBe(200)
    await new Promise(resolve => setTimeout(resolve, 100))
    const rows = await counting.db.rows(
      'select reason, actions from rollup_filtered where id = 50 order by reason',
    )
    expect(rows).toEqual([
      { reason: 'bot', actions: 1 },
      { reason: 'prefetch', actions: 1 },
    ])
    expect(await pixel({ click })).toBe(200)
    expect(await actions()).toBe(1)
  })

  test('an endless query is refused', async () => {
    expect(await pixel({ name: 'x'.repeat(5000) })).toBe(400)
  })
})

describe('tests', () => {
  const seen = () => seenActions(counting.db, CUID)

  test('a test is counted nowhere, reports what would have happened, and is shown until the next', async () => {
    await counting.db.run(
      `insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
       select $1, 1, 'A', 'a@a.example', 'a@a.example', now(), now() on conflict do nothing`,
      [CUID],
    )
    const click = await clicked()
    expect(await report({ click, name: 'buy', order: 'A-1', test: true })).toEqual(not('test'))
    expect(await seen()).toMatchObject({ actions: [], test: { name: 'buy', by: 'server', reason: null } })
    expect(await pixel({ click, name: 'sign-up', test: '1' })).toBe(200)
    expect((await seen()).test).toMatchObject({ name: 'sign-up', by: 'pixel', reason: null })
    expect(await report({ click: 'never', name: 'buy', test: true })).toEqual(not('unknown_click'))
    expect((await seen()).test).toMatchObject({ by: 'server', reason: 'unknown_click' })
    expect([await actions(), (await counting.db.rows('select 1 from action')).length]).toEqual([0, 0])
    // Neither the order nor the click is used up.
    expect(await report({ click, name: 'buy', order: 'A-1' })).toEqual(COUNTED)
    expect(await report({ click, name: 'sign-up' })).toEqual(COUNTED)
    clock.advance(60_000)
    expect(await report({ click, name: 'buy', order: 'A-2' })).toEqual(COUNTED)
    const { actions: names } = await seen()
    expect(names.map(({ name }) => name)).toEqual(['buy', 'sign-up'])
    expect(names[0]!.last - names[1]!.last).toBeGreaterThanOrEqual(60)
  })

  test('a stranger writes nothing: a test by pixel is kept only for a click on an ad of that customer', async () => {
    for (const [cuid, at] of [CUID, 11].entries())
      await counting.db.run(
        `insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
         select $1, 1, 'A', $2, $2, now(), now() on conflict do nothing`,
        [at, `${cuid}@t.example`],
      )
    const others = await clicked({ cuid: 11 })
    const user = trialUserHash('cookie', 'c9')
    await see(trialAd(counting, { user }))
    const cookie = `${USER_COOKIE}=${cookieOf('c9')}`
    const cuid = String(CUID)
    await pixel({ cuid, name: 'BUY-MY-PILLS', test: '1' })
    await pixel({ cuid, name: 'BUY-MY-PILLS', test: '1', click: 'nonsense' })
    await pixel({ cuid, name: 'BUY-MY-PILLS', test: '1', click: others })
    await pixel({ cuid, name: 'BUY-MY-PILLS', test: '1' }, { cookie })
    expect(await counting.db.rows('select * from action_test')).toEqual([])
    expect(await counting.db.rows('select * from action_names')).toEqual([])
    await pixel({ cuid, name: 'sign-up', test: '1', click: await clicked() })
    expect((await seen()).test).toMatchObject({ name: 'sign-up', by: 'pixel', reason: null })
  })

  test('a test for a customer that does not exist is not kept', async () => {
    await pixel({ cuid: '999', name: 'x', test: '1' })
    expect(await counting.db.rows('select 1 from action_test where cuid = 999')).toEqual([])
  })
})
