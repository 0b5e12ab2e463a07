// Folding on bad days: killed between any two steps, by several processes at once, with an open transaction, after a
// clock was set. Whatever happens, figures equal the sums of the events. The seed is printed, SEED replays it.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { figuresMustBeTheEvents, freshRows } from '../../../test/support/counting.ts'
import { dyingAt, openTestDatabase } from '../../../test/support/database.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { type Database, sqlState } from '../../platform/database.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { foldAll, foldDue } from './fold.ts'
import { startFolding } from './folding.ts'
import { foldPart, PARTS } from './queries.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`fold: SEED=${SEED}`)
const NOW_MS = Date.parse('2026-03-29T00:50:00Z')
const AT_ONCE = { afterS: 0 }

let db: Database
let ads = 0
let state = SEED >>> 0

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 10 })
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.run(
    'truncate event, action, fresh, fresh_value, rollup_value, rollup_value_dimension, rollup, rollup_dimension, rollup_customer, rollup_filtered, share, budget',
  )
})

function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

function someEvents(count: number): TestEvent[] {
  return Array.from({ length: count }, () => {
    const cid = 1000 + 10 * random(40)
    const kind = (['impression', 'impression', 'click', 'action'] as const)[random(4)]!
    return {
      kind,
      atMs: NOW_MS + random(3 * 3_600_000),
      adNumber: ads++,
      ...{ cuid: 1 + (cid % 3), cid, fid: cid + 1, pid: cid + 2 + random(2), bid: cid + 4 + random(3) },
      spendMicros: kind === 'impression' ? random(5000) : 0,
      ...(kind === 'action' && random(4) > 0 ? { valueMicros: random(1_000_000) } : {}),
      ...(random(2) === 0 ? { domain: `d${random(5)}.example` } : {}),
      ...(random(2) === 0 ? { country: 'CA', os: 'iOS', device: 'mobile' as const } : {}),
    }
  })
}

/** A row that another process adds too, or a deadlock. */
const UNDONE = ['23505', '40P01']

function mustBeUndone(error: unknown): null {
  expect(UNDONE).toContain(sqlState(error))
  return null
}

test('killed between any two steps, nothing is lost and nothing is added twice', async () => {
  let steps = 0
  for (let step = 0; ; step++) {
    await recordEvents(db, someEvents(60))
    const mortal = dyingAt(db, step)
    await foldDue(mortal, AT_ONCE).catch(() => {})
    await figuresMustBeTheEvents(db)
    if (!mortal.isDead()) break
    steps++
  }
  expect(steps).toBeGreaterThanOrEqual(5)
  await foldAll(db)
  expect(await freshRows(db)).toBe(0)
  await figuresMustBeTheEvents(db)
})

test('several processes at once, with and without the lock, while others write: each row is added once', async () => {
  let isOver = false
  const write = async () => {
    for (let round = 0; round < 12; round++) await recordEvents(db, someEvents(40))
  }
  const fold = async () => {
    while (!isOver) await foldDue(db, { afterS: 0, mostRows: 1 + random(50) }).catch(mustBeUndone)
  }
  const barge = async () => {
    while (!isOver) {
      const part = random(PARTS)
      // If two processes add the same row for the first time, one of them is undone.
      await db.transaction(tx => foldPart(tx, part, 1 + random(50))).catch(mustBeUndone)
    }
  }
  const folders = [fold(), fold(), barge(), barge()]
  await Promise.all([write(), write()])
  isOver = true
  await Promise.all(folders)
  await figuresMustBeTheEvents(db)
  await foldAll(db)
  expect(await freshRows(db)).toBe(0)
  await figuresMustBeTheEvents(db)
})

test('a large backlog is folded in chunks, each in a transaction of its own', async () => {
  await recordEvents(db, someEvents(300))
  await db.run("update fresh_part set emptied_at = now() - interval '1 day'")
  let chunks = 0
  for (;;) {
    const done = await foldDue(db, { afterS: 3600, mostRows: 7 })
    if (!done) break
    expect(done.rows).toBeLessThanOrEqual(7)
    chunks++
    if (chunks === 10) await figuresMustBeTheEvents(db)
  }
  expect(chunks).toBeGreaterThan(300 / 7)
  expect(await freshRows(db)).toBe(0)
  await figuresMustBeTheEvents(db)
})

