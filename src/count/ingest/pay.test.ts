// Charging on a real PostgreSQL. A share that does not cover a batch pays for what it covers, in order, and so do caps.
// No process can bill more than was granted, whatever it believes and however many write at once.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertCampaigns } from '../../../test/support/campaign-rows.ts'
import { openTestDatabase } from '../../../test/support/database.ts'
import { seededRandom } from '../../../test/support/random.ts'
import type { Database } from '../../platform/database.ts'
import type { ServedAd } from '../tracking/ad.ts'
import type { AdEvent, Ingest } from '../tracking/event.ts'
import { createPlaces } from '../tracking/places.ts'
import { createIngest } from './ingest.ts'
import { keepPartitions } from './partitions.ts'

const NOW_MS = Date.now()
const DAY = 20261115
const PRICE = 2000

let db: Database
let adNumber = 0

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 8 })
  await keepPartitions(db, NOW_MS, { eventRetentionS: 86_400, clickWindowS: 86_400 })
})
afterAll(() => db.close())

const ingestAs = (nodeId: number): Ingest =>
  createIngest({ db, timeZone: 'UTC', places: createPlaces({ maxPlaces: 10 }), ownNodeId: () => nodeId })

/** A campaign with a budget of 100 impressions, some of which each node has a share for. */
async function campaignWith(impressions: Record<number, number>): Promise<number> {
  const [cid] = await insertCampaigns(db, 1, 100 * PRICE)
  const granted = Object.values(impressions).reduce((sum, count) => sum + count * PRICE, 0)
  await db.run('insert into budget (day, cid, limit_micros, granted_micros) values ($1, $2, $3, $4)', [
    DAY,
    cid,
    100 * PRICE,
    granted,
  ])
  for (const [nodeId, count] of Object.entries(impressions))
    await db.run('insert into share (day, cid, node_id, granted_micros) values ($1, $2, $3, $4)', [
      DAY,
      cid,
      nodeId,
      count * PRICE,
    ])
  return cid!
}

function impression(cid: number, nodeId: number, more: Partial<AdEvent> & { user?: number } = {}): AdEvent {
  const ad: ServedAd = {
    ...{ adId: Buffer.from(String(adNumber++).padStart(12, '0')).toString('base64url') },
    ...{ servedS: Math.floor(NOW_MS / 1000), cuid: 1, cid, fid: cid, pid: cid, bid: cid, sourceId: 1 },
    ...{
      priceMicros: PRICE,
      ttlS: 60,
      dayKey: DAY,
      nodeId,
      flightPays: false,
      placeHash: null,
      placeName: null,
    },
    ...{
      user: more.user === undefined ? null : { hi: 1, lo: more.user },
      networkHash: null,
      agentHash: null,
    },
    ...{ country: null, locality: 0, audience: 0, device: null, os: null, test: false, foreignDomain: false },
    ...{ billsOn: 'notice', takesPrice: true },
  }
  return { kind: 'impression', ad, atMs: NOW_MS, spendMicros: PRICE, ...more }
}

const batchOf = (events: AdEvent[]) => ({ events, actions: [], ignored: [] })
const billedTo = async (cid: number, nodeId: number) =>
  (await db.row<{ micros: number }>(
    'select billed_micros as micros from share where cid = $1 and node_id = $2',
    [cid, nodeId],
  ))!.micros
const countedOf = async (cid: number) =>
  (await db.row<{ imps: number }>(`select count(*) as imps from event where cid = $1 and kind = 'i'`, [cid]))!
    .imps

it('what a share does not cover is late, in order of arrival; clicks, other money and known events are not affected', async () => {
  const cid = await campaignWith({ 1: 2, 2: 5 })
  const first = impression(cid, 1)
  expect(await ingestAs(1)(batchOf([first]))).toEqual({ known: [], late: [], unseen: [] })
  const events = [
    impression(cid, 1),
    first,
    impression(cid, 1),
    { ...first, kind: 'click' as const, spendMicros: 0 },
    impression(cid, 2),
    impression(cid, 1, { spendMicros: 0 }),
  ]
  expect(await ingestAs(1)(batchOf(events))).toEqual({ known: [1], late: [2], unseen: [] })
  expect([await billedTo(cid, 1), await billedTo(cid, 2)]).toEqual([2 * PRICE, PRICE])
  expect(await countedOf(cid)).toBe(4)
})

