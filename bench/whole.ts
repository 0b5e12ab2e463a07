// What an operator pays for an ad that is served and counted: processor time of the service and of PostgreSQL, against a
// bare server that answers the same two requests (for the ad, and the report that it was seen) and stores nothing, and
// against bare sockets (bare-sockets.ts). 1,000 campaigns win equally often. There are three worlds: bids of an exchange,
// tags in pages, and tags of servers for campaigns with a cap. WORLD=tags runs the worlds whose names begin with "tags".
// Each connection asks again as soon as it is answered; ads at fixed rates are in rates.ts.
//
// PostgreSQL is read around the rounds of the service alone. Later work has windows of its own: folding, with the number
// of events that each campaign has then, and what both processes do in a second without any request.

import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { foldAll } from '../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { bareBidder } from './bare-bidder.ts'
import { bareSockets } from './bare-sockets.ts'
import { seededRandom } from './bid-world.ts'
import { askAndReport, type Contestant, isAd, serveAd, startContestant } from './contestant.ts'
import { withBenchDatabase } from './database.ts'
import { tellMachine } from './machine.ts'
import { firstCredentials, startDelivering } from './marquee.ts'
import { postgresSeconds } from './processor.ts'
import { median, serveIfChild } from './side-by-side.ts'
import { type Ask, fill, someTowns, type World, worldsOf } from './whole-world.ts'

const CAMPAIGNS = Number(process.env.CAMPAIGNS ?? 1000)
const ADS = Number(process.env.ADS ?? 4_000)
const ROUNDS = Number(process.env.ROUNDS ?? 15)
/** Enough to compile hot code. */
const WARM_UP_ROUNDS = Number(process.env.WARM_UP_ROUNDS ?? 8)
const WORLD = process.env.WORLD ?? ''
const TARGET = 2.5
const IDLE_MS = 5_000

async function marquee(): Promise<string> {
  const settings = { TRUST_PROXY: 'loopback' }
  const { url } = await startDelivering(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!, settings)
  return url
}

const contestants = { bare: bareBidder, sockets: bareSockets, marquee }

/** Serves each on one of the connections. Returns how many were: a service that cannot keep up serves fewer. */
async function serveAll(
  asks: Ask[],
  connections: number,
  serve: (ask: Ask) => Promise<boolean>,
): Promise<number> {
  let next = 0
  let served = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < asks.length) if (await serve(asks[next++]!)) served++
    }),
  )
  return served
}

/** Seconds of processors for each ad, of each round. */
interface Cost {
  bare: number[]
  sockets: number[]
  service: number[]
  database: number[]
  /** For each event. */
  folding: number
  /** For each second without requests. */
  idle: { service: number; database: number }
  served: number
}

type Name = keyof typeof contestants

interface Rivals {
  servers: Record<Name, Contestant>
  /** What the bare servers are asked: an ad of ours, and its report. */
  serve: Record<Name, (ask: Ask) => Promise<boolean>>
  /** An ad for a town in which a campaign wins. */
  asks(count: number): Ask[]
}

async function startRivals({ connections, ask }: World, env: Record<string, string>): Promise<Rivals> {
  const random = seededRandom(Number(process.env.SEED ?? 7))
  const start = (name: Name, more = {}) =>
    startContestant(import.meta.filename, name, { ...env, ...more }, connections)
  const marquee = await start('marquee')
  const towns = someTowns(CAMPAIGNS)
  const asked = towns.map(town => ask(town))
  const answers = await Promise.all(asked.map(({ load }) => marquee.send(load)))
  // A few towns have the same name as another town in their region: neither gets ads by name alone.
  const won = towns.filter((_, at) => isAd(answers[at]!))
  const first = answers.findIndex(isAd)
  const size = { BENCH_ANSWER_BYTES: String(answers[first]!.text.length) }
  const servers = { marquee, bare: await start('bare', size), sockets: await start('sockets', size) }
  const report = asked[first]!.report(answers[first]!)
  const plainly = (server: Contestant) => (one: Ask) => askAndReport(server, one, report).then(() => true)
  return {
    servers,
    serve: {
      marquee: one => serveAd(marquee, one),
      bare: plainly(servers.bare),
      sockets: plainly(servers.sockets),
    },
    asks: count => Array.from({ length: count }, () => ask(won[Math.floor(random() * won.length)]!)),
  }
}

