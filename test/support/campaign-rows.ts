// Campaigns written directly to the database, for tests below the API.

import type { Db } from '../../src/platform/database.ts'

export async function insertCampaigns(
  db: Db,
  count: number,
  dailySpendMicros: number,
  cpmMicros = 1_000_000,
) {
  const rows = await db.rows<{ cid: number }>(
    `with made as (
       insert into app (name, created_at) values (gen_random_uuid()::text, now())
       returning app_id
     ), payer as (
       insert into customer (app_id, company, email, email_key, created_at, updated_at)
       select app_id, 'Payer', 'p@payer.example', 'p@payer.example', now(), now() from made returning cuid
     )
     insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     select cuid, 'c', now() - interval '1 hour', now() + interval '30 days', true, 0, $2, $3, '{}', 'asap', now(), now()
     from payer, generate_series(1, $1::integer) returning cid`,
    [count, dailySpendMicros, cpmMicros],
  )
  return rows.map(row => row.cid)
}
