// Plans at size: with 20,000 campaigns and a week of books, no statement joins two row sets by a loop over both, and each
// touches a stated number of rows per campaign, whatever PostgreSQL knows of the tables. Sessions from when there was
// next to nothing keep their plans, new ones plan for tables that were never analysed, then for analysed ones, then for
// a day that statistics know nothing of.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensurePartitions } from '../../src/count/ingest/partitions.ts'
import { DAY_MS } from '../../src/kernel/time/units.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { comparedIn, type Executed, listen, loopsOverBoth, rowsIn, sayPlans } from './plans.ts'
import { MOST_MS, type Scene, WORKS, type Work } from './works.ts'
import { CAMPAIGNS, fillCustomers, fillShares, fillWeek } from './world.ts'

const FEW = 5
/** After five executions PostgreSQL keeps a plan. */
const UNTIL_KEPT = 7

let database: TestDatabase
let filler: Database
let nowMs = Date.now()
let ads = 0
const nextAd = () => ++ads

interface Session {
  db: Database
  taken: () => Executed[]
}
const sessions: Session[] = []

function open(settings: Record<string, string> = {}): Session {
  const db = openDatabase({
    url: database.url,
    maxConnections: 1,
    settings,
    statementMs: MOST_MS,
    onError: () => {},
  })
  const session = { db, taken: listen(db) }
  sessions.push(session)
  return session
}

beforeAll(async () => {
  database = await createTestDatabase()
  filler = openDatabase({ url: database.url, maxConnections: 1, statementMs: 600_000, onError: () => {} })
  // Nobody analyses anything unless this test says so.
  await filler.run(
    `do $$ declare named regclass; begin
       for named in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
         execute format('alter table %s set (autovacuum_enabled = off)', named);
       end loop;
     end $$`,
  )
  const today = Math.floor(nowMs / DAY_MS)
  await ensurePartitions(filler, [today - 1, today, today + 1])
  await fillCustomers(filler)
  await sayPlans(database)
})
afterAll(async () => {
  for (const { db } of sessions) await db.close()
  await filler.close()
  await database.drop()
})

async function faultsOf(work: Work, { db, taken }: Session, campaigns: number): Promise<string[]> {
  const scene: Scene = { db, nowMs, campaigns, nextAd }
  taken()
  const failed: string[] = []
  await work.run(scene).catch(error => failed.push(`${error.message} ${error.stack.match(/src.*/)?.[0]}`))
  const about = work.about(scene)
  const wrong = taken().flatMap(({ text, plan }) => {
    const rows = rowsIn(plan) / about
    const faults = loopsOverBoth(plan)
    const compared = Math.round(comparedIn(plan) / about)
    if (compared > 0) faults.push(`${compared} comparisons with a list each`)
    if (rows > work.mostRows) faults.push(`${Math.round(rows)} rows each, not ${work.mostRows}`)
    return faults.length > 0 ? [`${faults.join('; ')}: ${text.trim().slice(0, 300)}`] : []
  })
  return [...failed, ...wrong]
}

const kept = new Map<Work, Session>()

async function allMustBeRight(sessionOf: (work: Work) => Session): Promise<void> {
  const wrong: Record<string, string[]> = {}
  for (const work of WORKS) {
    const faults = await faultsOf(work, sessionOf(work), CAMPAIGNS)
    if (faults.length > 0) wrong[work.name] = faults
  }
  expect(wrong).toEqual({})
}

describe('with 20,000 campaigns and a week of books', () => {
  it('sessions that kept their plans from when there were few', async () => {
    await fillWeek(filler, nowMs, 0, FEW)
    for (const work of WORKS) {
      const session = open(work.settings)
      kept.set(work, session)
      for (let time = 0; time < UNTIL_KEPT; time++)
        await work.run({ db: session.db, nowMs, campaigns: FEW, nextAd })
    }
    await fillWeek(filler, nowMs, FEW, CAMPAIGNS)
    await allMustBeRight(work => kept.get(work)!)
  })

  it('new sessions, before anything was analysed', async () => {
    await allMustBeRight(({ settings }) => open(settings))
  })

  it('after everything was analysed', async () => {
    await filler.run('analyze')
    await allMustBeRight(({ settings }) => open(settings))
  })

  it('on a day that statistics know nothing of', async () => {
    nowMs += DAY_MS
    await fillShares(filler, nowMs, 0, CAMPAIGNS)
    await allMustBeRight(({ settings }) => open(settings))
  })
})
