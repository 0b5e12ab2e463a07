// Noting how much a customer has costs the same for each row, however many there are and in whatever order they come.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/support/database.ts'
import type { Database } from './database.ts'

const ROWS = 400

let db: Database

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 1 })
  await db.run(`insert into app (app_id, name, created_at) values (1, 'a', now())`)
  await db.run(
    `insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
     values (2, 1, 'c', 'e', 'e', now(), now())`,
  )
})
afterAll(() => db.close())

/** Index entries and table rows that this connection has read in the three tables. */
async function read(): Promise<number> {
  await db.row('select pg_stat_force_next_flush()')
  await db.row('select pg_stat_clear_snapshot()')
  const row = await db.row<{ read: number }>(
    `select (sum(seq_tup_read) + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = any($1)))::integer as read
     from pg_stat_user_tables where relname = any($1)`,
    [['campaign', 'persona', 'banner']],
  )
  return row!.read
}

it('a banner is noted by two lookups, in a database that was never analysed', async () => {
  const before = await read()
  for (let i = 1; i <= ROWS; i++) {
    await db.run(
      `insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at)
       values ($1, 2, 'c', now(), now() + interval '1 day', true, 0, 1000000, 1000000, '{}', 'asap', now(), now())`,
      [i],
    )
    await db.run(
      `insert into persona (pid, cid, name, geo, cat, device, demo, created_at, updated_at)
       values ($1, $1, 'p', '{"geos":["CA"]}', '{}', '{}', '{}', now(), now())`,
      [i],
    )
    await db.run(
      `insert into banner (bid, pid, name, creative_url, status, created_at, updated_at)
       values ($1, $1, 'b', 'https://a.example/b.png', 'approved', now(), now())`,
      [i],
    )
  }
  // Foreign keys cause one lookup each too.
  expect((await read()) - before).toBeLessThan(10 * ROWS)
  const noted = await db.row(
    `select sum(campaigns)::integer as campaigns, sum(personas)::integer as personas, sum(banners)::integer as banners
     from customer_usage_change where cuid = 2`,
  )
  expect(noted).toEqual({ campaigns: ROWS, personas: ROWS, banners: ROWS })
})
