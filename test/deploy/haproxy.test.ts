// Two real processes deliver behind a real HAProxy, with the file that people deploy, and caps in a real Redis. Both
// are upgraded, one after the other, under traffic, to a version that expands the database: no call fails, what was
// acknowledged is counted, and a cap holds. Meanwhile both versions work side by side, and the old one can be started.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/platform/database.ts'
import { VERSION } from '../../src/platform/version.ts'
import { createCaller } from '../faults/calls.ts'
import { countedKeys } from '../faults/figures.ts'
import { type NewOrder, type Order, openExchanges, placeOrders } from '../faults/orders.ts'
import { type Random, randomFrom, SEED } from '../faults/random.ts'
import { settingsFor } from '../faults/service.ts'
import { bidRequestFor, impressionOf, soldAdOf } from '../faults/sold-ad.ts'
import { until } from '../support/banners.ts'
import { createTestDatabase } from '../support/database.ts'
import { haproxyConfig } from '../support/haproxy.ts'
import { buildNextVersion, NEXT_INDEX, NEXT_MIGRATIONS, NEXT_VERSION } from '../support/next-version.ts'
import { freePort } from '../support/ports.ts'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { startRedis } from '../support/redis.ts'

const ORDER = {
  cpmMicros: 2_000_000,
  pacing: 'asap',
  isFickle: false,
  dailySpendMicros: 1_000_000_000,
} as const
const ROOMY: NewOrder = { ...ORDER, country: 'FR', country3: 'FRA', freq: 0 }
const CAPPED: NewOrder = { ...ORDER, country: 'DE', country3: 'DEU', freq: 2 }
const USERS = 10
const CALLERS = 6

test('a rolling upgrade behind the load balancer: no call fails, and what was acknowledged is counted', {
  timeout: 300_000,
}, async () => {
  console.log(`haproxy: SEED=${SEED}`)
  const dir = await mkdtemp(join(tmpdir(), 'marquee-haproxy-'))
  const database = await createTestDatabase()
  const redis = await startRedis()
  const db = openDatabase({ url: database.url, maxConnections: 2, onError: () => {} })
  const caller = createCaller(CALLERS)
  const ports = [await freePort(), await freePort(), await freePort()]
  const front = await freePort()
  const services: ServiceProcess[] = []
  const haproxy = spawn(
    '/usr/sbin/haproxy',
    ['-f', await haproxyConfig(dir, front, ports[0]!, ports[1]!, ports[0]!)],
    { stdio: 'ignore' },
  )
  const haproxyGone = once(haproxy, 'exit')

  async function start(at: number, main?: string, roles = 'delivery'): Promise<void> {
    const settings = settingsFor(ports[at]!, database.url, join(dir, `node-${at}`))
    const more = { ROLES: roles, CAPS_URL: redis.url, PUBLIC_URL: `http://127.0.0.1:${front}` }
    services[at] = await startProcess({ ...settings, ...more }, main)
    await until(async () => ((await fetch(`http://127.0.0.1:${ports[at]}/readyz`)).ok ? true : null), 60_000)
  }

  async function stop(at: number): Promise<void> {
    services[at]!.child.kill('SIGTERM')
    expect(await services[at]!.exited).toBe(0)
  }

  const versionOf = async (at: number) =>
    ((await (await fetch(`http://127.0.0.1:${ports[at]}/healthz`)).json()) as { version: string }).version

  try {
    const exchanges = await openExchanges(db)
    const orders = await placeOrders(db, [ROOMY, CAPPED], 0)
    await Promise.all([start(0), start(1)])
    const base = `http://127.0.0.1:${front}`
    await until(async () => ((await fetch(`${base}/tag.js`)).ok ? true : null))
    const acknowledged = new Set<string>()
    const failed: string[] = []
    let isStopping = false

    async function askAndTell(order: Order, random: Random): Promise<void> {
      const exchange = exchanges[random(exchanges.length)]!
      const body = bidRequestFor(order, USERS, random)
      const asked = { method: 'POST' as const, path: exchange.bidPath, body }
      const sold = await caller.call(base, asked, null)
      if (sold?.status !== 200) {
        if (sold?.status !== 204) failed.push(`bid ${sold?.status}`)
        return
      }
      const report = impressionOf(soldAdOf(sold.text, orders, exchange, Date.now(), 0), random)
      const told = await caller.call(base, report, null)
      if (told?.status === 200) acknowledged.add(report.key!)
      else failed.push(`notice ${told?.status}`)
    }

    async function work(random: Random): Promise<void> {
      while (!isStopping) {
        await askAndTell(orders[random(2)]!, random)
        await sleep(random(40))
      }
    }

    const working = Promise.all(Array.from({ length: CALLERS }, (_, n) => work(randomFrom(SEED + n))))
    await until(async () => (acknowledged.size > 20 ? true : null), 90_000)
    const next = await buildNextVersion(join(dir, 'next'))
    for (const at of [0, 1]) {
      const before = acknowledged.size
      await stop(at)
      await start(at, next)
      // The other one kept selling, and continues until this one is known to be back.
      await until(async () => (acknowledged.size > before + 20 ? true : null), 90_000)
      await sleep(1500)
      if (at === 1) continue
      expect([await versionOf(0), await versionOf(1)]).toEqual([NEXT_VERSION, VERSION])
      expect(
        await db.rows('select name, expands from migration where name = any($1) order by 1', [
          NEXT_MIGRATIONS,
        ]),
      ).toEqual(NEXT_MIGRATIONS.map(name => ({ name, expands: true })))
      expect(
        await db.rows('select indisvalid from pg_index where indexrelid = $1::regclass', [NEXT_INDEX]),
      ).toEqual([{ indisvalid: true }])
      // An old one that dies now is started again, as a supervisor would, with all that it does.
      await start(2, undefined, 'api,delivery,worker')
      const alone = await until(async () => {
        const asked = {
          method: 'POST' as const,
          path: exchanges[0]!.bidPath,
          body: bidRequestFor(orders[0]!, USERS, () => 0),
        }
        const sold = await caller.call(`http://127.0.0.1:${ports[2]}`, asked, null)
        return sold?.status === 200 ? sold : null
      })
      // Sold by the old one, counted by the new one.
      const report = impressionOf(soldAdOf(alone.text, orders, exchanges[0]!, Date.now(), 0), () => 0)
      expect((await caller.call(`http://127.0.0.1:${ports[0]}`, report, null))?.status).toBe(200)
      acknowledged.add(report.key!)
      await stop(2)
    }
    isStopping = true
    await working

    console.log(`haproxy: ${acknowledged.size} acknowledged`)
    expect(failed).toEqual([])
    const counted = new Set(await countedKeys(db))
    expect([...acknowledged].filter(key => !counted.has(key))).toEqual([])
    const users = await db.rows<{ imps: number }>(
      `select count(*) as imps from event where cid = $1 and kind = 'i' group by budget_day, user_hi, user_lo`,
      [orders[1]!.cid],
    )
    expect(Math.max(...users.map(user => user.imps))).toBe(2)
  } finally {
    for (const { child, exited } of services) {
      child.kill('SIGKILL')
      await exited
    }
    haproxy.kill('SIGKILL')
    await haproxyGone
    caller.cut()
    await redis.stop()
    await db.close()
    await database.drop()
    await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})
