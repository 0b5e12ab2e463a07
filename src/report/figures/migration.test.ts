// Migrates a database filled by the version before lean events: all figures and events are there afterwards, exact to
// the micro, and new ones are added to them. The events are random; the seed is printed, SEED replays it.

import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { type Database, openDatabase } from '../../platform/database.ts'
import { migrate } from '../../platform/migrate.ts'
import { breakdown } from './breakdown.ts'
import type { Dimension } from './contract.ts'
import { eventStream } from './events.ts'
import { type Subject, summary } from './report.ts'
import { zoneOfSetting } from './zone.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const LAST_BEFORE = '0009'
const ZONE = 'Europe/Berlin'
const MIGRATIONS = new URL('../../../migrations/', import.meta.url)
const EVENTS = 3000

let database: TestDatabase
let client: pg.Client
let db: Database

beforeAll(async () => {
  console.log(`migration: SEED=${SEED}`)
  database = await createEmptyDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    'create table migration (name text primary key, applied_at timestamptz not null default now())',
  )
  for (const name of (await readdir(MIGRATIONS)).sort().filter(name => name.slice(0, 4) <= LAST_BEFORE)) {
    await client.query(await readFile(new URL(name, MIGRATIONS), 'utf8'))
    await client.query('insert into migration (name) values ($1)', [name])
  }
  await fill()
  db = openDatabase({ url: database.url, maxConnections: 4, onError: () => {} })
})
afterAll(async () => {
  await db.close()
  await client.end()
  await database.drop()
})

/**
 * Creates two customers with two campaigns each, which have two flights, personas and banners, and events as that
 * version stored them.
 */
