// Tracking while the database is away: what each caller gets, and what happens to its event.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counting, startCounting, trialAd } from '../../../bench/counting-service.ts'
import { figuresOf, NONE } from '../../../test/support/counting.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type TestClock, testClock } from '../../../test/support/service.ts'

let database: TestDatabase
let clock: TestClock

beforeAll(async () => {
  database = await createTestDatabase()
  clock = testClock()
})
afterAll(() => database.drop())

async function withoutDatabase(batch: object, work: (away: Counting, back: () => void) => Promise<void>) {
  let back = () => {}
  const isBack = new Promise<void>(resolve => {
    back = resolve
  })
  const away = await startCounting({
    databaseUrl: database.url,
    clock,
    batch,
    wrapIngest: ingest => batched => isBack.then(() => ingest(batched)),
  })
  try {
    await work(away, back)
  } finally {
    back()
    await away.stop()
  }
}

test('nothing is acknowledged, the visitor notices nothing, and it is counted when the database is back', async () => {
  await withoutDatabase({}, async (away, back) => {
    const [seen, billed] = [trialAd(away), trialAd(away, { billsOn: 'notice', takesPrice: true })]
    const calls = [
      away.handle({ path: `/t/i/${away.sign(seen).impression}` }),
      away.handle({ path: `/t/c/${away.sign(seen).click}` }),
      away.handle({ path: `/t/b/${away.sign(billed).billing}`, headers: {} }),
    ]
    await new Promise(resolve => setTimeout(resolve, 20))
    clock.advance(6000)
    const [pixelAnswer, clickAnswer, noticeAnswer] = await Promise.all(calls)
    expect([pixelAnswer!.status, pixelAnswer!.headers['content-type']]).toEqual([503, 'image/gif'])
    expect(pixelAnswer!.body).toHaveLength(43)
    expect([clickAnswer!.status, String(clickAnswer!.headers.location).slice(0, 30)]).toEqual([
      307,
      'https://bikes.example/?mqclid=',
    ])
    expect(noticeAnswer!.status).toBe(503)
    expect(await figuresOf(away.db, 20)).toEqual(NONE)
    expect(away.ledger.account(20, seen.dayKey)!.reservedMicros).toBe(4000)
    back()
    while (away.batcher.queued() > 0) await new Promise(resolve => setTimeout(resolve, 5))
    expect(await figuresOf(away.db, 20)).toEqual({ imps: 2, clicks: 1, actions: 0, spend: 4000 })
    expect(away.ledger.account(20, seen.dayKey)).toMatchObject({ reservedMicros: 0, spentMicros: 4000 })
    expect((await away.handle({ path: `/t/b/${away.sign(billed).billing}` })).status).toBe(200)
    expect(await figuresOf(away.db, 20)).toMatchObject({ imps: 2 })
  })
})

test('a full queue accepts nothing more, and no money is reserved for it', async () => {
  await withoutDatabase({ maxQueued: 0 }, async away => {
    const ad = trialAd(away)
    expect((await away.handle({ path: `/t/i/${away.sign(ad).impression}` })).status).toBe(503)
    expect((await away.handle({ path: `/t/c/${away.sign(ad).click}` })).status).toBe(307)
    expect(away.ledger.account(20, ad.dayKey)?.reservedMicros ?? 0).toBe(0)
  })
})
