// The migration from one process that keeps budgets in memory to shares: what was spent stays spent, and the former
// process must have stopped first.

import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { insertCampaigns } from '../../../test/support/campaign-rows.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type Database, openDatabase } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import { migrate } from '../../platform/migrate.ts'
import { insertNode } from '../shares/node-queries.ts'
import { createShareStore } from '../shares/shares.ts'
import { NOTHING_OFFERED } from './asks.ts'

/** The last version in which one process delivered. */
const RELEASED = ['identity', 'campaigns', 'deleted', 'banners', 'events', 'delivery', 'sessions', 'webhooks']
const FILES = [...RELEASED, 'due-by-webhook'].map(
  (name, n) => `${String(n + 1).padStart(4, '0')}-${name}.sql`,
)
const DAY = 20261115
const DAILY = 1_000_000

let database: TestDatabase
let db: Database

beforeEach(async () => {
  database = await createEmptyDatabase()
  await migrate(database.url, FILES)
  db = openDatabase({ url: database.url, maxConnections: 2, onError: () => {} })
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

it('what was spent before there were shares stays spent, and only the rest can be granted', async () => {
  const [half, none, over] = await insertCampaigns(db, 3, DAILY)
  for (const [cid, spent] of [
    [half, 600_000],
    [over, 1_500_000],
  ])
    await db.run('insert into budget_day (day, cid, spent_micros) values ($1, $2, $3)', [DAY, cid, spent])
  await migrate(database.url)
  const spent = await db.rows('select cid, spent_micros from budget_day order by cid')
  expect(spent).toEqual([
    { cid: half, spent_micros: 600_000 },
    { cid: over, spent_micros: 1_500_000 },
  ])
  const row = (await insertNode(db, 'new', 10_000, 60_000))!
  const node = { nodeId: row.node_id, epoch: row.epoch }
  const asks = [half, none, over].map(cid => ({
    ...{
      cid: cid!,
      payer: 0,
      dayKey: DAY,
      targetMicros: 2 * DAILY,
      leastMicros: 1,
      reservedMicros: 0,
      isNew: true,
    },
    ...NOTHING_OFFERED,
  }))
  const grants = await createShareStore(db, 60_000).move(node, asks)
  const granted = new Map(grants.map(grant => [grant.cid, grant.grantedMicros]))
  expect([half, none, over].map(cid => granted.get(cid!))).toEqual([400_000, DAILY, 0])
})

it('while a process of the previous version delivers, the new one is refused and changes nothing; afterwards it starts', async () => {
  const former = new pg.Client({ connectionString: database.url })
  await former.connect()
  await former.query('select pg_advisory_lock($1)', [LOCKS.formerDelivery])
  await expect(migrate(database.url)).rejects.toThrow(/0\.1\.0 still delivers .* stop it/)
  expect((await db.rows('select from migration')).length).toBe(FILES.length)
  await former.end()
  expect(await migrate(database.url)).toContain('0050-shares.sql')
})
