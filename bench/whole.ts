// What an operator pays for an ad that is served and counted: processor time of the service and of PostgreSQL,
// including all later work, against a bare server that answers the same two requests (for the ad, and the report that
// it was seen) and stores nothing. 1,000 campaigns win equally often. There are three worlds: bids of an exchange, tags
// in pages, and tags of servers for campaigns with a cap. WORLD=tags runs the worlds whose names begin with "tags".

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { Pool } from 'undici'
import { foldAll } from '../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { bareBidder } from './bare-bidder.ts'
import { seededRandom } from './bid-world.ts'
import { withBenchDatabase } from './database.ts'
import { firstCredentials, startDelivering } from './marquee.ts'
import { postgresSeconds } from './processor.ts'
import { type Load, median, serveIfChild } from './side-by-side.ts'
import { type Answer, type Ask, fill, someTowns, type World, worldsOf } from './whole-world.ts'

const CAMPAIGNS = Number(process.env.CAMPAIGNS ?? 1000)
const ADS = Number(process.env.ADS ?? 4_000)
const ROUNDS = Number(process.env.ROUNDS ?? 15)
/** Enough to compile hot code. */
const WARM_UP_ROUNDS = Number(process.env.WARM_UP_ROUNDS ?? 8)
const WORLD = process.env.WORLD ?? ''
const TARGET = 2.5

async function marquee(): Promise<string> {
  const settings = { TRUST_PROXY: 'loopback' }
  const { url } = await startDelivering(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!, settings)
  return url
}

const contestants = { bare: bareBidder, marquee }

interface Server {
  child: ChildProcess
  pool: Pool
}

async function start(
  name: keyof typeof contestants,
  env: Record<string, string>,
  connections: number,
): Promise<Server> {
  const child = fork(import.meta.filename, [], { env: { ...process.env, ...env, BENCH_CONTESTANT: name } })
  process.once('exit', () => child.kill('SIGKILL'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { child, pool: new Pool(url, { connections, pipelining: 1 }) }
}

async function send({ pool }: Server, load: Load): Promise<Answer> {
  const { statusCode: status, headers, body } = await pool.request(load)
  const text = await body.text()
  return { status, text, cookie: headers['set-cookie']?.toString() ?? null }
}

function isAd({ status, text }: Answer): boolean {
  if (status !== 200 && status !== 204) throw new Error(`a request was answered with ${status}: ${text}`)
  return status === 200 && !text.startsWith('{"ad":null')
}

/**
 * Each ad is a request and then its report: the one that the answer contains, or for the bare server always `report`.
 * Returns how many were served: a service that cannot keep up serves fewer.
 */
async function serveAds(server: Server, connections: number, asks: Ask[], report?: Load): Promise<number> {
  let next = 0
  let served = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < asks.length) {
        const ask = asks[next++]!
        const answer = await send(server, ask.load)
        if (!report && !isAd(answer)) continue
        const reported = await send(server, report ?? ask.report(answer))
        if (reported.status !== 200) throw new Error(`a report was answered with ${reported.status}`)
        served++
      }
    }),
  )
  return served
}

async function serviceSeconds({ child }: Server): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
  return (cpu.user + cpu.system) / 1e6
}

/** Seconds per ad. */
interface Cost {
  bare: number[]
  service: number[]
  database: number
  /** How many requests were served, and in the end which part of them. */
  served: number
}

/** Measures service and bare server in alternating short rounds, and the database over all rounds with the folding. */
async function measure(
  { connections, ask }: World,
  databaseUrl: string,
  dataDir: string,
  pid: number,
  db: Database,
): Promise<Cost> {
  const random = seededRandom(Number(process.env.SEED ?? 7))
  const env = { BENCH_DATABASE: databaseUrl, BENCH_DATA: dataDir }
  const ours = await start('marquee', env, connections)
  const towns = someTowns(CAMPAIGNS)
  const asked = towns.map(town => ask(town))
  const answers = await Promise.all(asked.map(({ load }) => send(ours, load)))
  // A few towns have the same name as another town in their region: neither gets ads by name alone.
  const won = towns.filter((_, at) => isAd(answers[at]!))
  const first = answers.findIndex(isAd)
  const answerBytes = String(answers[first]!.text.length)
  const theirs = await start('bare', { ...env, BENCH_ANSWER_BYTES: answerBytes }, connections)
  const report = asked[first]!.report(answers[first]!)
  const cost: Cost = { bare: [], service: [], database: 0, served: 0 }
  let databaseBefore = 0
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    if (round === 0) {
      await foldAll(db)
      databaseBefore = postgresSeconds(pid)
    }
    const asks = Array.from({ length: ADS }, () => ask(won[Math.floor(random() * won.length)]!))
    const before = [await serviceSeconds(theirs), await serviceSeconds(ours)] as const
    await serveAds(theirs, connections, asks, report)
    const served = await serveAds(ours, connections, asks)
    if (round < 0) continue
    cost.bare.push(((await serviceSeconds(theirs)) - before[0]) / ADS)
    cost.service.push(((await serviceSeconds(ours)) - before[1]) / served)
    cost.served += served
  }
  await foldAll(db)
  cost.database = (postgresSeconds(pid) - databaseBefore) / cost.served
  cost.served /= ROUNDS * ADS
  for (const { child, pool } of [ours, theirs]) {
    await pool.destroy()
    child.kill('SIGKILL')
  }
  return cost
}

async function tell({ name }: World, { bare, service, database, served }: Cost, db: Database): Promise<void> {
  const counted = await db.row<{ n: number; campaigns: number }>(
    'select count(*) as n, count(distinct cid) as campaigns from event',
  )
  const micros = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`
  const ratio = median(service.map((seconds, at) => (seconds + database) / bare[at]!))
  console.log(
    `${name.padEnd(26)} bare ${micros(median(bare))}   service ${micros(median(service))}   ` +
      `PostgreSQL ${micros(database)}   ratio ${ratio.toFixed(2)}   target ${TARGET.toFixed(2)}   ` +
      `${ratio <= TARGET ? 'ok' : 'ABOVE TARGET'}`,
  )
  console.log(
    `${''.padEnd(26)} ${counted!.n} impressions of ${counted!.campaigns} campaigns on disk   ` +
      `${(served * 100).toFixed(1)} % of requests served   load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (ratio > TARGET) process.exitCode = 1
}

/** Runs a world with its own database. Returns how many worlds there are. */
async function runWorld(number: number): Promise<number> {
  return withBenchDatabase(async (url, dataDir, pid) => {
    const worlds = worldsOf(await firstCredentials(url, dataDir))
    const world = worlds[number]!
    if (!world.name.startsWith(WORLD)) return worlds.length
    const db = openDatabase({ url, maxConnections: 1, onError: () => undefined })
    await fill(db, someTowns(CAMPAIGNS), world.freq)
    await tell(world, await measure(world, url, dataDir, pid, db), db)
    await db.close()
    return worlds.length
  })
}

if (!(await serveIfChild({ contestants }))) {
  try {
    for (let number = 0, count = 1; number < count; number++) count = await runWorld(number)
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}
