// Every statement that the service runs finds its rows by an index. Each endpoint is called with its own example on
// tables of many rows; then the test checks the plan of every statement that was run, with the values it was run with.

import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTx } from '../src/changes/tx.ts'
import { packAll } from '../src/count/pack/pack.ts'
import type { EndpointSpec } from '../src/http/endpoint.ts'
import { sweepAccess } from '../src/identity/sweep.ts'
import { calendarOf } from '../src/kernel/time/day.ts'
import { fillSearchTexts, listDeleted, restore } from '../src/manage/campaigns/campaigns.ts'
import { CAMPAIGN_STATUSES } from '../src/manage/campaigns/contract.ts'
import { listAllCustomers, removeCustomer, restoreCustomer } from '../src/manage/customers/customers.ts'
import { eraseCustomer, sweepErasures } from '../src/manage/customers/erase.ts'
import { sweepDeliveries } from '../src/notify/webhooks/deliveries.ts'
import { createWatch } from '../src/notify/webhooks/watch.ts'
import { knownStatements } from '../src/platform/database.ts'
import { breakdown, dimensionsOf } from '../src/report/figures/breakdown.ts'
import { findSubject } from '../src/report/figures/report.ts'
import { zoneOfSetting } from '../src/report/figures/zone.ts'
import { newTestCustomer, type TestCustomer } from './support/campaigns.ts'
import { fillTable } from './support/fill.ts'
import { startTestService, type TestService } from './support/service.ts'

