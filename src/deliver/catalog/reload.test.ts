// Loading what may be served: the cost depends only on what is live now, and few statements are needed.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Database, Db } from '../../platform/database.ts'
import { createLiveCatalog } from './live-catalog.ts'
import { type ChangedIds, reloadAll, reloadChanged } from './reload.ts'
import { createSiteLists } from './site-lists.ts'

const LIVE = 1_000_000
const OVER = 2_000_000
const LARGE = 3_000_000
const CAMPAIGNS = 250
const times = {
  clock: { nowMs: () => Date.now() },
  calendar: calendarOf('UTC'),
  lists: createSiteLists(),
}
const sink = { putPersona() {}, removePersona() {}, setCampaign() {}, removeCampaign() {} }

let db: Database
let counting: Db
let statements = 0

beforeAll(async () => {
  // One connection, so that it can report how much it read.
  db = await openTestDatabase({ maxConnections: 1 })
  await db.run(`insert into app (app_id, name, created_at) values (1, 'a', now())`)
  await db.run(
    `insert into customer (cuid, app_id, company, email, email_key, website, created_at, updated_at)
     select i, 1, 'c', 'e' || i, 'e' || i, 'https://shop.example', now(), now() from generate_series(2, 4) i`,
  )
  await fill(2, LIVE, CAMPAIGNS, CAMPAIGNS, '1 day')
  await fill(3, OVER, 10, 10_000, '-1 day')
  await fill(4, LARGE, 1, 6_000, '1 day')
  for (const table of ['campaign', 'flight', 'persona', 'banner']) await db.run(`analyze ${table}`)
  counting = {
    ...db,
    rows<Row>(text: string, params?: readonly unknown[]) {
      statements++
      return db.rows<Row>(text, params)
    },
  }
})
beforeEach(() => {
  statements = 0
})
afterAll(() => db.close())

async function fill(cuid: number, firstCid: number, campaigns: number, personas: number, endsIn: string) {
  await db.run(
    `insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     select $1 + i, $2, 'c', now() - interval '10 days', now() + $4::interval, true, 0, 1000000, 1000000, '{}', 'asap',
       now(), now() from generate_series(0, $3::integer - 1) i`,
    [firstCid, cuid, campaigns, endsIn],
  )
  await db.run(
    `insert into flight (cid, is_default, name, created_at, updated_at)
     select cid, true, 'f', now(), now() from campaign where cuid = $1`,
    [cuid],
  )
  await db.run(
    `with made as (
       insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
       select $1 + i % $2::integer, 'p', '{"geos":["CA"]}', '{}', '{"mobile":true,"tablet":true,"desktop":true}',
         '{"gender":null,"age":null}', now(), now() from generate_series(0, $3::integer - 1) i returning pid
     )
     insert into banner (pid, name, creative_url, width, height, type, bytes, creative_name, status, created_at,
       updated_at)
     select pid, 'b', 'https://shop.example/b.png', 300, 250, 'image/png', 1, 'b.png', 'approved', now(), now() from made`,
    [firstCid, campaigns, personas],
  )
}

function changes(changed: Partial<ChangedIds>): ChangedIds {
  const none = () => new Set<number>()
  return {
    customer: none(),
    campaign: none(),
    flight: none(),
    persona: none(),
    banner: none(),
    site_list: none(),
    ...changed,
  }
}

it('a start skips the personas of finished campaigns, and no others', async () => {
  const live = createLiveCatalog(sink)
  const before = await rowsRead(db, 'persona')
  await reloadAll(counting, live, times)
  expect(live.orders.size).toBe(CAMPAIGNS + 1)
  expect(live.personas.size).toBe(CAMPAIGNS + 6_000)
  // The first personas of the large campaign are read twice.
  expect((await rowsRead(db, 'persona')) - before).toBeLessThan(CAMPAIGNS + 6_000 + 1_000)
})

it('reloading removes what is gone, from small campaigns and from large ones', async () => {
  const live = createLiveCatalog(sink)
  await reloadAll(db, live, times)
  const gone = [...live.orders.get(LARGE)!.pids].slice(5_500, 5_600)
  await db.run('update persona set deleted_at = now() where pid = any($1::bigint[]) or cid = $2', [
    gone,
    LIVE,
  ])
  await reloadAll(db, live, times)
  expect(live.personas.size).toBe(CAMPAIGNS - 1 + 5_900)
  await db.run('update persona set deleted_at = null')
  await reloadAll(db, live, times)
  expect(live.personas.size).toBe(CAMPAIGNS + 6_000)
})

it('a change of a customer reads its campaigns together, not one by one', async () => {
  const live = createLiveCatalog(sink)
  await reloadAll(db, live, times)
  await db.run(`update customer set website = 'https://other.example' where cuid = 2`)
  statements = 0
  await reloadChanged(counting, live, changes({ customer: new Set([2]) }), times)
  const urls = [...live.personas.values()].filter(persona => persona.order.campaign.cuid === 2)
  expect(new Set(urls.map(persona => persona.banners[0]!.clickUrl))).toEqual(
    new Set(['https://other.example']),
  )
  expect(statements).toBeLessThan(CAMPAIGNS / 10)
})

it('a long backlog is read in chunks', async () => {
  const live = createLiveCatalog(sink)
  await reloadAll(db, live, times)
  const longest = { ids: 0 }
  const watching: Db = {
    ...db,
    row<Row>(text: string, params: readonly unknown[] = []) {
      for (const ids of params) if (Array.isArray(ids)) longest.ids = Math.max(longest.ids, ids.length)
      return db.row<Row>(text, params)
    },
  }
  const banners = await db.rows<{ bid: number }>('select bid from banner')
  await reloadChanged(watching, live, changes({ banner: new Set(banners.map(row => row.bid)) }), times)
  expect(live.personas.size).toBe(CAMPAIGNS + 6_000)
  expect(longest.ids).toBeGreaterThan(0)
  expect(longest.ids).toBeLessThan(banners.length / 2)
})
