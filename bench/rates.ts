// What ads at a fixed rate cost, over all: processor time of the service with every role and of PostgreSQL, WAL and disk,
// for the tables "How large a machine" in docs/operating.md and "N ads a second need" in docs/postgresql.md. At low rates
// an ad costs more, because fewer share a batch, and what an idle service does is part of it. Each figure is a sum of
// work, not a time by the clock, so a busy machine changes it little. RATES=10,100 are ads per second, each for SECONDS
// after a warm-up; 0 is an idle service. PROCESSES=3 is that many on the same database: each request goes to one of them,
// and its report to any. MISSES is how many requests that get no ad come with each ad. CHECKPOINT=1 begins with a
// checkpoint, after which whole pages are written to the WAL.

import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { foldAll } from '../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { type Contestant, serveAd, startContestant } from './contestant.ts'
import { withBenchDatabase } from './database.ts'
import { tellMachine } from './machine.ts'
import { firstCredentials, startDelivering } from './marquee.ts'
import { postgresSeconds } from './processor.ts'
import { serveIfChild } from './side-by-side.ts'
import { fill, someTowns, type World, worldsOf } from './whole-world.ts'

const CAMPAIGNS = Number(process.env.CAMPAIGNS ?? 300)
const RATES = (process.env.RATES ?? '0,10,200,1000,2000').split(',').map(Number)
const SECONDS = Number(process.env.SECONDS ?? 60)
const WARM_UP_SECONDS = Number(process.env.WARM_UP_SECONDS ?? SECONDS / 2)
const WORLDS = (process.env.WORLD ?? 'bids,tags in pages').split(',')
const PROCESSES = Number(process.env.PROCESSES ?? 1)
const MISSES = Number(process.env.MISSES ?? 0)
/** Towns of which no campaign wants visitors. */
const STRANGE_TOWNS = 1_000
/** To all processes together. */
const CONNECTIONS = 128
const TICK_MS = 10

async function marquee(): Promise<string> {
  const settings = { TRUST_PROXY: 'loopback', ROLES: process.env.BENCH_ROLES! }
  const { url } = await startDelivering(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!, settings)
  return url
}

const contestants = { marquee }

/** The first has every role. */
function startProcesses(databaseUrl: string, dataDir: string): Promise<Contestant[]> {
  const start = (number: number) => {
    const own = {
      BENCH_DATABASE: databaseUrl,
      BENCH_DATA: join(dataDir, `process-${number}`),
      BENCH_ROLES: number === 0 ? 'api,delivery,worker' : 'api,delivery',
    }
    return startContestant(import.meta.filename, 'marquee', own, Math.ceil(CONNECTIONS / PROCESSES))
  }
  return Promise.all(Array.from({ length: PROCESSES }, (_, number) => start(number)))
}

function anyOf<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)]!
}

/** Ads at their times, whatever the earlier ones take. Returns how many were served and reported. */
async function serve(processes: Contestant[], world: World, rate: number, seconds: number): Promise<number> {
  const towns = someTowns(CAMPAIGNS + STRANGE_TOWNS)
  const [wanted, strange] = [towns.slice(0, CAMPAIGNS), towns.slice(CAMPAIGNS)]
  const underWay = new Set<Promise<void>>()
  const startedMs = performance.now()
  let asked = 0
  let served = 0
  const one = async () => {
    const server = anyOf(processes)
    for (let n = 0; n < MISSES; n++) await server.send(world.ask(anyOf(strange)).load)
    if (await serveAd(server, world.ask(anyOf(wanted)), anyOf(processes))) served++
  }
  for (let passedS = 0; passedS < seconds; passedS = (performance.now() - startedMs) / 1000) {
    for (const due = passedS * rate; asked < due; asked++) {
      const work = one().finally(() => underWay.delete(work))
      underWay.add(work)
    }
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
  return served
}

interface Clocks {
  service: number
  database: number
  atMs: number
}

async function clocksOf(processes: Contestant[], pid: number): Promise<Clocks> {
  const own = await Promise.all(processes.map(one => one.seconds()))
  return {
    service: own.reduce((sum, seconds) => sum + seconds, 0),
    database: postgresSeconds(pid),
    atMs: performance.now(),
  }
}

interface Sizes {
  wal: number
  fullPages: number
  eventBytes: number
  events: number
  /** Transactions that wrote events. */
  batches: number
}

/** This reads all events, so it stays outside of what is measured. */
async function sizesOf(db: Database): Promise<Sizes> {
  const row = await db.row<Sizes>(
    `select (select wal_bytes::float8 from pg_stat_wal) as wal,
       (select wal_fpi::float8 * 8192 from pg_stat_wal) as "fullPages",
       (select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 from pg_inherits
        where inhparent = 'event'::regclass) as "eventBytes",
       count(*)::float8 as events, count(distinct xmin::text)::float8 as batches
     from event`,
  )
  return row!
}

async function measure(
  db: Database,
  processes: Contestant[],
  pid: number,
  world: World,
  rate: number,
): Promise<void> {
  await serve(processes, world, rate, rate === 0 ? 5 : WARM_UP_SECONDS)
  await foldAll(db)
  if (process.env.CHECKPOINT) await db.run('checkpoint')
  const sizesBefore = await sizesOf(db)
  const before = await clocksOf(processes, pid)
  const served = await serve(processes, world, rate, SECONDS)
  await foldAll(db)
  const after = await clocksOf(processes, pid)
  const sizes = await sizesOf(db)
  const passedS = (after.atMs - before.atMs) / 1000
  const size = (name: keyof Sizes) => sizes[name] - sizesBefore[name]
  const part = (name: keyof Clocks) => {
    const seconds = after[name] - before[name]
    const each = served === 0 ? '-' : `${((seconds / served) * 1e6).toFixed(0)} µs`
    return `${each} (cores ${(seconds / passedS).toFixed(3)})`
  }
  const each = (bytes: number) => (served === 0 ? '-' : `${(bytes / served).toFixed(0)} B`)
  console.log(
    `${world.name}, ${rate} per second   served ${(served / passedS).toFixed(1)}/s   ` +
      `batches-of ${served === 0 ? '-' : (size('events') / size('batches')).toFixed(1)}   ` +
      `service ${part('service')}   PostgreSQL ${part('database')}   ` +
      `WAL ${each(size('wal'))} (${((size('wal') / passedS / 1e9) * 86_400).toFixed(2)} GB a day; ` +
      `at most ${each(size('fullPages'))} of whole pages)   ` +
      `disk ${(sizes.eventBytes / Math.max(1, sizes.events)).toFixed(0)} B an event   load ${loadavg()[0]!.toFixed(1)}`,
  )
}

async function main(): Promise<void> {
  for (const name of WORLDS)
    await withBenchDatabase(async (url, dataDir, pid) => {
      const world = worldsOf(await firstCredentials(url, dataDir)).find(one => one.name.startsWith(name))
      if (!world) throw new Error(`there is no world ${name}`)
      const db = openDatabase({ url, maxConnections: 1, onError: () => undefined })
      await tellMachine(db)
      await fill(db, someTowns(CAMPAIGNS), world.freq)
      const processes = await startProcesses(url, dataDir)
      for (const rate of RATES) await measure(db, processes, pid, world, rate)
      for (const one of processes) await one.stop()
      await db.close()
    })
}

if (!(await serveIfChild({ contestants })))
  main().catch(error => {
    console.error(error)
    process.exitCode = 1
  })