it('a click is paid for once, if its impression was counted, also in the same batch, and a share covers it', async () => {
  const cid = await campaignWith({ 1: 3, 2: 1 })
  const seen = impression(cid, 1, { spendMicros: 0 })
  const together = impression(cid, 1, { spendMicros: 0 })
  const click = (event: AdEvent, nodeId: number): AdEvent => ({
    ...event,
    kind: 'click',
    spendMicros: PRICE,
    nodeId,
  })
  const unseen = impression(cid, 1)
  expect(await ingestAs(1)(batchOf([seen]))).toEqual({ known: [], late: [], unseen: [] })
  const batch = [click(seen, 1), together, click(together, 2), click(unseen, 1)]
  expect(await ingestAs(1)(batchOf(batch))).toEqual({ known: [], late: [], unseen: [3] })
  expect(await ingestAs(2)(batchOf(batch))).toEqual({ known: [0, 1, 2], late: [], unseen: [3] })
  // The second share is used up, so the whole batch is decided event by event.
  const more = [impression(cid, 1, { spendMicros: 0 }), impression(cid, 1, { spendMicros: 0 })]
  const last = [...more, click(more[0]!, 2), click(more[1]!, 1), click(unseen, 1)]
  expect(await ingestAs(2)(batchOf(last))).toEqual({ known: [], late: [2], unseen: [4] })
  expect([await billedTo(cid, 1), await billedTo(cid, 2)]).toEqual([2 * PRICE, PRICE])
})

it('an impression of a share that never existed is late', async () => {
  const cid = await campaignWith({ 1: 1 })
  expect(await ingestAs(1)(batchOf([impression(cid, 99)]))).toEqual({ known: [], late: [0], unseen: [] })
  expect(await countedOf(cid)).toBe(0)
})

it('processes with a wrong memory, however many, bill no more than was granted', async () => {
  const random = seededRandom('pay at once')
  const cid = await campaignWith({ 1: 30, 2: 20, 3: 50 })
  const batches = Array.from({ length: 12 }, () =>
    Array.from({ length: 40 }, () =>
      impression(cid, 1 + random.int(3), { spendMicros: 1 + random.int(PRICE) }),
    ),
  )
  const results = await Promise.all(
    batches.map((events, n) => ingestAs(1 + (n % 3))(batchOf(random.int(2) ? events : events.toReversed()))),
  )
  const counted = results.reduce((sum, { late }) => sum + 40 - late.length, 0)
  expect(await countedOf(cid)).toBe(counted)
  const rows = await db.rows<{ granted: number; billed: number; spent: number }>(
    `select granted_micros as granted, billed_micros as billed,
       (select sum(spend_micros) from event where cid = $1)::bigint as spent from share where cid = $1`,
    [cid],
  )
  expect(rows.reduce((sum, row) => sum + row.billed, 0)).toBe(rows[0]!.spent)
  for (const { granted, billed } of rows) {
    expect(billed).toBeLessThanOrEqual(granted)
    expect(billed).toBeGreaterThan(granted - 2 * PRICE)
  }
})

it('a user is not counted more often than the cap allows, whichever process writes', async () => {
  const cid = await campaignWith({ 1: 100 })
  const events = Array.from({ length: 30 }, (_, n) => impression(cid, 1, { user: n % 3, freq: 2 }))
  const chunks = [0, 1, 2].map(part => events.filter((_, n) => n % 5 === part || n % 5 === part + 2))
  await Promise.all(chunks.map((some, n) => ingestAs(n)(batchOf(some))))
  const users = await db.rows<{ imps: number }>(
    'select count(*) as imps from event where cid = $1 group by user_lo order by 1',
    [cid],
  )
  expect(users).toEqual([{ imps: 2 }, { imps: 2 }, { imps: 2 }])
})

it('the node that promised an ad is sent news of how it ended elsewhere, in the same transaction', async () => {
  const cid = await campaignWith({ 1: 10, 2: 10 })
  await ingestAs(1)(batchOf([impression(cid, 1), impression(cid, 2), impression(cid, 2)]))
  const news = await db.rows<{ node_id: number; bytes: number }>(
    'select node_id, length(ads) as bytes from share_news order by news_id desc limit 1',
  )
  expect(news).toEqual([{ node_id: 2, bytes: 42 }])
})