/** Measures all servers in alternating short rounds. */
async function measure(world: World, env: Record<string, string>, pid: number, db: Database): Promise<Cost> {
  const { servers, serve, asks } = await startRivals(world, env)
  const cost: Cost = {
    ...{ bare: [], sockets: [], service: [], database: [], folding: 0 },
    ...{ idle: { service: 0, database: 0 }, served: 0 },
  }
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    if (round === 0) await foldAll(db)
    const load = asks(ADS)
    for (const name of ['bare', 'sockets', 'marquee'] as const) {
      const before = [await servers[name].seconds(), postgresSeconds(pid)] as const
      const served = await serveAll(load, world.connections, serve[name])
      const after = [await servers[name].seconds(), postgresSeconds(pid)] as const
      if (round < 0) continue
      cost[name === 'marquee' ? 'service' : name].push((after[0] - before[0]) / served)
      if (name !== 'marquee') continue
      cost.database.push((after[1] - before[1]) / served)
      cost.served += served
    }
  }
  cost.idle = await idleCost(servers.marquee, pid)
  const unfolded = postgresSeconds(pid)
  await foldAll(db)
  cost.folding = (postgresSeconds(pid) - unfolded) / cost.served
  for (const server of Object.values(servers)) await server.stop()
  return cost
}

async function idleCost(service: Contestant, pid: number): Promise<Cost['idle']> {
  const before = [await service.seconds(), postgresSeconds(pid), performance.now()] as const
  await sleep(IDLE_MS)
  const seconds = (performance.now() - before[2]) / 1000
  return {
    service: ((await service.seconds()) - before[0]) / seconds,
    database: (postgresSeconds(pid) - before[1]) / seconds,
  }
}

async function tell({ name }: World, cost: Cost, db: Database): Promise<void> {
  const counted = await db.row<{ n: number; campaigns: number }>(
    'select count(*) as n, count(distinct cid) as campaigns from event',
  )
  const micros = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`
  const { bare, sockets, service, database, folding, idle, served } = cost
  const whole = (at: number) => service[at]! + database[at]! + folding
  const ratioTo = (rival: number[]) => median(rival.map((seconds, at) => whole(at) / seconds))
  const ratio = ratioTo(bare)
  console.log(
    `${name.padEnd(26)} bare ${micros(median(bare))}   service ${micros(median(service))}   ` +
      `PostgreSQL ${micros(median(database))}   folding ${micros(folding)}   ratio ${ratio.toFixed(2)}   ` +
      `target ${TARGET.toFixed(2)}   ${ratio <= TARGET ? 'ok' : 'ABOVE TARGET'}`,
  )
  console.log(
    `${''.padEnd(26)} sockets ${micros(median(sockets))}   ratio-to-sockets ${ratioTo(sockets).toFixed(2)}   ` +
      `idle-service ${(idle.service * 1000).toFixed(1)} ms/s   idle-PostgreSQL ${(idle.database * 1000).toFixed(1)} ms/s   ` +
      `${(served / counted!.campaigns).toFixed(0)} events of each campaign folded`,
  )
  console.log(
    `${''.padEnd(26)} ${counted!.n} impressions of ${counted!.campaigns} campaigns on disk   ` +
      `${((100 * served) / (ROUNDS * ADS)).toFixed(1)} % of requests served   load ${loadavg()[0]!.toFixed(1)}`,
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
    await tellMachine(db)
    await fill(db, someTowns(CAMPAIGNS), world.freq)
    await tell(world, await measure(world, { BENCH_DATABASE: url, BENCH_DATA: dataDir }, pid, db), db)
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
