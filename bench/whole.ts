// What an operator pays for an ad that is served and counted: processor time of the service and of PostgreSQL,
// including all later work, against a bare server that answers the same two requests (a bid request and its billing
// notice) and forgets them. 1,000 campaigns win evenly.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { loadavg } from 'node:os'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { allCities, type City } from '../src/reference/cities.ts'
import { COUNTRIES } from '../src/reference/countries.ts'
import { foldAll } from '../src/stats/fold/fold.ts'
import { bareBidder } from './bare-bidder.ts'
import { seededRandom } from './bid-world.ts'
import { withBenchDatabase } from './database.ts'
import { prepareForBids, startDelivering } from './marquee.ts'
import { postgresSeconds } from './processor.ts'
import { median, serveIfChild } from './side-by-side.ts'

const CAMPAIGNS = Number(process.env.CAMPAIGNS ?? 1000)
const ADS = Number(process.env.ADS ?? 20_000)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const CONNECTIONS = 128
const TARGET = 2.5
const ALPHA3 = new Map(COUNTRIES.map(country => [country.code, country.alpha3]))
const BID_HEADERS = { 'content-type': 'application/json', 'x-openrtb-version': '2.6' }

async function marquee(): Promise<string> {
  const { url } = await startDelivering(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!)
  return url
}

const contestants = { bare: bareBidder, marquee }
const random = seededRandom(Number(process.env.SEED ?? 7))

/** One campaign for each of this many towns, so that a request decides who wins. */
async function fill(db: Database, towns: City[]): Promise<void> {
  const [app] = await db.rows<{ app_id: number }>('select app_id from app')
  await db.run(
    `with customer as (
       insert into customer (app_id, company, email, email_key, created_at, updated_at)
       select $1, 'Bench', 'b' || i, 'b' || i, now(), now() from generate_series(1, 10) i returning cuid
     ), owner as (
       select cuid, row_number() over () - 1 as n from customer
     ), wanted as (
       select nextval('ids') as cid, nextval('ids') as pid, place, n from unnest($2::text[]) with ordinality as t(place, n)
     ), campaign as (
       insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at)
       select cid, cuid, 'c', now() - interval '1 hour', now() + interval '30 days', true, 0, 1000000000000, 2000000, '{}',
         'asap', now(), now() from wanted join owner on owner.n = wanted.n % 10
     ), flight as (
       insert into flight (cid, is_default, name, created_at, updated_at) select cid, true, 'f', now(), now() from wanted
     ), persona as (
       insert into persona (pid, cid, name, geo, cat, device, demo, created_at, updated_at)
       select pid, cid, 'p', jsonb_build_object('geos', jsonb_build_array(place)), '{}',
         '{"mobile": true, "tablet": true, "desktop": true}', '{"gender": null, "age": null}', now(), now() from wanted
     )
     insert into banner (pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status, created_at,
       updated_at)
     select pid, 'b', 'https://x.example/a.png', 'https://shop.example/', 300, 250, 'image/png', 1000,
       md5(pid::text) || md5(cid::text) || '.png', 'approved', now(), now() from wanted`,
    [app!.app_id, towns.map(town => `${town.country}-${town.region}-${town.name}`)],
  )
}

function bidRequest(towns: City[]): string {
  const town = towns[Math.floor(random() * towns.length)]!
  const isMobile = random() < 0.6
  return JSON.stringify({
    id: `5f0ad9c6e1b74e9bb5c3${Math.floor(random() * 1e9)}`,
    at: 1,
    tmax: 250,
    cur: ['USD'],
    imp: [{ id: '1', bidfloor: 0.05, banner: { format: [{ w: 300, h: 250 }] } }],
    site: {
      domain: `site${Math.floor(random() ** 2 * 200)}.example`,
      page: 'https://news.example/section/article-1234.html',
      cat: ['IAB12'],
    },
    device: {
      ua: isMobile
        ? 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
        : 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      ip: '203.0.113.77',
      devicetype: isMobile ? 4 : 2,
      geo: { country: ALPHA3.get(town.country), region: town.region, city: town.name },
    },
    user: { id: `user-${Math.floor(random() * 100_000)}` },
  })
}

interface Server {
  child: ChildProcess
  url: URL
  agent: Agent
}

async function start(name: keyof typeof contestants, env: Record<string, string>): Promise<Server> {
  const child = fork(import.meta.filename, [], { env: { ...process.env, ...env, BENCH_CONTESTANT: name } })
  process.once('exit', () => child.kill('SIGKILL'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { child, url: new URL(url), agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }) }
}

