// Tests tracking calls end to end: what is counted, billed and redirected, and what is not.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  AGENT,
  type Counting,
  startCounting,
  TRIAL_CAMPAIGN,
  trialAd,
  trialUserHash,
} from '../../../bench/counting-service.ts'
import { brokenDown, figuresOf, NONE } from '../../../test/support/counting.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type TestClock, testClock } from '../../../test/support/service.ts'
import { foldAll } from '../fold/fold.ts'
import { clickIdOf, type ServedAd } from './ad.ts'

let database: TestDatabase
let counting: Counting
let clock: TestClock
const clickUrls = new Map<number, string | null>()

beforeAll(async () => {
  database = await createTestDatabase()
  clock = testClock()
  counting = await startCounting({
    databaseUrl: database.url,
    clock,
    clickUrlOf: bid => (clickUrls.has(bid) ? clickUrls.get(bid)! : 'https://bikes.example/'),
    batch: { ignoredFlushMs: 5 },
    onTrouble: error => console.error(error),
  })
})
afterAll(async () => {
  await counting.stop()
  await database.drop()
})
beforeEach(async () => {
  await settled()
  await counting.db.run(
    'truncate event, action, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, rollup_filtered',
  )
  await counting.db.run('update share set billed_micros = 0')
})

const CLIENT = { 'user-agent': AGENT }
const pixel = (ad: ServedAd, more = {}) =>
  counting.handle({ path: `/t/i/${counting.sign(ad).impression}`, ...more })
const notice = (ad: ServedAd, query = '', more = {}) =>
  counting.handle({ path: `/t/b/${counting.sign(ad).billing}`, query, headers: {}, ...more })
const click = (ad: ServedAd, more = {}) =>
  counting.handle({ path: `/t/c/${counting.sign(ad).click}`, ...more })
const onNotice = (more: Partial<ServedAd> = {}) =>
  trialAd(counting, { billsOn: 'notice', takesPrice: true, ...more })

/** Waits until ignored calls are in the statistics, too. */
async function settled(): Promise<void> {
  while (!counting.batcher.isIdle()) await new Promise(resolve => setTimeout(resolve, 2))
}

const figures = (id: number) => figuresOf(counting.db, id)

async function filtered(id: number) {
  await settled()
  const rows = await counting.db.rows<{ reason: string; n: number[] }>(
    'select reason, array[imps, clicks, actions]::int[] as n from rollup_filtered where id = $1',
    [id],
  )
  return Object.fromEntries(rows.map(row => [row.reason, row.n]))
}

const ONE = { imps: 1, clicks: 0, actions: 0, spend: 2000 }

