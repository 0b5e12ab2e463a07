// The watch over budgets with 20,000 campaigns: the cost of a look depends on what changed, and nothing is lost or
// reported twice.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Database, Db } from '../../platform/database.ts'
import { createWatch } from './watch.ts'

const CAMPAIGNS = 20_000
const DAY = 20260329
let nowMs = Date.parse('2026-03-29T12:00:00Z')
const clock = { nowMs: () => nowMs }

let db: Database
let cids: number[]
let ads = 0

beforeAll(async () => {
  db = await openTestDatabase()
  await db.run(`insert into app (name, created_at) values ('many', now())`)
  await db.run(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at)
     select max(app_id), 'c', 'a@many.example', 'a@many.example', now(), now() from app`,
  )
  const rows = await db.rows<{ cid: number }>(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     select (select max(cuid) from customer), 'c', '2026-01-01', '2027-01-01', true, 0, 5000000, 2000000, '{}', 'even',
       now(), now() from generate_series(1, ${CAMPAIGNS}) returning cid`,
  )
  cids = rows.map(row => row.cid)
  await db.run(
    `insert into campaign_watch (cid, phase, due_at) select cid, 'begun', '2027-01-01' from campaign`,
  )
  await db.run(
    `insert into share (day, cid, node_id, granted_micros, billed_micros)
     select ${DAY}, cid, 0, 4000000, 4000000 from campaign`,
  )
  await db.run('analyze')
})
afterAll(() => db.close())

/** The database within one transaction, so that its reads can be counted. */
const within = (tx: Db): Database => ({ ...db, ...tx, transaction: work => work(tx) })
const newWatch = (on: Database) =>
  createWatch({
    db: on,
    clock,
    defaultCpmMicros: 1,
    calendar: calendarOf('UTC'),
  })

async function rowsRead(tx: Db): Promise<number> {
  const row = await tx.row<{ n: number }>(
    'select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as n from pg_stat_xact_user_tables',
  )
  return row!.n
}

function spend(cid: number, micros = 1_000_000) {
  const ids = { cuid: 1, cid, fid: cid, pid: cid, bid: cid }
  const event = { kind: 'impression' as const, atMs: clock.nowMs(), adNumber: ++ads, ...ids }
  return recordEvents(db, [{ ...event, spendMicros: micros }])
}

async function recorded(): Promise<number[]> {
  const rows = await db.rows<{ cid: number }>(
    'select cid from campaign_watch where spent_day = $1 order by cid',
    [DAY],
  )
  return rows.map(row => row.cid)
}

it('reads almost nothing when nothing has changed, and few rows when little has', async () => {
  const watch = newWatch(db)
  await watch()
  let current: Database = db
  const routed = newWatch({
    ...db,
    rows: (text, params) => current.rows(text, params),
    row: (text, params) => current.row(text, params),
    run: (text, params) => current.run(text, params),
    transaction: work => current.transaction(work),
  })
  await routed()
  const costOfLook = () =>
    db.transaction(async tx => {
      current = within(tx)
      const before = await rowsRead(tx)
      await routed()
      current = db
      return (await rowsRead(tx)) - before
    })
  expect(await costOfLook()).toBeLessThan(100)
  for (const cid of cids.slice(0, 3)) await spend(cid)
  expect(await costOfLook()).toBeLessThan(1000)
  expect(await recorded()).toEqual(cids.slice(0, 3))
  // The other process reported nothing again: if two note a day, one wins.
  await watch()
  expect(await recorded()).toEqual(cids.slice(0, 3))
  expect(await costOfLook()).toBeLessThan(100)
})

it('reads no event when it looks at every campaign anyway', async () => {
  const texts: string[] = []
  const watch = newWatch({
    ...db,
    row(text, params) {
      texts.push(text)
      return db.row(text, params)
    },
  })
  const readsEvents = async () => {
    texts.length = 0
    await watch()
    return texts.some(text => text.includes('from event\n'))
  }
  expect(await readsEvents()).toBe(false)
  expect(await readsEvents()).toBe(true)
  nowMs += 11 * 60_000
  expect(await readsEvents()).toBe(false)
  nowMs -= 11 * 60_000
})

it('sees a budget spent by a slow transaction, however many looks come before its commit', async () => {
  const watch = newWatch(db)
  await watch()
  const cid = cids[10]!
  const slow = await db.pool.connect()
  try {
    await slow.query('begin')
    await slow.query(
      `insert into event (ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
         kind, device, os)
       select (substring(first_ad('2026-03-29')::text, 1, 35) || '7')::uuid, '2026-03-29T12:00:00Z', $1, 1, 0, 0, 0, 0,
         1000000, ${DAY}, 0, 'i', 'm', 'i'`,
      [cid],
    )
    await slow.query(
      'update share set granted_micros = 5000000, billed_micros = 5000000 where day = $1 and cid = $2',
      [DAY, cid],
    )
    // A later transaction commits first.
    await spend(cids[11]!)
    await watch()
    expect(await recorded()).not.toContain(cid)
    await watch()
    await slow.query('commit')
  } finally {
    slow.release()
  }
  await watch()
  expect(await recorded()).toEqual(expect.arrayContaining([cid, cids[11]!]))
})

it('loses nothing in a failure, nor if the numbers of the database go back', async () => {
  let fails = false
  const watch = newWatch({
    ...db,
    transaction: work => (fails ? Promise.reject(new Error('gone')) : db.transaction(work)),
  })
  await watch()
  await spend(cids[20]!)
  fails = true
  await expect(watch()).rejects.toThrow('gone')
  fails = false
  await watch()
  expect(await recorded()).toContain(cids[20])
  await db.run(
    `insert into event_numbering (cluster, tx_offset) values ('x', 1000000)
     on conflict (only_row) do update set tx_offset = 1000000`,
  )
  await watch()
  await db.run('update event_numbering set tx_offset = 0')
  await spend(cids[21]!)
  await watch()
  expect(await recorded()).toContain(cids[21])
})

it('reports what was spent before it began, and while its clock jumps', async () => {
  await spend(cids[30]!)
  const watch = newWatch(db)
  await watch()
  expect(await recorded()).toContain(cids[30])
  const HOUR_MS = 3_600_000
  for (const [at, jumpMs] of [HOUR_MS, -3 * HOUR_MS, 9 * 60_000, -60_000].entries()) {
    const cid = cids[31 + at]!
    await spend(cid)
    nowMs += jumpMs
    await watch()
    expect(await recorded()).toContain(cid)
  }
})