function send(
  server: Server,
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = server.url
  return new Promise((resolve, reject) => {
    const options = { agent: server.agent, hostname, port, method, path, headers: body ? BID_HEADERS : {} }
    const outgoing = httpRequest(options, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () => resolve({ status: answer.statusCode!, text: Buffer.concat(chunks).toString() }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/**
 * Each ad is a bid request and then its notice: the `burl` of the answer, or for the bare server anything as long.
 * Returns how many were served: a service that cannot keep up bids less.
 */
async function serveAds(
  server: Server,
  bidPath: string,
  bodies: string[],
  noticePath: (text: string) => string,
) {
  let next = 0
  let served = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < bodies.length) {
        const bid = await send(server, 'POST', bidPath, bodies[next++]!)
        if (bid.status === 204) continue
        if (bid.status !== 200) throw new Error(`a bid request was answered with ${bid.status}`)
        const notice = await send(server, 'GET', noticePath(bid.text))
        if (notice.status !== 200) throw new Error(`a notice was answered with ${notice.status}`)
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

const burlOf = (text: string) => {
  const { pathname } = new URL(JSON.parse(text).seatbid[0].bid[0].burl)
  return `${pathname}?p=1.5`
}

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir, pid) => {
    const bidPath = await prepareForBids(url, dataDir)
    const db = openDatabase({ url, maxConnections: 1, onError: () => undefined })
    const towns = [
      ...new Map(
        allCities()
          .filter(city => city.region !== '' && ALPHA3.has(city.country))
          .map(city => [`${city.country}-${city.region}-${city.name}`, city]),
      ).values(),
    ].slice(0, CAMPAIGNS)
    await fill(db, towns)
    const env = { BENCH_DATABASE: url, BENCH_DATA: dataDir }
    const ours = await start('marquee', env)
    const asked = towns.map(town => [town])
    const answers = await Promise.all(asked.map(town => send(ours, 'POST', bidPath, bidRequest(town))))
    // A few towns share their name with another one in their region: neither gets bids by name alone.
    const won = towns.filter((_, at) => answers[at]!.status === 200)
    const sample = answers.find(answer => answer.status === 200)!
    const theirs = await start('bare', { ...env, BENCH_ANSWER_BYTES: String(sample.text.length) })
    const longNotice = burlOf(sample.text)
    const bodiesOf = (count: number) => Array.from({ length: count }, () => bidRequest(won))
    const servedOf: number[] = []
    const cost = { bare: [] as number[], service: [] as number[], database: [] as number[] }
    for (let round = -2; round < ROUNDS; round++) {
      const bodies = bodiesOf(ADS)
      const bareBefore = await serviceSeconds(theirs)
      await serveAds(theirs, bidPath, bodies, () => longNotice)
      const bareAfter = await serviceSeconds(theirs)
      const before = [await serviceSeconds(ours), postgresSeconds(pid)] as const
      const served = await serveAds(ours, bidPath, bodies, burlOf)
      const service = (await serviceSeconds(ours)) - before[0]
      await foldAll(db)
      const database = postgresSeconds(pid) - before[1]
      if (round < 0) continue // warms up
      cost.bare.push(((bareAfter - bareBefore) / ADS) * 1e6)
      cost.service.push((service / served) * 1e6)
      cost.database.push((database / served) * 1e6)
      servedOf.push(served / ADS)
    }
    const counted = await db.row<{ n: number; campaigns: number }>(
      'select count(*) as n, count(distinct cid) as campaigns from event',
    )
    const [service, database, bareCost] = [median(cost.service), median(cost.database), median(cost.bare)]
    const ratio = (service + database) / bareCost
    console.log(
      `an ad served and counted   bare ${bareCost.toFixed(0)} µs   service ${service.toFixed(0)} µs   PostgreSQL ` +
        `${database.toFixed(0)} µs   ratio ${ratio.toFixed(2)}   target ${TARGET.toFixed(2)}   ` +
        `${ratio <= TARGET ? 'ok' : 'ABOVE TARGET'}`,
    )
    console.log(
      `${''.padEnd(26)} ${counted!.n} impressions of ${counted!.campaigns} campaigns on disk   ${(median(servedOf) * 100).toFixed(1)} % of requests bid for   load ${loadavg()[0]!.toFixed(1)}`,
    )
    if (ratio > TARGET) process.exitCode = 1
    for (const { child, agent } of [ours, theirs]) {
      agent.destroy()
      child.kill('SIGKILL')
    }
    await db.close()
  })
}

if (!(await serveIfChild({ contestants }))) {
  await main().catch(error => {
    console.error(error)
    process.exitCode = 1
  })
}
