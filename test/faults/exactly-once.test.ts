// Service and database are killed at random while everybody reports. What was acknowledged is on disk, nothing is
// counted twice, and the figures are the events. FAULT_SECONDS makes it longer, SEED replays the choices.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded.ts'
import { loadSigningKeys } from '../../src/tracking/keys.ts'
import { type Random, startWriters } from './writers.ts'

const SECONDS = Number(process.env.FAULT_SECONDS ?? 20)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000)
const CHILD = join(import.meta.dirname, 'counting-child.mjs')

/** mulberry32 (public domain): small, and the same everywhere. */
function randomFrom(start: number): Random {
  let state = start | 0
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

interface World {
  url: string | null
  databaseUrl: string
  killService(): Promise<void>
  startService(): Promise<void>
  killDatabase(): Promise<void>
  startDatabase(): Promise<void>
  end(): Promise<void>
}

async function createWorld(): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-fault-'))
  const startPostgres = () => startEmbeddedPostgres({ dataDir, log: () => {} })
  let postgres: EmbeddedPostgres = await startPostgres()
  let service: ChildProcess | null = null
  const databaseUrl = postgres.url

  const world: World = {
    url: null,
    databaseUrl,
    async killService() {
      world.url = null
      if (!service) return
      const gone = once(service, 'exit')
      service.kill('SIGKILL')
      await gone
      service = null
    },
    async startService() {
      service = spawn(process.execPath, [CHILD, databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
      const [url] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string]
      world.url = url
    },
    async killDatabase() {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.exited
      await postgres.stop()
    },
    async startDatabase() {
      postgres = await startPostgres()
      expect(postgres.url).toBe(databaseUrl)
    },
    async end() {
      await world.killService()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  return world
}

type Fault = 'service' | 'database' | 'both'

async function strike(world: World, fault: Fault, random: Random): Promise<void> {
  if (fault === 'database') await world.killDatabase()
  if (fault === 'service') await world.killService()
  if (fault === 'both') await Promise.all([world.killDatabase(), world.killService()])
  await sleep(random(600))
  if (fault !== 'service') await world.startDatabase()
  if (fault !== 'database') await world.startService()
}

test('what was acknowledged is counted exactly once, however service and database die', {
  timeout: (SECONDS + 120) * 1000,
}, async () => {
  console.log(`exactly-once: SEED=${SEED} FAULT_SECONDS=${SECONDS}`)
  const random = randomFrom(SEED)
  const world = await createWorld()
  let db: Database | null = null
  try {
    await migrate(world.databaseUrl)
    db = openDatabase({ url: world.databaseUrl, maxConnections: 2, onError: () => {} })
    const keys = await loadSigningKeys(db, { clock: systemClock, randomBytes })
    await world.startService()
    const faults: Record<Fault, number> = { service: 0, database: 0, both: 0 }
    const bag: Fault[] = []
    const writers = startWriters({ keys, random: randomFrom(SEED + 1), url: () => world.url, writers: 24 })
    for (const endMs = Date.now() + SECONDS * 1000; Date.now() < endMs; ) {
      await sleep(300 + random(1200))
      // Each once, in any order, before any comes again.
      if (bag.length === 0) bag.push('service', 'database', 'both')
      const fault = bag.splice(random(bag.length), 1)[0]!
      await strike(world, fault, random)
      faults[fault]++
    }
    await sleep(1000)
    const journal = await writers.stop()
    await world.killService()
    console.log(
      `exactly-once: faults ${JSON.stringify(faults)}, acknowledged ${journal.acknowledged.size}, ` +
        `not acknowledged ${journal.refusals}, broken off ${journal.brokenCalls}`,
    )
    expect(journal.acknowledged.size).toBeGreaterThan(100)

    const counted = new Set(await countedKeys(db))
    expect([...journal.acknowledged].filter(key => !counted.has(key))).toEqual([])
    expect([...counted].filter(key => !journal.attempted.has(key))).toEqual([])
    await figuresMustBeTheEvents(db)
  } finally {
    await db?.close()
    await world.end()
  }
})

async function countedKeys(db: Database): Promise<string[]> {
  const events = await db.rows<{ ad_id: Buffer; kind: string }>('select ad_id, kind from event')
  const orders = await db.rows<{ dedupe: string }>('select dedupe from action')
  return [
    ...events.map(event => `${event.ad_id.toString('base64url')} ${event.kind}`),
    ...orders.map(order => `order ${order.dedupe.slice('o:'.length)}`),
  ]
}

async function figuresMustBeTheEvents(db: Database): Promise<void> {
  const wrong = await db.rows(
    `with fact as (
       select kind, cuid, cid, fid, pid, bid, spend_micros from event
       union all select 'action', cuid, cid, fid, pid, bid, 0 from action
     ), wanted as (
       select id, count(*) filter (where kind = 'impression') as imps, count(*) filter (where kind = 'click') as clicks,
         count(*) filter (where kind = 'action') as actions, sum(spend_micros) as spend
       from fact, unnest(array[cuid, cid, fid, pid, bid]) as id group by id
     ), found as (
       select id, sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions, sum(spend_micros) as spend
       from rollup group by id
     )
     select * from wanted full join found using (id)
     where (wanted.imps, wanted.clicks, wanted.actions, wanted.spend)
       is distinct from (found.imps, found.clicks, found.actions, found.spend)`,
  )
  expect(wrong).toEqual([])
  const byCountry = await db.rows(
    `select * from (
       select cid as id, coalesce(country, 'unknown') as name, count(*) filter (where kind = 'impression') as n
       from event group by 1, 2
     ) w full join (
       select id, name, sum(imps) as m from rollup_dimension where dimension = 'country' and id = 20 group by 1, 2
     ) f using (id, name) where n is distinct from m`,
  )
  expect(byCountry).toEqual([])
  const spent = await db.rows(
    `select * from (select cid, budget_day as day, sum(spend_micros) as n from event where kind = 'impression' group by 1, 2) w
     full join budget_day b using (cid, day) where n is distinct from spent_micros`,
  )
  expect(spent).toEqual([])
}
