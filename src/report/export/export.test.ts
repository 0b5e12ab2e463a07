// An owner gets exactly what was counted: the files, read by another engine, are compared with the figures and the raw
// events.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startBucket, type TestBucket } from '../../../test/support/bucket.ts'
import { duckdb } from '../../../test/support/duckdb.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { createLeaves } from '../../count/ingest/leaves.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { localityOf } from '../../manage/reference/localities.ts'
import { readConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { openStore, s3AccessOf } from '../../platform/store/open.ts'
import type { ObjectStore } from '../../platform/store/store.ts'
import { exportHour } from './export.ts'
import { createFollower } from './follow.ts'
import type { Manifest } from './manifest.ts'
import { closeHour, selectHours } from './queries.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const LAST = new Date('9999-12-31T00:00:00Z')

let service: TestService
let tenants: Tenant[]
let bucket: TestBucket
let folder: string
let ads = 0
let state = SEED | 0

beforeAll(async () => {
  console.log(`export: SEED=${SEED}`)
  service = await startTestService()
  tenants = [await buildTenant(service, service.app), await buildTenant(service, service.app)]
  bucket = await startBucket('owner')
})
afterAll(async () => {
  await service.close()
  await bucket.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-export-'))
  return () => rm(folder, { recursive: true, force: true })
})

/** mulberry32 (public domain). */
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % below
}

function randomEvents(count: number): TestEvent[] {
  return Array.from({ length: count }, () => {
    const { cuid, cid, fid, pid, bid } = tenants[random(tenants.length)]!.ids
    const kind = (['impression', 'impression', 'click', 'action'] as const)[random(4)]!
    return {
      ...{ kind, cuid, cid, fid, pid, bid },
      adNumber: ads++,
      // Some events are late or early, because the hour in which an event is exported does not depend on its time.
      atMs: service.clock.nowMs() - random(40 * HOUR_MS),
      spendMicros: kind === 'impression' ? random(100_000) : 0,
      ...(random(3) === 0 ? { domain: 'a"b\\.example' } : random(2) === 0 ? { app: 'com.example' } : {}),
      ...(random(2) === 0 ? { os: 'iOS', country: 'CA', device: 'mobile' as const } : {}),
      ...(random(2) === 0
        ? { locality: localityOf('CA', 'ON', ['toronto', null][random(2)]!), audience: 39 }
        : {}),
    }
  })
}

function follower(store: ObjectStore): () => Promise<void> {
  const [log, metrics] = [createLog('silent'), createMetrics()]
  const { db, clock } = service
  return createFollower({ db, store, clock, log, metrics, currency: 'USD', keptS: 300 * 86_400 })
}

