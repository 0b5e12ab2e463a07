// Several processes with one database: bids per second of processor time with 1, 2 and 4 processes; what shares cost a
// node with 10,000 active campaigns, in processor time and in statements; a start and a new day with 20,000 and 50,000
// campaigns; and the race of 1,000 requests for the last 100 impressions.

import { connect } from 'node:net'
import { join } from 'node:path'
import { createCaps } from '../src/budget/caps/caps.ts'
import { createLedger } from '../src/budget/ledger/ledger.ts'
import { insertNode } from '../src/budget/shares/node-queries.ts'
import { createShareStore } from '../src/budget/shares/shares.ts'
import { createRefill } from '../src/deliver/process/refill.ts'
import { createCalendar } from '../src/kernel/time/day.ts'
import { openDatabase } from '../src/platform/database.ts'
import { insertCampaigns } from '../test/support/campaign-rows.ts'
import { type BenchNode, serveAsNode, startNode } from './bench-node.ts'
import { fillWithPersonas, randomBidRequests, seededRandom } from './bid-world.ts'
import { withBenchDatabase } from './database.ts'
import { manyCampaigns } from './many-campaigns.ts'
import { prepareForBids } from './marquee.ts'
import { race } from './race.ts'

/** Numbers of processes; NODES=0 measures only shares. */
const COUNTS = (process.env.NODES ?? '1,2,4').split(',').map(Number).filter(Boolean)
const PERSONAS = Number(process.env.PERSONAS ?? 20_000)
const BIDS_EACH = Number(process.env.BIDS ?? 12_000)
const WARM_UP = 6_000
const CONNECTIONS = 32
const CAMPAIGNS = 10_000
const ROUNDS = 60
/** Numbers of campaigns in the measurements of a start and a new day. */
const MANY = (process.env.MANY ?? '20000,50000').split(',').map(Number).filter(Boolean)
/** Numbers of processes that race for the last impressions. */
const RACES = [1, 3]
/** Promises per second, over all campaigns. */
const PROMISES = 5_000
const TTL_MS = 60_000

/**
 * Each connection sends its next request when the last one was answered. It uses bare sockets: a client as costly as
 * the server would keep the servers waiting, and a process that wakes up for every single bid needs more time per bid.
 */
async function load(url: string, requests: Buffer[], count: number): Promise<void> {
  const { hostname, port } = new URL(url)
  let sent = 0
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let answer = ''
      const next = () => {
        if (sent >= count) return resolve(void socket.destroy())
        socket.write(requests[sent++ % requests.length]!)
      }
      socket.setNoDelay(true).setEncoding('latin1').on('connect', next).on('error', reject)
      socket.on('data', (text: string) => {
        answer += text
        const end = answer.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = Number(/content-length: (\d+)/i.exec(answer.slice(0, end))?.[1] ?? 0)
        if (answer.length < end + 4 + length) return
        if (!/^HTTP\/1.1 20[04] /.test(answer)) return reject(new Error(answer.slice(0, 200)))
        answer = ''
        next()
      })
    })
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