/** Only ever a handful of rows. */
const SMALL_TABLES = [
  'app',
  'source',
  // At most fifty of an app.
  'attribute',
  'migration',
  'node',
  // One row per process.
  'witness',
  'signing_key',
  'event_numbering',
  'export_mark',
  'audit_cleared',
  'fresh_part',
  'customer_sums_since',
  // One row.
  'stalled_check',
  // One row per node.
  'traffic',
]
/** Once per hour, over everything that may have expired; and once at the start. */
const SWEEPS = [
  /^delete from passcode where expires_at/,
  /^delete from credential where expires_at/,
  /^delete from mail_allowance/,
  /select name from creative_upload union/,
  /^delete from served_day where day/,
  /^delete from source_outcome where at/,
  // The last hour of all sources, by the beginning of the key; here nothing is older.
  /^with sum as \(\s*select source_id, outcome/,
  /^delete from mail_day where day/,
  /^delete from stalled where ended_at/,
  // In the background, over all that run and get nowhere.
  /^with found as materialized/,
  // In the background, over all running campaigns.
  /^with unfolded as materialized/,
  /^select cid from campaign where enabled and deleted_at is null and start_at/,
  /^delete from landing_page where seen_at/,
  // What is waiting, at most ten thousand rows, from indexes that contain nothing else.
  /^select\s+\(select count\(\*\) from \(\s*select from banner where status = 'pending'/,
  // A report is about all customers of an app, and so are the figures of sources.
  /^with mine as materialized/,
  /^with sums as \(\s*select [^;]* from rollup_customer\s+where/,
]
const MIN_ROWS = 1000

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

let service: TestService
let ann: TestCustomer
const values = new Map<string, unknown[]>()
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown

beforeAll(async () => {
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const config = args[0] as { name?: string; text: string; values?: unknown[] }
    // From an empty list any index follows, even one that has no such rows.
    const isEmpty = config?.values?.some(value => Array.isArray(value) && value.length === 0)
    if (typeof config === 'object' && config.name && !(isEmpty && values.has(config.text)))
      values.set(config.text, config.values ?? [])
    return query.apply(this, args)
  } as typeof pg.Client.prototype.query
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(async () => {
  pg.Client.prototype.query = query as typeof pg.Client.prototype.query
  await service.close()
})

/** What the path parameters of the endpoints are called with. */
interface Ids {
  cid: number
  fid: number
  pid: number
  bid: number
  wid: number
  did: number
}

async function fillTables(): Promise<Ids> {
  const { pool } = service.db
  const { rows } = await pool.query<{ app_id: number }>('select app_id from customer where cuid = $1', [
    ann.cuid,
  ])
  const appId = rows[0]!.app_id
  const series = (count: number) => `generate_series(1, ${count}) i`
  const id = (table: string, column: string) =>
    `(select array_agg(${column} order by ${column}) as ids, count(*)::int as n from ${table}) a`
  await pool.query(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at, deleted_at)
     select ${appId}, 'c', 'x' || i || '@many.example', 'x' || i || '@many.example', now(), now(),
       case when i % 50 = 0 then now() end from ${series(20_000)}`,
  )
  await pool.query(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at, deleted_at)
     select case when i % 20 = 1 then ${ann.cuid} else a.ids[1 + i % a.n] end, 'c', '2029-12-01', '2031-01-01', true,
       0, 1000000, 2000000, '{}', 'even', now(), now(), case when i % 50 = 0 then now() end
     from ${series(20_000)}, ${id('customer', 'cuid')}`,
  )
  await pool.query(
    `insert into flight (cid, is_default, name, created_at, updated_at)
     select cid, true, 'f', now(), now() from campaign`,
  )
  const { rows: ours } = await pool.query<{ cid: string }>(
    `select cid from campaign where cuid = ${ann.cuid} and deleted_at is null order by cid limit 1`,
  )
  const cid = Number(ours[0]!.cid)
  const own = await pool.query<{ fid: string }>(
    `insert into flight (cid, is_default, name, start_at, end_at, created_at, updated_at, deleted_at)
     select case when i <= 50 then ${cid} else a.ids[1 + i % a.n] end, false, 'f',
       timestamptz '2030-03-01' + i * interval '1 hour', timestamptz '2030-03-01' + (i + 1) * interval '1 hour',
       now(), now(), case when i % 50 = 0 then now() end
     from ${series(5000)}, ${id('campaign', 'cid')} returning fid`,
  )
  const personas = await pool.query<{ pid: string }>(
    `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at, deleted_at)
     select case when i <= 50 then ${cid} else a.ids[1 + i % a.n] end, 'p', '{"geos":["CA"]}', '{}',
       '{"mobile":true,"tablet":true,"desktop":true}', '{"gender":null,"age":null}', now(), now(),
       case when i % 50 = 0 then now() end
     from ${series(20_000)}, ${id('campaign', 'cid')} returning pid`,
  )
  const pid = Number(personas.rows[0]!.pid)
  const banners = await pool.query<{ bid: string }>(
    `insert into banner (pid, name, creative_url, creative_name, status, created_at, updated_at, deleted_at)
     select case when i <= 3 then ${pid} else a.ids[1 + i % a.n] end, 'b',
       case when i % 2 = 0 then 'https://bikes.example/b.png' else '/creative/' || md5(i::text) || '.png' end,
       md5(i::text) || '.png',
       case when i % 100 = 0 then 'pending' else 'approved' end, now(), now(), case when i % 50 = 0 then now() end
     from ${series(20_000)}, ${id('persona', 'pid')} returning bid`,
  )
  await pool.query(
    `insert into audit (at, cuid, cid, noun, id, action, actor, after)
     select now(), cuid, cid, 'campaign', cid, 'create', 'operator', '{}' from campaign, generate_series(1, 2)`,
  )
  await pool.query(
    `insert into catalog_change (noun, id, at, tx)
     select 'campaign', i, now() - i * interval '1 second', i::text::xid8 from ${series(20_000)}`,
  )
  await pool.query(
    `insert into credential (key, token_hash, app_id, cuid, created_at, expires_at)
     select 'k' || i, '', ${appId}, a.ids[1 + i % a.n], now(), now() + interval '1 day'
     from ${series(20_000)}, ${id('customer', 'cuid')}`,
  )
  const webhooks = await pool.query<{ wid: string }>(
    `insert into webhook (app_id, url, events, enabled, secret, created_at, updated_at)
     select ${appId}, 'https://many.example/', '{campaign.ended}', true, '', now(), now() from ${series(8)}
     returning wid`,
  )
  const wid = Number(webhooks.rows[0]!.wid)
  const deliveries = await pool.query<{ did: string }>(
    `insert into webhook_delivery (wid, event_id, type, body, state, created_at)
     select ${wid} + i % 8, 'msg_' || i, 'campaign.ended', '{}', 'delivered', now() - i * interval '1 minute'
     from ${series(20_000)} returning did, wid`,
  )
  const did = Number(
    (deliveries.rows as unknown as { did: string; wid: string }[]).find(row => Number(row.wid) === wid)!.did,
  )
  await pool.query(
    `insert into campaign_watch (cid, phase, due_at) select cid, 'ahead', start_at from campaign on conflict do nothing`,
  )
  await pool.query('analyze')
  return { wid, did, cid, fid: Number(own.rows[0]!.fid), pid, bid: Number(banners.rows[0]!.bid) }
}

/**
 * Each endpoint as its contract's example calls it; deletions come last, the deepest first, the customer itself at the
 * end.
 */
async function callEverything(ids: Ids): Promise<void> {
  const known: Record<string, string | number> = { ...ids, id: ids.cid, cuid: ann.cuid }
  const email = (await service.call('GET', `/customer/${ann.cuid}`)).body.email
  const depth = ({ method, path }: EndpointSpec) => {
    if (method !== 'DELETE') return 0
    return path === '/customer/:cuid' ? 2000 : 1000 - path.length
  }
  const endpoints = [...service.api.endpoints].sort((a, b) => depth(a) - depth(b))
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name) =>
      String(known[name] ?? encodeURIComponent(email)),
    )
    const query = [
      ...(endpoint.list ? ['limit=10&after=1'] : []),
      ...(endpoint.cuid ? [`cuid=${ann.cuid}`] : []),
    ]
    const url = `${path}?${query.join('&')}`
    const options = endpoint.body ? { body: endpoint.examples?.body ?? {} } : {}
    const headers: Record<string, string> =
      endpoint.method === 'POST' ? { 'idempotency-key': endpoint.id } : {}
    const answer = await service.call(endpoint.method, url, { ...options, headers })
    expect(answer.status, `${endpoint.id}: ${answer.text}`).toBeLessThan(500)
    if (endpoint.access === 'customer') await service.call(endpoint.method, url, { ...options, as: ann })
  }
}

/** Lists and breakdowns by everything that they can be asked by. */
async function askForEverything({ cid, pid }: Ids): Promise<void> {
  const ask = async (path: string) => {
    const answer = await ann.call('GET', path)
    expect(answer.status, path).toBe(200)
  }
  for (const status of CAMPAIGN_STATUSES) await ask(`/campaign?status=${status}&limit=20`)
  await ask('/campaign?q=nobody&limit=20')
  const parts = [
    `/campaign/${cid}/flight`,
    `/campaign/${cid}/persona`,
    `/campaign/${cid}/persona/${pid}/banner`,
  ]
  for (const list of ['/campaign', ...parts]) await ask(`${list}?deleted=true&limit=20`)
  expect((await service.call('GET', '/customer?deleted=true&limit=20')).status).toBe(200)
  // Filled tables are no figures that an answer could have: they are asked behind the front door.
  const zone = zoneOfSetting('UTC')
  for (const idText of [String(ann.cuid), String(cid)]) {
    const subject = await findSubject(service.db, ann.cuid, idText)
    for (const dimension of dimensionsOf(subject)) await breakdown(service.db, subject, dimension, {}, zone)
  }
}

/** What only the command line and timers call. */
async function callOtherVerbs(ids: Ids): Promise<void> {
  await listDeleted(service.db, 0, 100)
  for (const id of [ids.cid, ids.fid, ids.pid, ids.bid]) {
    await inTx(service.db, tx => restore(tx, id, service.clock)).catch(() => {})
  }
  await sweepAccess(service.db, service.clock)
  await sweepDeliveries(service.db, service.clock)
  const watch = createWatch({
    db: service.db,
    clock: service.clock,
    defaultCpmMicros: 1,
    calendar: calendarOf('UTC'),
  })
  await watch()
  await watch()
  await packAll(service.db, Date.now(), 0)
  await fillSearchTexts(service.db)
  await listAllCustomers(service.db, 0, 100)
  await inTx(service.db, tx => restoreCustomer(tx, ann.cuid, service.clock))
  await inTx(service.db, tx => removeCustomer(tx, ann.cuid, service.clock))
  const erasing = { db: service.db, clock: service.clock, outboxDir: '/nowhere' }
  await eraseCustomer(erasing, { cuid: ann.cuid, appId: null, actor: 'operator' })
  await sweepErasures(erasing)
}

/** All tables that may grow, each with many rows. */
async function largeTables(): Promise<Set<string>> {
  const { rows } = await service.db.pool.query<{ relname: string; reltuples: number }>(
    `select relname, reltuples from pg_class
     where relkind = 'r' and not relispartition and relnamespace = 'public'::regnamespace`,
  )
  const large = rows.filter(table => !SMALL_TABLES.includes(table.relname))
  for (const { relname, reltuples } of large) {
    // What is called here deletes most of some: they stay large in what the planner knows.
    await service.db.pool.query(`alter table ${relname} set (autovacuum_enabled = false)`)
    if (reltuples < MIN_ROWS) await fillTable(service.db.pool, relname)
  }
  return new Set(large.map(table => table.relname))
}

/** The ways in which a plan reads all of a large table. */
function faults(node: PlanNode, large: Set<string>): string[] {
  const beneath = (node.Plans ?? []).flatMap(child => faults(child, large))
  const kind = node['Node Type']
  if (kind === 'Seq Scan' && large.has(node['Relation Name']!)) {
    return [`reads all of ${node['Relation Name']}`, ...beneath]
  }
  const byIndex = ['Index Scan', 'Index Only Scan', 'Bitmap Index Scan'].includes(kind)
  if (byIndex && !node['Index Cond']) return [`reads all of index ${node['Index Name']}`, ...beneath]
  return beneath
}

it('every statement of every endpoint finds its rows by an index', async () => {
  const ids = await fillTables()
  const large = await largeTables()
  await askForEverything(ids)
  await callEverything(ids)
  await callOtherVerbs(ids)
  const wrong: string[] = []
  let looked = 0
  for (const text of knownStatements()) {
    const sample = values.get(text)
    if (
      !sample ||
      !/^\s*(with|select|insert|update|delete|\()/i.test(text) ||
      SWEEPS.some(sweep => sweep.test(text))
    )
      continue
    looked++
    const { rows } = await service.db.pool.query(`explain (format json) ${text}`, sample)
    const found = faults(rows[0]['QUERY PLAN'][0].Plan, large)
    if (found.length > 0) wrong.push(`${found.join(', ')}: ${text}`)
  }
  expect(wrong).toEqual([])
  expect(looked).toBeGreaterThan(30)
})
