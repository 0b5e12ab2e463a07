// The reseller's race: a balance of 1.00, two campaigns, three processes, all asked at once. Exactly 1.00 is billed, or
// up to the last whole impression below it; then a credit resumes delivery.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTx } from '../../src/changes/tx.ts'
import { systemClock } from '../../src/kernel/time/clock.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { accounts, creditCustomer, readAccount } from '../../src/report/accounts/accounts.ts'
import { until } from '../support/banners.ts'
import { freePort } from '../support/ports.ts'
import { createCaller } from './calls.ts'
import { type Exchange, type Order, openExchanges, placeOrders } from './orders.ts'
import { settingsFor, startWholeService } from './service.ts'
import { bidRequestFor, soldAdOf } from './sold-ad.ts'
import type { Life } from './world.ts'

const NODES = 3
const REQUESTS = 300
const PATIENCE_MS = 120_000
const COUNTRIES = [
  ['CA', 'CAN', 2_000_000],
  ['DE', 'DEU', 3_070_000],
] as const
const CHEAPEST_MICROS = 2_000

let dir: string
let postgres: EmbeddedPostgres
let db: Database
let exchange: Exchange
let orders: Order[]
let cuid: number
const lives: Life[] = []
const caller = createCaller(100)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'marquee-prepaid-'))
  postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: () => {} })
  await migrate(postgres.url)
  db = openDatabase({ url: postgres.url, maxConnections: 2, onError: () => {} })
  exchange = (await openExchanges(db)).find(({ billsOn }) => billsOn === 'pixel')!
  orders = await placeOrders(
    db,
    COUNTRIES.map(([country, country3, cpmMicros]) => ({
      ...{ country, country3, cpmMicros, freq: 0, pacing: 'asap', isFickle: false },
      dailySpendMicros: 100_000_000,
    })),
    0,
  )
  const row = await db.row<{ cuid: number }>('select cuid from campaign where cid = $1', [orders[0]!.cid])
  cuid = row!.cuid
  await db.transaction(async tx => {
    await tx.run('update customer set prepaid = true where cuid = $1', [cuid])
    await accounts.begin(tx, cuid, new Date())
  })
  await credit(1, 'first')
})
afterAll(async () => {
  for (const life of lives) await life.kill()
  caller.cut()
  await db.close()
  await postgres.stop()
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const credit = (amount: number, reference: string) =>
  inTx(db, tx =>
    creditCustomer(tx, cuid, { amount, reference }, 'operator', { clock: systemClock, currency: 'USD' }),
  )

async function startNode(name: string): Promise<string> {
  const settings = settingsFor(await freePort(), postgres.url, join(dir, name))
  const life = startWholeService({ ...settings, ROLES: 'delivery' }, () => undefined)
  lives.push(life)
  const url = await life.started
  const ready = { method: 'GET', path: '/readyz' } as const
  await until(async () => ((await caller.call(url, ready, null))?.status === 200 ? true : null), 60_000)
  return url
}

/** Asks all processes for both campaigns at once, and shows the ads it won. Returns how many impressions that were. */
async function burst(urls: string[]): Promise<number> {
  const asked = Array.from({ length: REQUESTS }, async (_, n) => {
    const order = orders[n % orders.length]!
    const body = bidRequestFor(order, REQUESTS, most => (most === 3 ? 0 : n))
    const askedMs = Date.now()
    const call = { method: 'POST', path: exchange.bidPath, body } as const
    const won = await caller.call(urls[n % urls.length]!, call, null)
    if (won?.status !== 200) return 0
    const { links } = soldAdOf(won.text, orders, exchange, askedMs, 0)
    const seen = { method: 'GET', path: links.pixel } as const
    return (await caller.call(urls[(n + 1) % urls.length]!, seen, null))?.status === 200 ? 1 : 0
  })
  return (await Promise.all(asked)).reduce<number>((sum, one) => sum + one, 0)
}

/** The rest of what was credited, once nothing more can be sold: remainders are combined within seconds. */
async function leftOf(urls: string[], creditedMicros: number): Promise<number> {
  return until(async () => {
    await burst(urls)
    const left = creditedMicros - (await billedMicros())
    return left < CHEAPEST_MICROS ? { left } : null
  }, PATIENCE_MS).then(({ left }) => left)
}

async function billedMicros(): Promise<number> {
  const row = await db.row<{ micros: number }>(
    `select coalesce(sum(spend_micros), 0) as micros from event where kind = 'i'`,
  )
  return row!.micros
}

test('three processes bill a balance to the last whole impression, and continue after a credit', {
  timeout: 300_000,
}, async () => {
  const urls = await Promise.all(Array.from({ length: NODES }, (_, n) => startNode(`node-${n}`)))
  for (const [credited, reference] of [
    [1, null],
    [1.5, 'second'],
  ] as const) {
    if (reference !== null) {
      await credit(credited - 1, reference)
      await until(async () => ((await burst(urls)) > 0 ? true : null))
    }
    const left = await leftOf(urls, Math.round(credited * 1e6))
    expect(left).toBeGreaterThanOrEqual(0)
    await burst(urls)
    expect(Math.round(credited * 1e6) - (await billedMicros())).toBe(left)
    expect(Math.round((await readAccount(db, cuid, 'USD')).balance * 1e6)).toBe(left)
  }
})
