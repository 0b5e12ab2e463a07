// What counting costs PostgreSQL: processor time per event, from the batch to the last figure, against the floor, which
// is to insert the same rows in batches of 500 into a table with one primary key. With 10, 1,000 and 20,000 campaigns
// that win equally often (CAMPAIGNS=… chooses). It also prints bytes on disk and of WAL, and the rate of two concurrent
// writers.

import { loadavg } from 'node:os'
import { FOLD_AT_ROWS, foldAll } from '../src/count/fold/fold.ts'
import { PARTS } from '../src/count/fold/queries.ts'
import { eventColumns } from '../src/count/ingest/columns.ts'
import { createIngest } from '../src/count/ingest/ingest.ts'
import { createQuarters } from '../src/count/ingest/local-time.ts'
import { keepPartitions } from '../src/count/ingest/partitions.ts'
import type { AdEvent } from '../src/count/tracking/event.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { migrate } from '../src/platform/migrate.ts'
import { withPlenty } from '../test/support/shares.ts'
import { batchesOf, fillFresh, places } from './counting-world.ts'
import { withBenchDatabase } from './database.ts'
import { postgresSeconds } from './processor.ts'
import { median } from './side-by-side.ts'
import { ratesOfWriters } from './writers.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const EVENTS = Number(process.env.EVENTS ?? 200_000)
/**
 * Rows folded at once: what a busy deployment has when folding is due (fold.ts). 360,000 rows are an hour at 100 per
 * second.
 */
const FOLDED = Number(process.env.FOLDED ?? PARTS * FOLD_AT_ROWS)
const WORLDS = [
  { campaigns: 10, target: 5 },
  { campaigns: 1000, target: 5 },
  { campaigns: 20_000, target: 7 },
].filter(({ campaigns }) =>
  (process.env.CAMPAIGNS ?? String(campaigns)).split(',').includes(String(campaigns)),
)
/** Bytes of an event with its indexes, and of its WAL, before events were made smaller. */
const DISK_BEFORE = 370
const WAL_BEFORE = 7000

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

const FLOOR_COLUMNS = `ad, at, cid, leaf, source_id, place_hash, locality, user_hi, user_lo, spend_micros, budget_day,
  country, audience, kind, device, os`

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
       select ad, to_timestamp(at_ms / 1000.0), cid, leaf, source_id, place_hash, locality, user_hi, user_lo, spend_micros,
         budget_day, country, audience, kind, device, os
       from unnest($1::uuid[], $2::float8[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
         $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::smallint[], $13::smallint[], $14::"char"[],
         $15::"char"[], $16::"char"[])
         as t(ad, at_ms, cid, leaf, source_id, place_hash, locality, user_hi, user_lo, spend_micros, budget_day, country,
           audience, kind, device, os) on conflict do nothing`,
      [
        ...[c.ads, c.atMs, c.cids, c.leaves, c.sourceIds, c.placeHashes, c.localities, c.userHis, c.userLos],
        ...[c.spendMicros, c.budgetDays, c.countries, c.audiences, c.kinds, c.devices, c.oses],
      ],
    )
  }
}

async function measure(db: Database, pid: number, campaigns: number, target: number): Promise<void> {
  const ingest = withPlenty(db, createIngest({ db, timeZone: 'UTC', places }))
  const write = async (batches: AdEvent[][]) => {
    for (const events of batches) await ingest({ events, actions: [], ignored: [] })
  }
  // Campaigns run for weeks, so the cost of new ones is not measured.
  await write(batchesOf(campaigns, Math.max(campaigns * 2, 20_000)))
  await foldAll(db)
  const found = { floor: [] as Cost[], answered: [] as Cost[], whole: [] as Cost[] }
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = [batchesOf(campaigns, EVENTS), batchesOf(campaigns, EVENTS)]
    found.floor.push(await costOf(db, pid, EVENTS, () => writeFloor(db, first)))
    const answered = await costOf(db, pid, EVENTS, () => write(second))
    await fillFresh(db, Math.max(FOLDED - EVENTS, 0))
    const folded = await costOf(db, pid, Math.max(FOLDED, EVENTS), () => foldAll(db))
    found.answered.push(answered)
    found.whole.push({
      micros: answered.micros + folded.micros,
      walBytes: answered.walBytes + folded.walBytes,
    })
  }
  const micros = (costs: Cost[]) => median(costs.map(cost => cost.micros))
  const ratio = micros(found.whole) / micros(found.floor)
  const walOf = (costs: Cost[]) => median(costs.map(cost => cost.walBytes))
  const wal = walOf(found.whole)
  console.log(
    `${`${campaigns} campaigns`.padEnd(18)} floor ${micros(found.floor).toFixed(1)} µs   answered ` +
      `${micros(found.answered).toFixed(1)} µs   counted ${micros(found.whole).toFixed(1)} µs   ratio ${ratio.toFixed(2)}   ` +
      `target ${target.toFixed(2)}   ${ratio <= target ? 'ok' : 'ABOVE TARGET'}`,
  )
  console.log(
    `${''.padEnd(18)} WAL ${wal.toFixed(0)} bytes for each (${(wal / WAL_BEFORE).toFixed(2)} of before, target 0.20), ` +
      `${walOf(found.answered).toFixed(0)} of them before the answer   ` +
      `load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (ratio > target) process.exitCode = 1
  await weigh(db, ROUNDS * Math.max(FOLDED, EVENTS))
}

/** Prints the size on disk per million events. */
async function weigh(db: Database, folded: number): Promise<void> {
  const row = await db.row<{ event: number; rollups: number; n: number }>(
    `select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'event'::regclass) as event,
       (select sum(pg_total_relation_size(name::regclass)) from unnest(array['rollup', 'rollup_dimension',
         'rollup_customer', 'leaf', 'budget', 'share']) name) as rollups,
       (select count(*) from event) as n`,
  )
  const { event, rollups, n } = row!
  console.log(
    `${''.padEnd(18)} on disk ${(event / n).toFixed(0)} MB per million events (${(event / n / DISK_BEFORE).toFixed(2)} of ` +
      `before, target 0.60), figures of a million folded ${(rollups / folded).toFixed(0)} MB`,
  )
}

/** Prints the events per second of one process and of two. */
async function sideBySide(url: string): Promise<void> {
  const ratios: number[] = []
  let line = ''
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = [await ratesOfWriters(url, 1), await ratesOfWriters(url, 2)]
    ratios.push(two / one)
    line = `one process ${one.toFixed(0)}/s   two ${two.toFixed(0)}/s`
  }
  const ratio = median(ratios)
  console.log(
    `${'two write at once'.padEnd(18)} ${line}   ratio ${ratio.toFixed(2)}   target 1.60   ` +
      `${ratio >= 1.6 ? 'ok' : 'BELOW TARGET'}   load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (ratio < 1.6) process.exitCode = 1
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