describe('impressions', () => {
  test('a pixel is a 43-byte GIF that nobody may cache, and counts for everything its ad belongs to', async () => {
    const answer = await pixel(trialAd(counting))
    expect(answer.status).toBe(200)
    expect(answer.body).toHaveLength(43)
    expect(answer.headers).toMatchObject({ 'content-type': 'image/gif' })
    expect(answer.headers['cache-control']).toContain('no-store')
    for (const id of [10, 20, 30, 40, 50]) expect(await figures(id)).toEqual(ONE)
    const spent = await counting.db.row('select cid, spent_micros from budget_day')
    expect(spent).toEqual({ cid: 20, spent_micros: 2000 })
  })

  test('an impression reported again and again, even at once, is counted once', async () => {
    const ad = trialAd(counting)
    await Promise.all(Array.from({ length: 20 }, () => pixel(ad)))
    expect((await pixel(ad)).status).toBe(200)
    expect(await figures(20)).toEqual(ONE)
    expect(await filtered(20)).toEqual({ duplicate: [20, 0, 0] })
  })

  test('of the pixel and the notice of one ad, exactly the one that bills is counted, in any order', async () => {
    for (const order of [
      [pixel, notice],
      [notice, pixel],
    ]) {
      for (const ad of [onNotice(), trialAd(counting, { takesPrice: true })]) {
        for (const report of order) expect((await report(ad)).status).toBe(200)
      }
    }
    expect(await figures(20)).toEqual({ ...ONE, imps: 4, spend: 8000 })
    expect(await filtered(20)).toEqual({})
    const metric = await counting.metrics.registry.getSingleMetricAsString('marquee_tracking_calls_total')
    expect(metric).toContain('{call="pixel",outcome="evidence"} 2')
  })

  test.each([
    ['', 2000],
    ['p=', 2000],
    ['p=1.5', 1500],
    ['p=0', 0],
    ['p=0.0004', 0],
    ['p=2', 2000],
    ['p=2.01', 2000],
    ['p=-1', 2000],
    ['p=NaN', 2000],
    ['p=$%7BAUCTION_PRICE%7D', 2000],
    ['p=1e-1', 100],
    ['p=Infinity', 2000],
    ['p=%00', 2000],
    ['p=1.5&p=0', 1500],
  ])('a notice with "%s" costs %i micro-units', async (query, spend) => {
    await notice(onNotice(), query)
    expect(await figures(20)).toEqual({ ...ONE, spend })
  })

  test('an audit is not counted, and does not use up the ad', async () => {
    const ad = onNotice()
    expect((await notice(ad, 'p=AUDIT')).status).toBe(200)
    expect(await figures(20)).toEqual(NONE)
    expect(await filtered(20)).toEqual({ audit: [1, 0, 0] })
    await notice(ad, 'p=1')
    expect(await figures(20)).toEqual({ ...ONE, spend: 1000 })
  })

  test('a visitor cannot set the price of a tag', async () => {
    await pixel(trialAd(counting), { query: 'p=0' })
    expect(await figures(20)).toEqual(ONE)
  })

  test("a person's pixel counts after a bot's and a prefetch", async () => {
    const ad = trialAd(counting)
    await pixel(ad, { headers: { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' } })
    await pixel(ad, { headers: {} })
    await pixel(ad, { headers: { ...CLIENT, 'sec-purpose': 'prefetch;prerender' } })
    expect(await figures(20)).toEqual(NONE)
    expect((await pixel(ad)).status).toBe(200)
    expect(await figures(20)).toEqual(ONE)
    expect(await filtered(50)).toEqual({ bot: [2, 0, 0], prefetch: [1, 0, 0] })
  })

  test('a notice comes from a server, so agent lists do not apply to it', async () => {
    await notice(onNotice(), '', { headers: { 'user-agent': 'Googlebot/2.1' } })
    await notice(onNotice(), '', { method: 'POST', body: Buffer.from('{}') })
    expect(await figures(20)).toEqual({ ...ONE, imps: 2, spend: 4000 })
  })

  test('test bids and foreign domains are answered and never counted', async () => {
    for (const more of [{ test: true }, { foreignDomain: true }]) {
      expect((await pixel(trialAd(counting, more))).status).toBe(200)
      expect((await notice(onNotice(more))).status).toBe(200)
      expect((await click(trialAd(counting, more))).status).toBe(302)
    }
    expect(await figures(20)).toEqual(NONE)
    expect(await filtered(20)).toEqual({ test: [2, 1, 0], foreign_domain: [2, 1, 0] })
  })

  test('an impression after its reservation is answered and not billed', async () => {
    const ad = trialAd(counting, { servedS: Math.floor(clock.nowMs() / 1000) - 301 })
    expect((await pixel(ad)).status).toBe(200)
    expect(await figures(20)).toEqual(NONE)
    expect(await filtered(20)).toEqual({ late: [1, 0, 0] })
  })

  test('an impression is counted in the quarter of an hour in which it came', async () => {
    const quarterNow = () => Math.floor(clock.nowMs() / 900_000) * 900_000
    const before = quarterNow()
    await pixel(trialAd(counting))
    const after = quarterNow()
    await foldAll(counting.db)
    const row = await counting.db.row<{ quarter: Date }>('select quarter from rollup where id = 20')
    // A quarter may begin while the pixel is answered.
    expect([before, after]).toContain(row!.quarter.getTime())
  })
})

describe('losses', () => {
  test('a loss frees the money, and an impression that still comes is billed if the money is there', async () => {
    const ad = onNotice()
    const wish = { adId: ad.adId, cid: 20, priceMicros: 2000, user: null, ttlMs: 300_000, random: 0 }
    expect(counting.ledger.reserve(wish, clock.nowMs())).toMatchObject({ adId: ad.adId })
    const lost = await counting.handle({ path: `/t/l/${counting.sign(ad).loss}`, method: 'POST' })
    expect(lost.status).toBe(200)
    expect(counting.ledger.account(20, ad.dayKey)!.reservedMicros).toBe(0)
    expect((await notice(ad)).status).toBe(200)
    expect(await figures(20)).toEqual(ONE)
  })

  test('without money it is late', async () => {
    const ad = onNotice()
    counting.ledger.setCampaign({ ...TRIAL_CAMPAIGN, dailySpendMicros: 0 }, clock.nowMs())
    await counting.handle({ path: `/t/l/${counting.sign(ad).loss}` })
    expect((await notice(ad)).status).toBe(200)
    counting.ledger.setCampaign(TRIAL_CAMPAIGN, clock.nowMs())
    expect(await figures(20)).toEqual(NONE)
    expect(await filtered(20)).toEqual({ late: [1, 0, 0] })
  })
})

describe('clicks', () => {
  test('a click leads to the stored address with the click id, and is counted once', async () => {
    const ad = trialAd(counting)
    await pixel(ad)
    const answer = await click(ad)
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBe(`https://bikes.example/?mqclid=${clickIdOf(ad)}`)
    expect(answer.headers['cache-control']).toContain('no-store')
    expect((await click(ad)).status).toBe(302)
    expect(await figures(20)).toEqual({ ...ONE, clicks: 1 })
    expect(await filtered(20)).toEqual({ duplicate: [0, 1, 0] })
  })

  test('a click without a counted impression leads to the page, and is filtered: no rate is above one', async () => {
    const [refused, late] = [trialAd(counting), trialAd(counting)]
    await pixel(refused, { headers: { 'user-agent': 'curl/8.0' } })
    for (const ad of [refused, refused, late]) expect((await click(ad)).status).toBe(302)
    expect(await figures(20)).toEqual(NONE)
    expect(await filtered(20)).toEqual({ bot: [1, 0, 0], no_impression: [0, 3, 0] })
    await pixel(late)
    await click(late)
    expect(await figures(20)).toEqual({ ...ONE, clicks: 1 })
  })

  test.each([
    ['https://a.example/x?q=a%20b&r=1+2', 'https://a.example/x?q=a%20b&r=1+2&mqclid=ID'],
    ['https://a.example/x?', 'https://a.example/x?mqclid=ID'],
    ['https://a.example/x#top', 'https://a.example/x?mqclid=ID#top'],
    ['https://a.example/ä?ü=ö', 'https://a.example/%C3%A4?%C3%BC=%C3%B6&mqclid=ID'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/?mqclid=ID'],
  ])('%s keeps all of its parts', async (stored, expected) => {
    clickUrls.set(51, stored)
    const ad = trialAd(counting, { bid: 51 })
    const answer = await click(ad)
    expect(answer.headers.location).toBe(expected.replace('ID', clickIdOf(ad)))
  })

  test('the destination is never taken from the request', async () => {
    const answer = await click(trialAd(counting), { query: 'url=https://evil.example/&mqclid=x' })
    expect(new URL(String(answer.headers.location)).host).toBe('bikes.example')
  })

  test('a click more than 30 days after its ad redirects and is not counted', async () => {
    const ad = trialAd(counting, { servedS: Math.floor(clock.nowMs() / 1000) - 30 * 86_400 - 1 })
    expect((await click(ad)).status).toBe(302)
    expect(await figures(20)).toEqual(NONE)
    expect(await filtered(20)).toEqual({ late: [0, 1, 0] })
  })

  test('a click on an ad from a day without any ads leads to the page', async () => {
    const ad = trialAd(counting, { servedS: Math.floor(clock.nowMs() / 1000) - 20 * 86_400 })
    expect((await click(ad)).status).toBe(302)
    expect(await filtered(20)).toEqual({ no_impression: [0, 1, 0] })
  })

  test('bots and prefetches are redirected and not counted', async () => {
    const ad = trialAd(counting)
    expect((await click(ad, { headers: { 'user-agent': 'curl/8.0' } })).status).toBe(302)
    expect((await click(ad, { headers: { ...CLIENT, 'x-moz': 'prefetch' } })).status).toBe(302)
    expect(await filtered(20)).toEqual({ bot: [0, 1, 0], prefetch: [0, 1, 0] })
  })

  test('an ad that leads nowhere is 404 and counts nothing', async () => {
    clickUrls.set(52, null)
    expect((await click(trialAd(counting, { bid: 52 }))).status).toBe(404)
    expect(await figures(20)).toEqual(NONE)
  })
})

describe('invalid calls', () => {
  test('a forged link is 400, counts nothing and never redirects', async () => {
    const tokens = counting.sign(trialAd(counting))
    for (const path of [
      `/t/c/${tokens.impression}`,
      `/t/i/${tokens.click}`,
      `/t/b/${tokens.loss}`,
      `/t/l/${tokens.billing}`,
      `/t/c/${tokens.click.slice(0, -1)}`,
      `/t/c/${tokens.click}x`,
      `/t/i/${'A'.repeat(5000)}`,
      '/t/i/',
      '/t/c/%',
    ]) {
      const answer = await counting.handle({ path })
      expect(answer.status, path).toBe(path === '/t/i/' ? 404 : 400)
      expect(answer.headers.location).toBeUndefined()
      expect(JSON.parse(String(answer.body))).toMatchObject({ message: expect.any(String) })
    }
    expect(await figures(20)).toEqual(NONE)
  })

  test('other methods get 405 with the allowed ones, and count nothing', async () => {
    const tokens = counting.sign(trialAd(counting))
    for (const [path, allow] of [
      [`/t/i/${tokens.impression}`, 'GET'],
      [`/t/c/${tokens.click}`, 'GET'],
      [`/t/b/${tokens.billing}`, 'GET, POST'],
      [`/t/l/${tokens.loss}`, 'GET, POST'],
      ['/t/a.gif', 'GET'],
    ]) {
      for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS', ...(allow === 'GET' ? ['POST'] : [])]) {
        const answer = await counting.handle({ path: path!, method })
        expect([answer.status, answer.headers.allow]).toEqual([405, allow])
      }
    }
    expect(await figures(20)).toEqual(NONE)
  })

  test('a trailing slash is accepted', async () => {
    const ad = trialAd(counting)
    await counting.handle({ path: `/t/i/${counting.sign(ad).impression}/` })
    expect(await figures(20)).toEqual(ONE)
  })

  test.each(['/t/', '/t/x/y', '/t/i', '/t/__proto__/x', '/t/constructor', '/t/a.gif/x'])(
    '%s is 404',
    async path => {
      expect((await counting.handle({ path })).status).toBe(404)
    },
  )
})

describe('by dimension', () => {
  test('an event is found under its place, device, system, country, banner, persona and hour', async () => {
    await pixel(trialAd(counting))
    const inApp = trialAd(counting, {
      placeHash: counting.places.hashOf('app', 'com.game'),
      device: 'mobile',
      os: 'iOS',
    })
    await pixel(inApp)
    await click(inApp)
    await pixel(trialAd(counting, { placeHash: null, device: null, os: null, country: null }))
    const unknown = ['region', 'city', 'size', 'age', 'gender', 'category'].map(name => [
      `${name}:unknown`,
      [3, 1, 0],
    ])
    const hour = new Date(clock.nowMs()).toISOString().slice(11, 13)
    const wanted = {
      'domain:news.example': [1, 0, 0],
      'domain:(app)': [1, 1, 0],
      'domain:unknown': [1, 0, 0],
      'app:com.game': [1, 1, 0],
      'app:(web)': [1, 0, 0],
      'app:unknown': [1, 0, 0],
      'device:desktop': [1, 0, 0],
      'device:mobile': [1, 1, 0],
      'device:unknown': [1, 0, 0],
      'os:Windows': [1, 0, 0],
      'os:iOS': [1, 1, 0],
      'os:unknown': [1, 0, 0],
      'country:CA': [2, 1, 0],
      'country:unknown': [1, 0, 0],
      'banner:50': [3, 1, 0],
      'persona:40': [3, 1, 0],
      [`hour:${hour}`]: [3, 1, 0],
      ...Object.fromEntries(unknown),
    }
    expect(await brokenDown(counting.db, 20)).toEqual(wanted)
    await foldAll(counting.db)
    expect(await brokenDown(counting.db, 20)).toEqual(wanted)
  })

  test('the name of a place survives the process that knew it, whenever it died', async () => {
    const placeHash = counting.places.hashOf('domain', 'kept.example')
    const placeName = counting.places.carriedNameOf(placeHash)
    expect(placeName).toEqual({ kind: 'domain', name: 'kept.example' })
    const { impression } = counting.sign(trialAd(counting, { placeHash, placeName }))
    // Nothing was counted there yet: only the link contains the name.
    const later = await startCounting({ databaseUrl: database.url, clock })
    await later.handle({ path: `/t/i/${impression}` })
    expect(later.places.carriedNameOf(placeHash)).toBeNull()
    const tokens = later.sign(trialAd(later, { placeHash }))
    await later.stop()
    const last = await startCounting({ databaseUrl: database.url, clock })
    await last.handle({ path: `/t/i/${tokens.impression}` })
    await last.handle({ path: `/t/c/${tokens.click}` })
    await last.stop()
    expect(await brokenDown(counting.db, 20)).toMatchObject({ 'domain:kept.example': [2, 1, 0] })
  })
})

describe('users', () => {
  test('the event has the hash from the link, and nothing else about the user', async () => {
    await pixel(trialAd(counting, { user: trialUserHash('user', 'ann') }))
    const row = await counting.db.row('select user_hi, user_lo from event')
    expect(row).toEqual({ user_hi: 0x75616e6e, user_lo: 0 })
  })
})
