// What ads at a fixed rate cost, over all: processor time of the service with every role and of PostgreSQL, WAL and disk,
// for the table "How large a machine" in docs/operating.md. At low rates an ad costs more, because fewer share a batch,
// and what an idle service does is part of it. Each figure is a sum of work, not a time by the clock, so a busy machine
// changes it little. RATES=10,100 are ads per second, each for SECONDS after a warm-up; 0 is an idle service. MISSES is how
// many requests that get no ad come with each ad. CHECKPOINT=1 begins with a checkpoint, after which whole pages are
// written to the WAL.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { foldAll } from '../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { bareBidder } from './bare-bidder.ts'
import { withBenchDatabase } from './database.ts'
import { firstCredentials, startDelivering } from './marquee.ts'
import { postgresSeconds } from './processor.ts'
import { type Load, serveIfChild } from './side-by-side.ts'
import { type Answer, fill, someTowns, type World, worldsOf } from './whole-world.ts'

const CAMPAIGNS = Number(process.env.CAMPAIGNS ?? 300)
const RATES = (process.env.RATES ?? '0,10,50,200').split(',').map(Number)
const SECONDS = Number(process.env.SECONDS ?? 60)
const WARM_UP_SECONDS = Number(process.env.WARM_UP_SECONDS ?? SECONDS / 2)
const WORLDS = (process.env.WORLD ?? 'bids,tags in pages').split(',')
const MISSES = Number(process.env.MISSES ?? 0)
/** Towns of which no campaign wants visitors. */
const STRANGE_TOWNS = 1_000
const CONNECTIONS = 64
const TICK_MS = 10

async function marquee(): Promise<string> {
  const settings = { TRUST_PROXY: 'loopback', ROLES: 'api,delivery,worker' }
  const { url } = await startDelivering(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!, settings)
  return url
}

const contestants = { bare: bareBidder, marquee }

interface Running {
  send(load: Load): Promise<Answer>
  seconds(): Promise<number>
  stop(): Promise<void>
}

async function start(databaseUrl: string, dataDir: string): Promise<Running> {
  const own = { BENCH_DATABASE: databaseUrl, BENCH_DATA: dataDir, BENCH_CONTESTANT: 'marquee' }
  const child = fork(import.meta.filename, [], { env: { ...process.env, ...own } })
  process.once('exit', () => child.kill('SIGKILL'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  return {
    async send(load) {
      const { statusCode: status, headers, body } = await pool.request(load)
      return { status, text: await body.text(), cookie: headers['set-cookie']?.toString() ?? null }
    },
    async seconds() {
      child.send('cpu')
      const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
      return (cpu.user + cpu.system) / 1e6
    },
    async stop() {
      await pool.destroy()
      child.kill('SIGKILL')
    },
  }
}

/** Ads at their times, whatever the earlier ones take. Returns how many were served and reported. */
async function serve(service: Running, world: World, rate: number, seconds: number): Promise<number> {
  const towns = someTowns(CAMPAIGNS + STRANGE_TOWNS)
  const anyOf = (from: number, count: number) => towns[from + Math.floor(Math.random() * count)]!
  const underWay = new Set<Promise<void>>()
  const startedMs = performance.now()
  let asked = 0
  let served = 0
  const one = async () => {
    for (let n = 0; n < MISSES; n++) await service.send(world.ask(anyOf(CAMPAIGNS, STRANGE_TOWNS)).load)
    const ask = world.ask(anyOf(0, CAMPAIGNS))
    const answer = await service.send(ask.load)
    if (answer.status !== 200 || answer.text.startsWith('{"ad":null')) return
    await service.send(ask.report(answer))
    served++
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

interface Sums {
  service: number
  database: number
  walBytes: number
  fullPageBytes: number
  eventBytes: number
  events: number
  atMs: number
}

async function sumsOf(db: Database, service: Running, pid: number): Promise<Sums> {
  const row = await db.row<{ wal: number; fpi: number; size: number; n: number }>(
    `select (select wal_bytes::float8 from pg_stat_wal) as wal, (select wal_fpi::float8 * 8192 from pg_stat_wal) as fpi,
       (select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::float8 from pg_inherits
        where inhparent = 'event'::regclass) as size, (select count(*)::float8 from event) as n`,
  )
  const { wal, fpi, size, n } = row!
  const [own, database] = [await service.seconds(), postgresSeconds(pid)]
  const common = { walBytes: wal, fullPageBytes: fpi, eventBytes: size, events: n }
  return { service: own, database, ...common, atMs: performance.now() }
}

async function measure(
  db: Database,
  service: Running,
  pid: number,
  world: World,
  rate: number,
): Promise<void> {
  await serve(service, world, rate, rate === 0 ? 5 : WARM_UP_SECONDS)
  await foldAll(db)
  if (process.env.CHECKPOINT) await db.run('checkpoint')
  const before = await sumsOf(db, service, pid)
  const served = await serve(service, world, rate, SECONDS)
  await foldAll(db)
  const after = await sumsOf(db, service, pid)
  const passedS = (after.atMs - before.atMs) / 1000
  const of = (name: keyof Sums) => after[name] - before[name]
  const micros = (seconds: number) => (served === 0 ? '-' : `${((seconds / served) * 1e6).toFixed(0)} µs`)
  const each = (bytes: number) => (served === 0 ? '-' : `${(bytes / served).toFixed(0)} B`)
  console.log(
    `${world.name.padEnd(14)} ${(served / passedS).toFixed(1).padStart(6)} ads/s   ` +
      `service ${micros(of('service'))} (${(of('service') / passedS).toFixed(3)} cores)   ` +
      `PostgreSQL ${micros(of('database'))} (${(of('database') / passedS).toFixed(3)} cores)   ` +
      `WAL ${each(of('walBytes'))} (${((of('walBytes') / passedS / 1e9) * 86_400).toFixed(2)} GB a day; ` +
      `at most ${each(of('fullPageBytes'))} of whole pages)   ` +
      `disk ${(after.eventBytes / Math.max(1, after.events)).toFixed(0)} B an event   load ${loadavg()[0]!.toFixed(1)}`,
  )
}

async function main(): Promise<void> {
  for (const name of WORLDS)
    await withBenchDatabase(async (url, dataDir, pid) => {
      const world = worldsOf(await firstCredentials(url, dataDir)).find(one => one.name.startsWith(name))
      if (!world) throw new Error(`there is no world ${name}`)
      const db = openDatabase({ url, maxConnections: 1, onError: () => undefined })
      await fill(db, someTowns(CAMPAIGNS), world.freq)
      const service = await start(url, dataDir)
      for (const rate of RATES) await measure(db, service, pid, world, rate)
      await service.stop()
      await db.close()
    })
}

if (!(await serveIfChild({ contestants })))
  main().catch(error => {
    console.error(error)
    process.exitCode = 1
  })
