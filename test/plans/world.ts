// Rows of many campaigns and of a week that they delivered in, made by SQL. Everything of campaign `n` is found by its
// number: its persona is PID + n, its banner BID + n and so on.

import { DAY_MS } from '../../src/kernel/time/units.ts'
import type { Db } from '../../src/platform/database.ts'

export const CAMPAIGNS = 20_000
/** Every fifth campaign is the large customer's; the others have forty each. */
export const LARGE_PART = 5
const OTHERS = 400
/** So many run for a month longer than the others. */
export const LONG = 2_000
export const APP = 1
export const CUID = 1_000
export const CID = 1_000_000
export const FID = 2_000_000
export const PID = 3_000_000
export const BID = 4_000_000
export const LEAF = 5_000_000
/** Nodes: one is asked for, one is dead. */
export const NODE = 1
export const DEAD = 2

export const largeCampaigns = (campaigns: number) => Math.floor(campaigns / LARGE_PART)

const OWNER = `case when n % ${LARGE_PART} = 0 then ${CUID} else ${CUID} + 1 + n % ${OTHERS} end`

export async function fillCustomers(db: Db): Promise<void> {
  await db.run(`insert into app (app_id, name, created_at) values (${APP}, 'a', now())`)
  await db.run(
    `insert into customer (cuid, app_id, company, email, email_key, website, created_at, updated_at)
     select cuid, ${APP}, 'c', 'e' || cuid, 'e' || cuid, 'https://shop.example', now() - interval '30 days', now()
     from generate_series(${CUID}, ${CUID + OTHERS}) cuid`,
  )
  await db.run(
    `insert into node (node_id, name, epoch, valid_until, ads_until) overriding system value
     values (${NODE}, 'one', 1, now() + interval '1 day', now() + interval '1 day'),
       (${DEAD}, 'dead', 1, 'epoch', 'epoch')`,
  )
}

/** Campaigns from `from` to before `to`, each with a flight, a persona, a banner and a leaf. */
export async function fillCampaigns(db: Db, from: number, to: number): Promise<void> {
  const series = `generate_series(${from}, ${to - 1}) n`
  await db.run(
    `insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at, searched)
     select ${CID} + n, ${OWNER}, 'c' || n, now() - interval '20 days',
       now() + case when n < ${LONG} then interval '40 days' else interval '20 days' end, true, n % 2, 1000000,
       1000000, '{}', 'even', now() - interval '20 days', now() - interval '20 days', 'c' || n from ${series}`,
  )
  await db.run(
    `insert into flight (fid, cid, is_default, name, created_at, updated_at)
     select ${FID} + n, ${CID} + n, true, 'f', now(), now() from ${series}`,
  )
  await db.run(
    `insert into persona (pid, cid, name, geo, cat, device, demo, created_at, updated_at)
     select ${PID} + n, ${CID} + n, 'p', '{"geos": ["CA"]}', '{}', '{"mobile": true, "tablet": true, "desktop": true}',
       '{"gender": null, "age": null}', now(), now() from ${series}`,
  )
  await db.run(
    `insert into banner (bid, pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status,
       created_at, updated_at)
     select ${BID} + n, ${PID} + n, 'b', 'https://x.example/a.png', 'https://shop.example/', 300, 250, 'image/png', 1000,
       md5(n::text) || '.png', 'approved', now(), now() from ${series}`,
  )
  await db.run(
    `insert into leaf (leaf, cuid, cid, fid, pid, bid)
     select ${LEAF} + n, ${OWNER}, ${CID} + n, ${FID} + n, ${PID} + n, ${BID} + n from ${series}`,
  )
  await db.run(
    `insert into campaign_watch (cid, phase, due_at) select ${CID} + n, 'begun', 'infinity' from ${series}`,
  )
}

export const dayKey = (ms: number) => Number(new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''))
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** What nodes were granted on a day: one of them always, the one that is dead on the last. */
export async function fillShares(
  db: Db,
  ms: number,
  from: number,
  to: number,
  nodes = [NODE],
): Promise<void> {
  const series = `generate_series(${from}, ${to - 1}) n`
  await db.run(
    `insert into budget (day, cid, limit_micros, granted_micros)
     select ${dayKey(ms)}, ${CID} + n, 1000000, 40000 from ${series} on conflict do nothing`,
  )
  await db.run(
    `insert into share (day, cid, node_id, granted_micros, billed_micros)
     select ${dayKey(ms)}, ${CID} + n, node_id, 20000, 5000 from ${series}, unnest($1::integer[]) as of(node_id)
     on conflict do nothing`,
    [nodes],
  )
}

/** What was counted and folded on a day. */
export async function fillFigures(db: Db, ms: number, from: number, to: number): Promise<void> {
  const series = `generate_series(${from}, ${to - 1}) n`
  const day = `date '${dateOf(ms)}'`
  const counts = '20, 0, 1, 0, 5000'
  await db.run(
    `insert into rollup (id, quarter, imps, views, clicks, actions, spend_micros)
     select ${CID} + n, ${day} + interval '12 hours', ${counts} from ${series}`,
  )
  await db.run(
    `insert into rollup (id, quarter, imps, views, clicks, actions, spend_micros)
     select cuid, ${day} + interval '12 hours', ${counts} from customer on conflict do nothing`,
  )
  await db.run(
    `insert into rollup_customer (cuid, day, cid, pid, imps, views, clicks, actions, spend_micros)
     select ${OWNER}, ${day}, ${CID} + n, ${PID} + n, ${counts} from ${series}`,
  )
  await db.run(
    `insert into rollup_dimension (id, dimension, day, name, imps, views, clicks, actions, spend_micros)
     select ${LEAF} + n, d.dimension, ${day}, d.name, ${counts}
     from ${series}, lateral (values ('p'::"char", 1 + n % 50), ('d', 109)) as d(dimension, name)`,
  )
}

/** What was counted and not yet folded. */
export async function fillFresh(db: Db, ms: number, from: number, to: number): Promise<void> {
  await db.run(
    `insert into fresh (cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country,
       audience, kind, device, os)
     select ${OWNER}, ${CID} + n, ${LEAF} + n, 1 + n % 50, 0, 0, $1, $2::date, 100, 12, 1, 17, 'i', 'm', 'i'
     from generate_series(${from}, ${to - 1}) n`,
    [Math.floor(ms / 900_000), dateOf(ms)],
  )
}

/** Campaigns `from` to before `to`, with a week of books and what was counted in its last days. */
export async function fillWeek(db: Db, nowMs: number, from: number, to: number): Promise<void> {
  await fillCampaigns(db, from, to)
  for (let ago = 6; ago > 0; ago--) await fillShares(db, nowMs - ago * DAY_MS, from, to)
  await fillShares(db, nowMs, from, to, [NODE, DEAD])
  for (const ago of [2, 1]) await fillFigures(db, nowMs - ago * DAY_MS, from, to)
  await fillFresh(db, nowMs, from, to)
}
