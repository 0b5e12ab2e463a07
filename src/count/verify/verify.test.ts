// `marquee verify`: finds no differences in correct data at any time, and finds each kind of damage in its place.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, replicaOf, type TestDatabase } from '../../../test/support/database.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { type Database, openDatabase } from '../../platform/database.ts'
import { foldAll } from '../fold/fold.ts'
import { selectVerifiedAt } from './queries.ts'
import { agrees, verify } from './verify.ts'

const OPTIONS = { timeZone: 'America/Toronto', clickWindowS: 30 * 86_400 }
const nowMs = Date.now()

let database: TestDatabase
let db: Database
let ads = 0

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, maxConnections: 4, onError: () => {} })
})
afterAll(() => db.close().then(database.drop))
beforeEach(async () => {
  await db.run(
    'truncate leaf, event, action, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, share, budget, deployment',
  )
})

function events(cid: number, count: number): TestEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const kind = (['impression', 'impression', 'click', 'action'] as const)[n % 4]!
    // A click is on the ad before it.
    const at = kind === 'click' ? n - 1 : n
    return {
      kind,
      atMs: nowMs - (at % 5) * 17 * 3_600_000,
      adNumber: kind === 'click' ? ads - 1 : ads++,
      ...{ cuid: 7, cid, fid: cid + 1, pid: cid + 2, bid: cid + 3 + (at % 2) },
      ...(n % 4 < 2 ? { spendMicros: 5 + n } : {}),
    }
  })
}

const record = (list: TestEvent[]) => recordEvents(db, list, OPTIONS.timeZone)

async function differing(): Promise<Record<string, (number | null)[]>> {
  const checks = await verify(db, OPTIONS)
  return Object.fromEntries(
    checks
      .filter(({ differences }) => differences.length > 0)
      .map(({ check, differences }) => [check, [...new Set(differences.map(({ cid }) => cid))]]),
  )
}

test('fresh, folded or half of each, while others write and fold: everything agrees', async () => {
  await record([...events(1000, 40), ...events(2000, 20)])
  expect(await differing()).toEqual({})
  await foldAll(db)
  expect(await differing()).toEqual({})
  let isOver = false
  const busy = (async () => {
    while (!isOver) {
      await record(events(3000, 10))
      await foldAll(db)
    }
  })()
  for (let looks = 0; looks < 4; looks++) expect(await differing()).toEqual({})
  isOver = true
  await busy
  expect(await selectVerifiedAt(db)).not.toBeNull()
})

test('on a replica everything is compared, but the outcome is not recorded', async () => {
  await record(events(1000, 12))
  await db.run('update share set billed_micros = billed_micros + 1 where cid = 1000')
  const replica = openDatabase({ url: replicaOf(database.url), maxConnections: 1, onError: () => {} })
  const checks = await verify(replica, OPTIONS)
  await replica.close()
  expect(checks.filter(({ differences }) => differences.length > 0).map(({ check }) => check)).toEqual([
    'shares',
  ])
  expect(await db.rows('select from deployment')).toEqual([])
})

test.each([
  [
    'a lost row of statements',
    'delete from rollup_customer where cid = 1000',
    ['statements', 'summaries', 'breakdowns'],
  ],
  ['a lost row of summaries', 'delete from rollup where id = 1000', ['summaries']],
  [
    'a wrong breakdown',
    `update rollup_dimension set imps = imps + 1 where dimension = 'd' and id in (select leaf from leaf where cid = 1000)`,
    ['breakdowns'],
  ],
  [
    'a value that no conversion had',
    `insert into rollup_value values (1000, date_bin('15 minutes', now(), 'epoch'), 1)`,
    ['summaries'],
  ],
  ['a leaf that is gone', 'delete from leaf where cid = 1000', ['leaves', 'summaries', 'breakdowns']],
  [
    'money for which nobody was shown an ad',
    'update share set billed_micros = billed_micros + 1 where cid = 1000',
    ['shares'],
  ],
  [
    'a grant that its budget does not know',
    'update share set granted_micros = granted_micros + 1 where cid = 1000',
    ['budgets'],
  ],
  [
    'an event that was deleted',
    `delete from event where cid = 1000 and kind = 'i'`,
    ['shares', 'statements'],
  ],
])('%s is found, and nothing else', async (_name, damage, checks) => {
  await record([...events(1000, 12), ...events(2000, 12)])
  await foldAll(db)
  await db.run(damage)
  expect(await differing()).toEqual(Object.fromEntries(checks.map(check => [check, [1000]])))
  expect(await selectVerifiedAt(db)).toBeNull()
})

test('figures outlive their events: what was dropped by retention is not missed', async () => {
  await record(events(1000, 12))
  await foldAll(db)
  await db.run(
    `insert into rollup_customer (cuid, day, cid, pid, spend_micros, imps, views, clicks, actions)
     values (7, current_date - 500, 1000, 1002, 100, 10, 0, 1, 1)`,
  )
  expect(agrees(await verify(db, OPTIONS))).toBe(true)
})

test('a customer who moves a day to the west has one date for longer, here as on statements', async () => {
  const fromMs = Date.parse('2027-04-01T11:00:00Z')
  const { cuid, cid } = (await db.row<{ cuid: number; cid: number }>(
    `with a as (insert into app (name, created_at) values ('west', now()) returning app_id),
     u as (
       insert into customer (app_id, company, email, email_key, created_at, updated_at, timezone, timezone_before)
       select app_id, 'c', 'w@west.example', 'w@west.example', now(), now(), 'Pacific/Pago_Pago', $1 from a returning cuid
     )
     insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing,
       created_at, updated_at)
     select cuid, 'c', now(), now() + interval '1 day', true, 0, 1, 1, '{}', 'even', now(), now() from u returning cuid, cid`,
    [JSON.stringify([['Pacific/Kiritimati', fromMs / 1000]])],
  ))!
  const leaf = { cuid, cid, fid: cid + 1, pid: cid + 2, bid: cid + 3, spendMicros: 5 }
  const hours = [-2, -0.5, 1, 23, 25, 47, 49, 73]
  await record(
    hours.map(hour => ({ kind: 'impression', atMs: fromMs + hour * 3_600_000, adNumber: ads++, ...leaf })),
  )
  expect(
    await db.rows('select day::text, count(*)::integer as imps from fresh group by 1 order by 1'),
  ).toEqual([
    { day: '2027-04-01', imps: 1 },
    { day: '2027-04-02', imps: 5 },
    { day: '2027-04-03', imps: 1 },
    { day: '2027-04-04', imps: 1 },
  ])
  expect(await differing()).toEqual({})
  await foldAll(db)
  expect(await differing()).toEqual({})
})
