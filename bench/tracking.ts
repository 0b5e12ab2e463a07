// A pixel from its signed link to the disk, against a bare server that only answers with the same GIF; and a batch
// through the ingest, against its statements alone with everything prepared.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventColumns } from '../src/count/ingest/columns.ts'
import { createIngest } from '../src/count/ingest/ingest.ts'
import { createLeaves } from '../src/count/ingest/leaves.ts'
import { createQuarters } from '../src/count/ingest/local-time.ts'
import { insertEvents } from '../src/count/ingest/queries.ts'
import { PIXEL } from '../src/count/tracking/answers.ts'
import type { AdEvent } from '../src/count/tracking/event.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import { openDatabase } from '../src/platform/database.ts'
import { NOTHING_KNOWN } from '../src/platform/rewind-check.ts'
import { grantPlenty, withPlenty } from '../test/support/shares.ts'
import { AGENT, type Counting, startCounting, trialAd } from './counting-service.ts'
import { withBenchDatabase } from './database.ts'
import { contest, median, serveIfChild } from './side-by-side.ts'

async function bare(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(PIXEL.status, { ...PIXEL.headers, 'content-length': 43 })
    response.end(PIXEL.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function marquee(): Promise<string> {
  const counting = await startCounting({ databaseUrl: process.env.BENCH_DATABASE!, clock: systemClock })
  return counting.listen()
}

const contestants = { bare, marquee }

/** Ads of a few hundred banners, as in a busy deployment. */
function someAd(counting: Counting, number: number) {
  const cid = 20 + (number % 25) * 1000
  return trialAd(counting, {
    cid,
    fid: cid + 10,
    pid: cid + 20 + (number % 3),
    bid: cid + 30 + (number % 9),
    country: ['CA', 'US', 'DE'][number % 3]!,
    placeHash: counting.places.hashOf('domain', `site${number % 40}.example`),
    networkHash: null,
    agentHash: null,
  })
}

const HALF_RATE_SECONDS = 5

/**
 * Prints how long answers take at half of the highest rate, with requests sent at fixed times, whether or not earlier
 * ones were answered.
 */
async function latencyAtHalfRate(counting: Counting): Promise<void> {
  const pixel = () => {
    const { impression } = counting.sign(someAd(counting, number++))
    return counting.handle({ path: `/t/i/${impression}` })
  }
  let number = 0
  const startMs = performance.now()
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 500 }, pixel))
  const highest = 10_000 / ((performance.now() - startMs) / 1000)
  const perTick = Math.max(1, Math.round(highest / 2 / 100))
  const times: number[] = []
  const pending: Promise<unknown>[] = []
  for (let tick = 0; tick < HALF_RATE_SECONDS * 100; tick++) {
    for (let i = 0; i < perTick; i++) {
      const sentMs = performance.now()
      pending.push(pixel().then(() => times.push(performance.now() - sentMs)))
    }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  await Promise.all(pending)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1)
  console.log(
    `${'pixel at half the highest rate'.padEnd(34)} highest ${highest.toFixed(0)}/s   ` +
      `p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   target p99 < 50 ms`,
  )
}

async function ingestAgainstSql(counting: Counting, url: string): Promise<void> {
  const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
  const ingest = withPlenty(db, createIngest({ db, timeZone: 'UTC', places: counting.places }))
  const quarterOf = createQuarters('UTC')
  const leavesOf = createLeaves()
  const batchOf = (round: number): AdEvent[] =>
    Array.from({ length: 500 }, (_, i) => ({
      kind: 'impression',
      ad: someAd(counting, round * 500 + i),
      atMs: Date.now(),
      spendMicros: 2000,
    }))
  const times = { bare: [] as number[], marquee: [] as number[] }
  for (let round = 0; round < 24; round++) {
    const [first, second] = [batchOf(round), batchOf(round)]
    await grantPlenty(
      db,
      first.map(event => event.ad),
    )
    const ads = first.map(event => event.ad)
    const columns = eventColumns(first, await leavesOf(db, ads), quarterOf)
    const startMs = performance.now()
    await insertEvents(db, columns, NOTHING_KNOWN, 0, {
      caps: false,
      others: false,
      clicks: false,
      flights: false,
    })
    const middleMs = performance.now()
    await ingest({ events: second, actions: [], ignored: [] })
    if (round < 4) continue // warms up
    times.bare.push(middleMs - startMs)
    times.marquee.push(performance.now() - middleMs)
  }
  await db.close()
  const [bareMs, marqueeMs] = [median(times.bare), median(times.marquee)]
  const ratio = bareMs / marqueeMs
  console.log(
    `${'ingest a batch of 500'.padEnd(34)} bare ${bareMs.toFixed(1).padStart(6)} ms      ` +
      `marquee ${marqueeMs.toFixed(1).padStart(6)} ms      ratio ${ratio.toFixed(2)}   target 0.70   ` +
      `${ratio >= 0.7 ? 'ok' : 'BELOW TARGET'}`,
  )
}

if (!(await serveIfChild({ contestants }))) {
  await withBenchDatabase(async (url, dataDir) => {
    const counting = await startCounting({ databaseUrl: url, clock: systemClock })
    let number = 0
    await contest({
      name: 'durable pixel',
      file: import.meta.filename,
      contestants,
      env: { BENCH_DATABASE: url, BENCH_DATA: dataDir },
      load: () => ({
        method: 'GET',
        path: `/t/i/${counting.sign(trialAd(counting, { bid: 50 + (number++ % 20) })).impression}`,
        headers: { 'user-agent': AGENT },
      }),
      expectStatus: status => status === 200,
      // Many visitors at once, as in reality; with few, the bench would measure how the load generator wakes up for
      // each answer.
      connections: 256,
      requestsARound: 6000,
      warmUpRounds: 3,
      target: 0.5,
    })
    const row = await counting.db.row<{ n: number }>("select count(*) as n from event where kind = 'i'")
    console.log(`${''.padEnd(34)} ${row!.n} impressions are on disk`)
    await latencyAtHalfRate(counting)
    await ingestAgainstSql(counting, url)
    await counting.stop()
  })
}
