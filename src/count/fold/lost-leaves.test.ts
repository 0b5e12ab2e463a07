// Events whose leaf the database does not have: folding neither drops them nor counts them for another campaign.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { brokenDown, figuresOf, freshRows } from '../../../test/support/counting.ts'
import { openTestDatabase } from '../../../test/support/database.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import type { Database } from '../../platform/database.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { foldAll } from './fold.ts'
import { startFolding } from './folding.ts'
import { foldPart, PARTS } from './queries.ts'

const CUSTOMER = 7
const CAMPAIGN = 1000
const OTHER = { cuid: 8, cid: 2000, fid: 2001, pid: 2002, bid: 2003 }

let db: Database

beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.run(
    'truncate leaf, event, action, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, share, budget',
  )
})

function impressions(count: number, banner: number, of = {}): TestEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ kind: 'impression' as const, atMs: Date.parse('2026-03-29T10:00:00Z'), adNumber: banner * 1000 + n },
    ...{ cuid: CUSTOMER, cid: CAMPAIGN, fid: 1001, pid: 1002, bid: banner, spendMicros: 5 },
    ...of,
  }))
}

test('events that have lost their leaf count for their campaign and customer, once', async () => {
  await recordEvents(db, [...impressions(3, 1003), ...impressions(4, 1004), ...impressions(5, 1005)])
  await db.run('delete from leaf where bid in (1004, 1005)')
  expect(await foldAll(db)).toBe(12)
  expect(await freshRows(db)).toBe(0)
  for (const id of [CUSTOMER, CAMPAIGN])
    expect(await figuresOf(db, id)).toMatchObject({ imps: 12, spend: 60 })
  expect(await figuresOf(db, 1003)).toMatchObject({ imps: 3 })
  expect(await figuresOf(db, 0)).toMatchObject({ imps: 0 })
  const parts = await brokenDown(db, CAMPAIGN)
  expect(parts['banner:unknown']).toEqual([9, 0, 0])
  expect(parts['persona:unknown']).toEqual([9, 0, 0])
  const events = await db.row<{ n: number }>('select count(*) as n from event_in_words where cid = $1', [
    CAMPAIGN,
  ])
  expect(events!.n).toBe(12)
})

test('a leaf whose number was given to another customer meanwhile does not get the events', async () => {
  await recordEvents(db, impressions(4, 1003))
  const lost = await db.row<{ leaf: number }>('delete from leaf returning leaf')
  await db.run('insert into leaf (leaf, cuid, cid, fid, pid, bid) values ($1, $2, $3, $4, $5, $6)', [
    lost!.leaf,
    ...Object.values(OTHER),
  ])
  await recordEvents(db, impressions(2, 2003, OTHER))
  await foldAll(db)
  expect(await figuresOf(db, CAMPAIGN)).toMatchObject({ imps: 4, spend: 20 })
  expect(await figuresOf(db, OTHER.cid)).toMatchObject({ imps: 2, spend: 10 })
  const events = await db.rows('select cuid, count(*) as n from event_in_words group by cuid order by cuid')
  expect(events).toEqual([
    { cuid: CUSTOMER, n: 4 },
    { cuid: OTHER.cuid, n: 2 },
  ])
})

test('what conversions were worth follows them to their leaf', async () => {
  const sale = (adNumber: number) => ({ ...impressions(1, 1003)[0]!, kind: 'action' as const, adNumber })
  await recordEvents(
    db,
    [1, 2].map(n => ({ ...sale(n), spendMicros: 0, valueMicros: 7 })),
  )
  const lost = await db.row<{ leaf: number }>('delete from leaf returning leaf')
  await db.run('insert into leaf (leaf, cuid, cid, fid, pid, bid) values ($1, $2, $3, $4, $5, $6)', [
    lost!.leaf,
    ...Object.values(OTHER),
  ])
  await foldAll(db)
  const worth = await db.rows(
    `select distinct l.cid, value_micros from rollup_value_dimension v join leaf l on l.leaf = v.id`,
  )
  expect(worth).toEqual([{ cid: CAMPAIGN, value_micros: 14 }])
  expect(await db.rows('select from fresh_value')).toEqual([])
})

test('rows that cannot be placed are never dropped: without the repair, folding undoes itself', async () => {
  await recordEvents(db, impressions(4, 1003))
  await db.run('delete from leaf')
  const folded = Array.from({ length: PARTS }, (_, part) =>
    db.transaction(tx => foldPart(tx, part, 100)).catch((error: Error) => error.message),
  )
  expect(await Promise.all(folded)).toContain('4 of 4 events have lost their leaf')
  expect(await freshRows(db)).toBe(4)
})

test('a repair is in the metrics and in the log', async () => {
  await recordEvents(db, impressions(4, 1003))
  await db.run('delete from leaf')
  await db.run("update fresh_part set emptied_at = '2026-01-01'")
  const lines: string[] = []
  const metrics = createMetrics()
  const log = createLog('info', { write: line => void lines.push(line) })
  const folding = startFolding({ db, clock: systemClock, log, metrics, everyMs: 5 })
  await expect.poll(() => freshRows(db)).toBe(0)
  await folding.stop()
  expect(await metrics.registry.metrics()).toMatch(/^marquee_folding_repaired_leaves_total 1$/m)
  expect(lines.join('')).toContain('have lost their leaf: they count for their campaign')
})
