// What counting costs PostgreSQL: its processor time for each event, from the batch to the last figure that is made of
// it, against the floor: the same rows in batches of 500 into a table with one primary key. At 10, 1,000 and 20,000
// campaigns that win evenly. Prints bytes on disk and of WAL too, and what two who write at once achieve.

import { randomFillSync } from 'node:crypto'
import { loadavg } from 'node:os'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { migrate } from '../src/platform/migrate.ts'
import { foldAll } from '../src/stats/fold/fold.ts'
import { eventColumns } from '../src/stats/ingest/columns.ts'
import { createIngest } from '../src/stats/ingest/ingest.ts'
import { createQuarters } from '../src/stats/ingest/local-time.ts'
import { keepPartitions } from '../src/stats/ingest/partitions.ts'
import { createAdIds, type ServedAd } from '../src/tracking/ad.ts'
import type { AdEvent } from '../src/tracking/event.ts'
import { createPlaces } from '../src/tracking/places.ts'
import { withPlenty } from '../test/support/shares.ts'
import { seededRandom } from './bid-world.ts'
import { withBenchDatabase } from './database.ts'
import { postgresSeconds } from './processor.ts'
import { median } from './side-by-side.ts'

const BATCH = 500
const ROUNDS = Number(process.env.ROUNDS ?? 3)
/** A round: half of what comes between two foldings of a busy deployment (fold.ts). */
const EVENTS = Number(process.env.EVENTS ?? 320_000)
const EVENTS_PER_SECOND = 1000
const DOMAINS = 200
const CAMPAIGNS_OF_CUSTOMER = 100
const WORLDS = [
  { campaigns: 10, target: 5 },
  { campaigns: 1000, target: 5 },
  { campaigns: 20_000, target: 7 },
]
/** What an event weighed before it was lean, with its indexes; and what it wrote to the log. */
const DISK_BEFORE = 370
const WAL_BEFORE = 7000

const random = seededRandom(Number(process.env.SEED ?? 7))
const nextAdId = createAdIds(pool => void randomFillSync(pool))
const places = createPlaces({ maxPlaces: 10_000 })
const firstS = Date.now() / 1000
let ads = 0
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!

function someAd(campaigns: number): ServedAd {
  const number = Math.floor(random() * campaigns)
  const cid = 1_000_000 + number * 10
  const placeHash = places.hashOf('domain', `site${Math.floor(random() ** 2 * DOMAINS)}.example`)
  const user =
    random() < 0.5 ? { hi: Math.floor(random() * 2 ** 32), lo: Math.floor(random() * 2 ** 32) } : null
  return {
    adId: nextAdId(),
    servedS: Math.floor(firstS + ads++ / EVENTS_PER_SECOND),
    cuid: 1000 + Math.floor(number / CAMPAIGNS_OF_CUSTOMER),
    ...{ cid, fid: cid + 1, pid: cid + 2, bid: cid + 3, sourceId: 3 },
    ...{
      priceMicros: 2000,
      ttlS: 300,
      nodeId: 0,
      dayKey: Number(new Date().toISOString().slice(0, 10).replaceAll('-', '')),
    },
    ...{ user, placeHash, placeName: places.carriedNameOf(placeHash), networkHash: null, agentHash: null },
    country: pick(['CA', 'US', 'DE', 'FR', 'GB']),
    device: pick(['mobile', 'mobile', 'desktop', 'tablet'] as const),
    os: pick(['iOS', 'Android', 'Windows', 'macOS']),
    ...{ test: false, foreignDomain: false, billsOn: 'pixel', takesPrice: false },
  }
}

function batchesOf(campaigns: number, events = EVENTS): AdEvent[][] {
  return Array.from({ length: events / BATCH }, () =>
    Array.from({ length: BATCH }, () => ({
      kind: 'impression' as const,
      ad: someAd(campaigns),
      atMs: Date.now(),
      spendMicros: 2000,
    })),
  )
}

interface Cost {
  micros: number
  walBytes: number
}

async function costOf(
  db: Database,
  pid: number,
  events: number,
  work: () => Promise<unknown>,
): Promise<Cost> {
  await db.run('checkpoint')
  const wal = async () =>
    (await db.row<{ bytes: number }>("select (pg_current_wal_lsn() - '0/0')::bigint as bytes"))!.bytes
  const before = { seconds: postgresSeconds(pid), wal: await wal() }
  await work()
  return {
    micros: ((postgresSeconds(pid) - before.seconds) / events) * 1e6,
    walBytes: ((await wal()) - before.wal) / events,
  }
}

const FLOOR_COLUMNS = `ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
  kind, device, os`

async function writeFloor(db: Database, batches: AdEvent[][]): Promise<void> {
  const quarterOf = createQuarters('UTC')
  for (const events of batches) {
    const c = eventColumns(
      events,
      events.map(event => event.ad.cid),
      quarterOf,
    )
    await db.run(
      `insert into floor (${FLOOR_COLUMNS})
       select ad, to_timestamp(at_ms / 1000.0), cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros,
         budget_day, country, kind, device, os
       from unnest($1::uuid[], $2::float8[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::integer[],
         $8::integer[], $9::integer[], $10::integer[], $11::smallint[], $12::"char"[], $13::"char"[], $14::"char"[])
         as t(ad, at_ms, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country, kind,
           device, os) on conflict do nothing`,
      [
        ...[c.ads, c.atMs, c.cids, c.leaves, c.sourceIds, c.placeHashes, c.userHis, c.userLos, c.spendMicros],
        ...[c.budgetDays, c.countries, c.kinds, c.devices, c.oses],
      ],
    )
  }
}

