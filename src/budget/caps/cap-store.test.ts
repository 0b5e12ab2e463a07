// Caps in a real Redis: no count is taken twice, whichever node asks, and no impression is forgotten.

import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { freePort } from '../../../test/support/ports.ts'
import { startRedis, type TestRedis } from '../../../test/support/redis.ts'
import { createLog } from '../../platform/log.ts'
import { createCapStore } from './cap-store.ts'
import type { CapStore, CapWish } from './shared-caps.ts'

let redis: TestRedis
let stores: CapStore[]
let deployment = 0
let ads = 0

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  redis.thaw()
  await redis.stop()
})
beforeEach(async () => {
  const prefix = `test:${++deployment}:`
  stores = [1, 2, 3].map(() => createCapStore({ url: redis.url, prefix, log: createLog('silent') }))
  await until(async () => (await Promise.all(stores.map(reaches))).every(Boolean) || null)
  return async () => {
    for (const store of stores) await store.close()
  }
})

async function reaches(store: CapStore): Promise<boolean> {
  return (await store.isComplete().catch(() => null)) !== null
}

function wish(changes: Partial<CapWish> = {}): CapWish {
  const user = { hi: 7, lo: 9 }
  return { cid: 1, dayKey: 20261115, user, adId: `ad-${++ads}`, freq: 2, ttlMs: 60_000, ...changes }
}

async function complete(store: CapStore): Promise<void> {
  expect(await store.complete(await store.generation())).toBe(true)
}

const answersOf = (all: string[][], answer: string) => all.flat().filter(one => one === answer).length

test('many parallel requests at several nodes are granted exactly as many counts as the cap allows', async () => {
  await complete(stores[0]!)
  const asked = Array.from({ length: 60 }, (_, n) => stores[n % 3]!.take([wish(), wish({ cid: 2, freq: 3 })]))
  const answers = await Promise.all(asked)
  expect(answersOf(answers, 'taken')).toBe(5)
  expect(answersOf(answers, 'capped')).toBe(115)
})

test('a returned count can be taken again, but not if its ad was seen, however often that is reported', async () => {
  await complete(stores[0]!)
  const [first, second] = [wish(), wish()]
  expect(await stores[0]!.take([first])).toEqual(['taken'])
  expect(await stores[1]!.take([second])).toEqual(['taken'])
  stores[2]!.count(first)
  stores[1]!.count(first)
  await until(async () => {
    // This works only after everything was loaded.
    stores[1]!.giveBack(first)
    stores[2]!.giveBack(second)
    return (await stores[0]!.take([wish()]))[0] === 'taken' ? true : null
  })
  expect(await stores[0]!.take([wish()])).toEqual(['capped'])
})

test('a server that answers with an error counts as unavailable, and the log contains its answer', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const prefix = `test:${deployment}:`
  const store = createCapStore({ url: redis.url, prefix, log })
  await until(async () => (await reaches(store)) || null)
  await complete(store)
  const client = new Redis(redis.url)
  await client.lpush(`${prefix}20261115:1:7.9`, 'the data of another program')
  expect(await store.take([wish()])).toEqual(['caps_away'])
  await client.quit()
  await store.close()
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    {
      reason: expect.stringContaining('WRONGTYPE'),
      msg: 'the server at CAPS_URL does not respond: campaigns with a cap wait',
    },
  ])
})

test('of a server that cannot be reached, the log says why, not what the driver makes of it', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const store = createCapStore({ url: `redis://127.0.0.1:${await freePort()}`, prefix: 'test:', log })
  await until(async () => {
    await store.take([wish()])
    return lines[0] ?? null
  })
  await store.close()
  expect(JSON.parse(lines[0]!).reason).toMatch(/^(connect ECONNREFUSED 127\.0\.0\.1:|it does not answer$)/)
})

test('a count whose ad was not seen is free when its time is over', async () => {
  await complete(stores[0]!)
  // The store keeps it 30 seconds longer than the ad lasts.
  for (const ttlMs of [-29_900, -29_900]) expect(await stores[0]!.take([wish({ ttlMs })])).toEqual(['taken'])
  await until(async () => ((await stores[1]!.take([wish()]))[0] === 'taken' ? true : null))
})

test('a server that does not know today’s impressions grants nothing until they are loaded', async () => {
  expect(await stores[0]!.take([wish()])).toEqual(['counts_missing'])
  const seen = wish()
  // It is loaded twice and also counted, and still counts once.
  for (let times = 0; times < 2; times++) await stores[1]!.loadSeen([seen])
  stores[2]!.count(seen)
  await complete(stores[1]!)
  expect(await stores[0]!.take([wish()])).toEqual(['taken'])
  expect(await stores[0]!.take([wish()])).toEqual(['capped'])
})

test('open ads of a node keep their counts in a server that was emptied, as long as they last', async () => {
  const generation = await stores[0]!.generation()
  expect(await stores[1]!.generation()).toBe(generation)
  const open = [wish(), wish()].map(count => ({ ...count, leftMs: 60_000 }))
  expect(await stores[1]!.loadOpen(generation, 7, open)).toBe(true)
  expect(await stores[0]!.nodesLoaded(generation, [6, 7])).toEqual([7])
  expect(await stores[0]!.complete(generation)).toBe(true)
  expect(await stores[2]!.take([wish()])).toEqual(['capped'])
  stores[1]!.giveBack(open[0]!)
  await until(async () => ((await stores[2]!.take([wish()]))[0] === 'taken' ? true : null))
})

test('a server that is emptied again while it is being loaded is not complete', async () => {
  const generation = await stores[0]!.generation()
  await redis.empty()
  expect(await stores[1]!.loadOpen(generation, 7, [{ ...wish(), leftMs: 60_000 }])).toBe(false)
  expect(await stores[0]!.complete(generation)).toBe(false)
  expect(await stores[0]!.generation()).not.toBe(generation)
  expect(await stores[0]!.nodesLoaded(generation, [7])).toEqual([])
  expect(await stores[0]!.take([wish()])).toEqual(['counts_missing'])
})

test('a server that does not answer grants nothing; what was seen meanwhile is reported when it is back', async () => {
  await complete(stores[0]!)
  const ad = wish({ freq: 1 })
  expect(await stores[0]!.take([ad])).toEqual(['taken'])
  redis.freeze()
  expect(await stores[1]!.take([wish({ cid: 5 })])).toEqual(['caps_away'])
  stores[1]!.count(ad)
  redis.thaw()
  stores[0]!.giveBack(ad)
  await until(async () =>
    (await stores[1]!.take([wish({ cid: 6, freq: 1000 })]))[0] === 'taken' ? true : null,
  )
  await until(async () => ((await stores[0]!.take([wish({ cid: 5, freq: 1 })]))[0] === 'taken' ? true : null))
  expect(await stores[2]!.take([wish({ freq: 1 })])).toEqual(['capped'])
})
