// Batches that are copied: the same rows as by the statement that asks of each event, all of them or none, whatever is
// cut off in between.

import { connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { figuresMustBeTheEvents } from '../../../test/support/counting.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { untilWaiting } from '../../../test/support/locks.ts'
import { startBouncer } from '../../../test/support/pgbouncer.ts'
import { grantPlenty } from '../../../test/support/shares.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { type Database, openDatabase } from '../../platform/database.ts'
import type { ServedAd } from '../tracking/ad.ts'
import type { AdEvent, EventKind } from '../tracking/event.ts'
import { createPlaces } from '../tracking/places.ts'
import { createIngest } from './ingest.ts'
import { dayOf, ensurePartitions } from './partitions.ts'

const MIDNIGHT_MS = Date.parse('2026-10-25T00:00:00Z')
const [NODE, OTHER_NODE] = [1, 2]
const PRICE = 2000
const DAY = 20261024

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = open(database.url)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  await db.run('truncate event, fresh, share, budget, cap_day, share_news')
  await ensurePartitions(db, [dayOf(MIDNIGHT_MS) - 1, dayOf(MIDNIGHT_MS)])
  const days = [
    { cid: 100, dayKey: DAY },
    { cid: 200, dayKey: DAY },
  ]
  for (const nodeId of [NODE, OTHER_NODE]) await grantPlenty(db, days, nodeId)
})

const open = (url: string) => openDatabase({ url, maxConnections: 2, onError: () => {} })

const writerOn = (on: Database) => {
  const ingest = createIngest({
    ...{ db: on, timeZone: 'UTC', places: createPlaces({ maxPlaces: 10 }), ownNodeId: () => NODE },
  })
  return (events: AdEvent[]) => ingest({ events, actions: [], ignored: [] })
}

function eventOf(number: number, kind: EventKind = 'impression', more: Partial<ServedAd> = {}): AdEvent {
  const cid = number % 2 === 0 ? 100 : 200
  const bytes = Buffer.alloc(12, 250 - number)
  bytes.writeUInt32BE(number, 4)
  const servedS = MIDNIGHT_MS / 1000 - 5 + number
  const ad: ServedAd = {
    ...{ adId: bytes.toString('base64url'), servedS, cuid: 7, cid, fid: cid + 1, pid: cid + 2, bid: cid + 3 },
    ...{ sourceId: 2 ** 40 + 1, priceMicros: PRICE, ttlS: 300, dayKey: DAY, flightPays: false },
    nodeId: number % 3 === 0 ? OTHER_NODE : NODE,
    user: number % 4 === 0 ? null : { hi: 0xfffffffe, lo: number },
    placeHash: number % 5 === 0 ? null : 2 ** 47 + number,
    ...{ placeName: null, networkHash: null, agentHash: null },
    country: ['CA', 'ZZ', null][number % 3]!,
    locality: number % 2 === 0 ? 0 : 2 ** 46 + 12_345,
    audience: 32_000 - number,
    device: (['mobile', 'desktop', null] as const)[number % 3]!,
    os: ['Chrome OS', 'iOS', null][number % 3]!,
    ...{ test: false, foreignDomain: false, billsOn: 'pixel', takesPrice: false },
    ...more,
  }
  const spendMicros = kind === 'impression' ? PRICE + number : 0
  return { kind, ad, atMs: servedS * 1000 + 7, spendMicros, freq: number % 4 === 1 ? 3 : 0 }
}

const some = (count: number, kind?: EventKind) => Array.from({ length: count }, (_, n) => eventOf(n, kind))
const ALL_NEW = { known: [], late: [], unseen: [] }

/** Everything that a batch leaves behind. */
async function written() {
  const read = (text: string) => db.rows(text)
  return {
    events: await read('select *, 0 as tx from event order by ad, kind'),
    fresh: await read('select * from fresh order by cid, audience, kind'),
    paid: await read('select * from share order by day, cid, node_id'),
    caps: await read('select * from cap_day order by cid, user_lo'),
    news: await read('select node_id, sum(length(ads)) as bytes from share_news group by 1 order by 1'),
  }
}

it('each column, payment, cap and news is as the statement writes it that looks at each event', async () => {
  const [impressions, clicks, views] = [some(12), some(6, 'click'), some(6, 'view')]
  const write = writerOn(db)
  expect(await write([...impressions, ...clicks])).toEqual(ALL_NEW)
  expect(await write(views)).toEqual(ALL_NEW)
  const copied = await written()
  expect(copied.events).toHaveLength(24)
  await db.run('truncate event, fresh, cap_day, share_news')
  await db.run('update share set billed_micros = 0')
  // What was counted before is what makes the rest of a batch that statement's.
  for (const kinds of [[...impressions, ...clicks], views]) {
    const asking = writerOn(db)
    await asking(kinds.slice(0, 1))
    expect(await asking(kinds)).toEqual({ ...ALL_NEW, known: [0] })
  }
  expect(await written()).toEqual(copied)
})

