// POST /openrtb2/bid with 100,000 live personas, against a bare server that parses the same body and answers with a
// constant of the same size. Two kinds of requests: the least that an exchange sends, and everything that many send.

import { gzipSync } from 'node:zlib'
import { openDatabase } from '../src/platform/database.ts'
import { bareBidder } from './bare-bidder.ts'
import { fillWithPersonas, randomBidRequests, seededRandom } from './bid-world.ts'
import { withBenchDatabase } from './database.ts'
import { prepareForBids, startDelivering } from './marquee.ts'
import { enriched } from './rich-request.ts'
import { contest, serveIfChild } from './side-by-side.ts'

const PERSONAS = Number(process.env.PERSONAS ?? 100_000)
const BODIES = 2_000
/** Enough to compile hot code and to collect the garbage from loading the catalog. */
const WARM_UP_ROUNDS = 12

async function marquee(): Promise<string> {
  const { url } = await startDelivering(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!)
  return url
}

const contestants = { bare: bareBidder, marquee }

if (!(await serveIfChild({ contestants }))) {
  await withBenchDatabase(async (url, dataDir) => {
    const random = seededRandom(Number(process.env.SEED ?? 7))
    const path = await prepareForBids(url, dataDir)
    const db = openDatabase({ url, maxConnections: 2, onError: () => undefined })
    await fillWithPersonas(db, PERSONAS, random)
    await db.close()
    const bodies = randomBidRequests(BODIES, random).map(request => JSON.stringify(request))
    const { bytes, share } = await sizeOfAnswers(url, dataDir, path, bodies)
    console.log(`personas ${PERSONAS}, bids ${(share * 100).toFixed(0)} %, answer ${bytes} bytes`)
    const options = {
      file: import.meta.filename,
      contestants,
      env: { BENCH_DATABASE: url, BENCH_DATA: dataDir, BENCH_ANSWER_BYTES: String(bytes) },
      expectStatus: (status: number) => status === 200 || status === 204,
      target: 0.8,
    }
    const headers = { 'content-type': 'application/json', 'x-openrtb-version': '2.6' }
    const rich = bodies.map(body => JSON.stringify(enriched(JSON.parse(body))))
    for (const sent of [bodies, rich]) {
      const name = `bid on ${(sent[0]!.length / 1000).toFixed(1)} kB`
      const load = (n: number) => ({ method: 'POST', path, headers, body: sent[n % BODIES]! })
      await contest({ ...options, name, load, warmUpRounds: WARM_UP_ROUNDS, rounds: 11 })
    }
  })
}

/** The size of a bid, and how many of the requests get one. */
async function sizeOfAnswers(
  databaseUrl: string,
  dataDir: string,
  path: string,
  bodies: string[],
): Promise<{ bytes: number; share: number }> {
  const startedMs = performance.now()
  const { service, url } = await startDelivering(databaseUrl, dataDir)
  console.log(`catalog ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  let bytes = 0
  let bids = 0
  for (const [n, body] of bodies.slice(0, 300).entries()) {
    const packed = n % 10 === 0
    const answer = await fetch(url + path, {
      method: 'POST',
      body: packed ? gzipSync(body) : body,
      headers: packed ? { 'content-encoding': 'gzip' } : {},
    })
    const text = await answer.text()
    if (answer.status !== 200) continue
    bids++
    bytes += text.length
  }
  await service.stop()
  return { bytes: Math.round(bytes / Math.max(1, bids)), share: bids / 300 }
}
