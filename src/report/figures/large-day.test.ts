// A day of very many events of one customer that nobody has folded or exported. The backlog is folded in chunks and
// exported in files; figures are right before, during and after, and sums are as large as those of 50 million events
// and exact to the micro. EVENTS sets the number of events, up to the whole day: `EVENTS=50000000`.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { duckdb } from '../../../test/support/duckdb.ts'
import { foldDue, MOST_ROWS } from '../../count/fold/fold.ts'
import { createLeaves } from '../../count/ingest/leaves.ts'
import { dayOf, ensurePartitions } from '../../count/ingest/partitions.ts'
import { readConfig } from '../../platform/config.ts'
import type { Database } from '../../platform/database.ts'
import { openStore, s3AccessOf } from '../../platform/store/open.ts'
import { exportHour } from '../export/export.ts'
import { ensureNumbering } from '../export/numbering.ts'
import { type ClosedHour, closeHour } from '../export/queries.ts'
import { breakdown } from './breakdown.ts'
import type { Dimension } from './contract.ts'
import { type Subject, summary } from './report.ts'
import { zoneOfSetting } from './zone.ts'

const EVENTS = Number(process.env.EVENTS ?? 100_000)
const WHOLE_DAY = 50_000_000
/** Makes the spend that of a whole day at 2.00 per thousand. */
const SPEND_MICROS = Math.round((2000 * WHOLE_DAY) / EVENTS)
const DAY = '2026-11-15'
const AT_ONCE = 500_000
const LEAVES = 30

let db: Database
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-large-day-'))
  db = await openTestDatabase({ maxConnections: 2, statementMs: 3_600_000 })
  await ensureNumbering(db)
  await ensurePartitions(db, [dayOf(Date.parse(DAY))])
  const ids = Array.from({ length: LEAVES }, (_, n) => {
    const cid = 1000 + 10 * Math.floor(n / 2)
    return { cuid: 1, cid, fid: cid + 3, pid: cid + 4, bid: cid + 5 + (n % 2) }
  })
  const leaves = await createLeaves()(db, ids)
  for (let from = 0; from < EVENTS; from += AT_ONCE) await write(leaves, from)
}, 3_600_000)
afterAll(async () => {
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

/** Writes events as the ingest does: into `event` and, for the figures, into `fresh`. Every tenth is a click. */
async function write(leaves: number[], from: number): Promise<void> {
  await db.run(
    `with made as materialized (
       select timestamptz '${DAY}Z' + n * interval '1 day' / ${EVENTS} as at, n, l.*,
         (case when n % 10 = 0 then 'c' else 'i' end)::"char" as kind,
         case when n % 10 = 0 then 0 else ${SPEND_MICROS} end as spend_micros
       from generate_series($2::bigint, $3::bigint) n join leaf l on l.leaf = ($1::bigint[])[1 + n % ${LEAVES}]
     ), kept as (
       insert into event (ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
         kind, device, os)
       select (lpad(to_hex(floor(extract(epoch from at))::bigint), 8, '0') || left(md5(n::text), 24))::uuid, at, cid, leaf, 1, 0, 0,
         n, spend_micros, 20261115, n % 5, kind, (array['m', 'd', '?']::"char"[])[1 + n % 3], 'i' from made
     )
     insert into fresh (cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country,
       audience, kind, device, os)
     select cuid, cid, leaf, 0, 0, 0, floor(extract(epoch from at) / 900), (at at time zone 'UTC')::date, spend_micros,
       extract(hour from at at time zone 'UTC'), n % 5, 0, kind, (array['m', 'd', '?']::"char"[])[1 + n % 3], 'i' from made`,
    [leaves, from, Math.min(from + AT_ONCE, EVENTS) - 1],
  )
}

const subjects: (Subject & { dimensions: Dimension[] })[] = [
  {
    ...{ id: 1, kind: 'customer' as const, cid: null, startS: 0, endS: 4e9 },
    dimensions: ['campaign', 'persona', 'hour'],
  },
  ...[1000, 1140].map(cid => ({
    ...{ id: cid, kind: 'campaign' as const, cid, startS: 0, endS: 4e9 },
    dimensions: ['domain', 'os', 'device', 'country', 'hour', 'banner', 'persona'] as Dimension[],
  })),
]

async function figuresMustBeTheEvents(): Promise<void> {
  for (const { dimensions, ...subject } of subjects) {
    const events = (await db.row<{ imps: number; clicks: number; micros: number }>(
      `select count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'c') as clicks,
         sum(spend_micros)::bigint as micros
       from event e join leaf l using (leaf) where ${subject.kind === 'customer' ? 'l.cuid' : 'l.cid'} = $1`,
      [subject.id],
    ))!
    const { imps, clicks, spend } = await summary(db, subject, {})
    const found = { imps, clicks, micros: Math.round(spend * 1e6) }
    expect(found).toEqual(events)
    for (const dimension of dimensions) {
      const rows = (await breakdown(db, subject, dimension, {}, zoneOfSetting('UTC'))).breakdown
      const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0)
      expect(
        [sum(row => row.imps), sum(row => row.clicks), sum(row => Math.round(row.spend * 1e6))],
        `${subject.id} ${dimension}`,
      ).toEqual([imps, clicks, events.micros])
    }
  }
}

it('a day that nobody folded has its figures; it is folded in chunks, and has the same ones', async () => {
  await figuresMustBeTheEvents()
  await db.run("update fresh_part set emptied_at = now() - interval '1 day'")
  let folded = 0
  let chunks = 0
  for (;;) {
    const done = await foldDue(db)
    if (!done) break
    expect(done.rows).toBeLessThanOrEqual(MOST_ROWS)
    folded += done.rows
    chunks += Number(done.rows > 0)
    if (done.isMore && chunks === 1) await figuresMustBeTheEvents()
  }
  expect([folded, chunks]).toEqual([EVENTS, Math.ceil(EVENTS / MOST_ROWS)])
  await figuresMustBeTheEvents()
}, 7_200_000)

it('it is exported as one hour, in files of a bounded size, and another engine finds every event once', async () => {
  let hour: ClosedHour | null = null
  // A transaction of another test may delay it.
  while (!hour) hour = await closeHour(db, new Date(Date.parse(DAY) + 86_400_000))
  const store = openStore(folder, s3AccessOf(readConfig({})))
  const manifest = (await exportHour({ db, store, currency: 'USD' }, hour))!
  const micros = (EVENTS - Math.ceil(EVENTS / 10)) * SPEND_MICROS
  expect(manifest).toMatchObject({
    rows: EVENTS,
    sums: { clicks: Math.ceil(EVENTS / 10), spendMicros: micros },
  })
  expect(manifest.files).toHaveLength(Math.ceil(EVENTS / 500_000))
  const [found] = await duckdb<Record<string, string>>(
    `select count(*) as n, count(distinct ad) as ads, sum(spend_micros) as micros from '${folder}/**/*.parquet'`,
  )
  expect([found!.n, found!.ads, found!.micros].map(Number)).toEqual([EVENTS, EVENTS, micros])
}, 7_200_000)
