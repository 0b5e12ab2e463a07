// A budget of 100 impressions meets 1,000 simultaneous requests, through real sockets: one process alone sells it in
// that burst, three within the bursts of two seconds, and together never one more.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { freePort } from '../support/ports.ts'
import { createCaller } from './calls.ts'
import { type Exchange, type Order, openExchanges, placeOrders } from './orders.ts'
import { settingsFor, startWholeService } from './service.ts'
import { bidRequestFor } from './sold-ad.ts'
import type { Life } from './world.ts'

const IMPRESSIONS = 100
const REQUESTS = 1_000
/** Each burst takes longer than an answer of the database, and all together take at most two seconds. */
const BURSTS = 20
const CPM_MICROS = 2_000_000
const COUNTRIES = [
  ['CA', 'CAN'],
  ['DE', 'DEU'],
] as const

let dir: string
let postgres: EmbeddedPostgres
let db: Database
let exchange: Exchange
let orders: Order[]
const lives: Life[] = []
const caller = createCaller(100)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'marquee-last-'))
  postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: () => {} })
  await migrate(postgres.url)
  db = openDatabase({ url: postgres.url, maxConnections: 2, onError: () => {} })
  exchange = (await openExchanges(db))[0]!
  orders = await placeOrders(
    db,
    COUNTRIES.map(([country, country3]) => ({
      ...{ country, country3, cpmMicros: CPM_MICROS, freq: 0, pacing: 'asap', isFickle: false },
      dailySpendMicros: (IMPRESSIONS * CPM_MICROS) / 1000,
    })),
    0,
  )
})
afterAll(async () => {
  for (const life of lives) await life.kill()
  caller.cut()
  await db.close()
  await postgres.stop()
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

async function startNode(name: string): Promise<string> {
  const settings = settingsFor(await freePort(), postgres.url, join(dir, name))
  const life = startWholeService({ ...settings, ROLES: 'delivery' }, () => undefined)
  lives.push(life)
  const url = await life.started
  const ready = { method: 'GET', path: '/readyz' } as const
  await until(async () => ((await caller.call(url, ready, null))?.status === 200 ? true : null), 60_000)
  return url
}

/** Returns how many requests got an ad. */
async function burst(urls: string[], order: Order): Promise<number> {
  const answers = Array.from({ length: REQUESTS }, (_, n) => {
    const body = bidRequestFor(order, REQUESTS, () => n % 3)
    return caller.call(urls[n % urls.length]!, { method: 'POST', path: exchange.bidPath, body }, null)
  })
  return (await Promise.all(answers)).filter(answer => answer?.status === 200).length
}

/** Waits until all nodes have a share of this campaign. */
async function mustHaveShares(nodes: number, { cid }: Order): Promise<void> {
  await until(async () => {
    const rows = await db.rows('select from share where cid = $1 and granted_micros > 0', [cid])
    return rows.length === nodes ? true : null
  })
}

test('one process alone sells at least 95 of 100 at once, three sell them in 20 bursts, and never 101', {
  timeout: 300_000,
}, async () => {
  const urls = [await startNode('node-0')]
  await mustHaveShares(1, orders[0]!)
  const atOnce = await burst(urls, orders[0]!)
  expect(atOnce).toBeGreaterThanOrEqual(95)
  expect(atOnce + (await burst(urls, orders[0]!))).toBe(IMPRESSIONS)

  // The first node has all of the other budget until others come.
  urls.push(...(await Promise.all([startNode('node-1'), startNode('node-2')])))
  await mustHaveShares(3, orders[1]!)
  let sold = 0
  for (let n = 0; n < BURSTS && sold < 95; n++) sold += await burst(urls, orders[1]!)
  expect(sold).toBeGreaterThanOrEqual(95)
  for (let n = 0; n < 3; n++) sold += await burst(urls, orders[1]!)
  expect(sold).toBeLessThanOrEqual(IMPRESSIONS)
})
