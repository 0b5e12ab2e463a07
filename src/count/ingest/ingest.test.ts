// Writing events: each is added once to every figure, and old ones are dropped by whole days.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { figuresMustBeTheEvents, figuresOf, freshRows } from '../../../test/support/counting.ts'
import { openTestDatabase } from '../../../test/support/database.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { withPlenty } from '../../../test/support/shares.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { localityOf } from '../../manage/reference/localities.ts'
import type { Database } from '../../platform/database.ts'
import { foldAll } from '../fold/fold.ts'
import type { ServedAd } from '../tracking/ad.ts'
import type { AdAction, AdEvent } from '../tracking/event.ts'
import { createPlaces } from '../tracking/places.ts'
import { createIngest } from './ingest.ts'
import { createQuarters } from './local-time.ts'
import { keepPartitions } from './partitions.ts'

const NOW_MS = Date.parse('2026-10-24T21:50:00Z')
const RETENTION = { eventRetentionS: 400 * 86_400, clickWindowS: 30 * 86_400 }
const ZONE = 'Europe/Berlin'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000)
console.log(`ingest: SEED=${seed}`)

let db: Database
beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 8 })
})
afterAll(() => db.close())
beforeEach(async () => {
  await keepPartitions(db, NOW_MS, RETENTION)
  await db.run(
    'truncate event, action, place, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, rollup_filtered, share, budget',
  )
})