async function measure(db: Database, pid: number, campaigns: number, target: number): Promise<void> {
  const ingest = withPlenty(db, createIngest({ db, timeZone: 'UTC', places }))
  const write = async (batches: AdEvent[][]) => {
    for (const events of batches) await ingest({ events, actions: [], ignored: [] })
  }
  // Campaigns run for weeks: that they are new is not what is measured.
  await write(batchesOf(campaigns, Math.max(campaigns * 2, 20_000)))
  await foldAll(db)
  const found = { floor: [] as Cost[], answered: [] as Cost[], whole: [] as Cost[] }
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = [batchesOf(campaigns), batchesOf(campaigns)]
    found.floor.push(await costOf(db, pid, EVENTS, () => writeFloor(db, first)))
    const answered = await costOf(db, pid, EVENTS, () => write(second))
    const folded = await costOf(db, pid, EVENTS, () => foldAll(db))
    found.answered.push(answered)
    found.whole.push({
      micros: answered.micros + folded.micros,
      walBytes: answered.walBytes + folded.walBytes,
    })
  }
  const micros = (costs: Cost[]) => median(costs.map(cost => cost.micros))
  const ratio = micros(found.whole) / micros(found.floor)
  const wal = median(found.whole.map(cost => cost.walBytes))
  console.log(
    `${`${campaigns} campaigns`.padEnd(18)} floor ${micros(found.floor).toFixed(1)} µs   answered ` +
      `${micros(found.answered).toFixed(1)} µs   counted ${micros(found.whole).toFixed(1)} µs   ratio ${ratio.toFixed(2)}   ` +
      `target ${target.toFixed(2)}   ${ratio <= target ? 'ok' : 'ABOVE TARGET'}`,
  )
  console.log(
    `${''.padEnd(18)} WAL ${wal.toFixed(0)} bytes for each (${(wal / WAL_BEFORE).toFixed(2)} of before, target 0.20)   ` +
      `load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (ratio > target) process.exitCode = 1
  await weigh(db)
}

/** Per million events. */
async function weigh(db: Database): Promise<void> {
  const row = await db.row<{ event: number; rollups: number; n: number }>(
    `select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'event'::regclass) as event,
       (select sum(pg_total_relation_size(name::regclass)) from unnest(array['rollup', 'rollup_dimension',
         'rollup_customer', 'leaf', 'budget', 'share']) name) as rollups,
       (select count(*) from event) as n`,
  )
  const { event, rollups, n } = row!
  console.log(
    `${''.padEnd(18)} on disk ${(event / n).toFixed(0)} MB per million events (${(event / n / DISK_BEFORE).toFixed(2)} of ` +
      `before, target 0.60), figures of them ${(rollups / n).toFixed(0)} MB`,
  )
}

/** Events per second of one and of two who write at once, each on a connection of its own. */
async function sideBySide(url: string): Promise<void> {
  const rate = async (writers: number) => {
    const work = Array.from({ length: writers }, () => batchesOf(1000, 30_000))
    const databases = work.map(() => openDatabase({ url, maxConnections: 1, onError: () => {} }))
    const startedMs = performance.now()
    await Promise.all(
      work.map(async (batches, at) => {
        const ingest = withPlenty(
          databases[at]!,
          createIngest({ db: databases[at]!, timeZone: 'UTC', places }),
        )
        for (const events of batches) await ingest({ events, actions: [], ignored: [] })
      }),
    )
    const rate = (writers * 30_000) / ((performance.now() - startedMs) / 1000)
    await Promise.all(databases.map(db => db.close()))
    return rate
  }
  const ratios: number[] = []
  let line = ''
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = [await rate(1), await rate(2)]
    ratios.push(two / one)
    line = `one ${one.toFixed(0)}/s   two ${two.toFixed(0)}/s`
  }
  const ratio = median(ratios)
  console.log(
    `${'two write at once'.padEnd(18)} ${line}   ratio ${ratio.toFixed(2)}   target 1.60   ` +
      `${ratio >= 1.6 ? 'ok' : 'BELOW TARGET'}   load ${loadavg()[0]!.toFixed(1)}`,
  )
}

async function main(): Promise<void> {
  for (const { campaigns, target } of WORLDS) {
    await withBenchDatabase(async (url, _, pid) => {
      await migrate(url)
      const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
      await keepPartitions(db, Date.now(), { eventRetentionS: 400 * 86_400, clickWindowS: 30 * 86_400 })
      await db.run('create table floor (like event including defaults, primary key (ad, kind))')
      await measure(db, pid, campaigns, target)
      await db.close()
      if (campaigns === 1000) await sideBySide(url)
    })
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