async function fill(): Promise<void> {
  await client.query(`set timezone = 'UTC'; select setseed(${(SEED % 1_000_000) / 1_000_000})`)
  await client.query(
    `insert into app (app_id, name, created_at) values (1, 'app', now());
     insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
     select c, 1, 'c', 'c' || c, 'c' || c, '2026-01-01', now() from unnest(array[10, 20]) c;
     insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     select c, c / 100 * 10, 'c', '2026-01-01', '2027-01-01', true, 0, 1, 1, '{}', 'asap', now(), now()
     from unnest(array[100, 150, 200, 250]) c;
     select setval('ids', 1000)`,
  )
  for (const day of ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31'])
    await client.query(
      `create table event_${day.replaceAll('-', '')} partition of event
       for values from ('${day} 00:00Z') to ('${day} 24:00Z')`,
    )
  await client.query(
    `insert into place values (281474976710655, 'domain', 'a.example'), (5, 'app', 'com.example');
     insert into event (served_at, ad_id, kind, at, cuid, cid, fid, pid, bid, source_id, budget_day, spend_micros,
       user_hash, place_hash, device, os, country)
     select served, substring(decode(md5(n::text), 'hex') from 1 for 12), kind, served + interval '7 seconds',
       cid / 100 * 10, cid, cid + 1 + b % 2, cid + 3 + b % 3, cid + 10 + b, 3,
       to_char(served at time zone '${ZONE}', 'YYYYMMDD')::integer,
       case kind when 'impression' then (random() * 3000)::integer else 0 end,
       case when random() < 0.5 then substring(decode(md5('u' || n), 'hex') from 1 for 8) end,
       (array[281474976710655, 5, null])[1 + floor(random() * 3)], (array['mobile', 'tablet', null])[1 + floor(random() * 3)],
       (array['Chrome OS', 'iOS', null])[1 + floor(random() * 3)], (array['CA', 'ZZ', null])[1 + floor(random() * 3)]
     from (
       select n, date_trunc('second', timestamptz '2026-03-27Z' + random() * interval '4.9 days') as served,
         case when random() < 0.2 then 'click' else 'impression' end as kind,
         (array[100, 150, 200, 250])[1 + floor(random() * 4)] as cid, floor(random() * 6)::integer as b
       from generate_series(1, ${EVENTS}) n
     ) made;
     insert into action (cuid, dedupe, at, name, served_at, ad_id, credited_to, cid, fid, pid, bid, place_hash, device, os,
       country, value_micros)
     select cuid, 'o:' || row_number() over (), at + interval '1 hour', 'buy "now"', served_at, ad_id, 'click', cid, fid,
       pid, bid, place_hash, device, os, country, (random() * 1e9)::bigint from event where kind = 'click' limit 200`,
  )
  await client.query(ROLLUPS_BEFORE)
  // The retention has dropped the events of the first day; its figures stay.
  await client.query('drop table event_20260327')
}

/** What that version's ingest had added up, by definition. */
const ROLLUPS_BEFORE = `
  create temporary table fact as
  select kind, at, cuid, cid, fid, pid, bid, spend_micros, device, os, country, place_hash, null as action, budget_day
  from event
  union all
  select 'action', at, cuid, cid, fid, pid, bid, 0, device, os, country, place_hash, name, null from action;
  insert into rollup (id, quarter, imps, clicks, actions, spend_micros)
  select id, date_bin('15 minutes', at, 'epoch'), count(*) filter (where kind = 'impression'),
    count(*) filter (where kind = 'click'), count(*) filter (where kind = 'action'), sum(spend_micros)
  from fact, unnest(array[cuid, cid, fid, pid, bid]) as id group by 1, 2;
  insert into rollup_dimension (id, dimension, day, name, imps, clicks, actions, spend_micros)
  select id, d.dimension, (at at time zone '${ZONE}')::date, d.name, count(*) filter (where f.kind = 'impression'),
    count(*) filter (where f.kind = 'click'), count(*) filter (where f.kind = 'action'), sum(spend_micros)
  from fact f left join place p using (place_hash), unnest(array[cid, fid, pid, bid]) as id, lateral (
    select 'os' as dimension, coalesce(os, 'unknown') as name union all
    select 'device', coalesce(device, 'unknown') union all select 'country', coalesce(country, 'unknown')
    union all select 'banner', bid::text union all select 'persona', pid::text
    union all select 'hour', to_char(at at time zone '${ZONE}', 'HH24')
    union all select 'action', action where action is not null
    union all select p.kind, p.name where p.kind is not null
  ) d group by 1, 2, 3, 4;
  insert into budget_day (cid, day, spent_micros)
  select cid, budget_day, sum(spend_micros) from fact where kind = 'impression' group by 1, 2`

/** The figures of an id by name, computed from the facts. */
async function wanted(dimension: string, column: string, id: number) {
  const { rows } = await client.query(
    `select coalesce(${dimension}::text, 'unknown') as name, count(*) filter (where f.kind = 'impression')::integer as imps,
       count(*) filter (where f.kind = 'click')::integer as clicks,
       count(*) filter (where f.kind = 'action')::integer as actions, sum(spend_micros)::float8 / 1e6 as spend
     from fact f left join place p using (place_hash) where ${column} = ${id} group by 1 order by 1`,
  )
  return rows
}

const IN_WORDS: Partial<Record<Dimension, string>> = {
  domain: `case when p.kind = 'app' then '(app)' else p.name end`,
  app: `case when p.kind = 'domain' then '(web)' else p.name end`,
  os: 'os',
  device: 'device',
  country: 'country',
  hour: `to_char(at at time zone '${ZONE}', 'HH24')`,
  banner: 'bid',
  persona: 'pid',
}

const subjects: (Subject & { column: string })[] = [10, 20]
  .flatMap(cuid => [
    { id: cuid, kind: 'customer' as const, cid: null, column: 'cuid' },
    ...[0, 50].flatMap(more => {
      const cid = cuid * 10 + more
      return [
        { id: cid, kind: 'campaign' as const, cid, column: 'cid' },
        { id: cid + 1, kind: 'flight' as const, cid, column: 'fid' },
        { id: cid + 4, kind: 'persona' as const, cid, column: 'pid' },
        { id: cid + 12, kind: 'banner' as const, cid, column: 'bid' },
      ]
    }),
  ])
  .map(subject => ({ ...subject, startS: 0, endS: 4e9 }))

const figures = ({
  imps,
  clicks,
  actions,
  spend,
}: Record<'imps' | 'clicks' | 'actions' | 'spend', number>) => ({
  imps,
  clicks,
  actions,
  spend,
})

async function figuresMustBeAsBefore(): Promise<void> {
  for (const subject of subjects) {
    const [sum] = await wanted("'all'", subject.column, subject.id)
    expect(figures(await summary(db, subject, {})), String(subject.id)).toEqual(figures(sum))
    const dimensions: Partial<Record<Dimension, string>> =
      subject.kind === 'customer' ? { campaign: 'cid', persona: 'pid' } : IN_WORDS
    for (const [dimension, expression] of Object.entries(dimensions)) {
      const found = await breakdown(db, subject, dimension as Dimension, {}, zoneOfSetting(ZONE))
      const rows = found.breakdown.map(row => ({
        name: row.name === 'c' ? String(row.id) : row.name,
        ...figures(row),
      }))
      const expected = await wanted(expression, subject.column, subject.id)
      expect(
        rows.sort((a, b) => (a.name < b.name ? -1 : 1)),
        `${subject.id} ${dimension}`,
      ).toEqual(
        expected.map(row => ({ name: row.name, ...figures(row) })).sort((a, b) => (a.name < b.name ? -1 : 1)),
      )
    }
  }
}

it('every figure is still there, in every breakdown; what had no page is unknown', async () => {
  expect(await migrate(database.url)).toContain('0020-counting.sql')
  await figuresMustBeAsBefore()
})

it('what conversions were worth before is in the figures, in every breakdown', async () => {
  const zone = zoneOfSetting(ZONE)
  for (const subject of subjects) {
    const worth = await client.query(
      `select coalesce(sum(value_micros), 0)::float8 / 1e6 as value from action where ${subject.column} = $1`,
      [subject.id],
    )
    const { value } = worth.rows[0]
    expect((await summary(db, subject, {})).value).toBe(value)
    for (const dimension of [
      'device',
      'os',
      'country',
      'domain',
      'action',
      'persona',
      'banner',
      'hour',
    ] as const) {
      const { breakdown: rows } = await breakdown(db, subject, dimension, {}, zone)
      const micros = rows.reduce((sum, row) => sum + Math.round(row.value * 1e6), 0)
      expect(micros / 1e6, `${subject.id} ${dimension}`).toBe(value)
    }
  }
})

it('every event is still there, unchanged', async () => {
  const before = await client.query(
    `select count(*)::integer as n, sum(spend_micros)::integer as micros from fact
     where kind <> 'action' and at >= '2026-03-28 00:00:07Z'`,
  )
  const after = await client.query(
    'select count(*)::integer as n, sum(spend_micros)::integer as micros, count(distinct leaf)::integer as leaves from event',
  )
  expect(after.rows[0]).toMatchObject(before.rows[0])
  const { rows } = await client.query(
    `select n, substring(decode(md5(n::text), 'hex') from 1 for 12) = e.ad_id as same_ad,
       (user_hi, user_lo) = (('x' || left(md5('u' || n), 8))::bit(32)::integer,
         ('x' || substring(md5('u' || n) from 9 for 8))::bit(32)::integer) or (user_hi, user_lo) = (0, 0) as same_user,
       e.at = e.served_at + interval '7 seconds' as same_time
     from generate_series(1, ${EVENTS}) n
       join event_in_words e on e.ad_id = substring(decode(md5(n::text), 'hex') from 1 for 12)
       join event using (tx, at, cid) where substring(uuid_send(event.ad) from 5) = e.ad_id`,
  )
  expect(rows).toHaveLength(before.rows[0].n)
  expect(rows.filter(row => !(row.same_ad && row.same_user && row.same_time))).toEqual([])
  const subject = { id: 100, kind: 'campaign' as const, cid: 100, startS: 0, endS: 4e9 }
  let text = ''
  for await (const chunk of eventStream(db, subject, {}, 'application/json')) text += chunk
  const kinds = new Set(
    JSON.parse(text).map((event: { kind: string; os: string | null }) => `${event.kind} ${event.os}`),
  )
  expect([...kinds]).toContain('impression Chrome OS')
})

it('new events are added to the old figures, fresh and folded', async () => {
  const event = { cuid: 10, cid: 100, fid: 101, pid: 103, bid: 110, adNumber: 1, spendMicros: 500 }
  await recordEvents(
    db,
    [
      {
        ...event,
        kind: 'impression',
        atMs: Date.parse('2026-03-31T10:00:00Z'),
        domain: 'b.example',
        os: 'iOS',
      },
    ],
    ZONE,
  )
  await client.query(
    `insert into place values (1, 'domain', 'b.example') on conflict do nothing;
     insert into fact values ('impression', '2026-03-31 10:00Z', 10, 100, 101, 103, 110, 500, null, 'iOS', null, 1, null,
       20260331)`,
  )
  await figuresMustBeAsBefore()
  await foldAll(db)
  await figuresMustBeAsBefore()
})
