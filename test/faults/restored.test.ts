// A database that goes back in time under running processes: restored from a copy of its folder, or from a backup into
// an empty database of the same name. Every process notices, reports it and restarts by itself. Everything acknowledged
// from then on is counted once and shows in the figures, and no budget is exceeded.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { foldAll } from '../../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { figuresMustBeTheEvents, figuresOf } from '../support/counting.ts'
import { withDatabase } from '../support/database.ts'
import { freePort } from '../support/ports.ts'
import { runMarquee, type ServiceProcess, startProcess } from '../support/process.ts'
import { createCaller } from './calls.ts'
import { type Exchange, type Order, openExchanges, placeOrders } from './orders.ts'
import { randomFrom, SEED } from './random.ts'
import { settingsFor, ZONE } from './service.ts'
import { bidRequestFor, impressionOf, type SoldAd, soldAdOf } from './sold-ad.ts'

const random = randomFrom(SEED)
const BUDGET = { dailySpendMicros: 1_000_007, cpmMicros: 2_000_000, freq: 0, pacing: 'asap' } as const
const ORDERS = [
  { ...BUDGET, country: 'CA', country3: 'CAN', isFickle: false },
  { ...BUDGET, country: 'DE', country3: 'DEU', isFickle: false },
  // Almost spent when the copy is made.
  { ...BUDGET, country: 'FR', country3: 'FRA', isFickle: false, dailySpendMicros: 40_007 },
]
/** An answer of 200 means success. An ad whose money is gone gets it too, but that does not happen here. */
const PATIENCE_MS = 60_000
const RESTARTED = 'this process has restarted on the current database'

interface Place {
  dir: string
  postgres: EmbeddedPostgres
  url: string
  start(): Promise<void>
}

/** How a database goes back: `copy` saves a state, `restore` brings it back. */
interface Way {
  copy(place: Place): Promise<void>
  restore(place: Place): Promise<void>
}

const cp = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

const FOLDER: Way = {
  async copy(place) {
    await place.postgres.stop()
    await cp(join(place.dir, 'database', 'postgres'), join(place.dir, 'copy'))
    await place.start()
  },
  async restore(place) {
    await place.postgres.stop()
    await rm(join(place.dir, 'database', 'postgres'), { recursive: true })
    await cp(join(place.dir, 'copy'), join(place.dir, 'database', 'postgres'))
    await place.start()
  },
}

const BACKUP: Way = {
  async copy(place) {
    const done = await runMarquee(['backup', join(place.dir, 'a.backup')], commandOf(place))
    expect(done.code, done.output).toBe(0)
  },
  async restore(place) {
    const client = new pg.Client({ connectionString: withDatabase(place.url, 'postgres') })
    await client.connect()
    await client.query('drop database marquee with (force)')
    await client.query('create database marquee')
    await client.end()
    // Long enough for the processes to meet the empty database.
    await sleep(2500)
    const done = await runMarquee(['restore', join(place.dir, 'a.backup')], commandOf(place))
    expect(done.code, done.output).toBe(0)
  },
}

const commandOf = (place: Place) => ({
  DATABASE_URL: place.url,
  DATA_DIR: join(place.dir, 'command'),
  TIMEZONE: ZONE,
})