test('a transaction left open delays neither counting nor folding, and is reported', async () => {
  const [reader, writer] = [await db.pool.connect(), await db.pool.connect()]
  try {
    await reader.query('begin isolation level repeatable read')
    await reader.query('select 1 from fresh')
    await recordEvents(db, someEvents(50))
    await writer.query('begin')
    await writer.query('insert into fresh select * from fresh limit 1')
    expect(await foldAll(db)).toBe(50)
    await figuresMustBeTheEvents(db)
    await recordEvents(db, someEvents(50))
    expect(await foldAll(db)).toBe(50)
    await figuresMustBeTheEvents(db)
    const metrics = createMetrics()
    const parts = {
      db,
      clock: systemClock,
      log: createLog('silent'),
      metrics,
      everyMs: 5,
      lookMs: 5,
      troubleS: 0.05,
    }
    const folding = startFolding(parts)
    await expect
      .poll(async () => {
        const text = await metrics.registry.metrics()
        return Number(/^marquee_oldest_transaction_seconds (\S+)/m.exec(text)?.[1])
      })
      .toBeGreaterThan(0)
    await expect
      .poll(() => folding.notes())
      .toEqual([expect.stringMatching(/^a database transaction has been open/)])
    await folding.stop()
    await writer.query('rollback')
    expect(await freshRows(db)).toBe(0)
  } finally {
    await reader.query('rollback')
    await writer.query('rollback')
    reader.release()
    writer.release()
  }
})

test('a clock set back does not keep a part from being folded', async () => {
  await recordEvents(db, someEvents(20))
  await db.run("update fresh_part set emptied_at = now() + interval '3 days'")
  for (let part = 0; part < PARTS; part++) expect(await foldDue(db)).not.toBeNull()
  expect(await freshRows(db)).toBe(0)
  expect(await foldDue(db)).toBeNull()
  await figuresMustBeTheEvents(db)
})

test('a part that has grown large is folded early', async () => {
  await recordEvents(db, someEvents(100))
  await foldAll(db)
  // Uses a part in which nothing was deleted, because sessions may report their statistics in another order than their
  // work.
  const apart = await db.row<{ cuid: number }>(
    `select cuid from generate_series(4, 200) as cuid where not exists (
       select from generate_series(0, ${PARTS - 1}) as part, generate_series(1, 3) as used
       where satisfies_hash_partition('fresh'::regclass, ${PARTS}, part, cuid::bigint)
         and satisfies_hash_partition('fresh'::regclass, ${PARTS}, part, used::bigint)
     ) limit 1`,
  )
  const one = { ...someEvents(1)[0]!, ...apart!, cid: 2000, fid: 2001, pid: 2002, bid: 2003 }
  await recordEvents(
    db,
    Array.from({ length: 60 }, () => ({ ...one, kind: 'impression' as const, adNumber: ads++ })),
  )
  // A session reports its statistics when it is idle.
  await expect.poll(() => foldDue(db, { atRows: 50 })).toMatchObject({ rows: 60 })
})

test('no row of a small part is compared with every other that is taken', async () => {
  // As after each fold, the planner's statistics are from when the part was empty.
  await foldAll(db)
  await recordEvents(db, someEvents(300))
  let plan = ''
  const part = await db.row<{ part: number }>(
    "select substring(tableoid::regclass::text from '[0-9]+$')::integer as part from fresh limit 1",
  )
  await db.transaction(tx =>
    foldPart(
      {
        ...tx,
        async row<Row>(text: string, params: readonly unknown[] = []) {
          if (text.startsWith('with taken')) {
            const lines = await tx.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, params)
            plan = lines.map(line => line['QUERY PLAN']).join('\n')
          }
          return tx.row<Row>(text, params)
        },
      },
      part!.part,
      80_000,
    ),
  )
  expect(plan).toContain('Delete on fresh_')
  expect(plan).not.toContain('ctid = ANY')
  await foldAll(db)
  await figuresMustBeTheEvents(db)
})

test('when one process dies, the next one continues to fold', async () => {
  const parts = { db, clock: systemClock, log: createLog('silent'), everyMs: 5 }
  const [first, second] = [createMetrics(), createMetrics()]
  const one = startFolding({ ...parts, metrics: first })
  const other = startFolding({ ...parts, metrics: second })
  const due = () => db.run("update fresh_part set emptied_at = '2026-01-01'")
  await recordEvents(db, someEvents(30))
  await due()
  await expect.poll(() => freshRows(db)).toBe(0)
  await one.stop()
  await recordEvents(db, someEvents(30))
  await due()
  await expect.poll(() => freshRows(db)).toBe(0)
  await other.stop()
  await recordEvents(db, someEvents(1))
  await due()
  await sleep(50)
  expect(await freshRows(db)).toBe(1)
  await figuresMustBeTheEvents(db)
})
