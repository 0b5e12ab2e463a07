// Folding on a database that is too slow for its steps, with a real backlog and a small limit. Steps shrink until they
// fit, what was folded stays folded, and the log says only what is true.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshRows } from '../../../test/support/counting.ts'
import { openTestDatabase } from '../../../test/support/database.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import type { Database } from '../../platform/database.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { startFolding } from './folding.ts'
import { createStep } from './step.ts'

const ROWS = 6_000
const LIMIT_MS = 2000

let db: Database
let folding: ReturnType<typeof startFolding>
let lines: { msg: string; rows?: number; next?: number }[] = []
const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) })

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 4, statementMs: LIMIT_MS })
  await db.run('insert into leaf (leaf, cuid, cid, fid, pid, bid) values (9, 1, 2, 3, 4, 5)')
  await db.run(`create function hold_up() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.02); return new; end $$`)
  await db.run(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'not today'; end $$`)
})
afterAll(() => db.close())
beforeEach(async () => {
  lines = []
  await db.run('truncate fresh, rollup, rollup_dimension, rollup_customer')
  // Each row has a site of its own, so that the work grows with the rows.
  await db.run(
    `insert into fresh (cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country,
       audience, kind, device, os)
     select 1, 2, 9, n, 0, 0, 1972000, '2026-03-29', 2000, 4, 0, 0, 'i', 'm', 'i' from generate_series(1, ${ROWS}) n`,
  )
  await db.run("update fresh_part set emptied_at = '2026-01-01'")
})
afterEach(async () => {
  // A folding that continues would fold the rows of the next test.
  await folding.stop()
  await db.run('drop trigger if exists slow on rollup_dimension')
  await db.run('drop trigger if exists broken on rollup_customer')
})

const folded = async () =>
  (await db.row<{ n: number }>('select coalesce(sum(imps), 0) as n from rollup where id = 5'))!.n
/** Runs without the limit, which is meant for folding, however busy the machine is. */
const atLeisure = (statement: string) =>
  db.transaction(async tx => {
    await tx.run('set local statement_timeout = 0')
    await tx.run(statement)
  }, 60_000)
const messages = () => lines.map(({ msg }) => msg)

test('a backlog that does not fit into the limit is folded in smaller steps, and nothing twice', async () => {
  // Every thirtieth row takes 20 ms, so all of them together would take twice the limit.
  await db.run(`create trigger slow before insert on rollup_dimension for each row
    when (new.dimension = 'p' and new.name % 30 = 0) execute function hold_up()`)
  folding = startFolding({
    db,
    clock: systemClock,
    log,
    metrics: createMetrics(),
    everyMs: 5,
    limitMs: LIMIT_MS,
  })
  const seen: number[] = []
  await expect
    .poll(
      async () => {
        const [waiting, done] = [await freshRows(db), await folded()]
        seen.push(done)
        return waiting
      },
      { timeout: 240_000 },
    )
    .toBe(0)
  await folding.stop()
  expect(await folded()).toBe(ROWS)
  // Finished steps were kept: the rows came in several steps, and never went back.
  expect(seen.some(done => done > 0 && done < ROWS)).toBe(true)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  const shrunk = lines.filter(({ msg }) => msg === 'a folding step was too large')
  expect(shrunk[0]).toMatchObject({ rows: 20_000, next: 10_000 })
  expect(shrunk.length).toBeLessThan(10)
  // Taking smaller steps is not a failure. (On a machine that stalls for seconds, even the smallest step may fail.)
  const said = (text: string) => messages().filter(message => message === text).length
  expect(said('folding succeeds again')).toBe(said('folding failed; retrying'))
})

test('a plan made when the rollups were empty is replaced', async () => {
  await db.run('alter table rollup_dimension set (autovacuum_enabled = off)')
  // First only dead rows, then many that the statistics do not know: each fresh row would be compared with all of them.
  const add = (
    rows: number,
  ) => `insert into rollup_dimension (id, dimension, day, name, imps, views, clicks, actions, spend_micros)
    select 8, 'p', '2026-03-28', n, 1, 0, 0, 0, 0 from generate_series(1, ${rows}) n`
  await db.transaction(tx => tx.run(add(100)).then(() => Promise.reject(new Error('undone')))).catch(() => {})
  await atLeisure('analyze fresh, rollup_dimension')
  await atLeisure(add(150_000))
  folding = startFolding({
    db,
    clock: systemClock,
    log,
    metrics: createMetrics(),
    everyMs: 5,
    limitMs: LIMIT_MS,
  })
  await expect.poll(() => freshRows(db)).toBe(0)
  expect(await folded()).toBe(ROWS)
})

test('the log does not report success while folding fails, nor because another process folded', async () => {
  await db.run('delete from fresh where place_hash > 500')
  await db.run(
    'create trigger broken before insert on rollup_customer for each row execute function refuse()',
  )
  folding = startFolding({ db, clock: systemClock, log, metrics: createMetrics(), everyMs: 5, lookMs: 5 })
  await expect.poll(messages).toContain('folding failed; retrying')
  // While another process holds the lock, nothing is due.
  const other = await db.pool.connect()
  await other.query('select pg_advisory_lock(7731020)')
  await sleep(100)
  await other.query('select pg_advisory_unlock(7731020)')
  other.release()
  await sleep(50)
  expect(messages().filter(text => text.includes('again'))).toEqual([])
  await db.run('drop trigger broken on rollup_customer')
  await expect.poll(messages).toContain('folding succeeds again')
  await folding.stop()
  expect(await folded()).toBe(500)
})

test('an hour after the first start all parts are due at once, which is not reported as trouble', async () => {
  const text = 'events wait to be folded for longer than they should'
  // Nobody can fold; the backlog is only observed.
  const other = await db.pool.connect()
  await other.query('select pg_advisory_lock(7731020)')
  try {
    const since = (seconds: number) =>
      db.run("update fresh_part set emptied_at = now() - $1 * interval '1 second'", [seconds])
    await since(3600 + 120)
    const metrics = createMetrics()
    folding = startFolding({ db, clock: systemClock, log, metrics, lookMs: 5 })
    const waiting = async () =>
      Number(
        /^marquee_folding_waiting_seconds (\S+)/m.exec((await metrics.registry.metrics()) as string)?.[1],
      )
    await expect.poll(waiting).toBeGreaterThan(3600)
    expect(folding.notes()).toEqual([])
    await since(3600 + 400)
    await expect.poll(() => folding.notes()).toEqual([text])
    expect(messages().filter(msg => msg === text)).toHaveLength(1)
  } finally {
    await other.query('select pg_advisory_unlock(7731020)')
    other.release()
  }
})

test('a step grows only as far as it stays away from the limit', () => {
  const rowsPerMs = 10
  const step = createStep({ limitMs: 16_000, most: 80_000 })
  const taken: number[] = []
  for (let round = 0; round < 20; round++) {
    taken.push(step.rows())
    step.took(step.rows() / rowsPerMs)
  }
  expect(Math.max(...taken) / rowsPerMs).toBeLessThan(16_000 / 2)
  expect(new Set(taken.slice(5)).size).toBe(1)
  expect(step.failed(Object.assign(new Error('canceled'), { code: '57014' }))).toBe(true)
  expect(step.failed(Object.assign(new Error('gone'), { code: '08006' }))).toBe(false)
  for (let round = 0; round < 20; round++) step.took(16_000)
  expect(step.rows()).toBe(500)
  expect(step.failed(Object.assign(new Error('canceled'), { code: '57014' }))).toBe(false)
  for (let round = 0; round < 20; round++) step.took(1)
  expect(step.rows()).toBe(80_000)
})