test.each([
  ['a copy of its folder', FOLDER],
  ['a backup', BACKUP],
])(
  'a database restored from %s: every process restarts, and everything that follows is counted',
  { timeout: 300_000 },
  async (_name, way) => {
    console.log(`restored: SEED=${SEED}`)
    const dir = await mkdtemp(join(tmpdir(), 'marquee-restored-'))
    const services: ServiceProcess[] = []
    let db: Database | null = null
    const caller = createCaller(16)
    const place: Place = { dir, postgres: null as never, url: '', start: async () => {} }
    place.start = async () => {
      place.postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: () => {} })
      place.url = place.postgres.url
    }
    try {
      await place.start()
      await migrate(place.url)
      db = openDatabase({ url: place.url, maxConnections: 2, onError: () => {} })
      const exchanges = await openExchanges(db)
      const exchange = exchanges.find(({ billsOn }) => billsOn === 'pixel')!
      const orders = await placeOrders(db, ORDERS, 600)
      const bases: string[] = []
      for (const name of ['one', 'other']) {
        const port = await freePort()
        const settings = settingsFor(port, place.url, join(dir, name))
        services.push(await startProcess({ ...settings, LOG_LEVEL: 'warn' }))
        bases.push(settings.PUBLIC_URL!)
      }
      const [canada, germany, france] = orders as [Order, Order, Order]
      const buy = (order: Order, count: number) => buyAds(caller, bases, exchange, orders, order, count)
      const report = (ads: SoldAd[]) => Promise.all(ads.map(ad => reportUntilDone(caller, bases, ad)))

      await report(await buy(canada, 10))
      await report(await buy(france, 12))
      await way.copy(place)

      // Unknown to the copy: the first ads of a campaign, the rest of a budget, ids, and open ads.
      await report([...(await buy(germany, 10)), ...(await buy(france, 5))])
      const given = await db.row<{ id: number }>(
        `select max(nextval('ids')) as id from generate_series(1, 50)`,
      )
      const open = [...(await buy(germany, 10)), ...(await buy(canada, 10))]
      // One process sleeps meanwhile: its ads are not lost when the other is asked to count them.
      const [awake, asleep] = services as [ServiceProcess, ServiceProcess]
      asleep.child.kill('SIGSTOP')
      await way.restore(place)
      await until(async () => awake.output().includes(RESTARTED) || null, PATIENCE_MS)
      const early = await Promise.all(open.map(ad => reportOnce(caller, bases[0]!, ad)))
      const known = new Set(await impressionsIn(db))
      expect(open.filter((ad, n) => early[n] === 200 && !known.has(ad.adId))).toEqual([])
      asleep.child.kill('SIGCONT')

      await report(open)
      const late = [...(await buy(germany, 10)), ...(await buy(canada, 10))]
      await report(late)
      const counted = new Set(await impressionsIn(db))
      expect([...open, ...late].filter(ad => !counted.has(ad.adId))).toEqual([])
      // The rest of the third budget, as the database knows it, and not a micro more.
      for (let tries = 0; tries < 40; tries++)
        await report(await askFor(caller, bases, exchange, orders, france, 1))

      for (const { output } of services) {
        expect(output()).toContain('the database went back in time')
        expect(output()).toContain(RESTARTED)
      }
      for (const base of bases) expect(await wentBackOf(base)).toBeGreaterThanOrEqual(1)
      const found = await runMarquee(['doctor'], commandOf(place))
      expect(found.output).toContain('The database went back in time or was replaced')
      expect(await runMarquee(['verify'], commandOf(place))).toMatchObject({ code: 0 })
      expect((await runMarquee(['doctor'], commandOf(place))).output).not.toContain('went back in time')
      await foldAll(db)
      await figuresMustBeTheEvents(db, ZONE)
      await db.run('update rollup_customer set imps = imps + 1 where cid = $1', [canada.cid])
      const differs = await runMarquee(['verify'], commandOf(place))
      expect([differs.code, differs.output]).toEqual([1, expect.stringContaining(`campaign ${canada.cid}, `)])
      for (const { cid, dailySpendMicros } of orders) {
        const events = await db.row<{ imps: number; spend: number }>(
          `select count(*) as imps, coalesce(sum(spend_micros), 0) as spend from event where cid = $1 and kind = 'i'`,
          [cid],
        )
        expect(await figuresOf(db, cid)).toMatchObject(events!)
        expect(events!.spend).toBeLessThanOrEqual(dailySpendMicros)
      }
      const next = await db.row<{ id: number }>(`select nextval('ids') as id`)
      expect(next!.id).toBeGreaterThan(given!.id)
    } finally {
      for (const { child } of services) child.kill('SIGCONT') && child.kill('SIGTERM')
      await Promise.all(services.map(({ exited }) => exited))
      caller.cut()
      await db?.close()
      await place.postgres.stop()
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  },
)

type Caller = ReturnType<typeof createCaller>

/** The ads won with this many requests. */
async function askFor(
  caller: Caller,
  bases: string[],
  { bidPath, billsOn }: Exchange,
  orders: Order[],
  order: Order,
  requests: number,
): Promise<SoldAd[]> {
  const ads: SoldAd[] = []
  for (let n = 0; n < requests; n++) {
    const body = bidRequestFor(order, 1000, random)
    const base = bases[n % bases.length]!
    const answer = await caller.call(base, { method: 'POST', path: bidPath, body }, null)
    if (answer?.status === 200) ads.push(soldAdOf(answer.text, orders, { bidPath, billsOn }, Date.now(), 1))
    else await sleep(20)
  }
  return ads
}

async function buyAds(
  caller: Caller,
  bases: string[],
  exchange: Exchange,
  orders: Order[],
  order: Order,
  count: number,
): Promise<SoldAd[]> {
  const ads: SoldAd[] = []
  await until(async () => {
    for (const base of bases) ads.push(...(await askFor(caller, [base], exchange, orders, order, 1)))
    return ads.length >= count ? true : null
  }, PATIENCE_MS)
  return ads
}

async function reportOnce(caller: Caller, base: string, ad: SoldAd): Promise<number | null> {
  const { method } = impressionOf(ad, random)
  const answer = await caller.call(base, { method, path: ad.links.pixel }, null)
  return answer?.status ?? null
}

/** Reports as an exchange would: repeatedly, to any process, until one says that it was counted. */
async function reportUntilDone(caller: Caller, bases: string[], ad: SoldAd): Promise<void> {
  await until(async () => {
    if ((await reportOnce(caller, bases[random(bases.length)]!, ad)) === 200) return true
    await sleep(50)
    return null
  }, PATIENCE_MS)
}

async function impressionsIn(db: Database): Promise<string[]> {
  const rows = await db.rows<{ ad_id: Buffer }>(
    `select substring(uuid_send(ad) from 5) as ad_id from event where kind = 'i'`,
  )
  return rows.map(row => row.ad_id.toString('base64url'))
}

async function wentBackOf(base: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(/^marquee_database_went_back_total(?:\{.*\})? (\S+)/m.exec(text)?.[1])
}
