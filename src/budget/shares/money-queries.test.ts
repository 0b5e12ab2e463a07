// What moving money costs the database: each ask finds its rows by their keys. With 20,000 campaigns, a statement reads
// a fixed number of rows per ask, whatever the planner knows about the tables.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertCampaigns } from '../../../test/support/campaign-rows.ts'
import { openTestDatabase } from '../../../test/support/database.ts'
import type { Database } from '../../platform/database.ts'
import { insertNode } from './node-queries.ts'
import { type Ask, MOST_ASKS, type NodeRef } from './share.ts'
import { BY_KEYS, createShareStore, MOST_RETURNED } from './shares.ts'

const CAMPAIGNS = 20_000
const TODAY = 20261115
const TOMORROW = 20261116
const DAY_AFTER = 20261117
/** Each ask passes through about thirty steps of a plan. */
const MOST_ROWS_AN_ASK = 50

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

let db: Database
let cids: number[]
let node: NodeRef

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 1, settings: BY_KEYS })
  cids = await insertCampaigns(db, CAMPAIGNS, 1_000_000)
  const row = (await insertNode(db, 'plans', 3_600_000, 60_000))!
  node = { nodeId: row.node_id, epoch: row.epoch }
  await insertNode(db, 'another', 3_600_000, 60_000)
  // The planner knows nothing about the tables unless the test says so.
  for (const table of ['budget', 'share', 'campaign'])
    await db.run(`alter table ${table} set (autovacuum_enabled = off)`)
})
afterAll(() => db.close())

/** Every campaign has its share of the day. */
async function openDay(day: number): Promise<void> {
  await db.run(
    'insert into budget (day, cid, limit_micros, granted_micros) select $1, cid, 1000000, 5000 from campaign',
    [day],
  )
  await db.run(
    'insert into share (day, cid, node_id, granted_micros) select $1, cid, $2, 5000 from campaign',
    [day, node.nodeId],
  )
}

/** How many rows each statement of a move reads; the changes are rolled back. */
async function rowsOf(day: number, asked: number, isNew: boolean): Promise<number[]> {
  const seen: number[] = []
  await db
    .transaction(async tx => {
      const explain = async (text: string, params: readonly unknown[] = []) => {
        const [row] = await tx.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (analyze, timing off, format json) ${text}`,
          params,
        )
        seen.push(rowsIn(row!['QUERY PLAN'][0].Plan))
        return []
      }
      const store = createShareStore({ ...db, run: explain, rows: explain } as never, 60_000)
      const some = cids.filter((_, n) => n % Math.floor(CAMPAIGNS / asked) === 0).slice(0, asked)
      await store.move(
        node,
        some.map(cid => askOf(cid, day, isNew)),
      )
      throw new Error('undo')
    })
    .catch(error => expect(error.message).toBe('undo'))
  return seen
}

function rowsIn(plan: PlanNode): number {
  const looked =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Join Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0)
  return looked * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, child) => sum + rowsIn(child), 0)
}

const askOf = (cid: number, dayKey: number, isNew: boolean): Ask => ({
  ...{
    cid,
    payer: 0,
    dayKey,
    targetMicros: 20_000,
    leastMicros: 1000,
    reservedMicros: 7,
    rateMicros: 8,
    meanMicros: 9,
  },
  ...{ endedMicros: 10, line: { fromMs: 11, spentMicros: 12 }, isNew },
})

async function mustBeLinear(day: number, isNew: boolean): Promise<void> {
  for (const asked of [MOST_ASKS / 10, MOST_ASKS])
    for (const rows of await rowsOf(day, asked, isNew))
      expect(rows / asked, `${asked} asks`).toBeLessThan(MOST_ROWS_AN_ASK)
}

it('an ask costs the same few rows on tables that were never analysed, on analysed ones and on a new day', async () => {
  await mustBeLinear(TODAY, true)
  await openDay(TODAY)
  await mustBeLinear(TODAY, false)
  await db.run('analyze')
  await mustBeLinear(TODAY, false)
  await mustBeLinear(TOMORROW, true)
  await openDay(TOMORROW)
  await mustBeLinear(TOMORROW, false)
})

it('the first ask of a day creates budget and share with their grant: no row is written twice', async () => {
  const written = async () => {
    await db.row('select pg_stat_force_next_flush()')
    await db.row('select pg_stat_clear_snapshot()')
    return db.row<{ made: number; changed: number }>(
      `select sum(n_tup_ins)::integer as made, sum(n_tup_upd)::integer as changed from pg_stat_user_tables
       where relname in ('budget', 'share')`,
    )
  }
  const some = cids.slice(0, MOST_ASKS)
  const before = (await written())!
  const grants = await createShareStore(db, 60_000).move(
    node,
    some.map(cid => askOf(cid, DAY_AFTER, true)),
  )
  expect(grants.map(({ grantedMicros, poolMicros }) => [grantedMicros, poolMicros])).toEqual(
    some.map(() => [20_000, 980_000]),
  )
  const after = (await written())!
  expect([after.made - before.made, after.changed - before.changed]).toEqual([2 * MOST_ASKS, 0])
  await db.run('delete from share where day = $1', [DAY_AFTER])
  await db.run('delete from budget where day = $1', [DAY_AFTER])
})

it('what a dead node leaves is returned in parts, and each part costs the same few rows', async () => {
  const store = createShareStore(db, 60_000)
  await db.run(`update node set valid_until = 'epoch', ads_until = 'epoch' where node_id = $1`, [node.nodeId])
  const left = async () =>
    (await db.row<{ left: number }>(
      'select count(*)::integer as left from share where granted_micros > billed_micros',
    ))!.left
  const before = await left()
  expect(before).toBe(2 * CAMPAIGNS)
  expect(await store.reclaim()).toEqual({ gone: [], isDone: false })
  expect(before - (await left())).toBe(5 * MOST_RETURNED)
  const gone: number[] = []
  for (let call = 0, isDone = false; call < 20 && !isDone; call++) {
    const part = await store.reclaim()
    gone.push(...part.gone)
    isDone = part.isDone
  }
  expect(gone).toEqual([node.nodeId])
  expect(await left()).toBe(0)
  const { granted } = (await db.row<{ granted: number }>(
    'select sum(granted_micros) as granted from budget',
  ))!
  expect(granted).toBe(0)
})
