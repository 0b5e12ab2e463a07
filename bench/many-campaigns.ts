// What many campaigns cost one process and its database: from its start, and from the beginning of an unexpected day,
// until all campaigns can be sold; and until a clean stop has given everything back.

import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { type BenchNode, startNode } from './bench-node.ts'
import { withBenchDatabase } from './database.ts'
import { prepareForBids } from './marquee.ts'
import { postgresSeconds } from './processor.ts'

const MOST_S = 10
const MOST_DATABASE_S = 5
const LOOK_MS = 50
const BATCH = 5_000

export async function manyCampaigns(file: string, count: number): Promise<void> {
  await withBenchDatabase(async (url, dataDir, serverPid) => {
    await prepareForBids(url, dataDir)
    const db = openDatabase({ url, maxConnections: 2, onError: () => undefined })
    await fillWithCampaigns(db, count)
    const measured = (what: string, work: () => Promise<void>) => measure(what, count, serverPid, work)
    let node: BenchNode | null = null
    await measured('start', async () => {
      node = await startNode(file, url, join(dataDir, 'node'))
      await allHaveShares(node, count)
    })
    await measured('new day', async () => {
      await node!.startDay()
      await allHaveShares(node!, count)
    })
    await measured('clean stop', () => node!.stop())
    const { left } = (await db.row<{ left: number }>(
      'select count(*) as left from share where granted_micros > billed_micros',
    ))!
    console.log(`${count} campaigns, clean stop   ${left} shares not given back`)
    await db.close()
  })
}

async function measure(what: string, count: number, serverPid: number, work: () => Promise<void>) {
  const startMs = performance.now()
  const startS = postgresSeconds(serverPid)
  await work()
  const tookS = (performance.now() - startMs) / 1000
  const databaseS = postgresSeconds(serverPid) - startS
  const isOk = tookS <= MOST_S && databaseS <= MOST_DATABASE_S
  console.log(
    `${count} campaigns, ${what}   ${tookS.toFixed(1)} s   database ${databaseS.toFixed(2)} s of processor time   ` +
      `target ${MOST_S} s, ${MOST_DATABASE_S} s   ${isOk ? 'ok' : 'ABOVE TARGET'}   load ${loadavg()[0]!.toFixed(1)}`,
  )
}

async function allHaveShares(node: BenchNode, count: number): Promise<void> {
  while ((await node.sellable()) < count) await sleep(LOOK_MS)
}

/** Adds campaigns with a persona and a banner each, all live. */
async function fillWithCampaigns(db: Database, count: number): Promise<void> {
  const { cuid } = (await db.row<{ cuid: number }>(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at)
     select app_id, 'Bench', 'b@bench.example', 'b@bench.example', now(), now() from app limit 1 returning cuid`,
  ))!
  for (let from = 0; from < count; from += BATCH) await addCampaigns(db, cuid, Math.min(BATCH, count - from))
  for (const table of ['campaign', 'flight', 'persona', 'banner']) await db.run(`analyze ${table}`)
}

function addCampaigns(db: Database, cuid: number, count: number) {
  return db.run(
    `with made as (
       insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at)
       select $1, 'c' || i, now() - interval '1 hour', now() + interval '30 days', true, 0, 20000000, 2000000, '{}',
         'even', now(), now() from generate_series(1, $2::integer) i returning cid
     ), flown as (
       insert into flight (cid, is_default, name, created_at, updated_at) select cid, true, 'f', now(), now() from made
     ), meant as (
       insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
       select cid, 'p', '{"geos": ["CA"]}', '{}', '{"mobile": true, "tablet": true, "desktop": true}',
         '{"gender": null, "age": null}', now(), now() from made returning pid
     )
     insert into banner (pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status,
       created_at, updated_at)
     select pid, 'b', 'https://x.example/a.png', 'https://shop.example/', 300, 250, 'image/png', 1000,
       repeat('0', 64) || '.png', 'approved', now(), now() from meant`,
    [cuid, count],
  )
}