it('a batch across a midnight is whole, also if a day has no partition yet', async () => {
  await db.run('drop table event_20261025')
  expect(await writerOn(db)(some(12))).toEqual(ALL_NEW)
  const days = await db.rows(
    'select tableoid::regclass::text as day, count(*) as n from event group by 1 order by 1',
  )
  expect(days).toEqual([
    { day: 'event_20261024', n: 5 },
    { day: 'event_20261025', n: 7 },
  ])
  expect(await writerOn(db)(some(12).map(one => ({ ...one, atMs: one.atMs + DAY_MS })))).toMatchObject({
    known: Array.from({ length: 12 }, (_, n) => n),
  })
})

it('a pooler in session mode passes batches on, and also those that are refused', async () => {
  const bouncer = await startBouncer(database.url, '', 'session')
  const pooled = open(bouncer.url)
  const write = writerOn(pooled)
  expect(await write(some(6))).toEqual(ALL_NEW)
  expect(await write(some(8))).toMatchObject({ known: [0, 1, 2, 3, 4, 5] })
  expect(await write(some(8, 'view'))).toEqual(ALL_NEW)
  expect(await write([eventOf(9)])).toEqual(ALL_NEW)
  expect(await db.rows('select from event')).toHaveLength(17)
  await pooled.close()
  await bouncer.close()
})

it('what a column cannot hold is refused, and nothing of it is written', async () => {
  const write = writerOn(db)
  await expect(write([eventOf(1), { ...eventOf(2), spendMicros: 2 ** 31 }])).rejects.toThrow('out of range')
  expect(await db.rows('select from event')).toEqual([])
})

it('a batch that waits for a share is charged on top of what was charged meanwhile', async () => {
  const meanwhile = 1_000_000
  const { writing } = await db.transaction(async tx => {
    await tx.run('update share set billed_micros = $1', [meanwhile])
    const other = open(database.url)
    const writing = writerOn(other)(some(12)).finally(() => other.close())
    await untilWaiting(db, 1)
    return { writing }
  })
  expect(await writing).toEqual(ALL_NEW)
  const billed = await db.row<{ micros: number }>(
    'select sum(billed_micros - $1)::bigint as micros from share',
    [meanwhile],
  )
  const spent = some(12).reduce((sum, { spendMicros }) => sum + spendMicros, 0)
  expect(billed).toEqual({ micros: spent })
})

it('a process that is killed after its batch is on disk has counted it: a repeated report pays nothing', async () => {
  // The database gets everything; what it answers to the batch is never read.
  const far = await openCut({ answers: false, bytes: Number.POSITIVE_INFINITY })
  const events = some(12)
  const dying = open(far.url)
  await expect(writerOn(dying)(events)).rejects.toThrow()
  await dying.close()
  await expect.poll(async () => (await db.rows('select from event')).length).toBe(12)
  const before = await written()
  expect(await writerOn(db)(events)).toMatchObject({ known: events.map((_, at) => at), late: [] })
  expect(await written()).toEqual(before)
  await figuresMustBeTheEvents(db)
  await far.close()
})

it('a process that is killed while it sends its batch has counted nothing, whatever was sent of it', async () => {
  const events = some(12)
  for (const bytes of [1, 400, 1_000, 2_500, 3_600, 4_400]) {
    const far = await openCut({ answers: true, bytes })
    const dying = open(far.url)
    await expect(writerOn(dying)(events)).rejects.toThrow()
    await dying.close()
    await far.close()
  }
  expect(await db.rows('select from event')).toEqual([])
  expect(await db.rows('select from fresh')).toEqual([])
  expect(await db.rows('select from share where billed_micros > 0')).toEqual([])
  expect(await writerOn(db)(events)).toEqual(ALL_NEW)
})

/**
 * A way to the database that ends in the middle of the first batch: after so many of its bytes, or with its answer.
 */
async function openCut({ answers, bytes }: { answers: boolean; bytes: number }) {
  const to = new URL(database.url.replace('@/', '@localhost/'))
  const path = to.searchParams.get('host')
  const port = Number(to.searchParams.get('port') ?? (to.port || 5432))
  const server: Server = createServer(near => {
    const far = path?.startsWith('/')
      ? connect(`${path}/.s.PGSQL.${port}`)
      : connect(port, path ?? to.hostname)
    let left: number | null = null
    const end = () => {
      near.destroy()
      far.end()
    }
    near.on('error', end).on('close', end)
    far.on('error', end).on('close', end)
    near.on('data', sent => {
      if (left === null && sent.includes('copy event')) left = bytes
      if (left === null) far.write(sent)
      else {
        far.write(sent.subarray(0, left))
        left -= sent.length
        if (left < 0) end()
      }
    })
    far.on('data', answer => {
      if (left === null || answers) near.write(answer)
      else end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  to.searchParams.delete('host')
  to.searchParams.delete('port')
  to.hostname = '127.0.0.1'
  to.port = String((server.address() as { port: number }).port)
  return { url: to.href, close: () => new Promise(resolve => server.close(resolve)) }
}