function requestOf(path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: bench',
    'content-type: application/json',
    'x-openrtb-version: 2.6',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

async function bidsPerCpuSecond(url: string, dataDir: string, nodes: number, requests: Buffer[]) {
  const children: BenchNode[] = []
  try {
    for (let n = 0; n < nodes; n++)
      children.push(await startNode(import.meta.filename, url, join(dataDir, `node-${n}`)))
    await Promise.all(children.map(child => load(child.url, requests, WARM_UP)))
    const before = await Promise.all(children.map(child => child.cpuS()))
    await Promise.all(children.map(child => load(child.url, requests, BIDS_EACH)))
    const after = await Promise.all(children.map(child => child.cpuS()))
    return (nodes * BIDS_EACH) / after.reduce((sum, cpuS, n) => sum + cpuS - before[n]!, 0)
  } finally {
    for (const child of children) await child.stop()
  }
}

/** Uses a virtual clock with one second per round, so the cost of a round is the cost of shares per second. */
async function costOfShares(url: string): Promise<void> {
  const db = openDatabase({ url, maxConnections: 2, onError: () => undefined })
  const cids = await insertCampaigns(db, CAMPAIGNS, 100_000_000)
  const { node_id, epoch } = (await insertNode(db, 'bench', 3_600_000, TTL_MS))!
  let nowMs = Date.now()
  let statements = 0
  const counted = { ...db, ...countCalls(db, () => statements++) }
  const refill = createRefill({
    store: createShareStore(counted, TTL_MS),
    node: { nodeId: node_id, epoch },
    log: { info() {}, warn() {}, error() {} },
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    maxTtlMs: TTL_MS,
    onReplaced: () => undefined,
  })
  const ledger = createLedger({
    calendar: createCalendar('UTC'),
    caps: createCaps({ maxUsers: 1 }),
    log: { reserved() {}, ended() {}, budget() {} },
    nowMs,
    maxTtlMs: TTL_MS,
    maxAds: 2_000_000,
    node: { ...refill, hurry: () => undefined },
  })
  for (const cid of cids) {
    const flights = [{ fid: 1, startS: 0, endS: 4e9 }]
    const money = { dailySpendMicros: 100_000_000, cpmMicros: 1_000_000, freq: 0, pacing: 'even' as const }
    ledger.setCampaign({ cid, cuid: 1, enabled: true, flights, category: [], hours: null, ...money }, nowMs)
  }
  let cpuMicros = 0
  let number = 0
  for (let round = 0; round < 2 * ROUNDS; round++) {
    nowMs += 1000
    for (let n = 0; n < PROMISES; n++) {
      const adId = Buffer.from(String(number++).padStart(12, '0')).toString('base64url')
      const cid = cids[Math.floor(Math.random() * cids.length)]!
      ledger.reserve(
        { adId, cid, priceMicros: 1000, user: null, ttlMs: TTL_MS, random: Math.random() },
        nowMs,
      )
    }
    if (round === ROUNDS) [cpuMicros, statements] = [0, 0]
    const before = process.cpuUsage()
    await refill.round(ledger)
    const { user, system } = process.cpuUsage(before)
    cpuMicros += user + system
  }
  const share = cpuMicros / ROUNDS / 1e6
  console.log(
    `shares of ${CAMPAIGNS} active campaigns   ${(100 * share).toFixed(2)} % of a processor   ` +
      `${(statements / ROUNDS).toFixed(1)} statements per second   target 3 %   ${share <= 0.03 ? 'ok' : 'ABOVE TARGET'}`,
  )
  await db.close()
}

function countCalls(
  db: ReturnType<typeof openDatabase>,
  called: () => void,
): Pick<typeof db, 'row' | 'rows' | 'run'> {
  const counted =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      called()
      return work(...args)
    }
  return {
    row: counted(db.row) as typeof db.row,
    rows: counted(db.rows) as typeof db.rows,
    run: counted(db.run),
  }
}

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir) => {
    const random = seededRandom(Number(process.env.SEED ?? 7))
    const path = await prepareForBids(url, dataDir)
    const db = openDatabase({ url, maxConnections: 2, onError: () => undefined })
    await fillWithPersonas(db, PERSONAS, random)
    await db.close()
    const requests = randomBidRequests(2_000, random).map(request => requestOf(path, JSON.stringify(request)))
    const rates: number[] = []
    for (const nodes of COUNTS) {
      const rate = await bidsPerCpuSecond(url, dataDir, nodes, requests)
      rates.push(rate)
      console.log(`bids of ${nodes} processes   ${rate.toFixed(0)} per second of processor time`)
    }
    if (rates.length > 1) {
      const ratio = rates.at(-1)! / rates[0]!
      console.log(
        `${COUNTS.at(-1)} processes against ${COUNTS[0]}   ratio ${ratio.toFixed(2)}   target 0.90   ${ratio >= 0.9 ? 'ok' : 'BELOW TARGET'}`,
      )
    }
    await costOfShares(url)
  })
  for (const count of MANY) await manyCampaigns(import.meta.filename, count)
  for (const nodes of RACES) await race(import.meta.filename, nodes)
}

if (process.env.BENCH_NODE) await serveAsNode()
else await main()
