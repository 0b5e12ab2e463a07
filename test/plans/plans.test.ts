// What the tests of plans find: a loop over two row sets is seen wherever it hides, and a lookup is none.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { comparedIn, type Executed, listen, loopsOverBoth, rowsIn, sayPlans } from './plans.ts'

const ROWS = 1000
const SLOW_JOIN = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
}

let database: TestDatabase
let db: Database
let bad: Database
let taken: () => Executed[]
let takenBad: () => Executed[]

beforeAll(async () => {
  database = await createTestDatabase()
  await sayPlans(database)
  db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
  bad = openDatabase({ url: database.url, maxConnections: 1, settings: SLOW_JOIN, onError: () => {} })
  taken = listen(db)
  takenBad = listen(bad)
  for (const table of ['one', 'other'])
    await db.run(
      `create table ${table} as select id, id % 10 as kind from generate_series(1, ${ROWS}) id with data`,
    )
  await db.run('alter table other add primary key (id)')
  await db.run('analyze one, other')
})
beforeEach(() => {
  taken()
  takenBad()
})
afterAll(async () => {
  await db.close()
  await bad.close()
  await database.drop()
})

const JOIN = 'select count(*) from one join other using (id)'

it('a join by a loop over both is seen, with all the rows that it read', async () => {
  await bad.row(JOIN)
  const [{ plan }] = takenBad() as [Executed]
  expect(loopsOverBoth(plan)).toHaveLength(1)
  expect(rowsIn(plan)).toBeGreaterThan(ROWS * ROWS)
})

it('the same join by a hash, or by lookups, is none', async () => {
  await db.row(JOIN)
  await db.row(
    'select count(*) from one cross join lateral (select * from other where other.id = one.id offset 0) o',
  )
  for (const { plan } of taken()) {
    expect(loopsOverBoth(plan)).toEqual([])
    expect(rowsIn(plan)).toBeLessThan(10 * ROWS)
  }
})

it('a subquery that reads a whole set for each row is one, and so is a set of the statement itself', async () => {
  await bad.row('select count((select kind from other where other.id = one.id)) from one')
  await db.row(
    `with sums as materialized (select id, count(*) as n from other group by id)
     select count((select n from sums where sums.id = one.id)) from one`,
  )
  for (const { plan } of [...takenBad(), ...taken()]) expect(loopsOverBoth(plan)).toHaveLength(1)
})

it('a statement of a trigger is seen too', async () => {
  await db.run(
    `create function look() returns trigger language plpgsql as $$
     begin perform count(*) from touched t join other o on o.kind > t.kind + 100; return null; end $$`,
  )
  await db.run(
    'create trigger looks after insert on one referencing new table as touched for each statement execute function look()',
  )
  taken()
  await db.run(`insert into one select id, 1 from generate_series(1, ${ROWS}) id`)
  const faults = taken().flatMap(({ plan }) => loopsOverBoth(plan))
  expect(faults).toHaveLength(1)
})

it('a handful of rows may be looked through for each of many', async () => {
  await db.row(
    'select count(*) from one join (select kind from other where id <= 5 offset 0) few on few.kind < one.kind',
  )
  for (const { plan } of taken()) expect(loopsOverBoth(plan)).toEqual([])
})

it('a list that a filter holds every row against is counted', async () => {
  await db.row(`select count(*) from one where id + 0 = any(array(select id from other where id <= 50))`)
  expect(taken().map(({ plan }) => comparedIn(plan) > 10 * ROWS)).toEqual([true])
})
