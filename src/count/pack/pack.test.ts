// Packing changes no answer: not before, during or after it, nor if it is killed. Random events over months that
// include a change of clocks. The seed is printed, SEED replays it.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { figuresMustBeTheEvents } from '../../../test/support/counting.ts'
import { dyingAt, openTestDatabase } from '../../../test/support/database.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { Database } from '../../platform/database.ts'
import { breakdown, dimensionsOf } from '../../report/figures/breakdown.ts'
import { type Subject, summary, timeseries } from '../../report/figures/report.ts'
import { zoneOfSetting } from '../../report/figures/zone.ts'
import { foldAll } from '../fold/fold.ts'
import { beginWalk, packAll, packSome } from './pack.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`pack: SEED=${SEED}`)
const ZONE = 'Europe/Berlin'
const zone = zoneOfSetting(ZONE)
const FROM_MS = Date.parse('2026-02-20T00:00:00Z')
const NOW_MS = Date.parse('2026-04-22T13:00:00Z')
const clock = { nowMs: () => NOW_MS }

let db: Database
let ads = 0
let state = SEED >>> 0

function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

function someEvents(count: number, fromMs: number, toMs: number): TestEvent[] {
  return Array.from({ length: count }, () => {
    const cid = 1000 + 10 * random(4)
    const kind = (['impression', 'impression', 'impression', 'click', 'action'] as const)[random(5)]!
    return {
      ...{ kind, adNumber: ads++, atMs: fromMs + random(toMs - fromMs) },
      ...{
        cuid: 1 + (cid % 20 ? 1 : 0),
        cid,
        fid: cid + 1 + random(2),
        pid: cid + 3,
        bid: cid + 4 + random(2),
      },
      spendMicros: kind === 'impression' ? random(5000) : 0,
      ...(random(2) ? { domain: `d${random(4)}.example` } : {}),
      ...(random(2) ? { country: 'CA', os: 'iOS', device: 'mobile' as const } : {}),
      name: `n${random(2)}`,
    }
  })
}

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 6 })
  await recordEvents(db, someEvents(1500, FROM_MS, NOW_MS), ZONE)
  await foldAll(db)
})
afterAll(() => db.close())

const SUBJECTS: Subject[] = [
  { id: 1, kind: 'customer', cid: null, startS: FROM_MS / 1000, endS: NOW_MS / 1000 },
  ...(
    [
      ['campaign', 1010],
      ['flight', 1012],
      ['persona', 1013],
      ['banner', 1014],
    ] as const
  ).map(([kind, id]) => ({ id, kind, cid: 1010, startS: FROM_MS / 1000, endS: NOW_MS / 1000 })),
]

const PERIODS = [
  {},
  { start: Date.parse('2026-03-07T11:17:03Z') / 1000, end: Date.parse('2026-04-19T22:40:00Z') / 1000 },
  { start: Date.parse('2026-03-28T23:00:00Z') / 1000, end: Date.parse('2026-03-29T22:00:00Z') / 1000 },
]

/** Everything that can be requested. */
async function answers(): Promise<string[]> {
  const found: string[] = []
  for (const subject of SUBJECTS) {
    for (const period of PERIODS) {
      found.push(JSON.stringify(await summary(db, subject, period)))
      for (const tz of [ZONE, 'Asia/Kathmandu', 'America/St_Johns']) {
        for (const interval of ['hour', 'day', 'week', 'month'] as const) {
          const question = { ...period, interval, tz }
          found.push(JSON.stringify(await timeseries(db, subject, question, { clock, zone })))
        }
      }
      for (const dimension of dimensionsOf(subject)) {
        found.push(JSON.stringify(await breakdown(db, subject, dimension, period, zone)))
      }
    }
  }
  return found
}

async function rowsOf(tables: string[]): Promise<number> {
  const counts = await Promise.all(
    tables.map(table => db.row<{ n: number }>(`select count(*) as n from ${table}`)),
  )
  return counts.reduce((sum, row) => sum + row!.n, 0)
}
const ROWS = ['rollup', 'rollup_dimension']
const PACKED = ['rollup_packed', 'rollup_dimension_packed']

it('no answer changes at any step, and only a fraction of the rows is left', async () => {
  const before = await answers()
  const rows = await rowsOf(ROWS)
  expect(await rowsOf(PACKED)).toBe(0)
  let steps = 0
  for (let walk = beginWalk(NOW_MS, 14 * DAY_MS); walk.at !== null; steps++) {
    const done = await packSome(db, walk, 7)
    walk = done!.next
    if (steps % 40 === 0) expect(await answers()).toEqual(before)
  }
  expect(steps).toBeGreaterThan(10)
  expect(await answers()).toEqual(before)
  await figuresMustBeTheEvents(db, ZONE, false)
  // Whole weeks that ended at least 14 days ago are packed, the rest is not.
  const oldest = await db.row<{ quarter: Date; day: string }>(
    'select (select min(quarter) from rollup) as quarter, (select min(day)::text from rollup_dimension) as day',
  )
  expect(oldest!.quarter.getTime()).toBeGreaterThanOrEqual(Date.parse('2026-04-06T00:00:00Z'))
  expect(oldest!.day >= '2026-04-06').toBe(true)
  expect((await rowsOf(ROWS)) + (await rowsOf(PACKED))).toBeLessThan(rows / 2)
})

it('events counted late for packed weeks are added exactly once, whatever is killed', async () => {
  let deaths = 0
  for (let step = 0; ; step++) {
    await recordEvents(db, someEvents(20, FROM_MS, NOW_MS - 30 * DAY_MS), ZONE)
    await foldAll(db)
    const mortal = dyingAt(db, step)
    await packAll(mortal, NOW_MS, 14 * DAY_MS, 50).catch(() => {})
    await figuresMustBeTheEvents(db, ZONE, false)
    if (!mortal.isDead()) break
    deaths++
    if (deaths > 4) break
  }
  expect(deaths).toBeGreaterThan(3)
  const before = await answers()
  await packAll(db, NOW_MS, 14 * DAY_MS)
  expect(await answers()).toEqual(before)
})

it('several processes pack and fold while others write, and every figure stays exact', async () => {
  let isOver = false
  const until = async (work: () => Promise<unknown>) => {
    while (!isOver) await work()
  }
  const working = [
    until(() => packAll(db, NOW_MS, 3 * DAY_MS, 5)),
    until(() => packAll(db, NOW_MS, 3 * DAY_MS, 50)),
    until(() => foldAll(db).catch(error => expect(['23505', '40P01']).toContain(error.code))),
  ]
  for (let round = 0; round < 8; round++) await recordEvents(db, someEvents(30, FROM_MS, NOW_MS), ZONE)
  isOver = true
  await Promise.all(working)
  await foldAll(db)
  await packAll(db, NOW_MS, 3 * DAY_MS)
  await figuresMustBeTheEvents(db, ZONE, false)
})
