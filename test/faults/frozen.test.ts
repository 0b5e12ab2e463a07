// Two processes deliver, each with shares of the same budgets. A customer that is frozen through one of them is served
// by neither after two seconds, whatever they were granted; once unfrozen, by both again.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { livingAppId } from '../../src/identity/apps.ts'
import { addSuperPair } from '../../src/identity/super-pairs.ts'
import { systemClock } from '../../src/kernel/time/clock.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { freePort } from '../support/ports.ts'
import { type Caller, createCaller } from './calls.ts'
import { type Exchange, type Order, openExchanges, placeOrders } from './orders.ts'
import { randomFrom, SEED } from './random.ts'
import { settingsFor, startWholeService } from './service.ts'
import { bidRequestFor } from './sold-ad.ts'
import type { Life } from './world.ts'

const WITHIN_MS = 2000
const PATIENCE_MS = 60_000
const ORDER = {
  ...{ country: 'CA', country3: 'CAN', cpmMicros: 2_000_000, freq: 0, pacing: 'asap' as const },
  ...{ isFickle: false, dailySpendMicros: 1_000_000_000 },
}

interface Served {
  url: string
  askedMs: number
}

test('a customer frozen through one process is served by no process two seconds later', {
  timeout: 300_000,
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'marquee-frozen-'))
  const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: () => {} })
  const caller = createCaller(16)
  const lives: Life[] = []
  let db: Database | null = null
  try {
    await migrate(postgres.url)
    db = openDatabase({ url: postgres.url, maxConnections: 2, onError: () => {} })
    const [exchange] = await openExchanges(db)
    const [order] = await placeOrders(db, [ORDER], 0)
    const { cuid } = (await db.row<{ cuid: number }>('select cuid from campaign where cid = $1', [
      order!.cid,
    ]))!
    const rights = { name: 'test', scope: 'all', cuids: null, expiresAt: null } as const
    const pair = await addSuperPair(db, await livingAppId(db, 'faults'), rights, systemClock)
    for (const name of ['one', 'two']) {
      const settings = settingsFor(await freePort(), postgres.url, join(dir, name))
      lives.push(startWholeService(settings, () => undefined))
    }
    const urls = await Promise.all(lives.map(life => life.started))
    const traffic = startTraffic(caller, urls, order!, exchange!)
    const servedSince = (ms: number) =>
      urls.map(url => traffic.served.filter(ad => ad.url === url && ad.askedMs > ms).length)
    const bothServe = (ms: number) =>
      until(async () => (servedSince(ms).every(count => count > 5) ? true : null), PATIENCE_MS)

    for (const url of urls) {
      await bothServe(Date.now())
      const change = async (what: 'freeze' | 'unfreeze') => {
        const headers = { 'x-access-superkey': pair.key, 'x-access-supertoken': pair.token }
        const answer = await fetch(`${url}/customer/${cuid}/${what}`, { method: 'PUT', headers })
        expect(answer.status, await answer.text()).toBe(200)
        return Date.now()
      }
      const frozenMs = await change('freeze')
      const askedBefore = traffic.asked()
      await sleep(2 * WITHIN_MS)
      expect(traffic.asked() - askedBefore).toBeGreaterThan(20)
      expect(servedSince(frozenMs + WITHIN_MS)).toEqual([0, 0])
      await bothServe(await change('unfreeze'))
    }
    await traffic.stop()
  } finally {
    for (const life of lives) await life.kill()
    caller.cut()
    await db?.close()
    await postgres.stop()
    await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})

/** Visitors ask all processes, all the time. */
function startTraffic(caller: Caller, urls: readonly string[], order: Order, { bidPath }: Exchange) {
  const served: Served[] = []
  let asked = 0
  let isStopping = false
  const ask = async (url: string, seed: number) => {
    const random = randomFrom(seed)
    while (!isStopping) {
      const askedMs = Date.now()
      const body = bidRequestFor(order, 1000, random)
      const answer = await caller.call(url, { method: 'POST', path: bidPath, body }, null)
      if (answer) asked++
      if (answer?.status === 200) served.push({ url, askedMs })
      await sleep(20)
    }
  }
  const visitors = urls.flatMap((url, at) => [ask(url, SEED + at), ask(url, SEED + 10 + at)])
  return {
    served,
    asked: () => asked,
    async stop() {
      isStopping = true
      await Promise.all(visitors)
    },
  }
}