/** mulberry32 (public domain): small, and the same everywhere. */
function randomFrom(start: number): (below: number) => number {
  let state = start | 0
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

function adOf(number: number, more: Partial<ServedAd> = {}): ServedAd {
  const cid = 100 + 100 * (number % 3)
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(number, 0)
  return {
    adId: bytes.toString('base64url'),
    servedS: NOW_MS / 1000 + (number % 5000),
    cuid: 7,
    cid,
    fid: cid + 1,
    flightPays: false,
    pid: cid + 2 + (number % 2),
    bid: cid + 10 + (number % 4),
    sourceId: 1,
    priceMicros: 2000,
    ttlS: 300,
    dayKey: 20261024 + (number % 2),
    nodeId: 0,
    user: number % 2 === 0 ? null : { hi: number, lo: 0xffffffff },
    placeHash: number % 5 === 0 ? null : 1000 + (number % 3),
    placeName: null,
    networkHash: null,
    agentHash: null,
    country: ['CA', 'DE', null][number % 3]!,
    locality: number % 4 === 0 ? 0 : localityOf('CA', 'ON', ['toronto', 'ottawa', null][number % 3]!),
    audience: (number * 37) % 6000,
    device: (['mobile', 'desktop', null] as const)[number % 3]!,
    os: ['Chrome OS', 'iOS', null][number % 3]!,
    test: false,
    foreignDomain: false,
    billsOn: 'pixel',
    takesPrice: false,
    ...more,
  }
}

test('each index of events serves one query, and the table with the most writes has none', async () => {
  const indexesOf = async (table: string) => {
    const rows = await db.rows<{ text: string }>(
      `select regexp_replace(indexdef, '.* USING ', '') as text from pg_indexes where tablename = $1 order by 1`,
      [table],
    )
    return rows.map(({ text }) => text)
  }
  expect(await indexesOf('event')).toEqual([
    // For the export.
    "brin (tx) WITH (pages_per_range='32', autosummarize='on')",
    // Ensures that each event is written once.
    'btree (ad, kind)',
    // For GET /stats/:id/events.
    'btree (cid, quarter_number(at))',
    // For the impression that an action without a click is credited to.
    `btree (hour_number(at), user_lo) WHERE ((kind = 'i'::"char") AND ((user_lo <> 0) OR (user_hi <> 0)))`,
  ])
  expect(await indexesOf('fresh')).toEqual([])
})

test('over random batches of several processes at once, every event is added exactly once to every figure', async () => {
  const random = randomFrom(seed)
  const isNew = new Map<string, number>()
  const process = async (): Promise<void> => {
    const places = createPlaces({ maxPlaces: 10 })
    const ingest = withPlenty(db, createIngest({ db, timeZone: ZONE, places }))
    for (let round = 0; round < 15; round++) {
      const events: AdEvent[] = Array.from({ length: 1 + random(60) }, () => {
        const ad = adOf(random(600))
        const kind = random(3) === 0 ? ('click' as const) : ('impression' as const)
        const atMs = NOW_MS + random(3 * 3_600_000)
        return { ad, kind, atMs, spendMicros: kind === 'click' ? 0 : random(2001) }
      })
      const unique = [...new Map(events.map(event => [event.ad.adId + event.kind, event])).values()]
      const actions: AdAction[] = Array.from({ length: random(5) }, () => ({
        ad: adOf(random(600)),
        creditedTo: 'click' as const,
        dedupe: `o:${random(100)}`,
        byPixel: false,
        atMs: NOW_MS + random(3 * 3_600_000),
        name: ['buy', 'sign "up"'][random(2)]!,
        valueMicros: random(2) === 0 ? null : 5_000_000,
      }))
      const uniqueActions = [...new Map(actions.map(action => [action.dedupe, action])).values()]
      const result = await ingest({ events: unique, actions: [], ignored: [] })
      await ingest({ events: [], actions: uniqueActions, ignored: [] })
      const known = new Set([...result.known, ...(result.unseen ?? [])])
      unique.forEach(({ ad, kind }, at) => {
        if (!known.has(at)) isNew.set(ad.adId + kind, (isNew.get(ad.adId + kind) ?? 0) + 1)
      })
    }
  }
  await Promise.all([process(), process(), process(), process()])
  const row = await db.row<{ n: number }>('select count(*) as n from event')
  expect(isNew.size).toBe(row!.n)
  expect([...isNew.values()].every(times => times === 1)).toBe(true)
  await figuresMustBeTheEvents(db, ZONE)
  expect(await foldAll(db)).toBeGreaterThan(row!.n)
  expect(await freshRows(db)).toBe(0)
  await figuresMustBeTheEvents(db, ZONE)
})

test('a view looks up its own impression, however many there are', async () => {
  const single = await openTestDatabase({ maxConnections: 1 })
  try {
    await keepPartitions(single, NOW_MS, RETENTION)
    const places = createPlaces({ maxPlaces: 10 })
    const ingest = withPlenty(single, createIngest({ db: single, timeZone: ZONE, places }))
    const eventOf = (kind: 'impression' | 'view') => (number: number) => ({
      ...{ ad: adOf(number), kind, atMs: NOW_MS, spendMicros: 0 },
    })
    const many = Array.from({ length: 4_000 }, (_, number) => number)
    await ingest({ events: many.map(eventOf('impression')), actions: [], ignored: [] })
    const read = async () => {
      const days = ['event_20261024', 'event_20261025']
      return (await rowsRead(single, days[0]!)) + (await rowsRead(single, days[1]!))
    }
    const before = await read()
    const views = [5_000, ...many.slice(0, 100)].map(eventOf('view'))
    expect(await ingest({ events: views, actions: [], ignored: [] })).toMatchObject({ known: [0] })
    expect((await read()) - before).toBeLessThan(1_000)
  } finally {
    await single.close()
  }
})

test('ignored calls are added by day and reason to each id', async () => {
  const ingest = withPlenty(db, createIngest({ db, timeZone: ZONE, places: createPlaces({ maxPlaces: 1 }) }))
  const one = { ids: [7, 100], atMs: NOW_MS, reason: 'bot', counter: 'imps' as const, calls: 2 }
  const late = { ...one, atMs: NOW_MS + 3_600_000, counter: 'clicks' as const, calls: 3 }
  await ingest({ events: [], actions: [], ignored: [one, late, { ...one, counter: 'actions', calls: 4 }] })
  await ingest({ events: [], actions: [], ignored: [one] })
  const rows = await db.rows(
    'select day::text, reason, imps, clicks, actions from rollup_filtered where id = 100 order by day',
  )
  expect(rows).toEqual([
    { day: '2026-10-24', reason: 'bot', imps: 4, clicks: 0, actions: 4 },
    { day: '2026-10-25', reason: 'bot', imps: 0, clicks: 3, actions: 0 },
  ])
})

test('quarters have the date and hour of the wall clock, even when clocks change', () => {
  const quarterOf = createQuarters(ZONE)
  const shown = (time: string) => {
    const { startMs, day, hour } = quarterOf(Date.parse(time))
    return [new Date(startMs).toISOString().slice(0, 16), day, hour]
  }
  expect(shown('2026-10-24T21:59:59.999Z')).toEqual(['2026-10-24T21:45', '2026-10-24', '23'])
  expect(shown('2026-10-24T22:00:00Z')).toEqual(['2026-10-24T22:00', '2026-10-25', '00'])
  expect(shown('2026-10-25T00:30:00Z')).toEqual(['2026-10-25T00:30', '2026-10-25', '02'])
  expect(shown('2026-10-25T01:30:00Z')).toEqual(['2026-10-25T01:30', '2026-10-25', '02'])
  expect(createQuarters('Asia/Kathmandu')(Date.parse('2026-01-01T18:15:00Z'))).toMatchObject({
    day: '2026-01-02',
    hour: '00',
  })
})

test('old events are dropped by whole days, figures never; nothing is dropped while it may be needed', async () => {
  const ingest = withPlenty(db, createIngest({ db, timeZone: ZONE, places: createPlaces({ maxPlaces: 1 }) }))
  const ages = [0, 50, 100, 500]
  const events: AdEvent[] = ages.map((days, number) => ({
    ad: adOf(number, { servedS: (NOW_MS - days * DAY_MS) / 1000 }),
    kind: 'impression',
    atMs: NOW_MS,
    spendMicros: 1,
  }))
  expect(await ingest({ events, actions: [], ignored: [] })).toMatchObject({ known: [], late: [] })
  const left = async (retention: typeof RETENTION) => {
    await Promise.all([keepPartitions(db, NOW_MS, retention), keepPartitions(db, NOW_MS, retention)])
    return (await db.row<{ n: number }>('select count(*) as n from event'))!.n
  }
  expect(await left(RETENTION)).toBe(3)
  expect(await left({ ...RETENTION, eventRetentionS: 86_400 })).toBe(2)
  expect(await figuresOf(db, 7)).toMatchObject({ imps: 4 })
})

test('a long read of events delays neither counting nor a start when old ones are to be dropped', async () => {
  const ingest = withPlenty(db, createIngest({ db, timeZone: ZONE, places: createPlaces({ maxPlaces: 1 }) }))
  const eventOf = (number: number, days: number): AdEvent => ({
    ad: adOf(number, { servedS: (NOW_MS - days * DAY_MS) / 1000 }),
    kind: 'impression',
    atMs: NOW_MS,
    spendMicros: 1,
  })
  const count = async () => (await db.row<{ n: number }>('select count(*) as n from event'))!.n
  await ingest({ events: [eventOf(1, 500)], actions: [], ignored: [] })
  await db.transaction(async reader => {
    await reader.rows('select 1 from event')
    // Without a lock timeout, the drop would wait for the read, and this write for the drop.
    await keepPartitions(db, NOW_MS, RETENTION)
    await ingest({ events: [eventOf(2, 0)], actions: [], ignored: [] })
  })
  expect(await count()).toBe(2)
  await keepPartitions(db, NOW_MS, RETENTION)
  expect(await count()).toBe(1)
})

test('events are kept if the retention is longer than all days since 1970', async () => {
  const ingest = withPlenty(db, createIngest({ db, timeZone: ZONE, places: createPlaces({ maxPlaces: 1 }) }))
  const ad = adOf(1, { servedS: NOW_MS / 1000 })
  await ingest({
    events: [{ ad, kind: 'impression', atMs: NOW_MS, spendMicros: 1 }],
    actions: [],
    ignored: [],
  })
  for (const days of [999_999, 99_999_999, 999_999_999]) {
    await keepPartitions(db, NOW_MS, { ...RETENTION, eventRetentionS: days * 86_400 })
    expect(await db.row('select count(*) as n from event')).toEqual({ n: 1 })
  }
})