/** Lets hours pass until everything written so far is closed; a transaction of another test may delay that. */
async function hoursPass(round: () => Promise<void>): Promise<void> {
  const { pool } = service.db
  const { rows } = await pool.query('select pg_current_xact_id()::text::bigint as tx')
  for (;;) {
    service.clock.advance(HOUR_MS)
    await round()
    const closed = await pool.query('select max(to_tx) as tx from export_hour')
    if (closed.rows[0].tx > rows[0].tx) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

const inFolder = () => openStore(folder, s3AccessOf(readConfig({})))

async function manifests(store: ObjectStore): Promise<Manifest[]> {
  const keys = (await store.list('')).filter(key => key.endsWith('_manifest.json'))
  return Promise.all(keys.map(async key => JSON.parse(String(await store.get(key)))))
}

/** Every event in the database, in the format of the files. */
function rawSums() {
  return service.db.rows(
    `select kind, cid, count(*) as n, sum(spend_micros) as spend from event_in_words group by 1, 2
     union all select 'action', cid, count(*), 0 from action group by 2 order by 1, 2`,
  )
}

function exportedSums() {
  return duckdb<Record<string, string>>(
    `select kind, cid, count(*) as n, sum(spend_micros) as spend from '${folder}/**/*.parquet'
     group by 1, 2 order by 1, 2`,
  ).then(rows => rows.map(({ kind, ...sums }) => ({ kind, ...numbers(sums) })))
}

function numbers(row: Record<string, string>): Record<string, number> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
}

it('the files contain exactly what was counted, to the micro, and agree with the figures', async () => {
  const round = follower(inFolder())
  const { cid } = tenants[1]!.ids
  await service.db.run('update campaign set cpc_micros = 350000 where cid = $1', [cid])
  for (let hour = 0; hour < 4; hour++) {
    await recordEvents(service.db, randomEvents(hour === 2 ? 0 : 120))
    await hoursPass(round)
  }
  const prices = await duckdb<Record<string, string>>(
    `select distinct kind, pricing, price_micros::text as price from '${folder}/**/*.parquet'
     where cid = ${cid} and (kind = 'click' or (kind = 'impression' and spend_micros > 0)) order by 1`,
  )
  expect(prices).toEqual([
    { kind: 'click', pricing: 'cpc', price: '350000' },
    { kind: 'impression', pricing: 'cpm', price: '2000000' },
  ])
  expect(await exportedSums()).toEqual(await rawSums())
  for (const { ids, pair } of tenants) {
    for (const [column, id] of Object.entries({ cuid: ids.cuid, cid: ids.cid, pid: ids.pid, bid: ids.bid })) {
      const [row] = await duckdb<Record<string, string>>(
        `select count(*) filter (kind = 'impression') as imps, count(*) filter (kind = 'click') as clicks,
           count(*) filter (kind = 'action') as actions, sum(spend_micros) as spend
         from '${folder}/**/*.parquet' where ${column} = ${id}`,
      )
      const { imps, clicks, actions, spend } = numbers(row!)
      const { body } = await service.call('GET', `/stats/${id}/summary?cuid=${ids.cuid}`, { as: pair })
      expect(body).toMatchObject({ imps, clicks, actions, spend: spend! / 1e6 })
    }
  }
  const all = await manifests(inFolder())
  const [totals] = await duckdb<Record<string, string>>(
    `select count(*) as rows, sum(spend_micros) as spend from '${folder}/**/*.parquet'`,
  )
  const sum = (pick: (manifest: Manifest) => number) => all.reduce((total, one) => total + pick(one), 0)
  expect(numbers(totals!)).toEqual({ rows: sum(one => one.rows), spend: sum(one => one.sums.spendMicros) })
  expect(all.length).toBeGreaterThanOrEqual(4)
})

it('a row of a file says the same as the event stream', async () => {
  const { ids, pair } = tenants[0]!
  await hoursPass(follower(inFolder()))
  const rows = await duckdb<Record<string, string | number | null>>(
    `select kind, floor(epoch(occurred_at))::bigint as time, ad, cid, fid, pid, bid, source, spend_micros as spend, domain, app,
       device, os, country, region, city, category, action as name, value_micros as value, credited_to as creditedTo
     from '${folder}/**/*.parquet' where cid = ${ids.cid} order by ad, kind`,
  )
  const { text } = await service.call('GET', `/stats/${ids.cid}/events?cuid=${ids.cuid}`, {
    as: pair,
    headers: { accept: 'application/x-ndjson' },
  })
  const streamed = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const key = (row: { ad: string; kind: string }) => row.ad + row.kind
  const asNumber = (value: unknown) => (value === null ? null : Number(value))
  const ours = rows.map(row => ({
    ...row,
    ...Object.fromEntries(
      ['time', 'cid', 'fid', 'pid', 'bid', 'source', 'value'].map(name => [name, asNumber(row[name])]),
    ),
    spend: Number(row.spend) / 1e6,
  }))
  const sorted = (list: object[]) => [...list].sort((a, b) => (key(a as never) < key(b as never) ? -1 : 1))
  expect(sorted(ours)).toEqual(sorted(streamed))
})

it('an event of a transaction that ends after the hour is in a later hour, once', async () => {
  const slow = await service.db.pool.connect()
  const round = follower(inFolder())
  await round()
  const { ids } = tenants[0]!
  const [leaf] = await createLeaves()(service.db, [ids])
  const insert = (adNumber: number) =>
    `insert into event (ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
       kind, device, os)
     values ((left(first_ad(current_date)::text, 8) || left(md5('${adNumber}'), 24))::uuid, now(), ${ids.cid}, ${leaf},
       1, 0, 0, 0, 7, 20261115, 0, 'i', '?', '?')`
  await slow.query('begin')
  await slow.query(insert(ads++))
  await recordEvents(service.db, randomEvents(10))
  service.clock.advance(HOUR_MS)
  await round()
  await slow.query('commit')
  slow.release()
  await hoursPass(round)
  expect(await exportedSums()).toEqual(await rawSums())
})

it('a clock that leaps ahead, and back, closes no hour twice and leaves nothing out', async () => {
  const round = follower(inFolder())
  for (const hours of [20, -20, 1, -1, 3]) {
    await recordEvents(service.db, randomEvents(10))
    service.clock.advance(hours * HOUR_MS)
    await round()
  }
  const names = (await selectHours(service.db, new Date(0), LAST)).map(({ hour }) => hour.getTime())
  expect(new Set(names).size).toBe(names.length)
  await hoursPass(round)
  expect(await exportedSums()).toEqual(await rawSums())
})

it('two processes that close at once close one hour', async () => {
  await recordEvents(service.db, randomEvents(1))
  service.clock.advance(HOUR_MS)
  const now = new Date(service.clock.nowMs())
  const closed = await Promise.all(Array.from({ length: 8 }, () => closeHour(service.db, now)))
  expect(closed.filter(hour => hour !== null).length).toBeLessThanOrEqual(1)
  const hours = await selectHours(service.db, new Date(0), now)
  hours.slice(1).forEach((hour, i) => {
    expect(hour.fromTx).toBe(hours[i]!.toTx)
  })
})

/** A store that fails at the given calls of `put`, before or after the write. */
function failing(store: ObjectStore, fails: (call: number) => 'before' | 'after' | null): ObjectStore {
  let calls = 0
  return {
    ...store,
    async put(key, bytes) {
      const when = fails(++calls)
      if (when === 'before') throw new Error('no space left on device')
      const done = await store.put(key, bytes)
      if (when === 'after') throw new Error('the connection was lost')
      return done
    },
  }
}

it('whatever fails between two steps, nothing is skipped, duplicated or left over', async () => {
  for (let i = 0; i < 3; i++) {
    await recordEvents(service.db, randomEvents(25))
    await hoursPass(async () => void (await closeHour(service.db, new Date(service.clock.nowMs()))))
  }
  const store = inFolder()
  const unsteady = failing(store, () => (['before', 'after'] as const)[random(20)] ?? null)
  const closed = await selectHours(service.db, new Date(0), LAST)
  for (const hour of closed) {
    for (let tries = 0; ; tries++) {
      expect(tries).toBeLessThan(1000)
      const parts = { db: service.db, store: unsteady, currency: 'USD' }
      const manifest = await exportHour(parts, hour, 7).catch(() => null)
      if (manifest) break
    }
  }
  expect(await exportedSums()).toEqual(await rawSums())
  const named = (await manifests(store)).flatMap(manifest => manifest.files.map(file => file.name))
  const files = (await store.list('')).filter(key => key.endsWith('.parquet'))
  expect(files.map(key => key.split('/').at(-1)).sort()).toEqual(named.sort())
})

it('a written hour is never changed, and files that its manifest does not name are removed', async () => {
  const store = inFolder()
  const round = follower(store)
  await round()
  const before = await Promise.all(
    (await store.list('')).map(async key => [key, String(await store.get(key))]),
  )
  const [hour] = await selectHours(service.db, new Date(0), LAST)
  const [stray] = before[0]![0]!.split('/events')
  await store.put(`${stray!.split('/_')[0]}/events-9999-left.parquet`, Buffer.from('half'))
  await exportHour({ db: service.db, store, currency: 'EUR' }, hour!, 3)
  await round()
  const after = await Promise.all(
    (await store.list('')).map(async key => [key, String(await store.get(key))]),
  )
  expect(after).toEqual(before)
})

it('several processes at once write each hour once', async () => {
  const store = inFolder()
  await recordEvents(service.db, randomEvents(30))
  await hoursPass(async () => void (await Promise.all(Array.from({ length: 4 }, () => follower(store)()))))
  await follower(store)()
  expect(await exportedSums()).toEqual(await rawSums())
})

it('the export waits for a bucket that is away, which then gets the same files as a folder', async () => {
  const access = (settings: Record<string, string>) => s3AccessOf(readConfig(settings))
  const away = openStore(
    's3://owner/marquee',
    access({ ...bucket.settings, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' }),
  )
  await expect(follower(away)()).rejects.toThrow('does not answer')
  const there = openStore('s3://owner/marquee', access(bucket.settings))
  await follower(there)()
  const store = inFolder()
  await follower(store)()
  const keys = await there.list('')
  expect(keys.length).toBeGreaterThan(2)
  for (const key of keys) expect((await there.get(key))!.equals((await store.get(key))!), key).toBe(true)
})

it('the export waits for a folder that cannot be written', async () => {
  await writeFile(join(folder, 'taken'), '')
  const blocked = openStore(join(folder, 'taken'), s3AccessOf(readConfig({})))
  await expect(follower(blocked)()).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['taken'])
  await rm(join(folder, 'taken'))
  await hoursPass(follower(blocked))
  expect(await exportedSums()).toEqual(await rawSums())
})
