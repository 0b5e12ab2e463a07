// Whether a process notices that its database is not the one it learned from, and what it does before it writes again.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/support/database.ts'
import { type Database, sqlState } from './database.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { type DatabaseMark, type RunningRewindCheck, startRewindCheck, WENT_BACK } from './rewind-check.ts'
import { selectWentBack } from './rewind-queries.ts'
import { reasonOf } from './trouble.ts'

let db: Database
const running: RunningRewindCheck[] = []
const lines: string[] = []

beforeAll(async () => {
  db = await openTestDatabase()
})
afterEach(async () => {
  for (const rewindCheck of running.splice(0)) await rewindCheck.stop()
  await db.run('delete from deployment')
  lines.length = 0
})
afterAll(() => db.close())

async function start(prepare: () => Promise<void> = async () => {}) {
  const metrics = createMetrics()
  const log = createLog('info', { write: line => void lines.push(line) })
  const rewindCheck = await startRewindCheck({ db, log, metrics, everyMs: 5, prepare })
  running.push(rewindCheck)
  const times = async () =>
    Number(/^marquee_database_went_back_total (\S+)/m.exec(await metrics.registry.metrics())?.[1])
  return { rewindCheck, times }
}

async function checked({ process, mark, place }: DatabaseMark): Promise<string | null> {
  return db
    .row('select must_be_witnessed($1::uuid, $2::bigint, $3::text)', [process, mark, place])
    .then(() => null, sqlState)
}

test('while the database is the same, nothing is dropped, and statements pass', async () => {
  const { rewindCheck, times } = await start()
  const first = await rewindCheck.known()
  expect(rewindCheck.sinceMs()).toBe(Number.POSITIVE_INFINITY)
  await expect.poll(async () => (await rewindCheck.known()).mark).toBeGreaterThan(first.mark + 3)
  expect(await checked(first)).toBeNull()
  expect(await checked(await rewindCheck.known())).toBeNull()
  expect(await times()).toBe(0)
  expect(await selectWentBack(db)).toBeNull()
})

test('a mark that is lower or gone is noticed; nothing is trusted until everything was dropped, in order', async () => {
  for (const fault of ['update witness set mark = mark - 100', 'delete from witness']) {
    await db.run('delete from deployment')
    const order: string[] = []
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const { rewindCheck, times } = await start(async () => void order.push('prepared'))
    rewindCheck.onWentBack(async () => {
      order.push('first')
      await held
    })
    rewindCheck.onWentBack(() => void order.push('second'))
    const before = await rewindCheck.known()
    await db.run(fault)
    await expect.poll(() => order).toEqual(['prepared', 'first'])
    expect(rewindCheck.isTrusted()).toBe(false)
    await expect(rewindCheck.known()).rejects.toMatchObject({ code: WENT_BACK })
    release()
    await expect.poll(() => rewindCheck.isTrusted()).toBe(true)
    expect(order).toEqual(['prepared', 'first', 'second'])
    expect(rewindCheck.sinceMs()).toBeLessThan(60_000)
    expect(await times()).toBe(1)
    // A statement that relies on what was read before is refused forever.
    expect(await checked(before)).toBe(WENT_BACK)
    expect(await checked(await rewindCheck.known())).toBeNull()
    expect(lines.join('')).toContain('the database went back in time')
    expect((await selectWentBack(db))!.fault).toContain('not there')
  }
})

test('another timeline, or another database under the same name, is refused by every statement', async () => {
  const { rewindCheck } = await start()
  const [oid, timeline] = (await rewindCheck.known()).place!.split(' ')
  expect(await checked({ ...(await rewindCheck.known()), place: `${oid} ${'0'.repeat(7)}9` })).toBe(WENT_BACK)
  expect(await checked({ ...(await rewindCheck.known()), place: `${Number(oid) + 1} ${timeline}` })).toBe(
    WENT_BACK,
  )
})

test('an incomplete database is waited for; no id from the lost time is assigned again', async () => {
  const given = (await db.row<{ id: number }>(`select nextval('ids') as id`))!.id
  let isComplete = false
  const { rewindCheck } = await start(async () => {
    if (!isComplete) throw new Error('it lacks something')
  })
  await db.run('delete from witness')
  await expect.poll(() => lines.join('')).toContain('it lacks something')
  expect(rewindCheck.isTrusted()).toBe(false)
  isComplete = true
  await expect.poll(() => rewindCheck.isTrusted()).toBe(true)
  expect((await db.row<{ id: number }>(`select nextval('ids') as id`))!.id).toBeGreaterThan(given + 100_000)
})

test('each look asks for what was written last: if it is missing, the database went back', async () => {
  const { rewindCheck, times } = await start()
  let isThere = true
  let looks = 0
  rewindCheck.onLook(async () => {
    looks++
    return isThere
  })
  await expect.poll(() => looks).toBeGreaterThan(2)
  expect(await times()).toBe(0)
  isThere = false
  await expect.poll(times).toBeGreaterThan(0)
  expect((await selectWentBack(db))!.fault).toContain('not there')
})

test('in doubt, nothing is known until a look that began later has ended', async () => {
  const { rewindCheck, times } = await start()
  let release = (_isThere: boolean) => {}
  let looks = 0
  const held = () =>
    new Promise<boolean>(resolve => {
      looks++
      release = resolve
    })
  rewindCheck.onLook(held)
  await expect.poll(() => looks).toBe(1)
  // This look has already begun.
  rewindCheck.doubt()
  let isKnown = false
  const known = rewindCheck.known().then(
    () => {
      isKnown = true
      return 'known'
    },
    error => error.code,
  )
  release(true)
  await expect.poll(() => looks).toBe(2)
  expect(isKnown).toBe(false)
  release(false)
  expect(await known).toBe(WENT_BACK)
  await expect.poll(times).toBe(1)
  await expect.poll(() => rewindCheck.isTrusted()).toBe(true)
  await expect.poll(() => looks).toBe(3)
  release(true)
})

test('in doubt and without an answer, nothing is known; a later look settles it', async () => {
  const { rewindCheck, times } = await start()
  let isAway = true
  rewindCheck.onLook(async () => {
    if (isAway) throw new Error('connection refused')
    return true
  })
  rewindCheck.doubt()
  expect(await rewindCheck.known().catch(reasonOf)).toBe('the database does not answer')
  isAway = false
  expect((await rewindCheck.known()).mark).toBeGreaterThan(0)
  expect(await times()).toBe(0)
})

test('in doubt and with a look that hangs, nothing is known, and the log can say why', async () => {
  const { rewindCheck } = await start()
  let release = (_isThere: boolean) => {}
  rewindCheck.onLook(
    () =>
      new Promise<boolean>(resolve => {
        release = resolve
      }),
  )
  rewindCheck.doubt()
  expect(await rewindCheck.known().catch(reasonOf)).toBe('the database does not answer')
  release(true)
}, 20_000)
