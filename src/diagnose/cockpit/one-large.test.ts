// One customer has nearly all campaigns and figures of an app: the others are still looked up by index.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

const CUSTOMERS = 200
const CAMPAIGNS = 3000
/** A connection publishes its statistics with a transaction at least a second later. */
const PATIENT = { timeout: 60_000, interval: 1100 }

let service: TestService
beforeAll(async () => {
  service = await startTestService({ ROLES: 'api' })
  const large = await newTestCustomer(service)
  const { cid } = await large.newCampaign()
  const { db } = service
  await db.run(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at)
     select app_id, 'c', 'm' || n, 'm' || n, now(), now() from customer, generate_series(1, ${CUSTOMERS}) n
     where cuid = $1`,
    [large.cuid],
  )
  const columns = await db.rows<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = 'campaign' and column_name <> 'cid' and is_generated = 'NEVER'`,
  )
  const names = columns.map(({ name }) => name).join()
  await db.run(
    `insert into campaign (${names}) select ${names} from campaign, generate_series(1, ${CAMPAIGNS}) where cid = $1`,
    [cid],
  )
  await db.run(
    `insert into rollup_customer (cuid, day, cid, pid, spend_micros, imps, views, clicks, actions)
     select cuid, current_date - d, cid, 0, 2000, 1, 0, 0, 0 from campaign, generate_series(1, 3) d`,
  )
  await db.run('analyze customer, campaign, rollup_customer')
})
afterAll(() => service.close())

async function lookups(table: string): Promise<number> {
  const row = await service.db.row<{ idx_scan: number }>(
    'select idx_scan from pg_stat_user_tables where relname = $1',
    [table],
  )
  return row!.idx_scan
}

it.each([
  ['GET /cockpit', '/cockpit', 'campaign'],
  ['GET /search', '/search?q=nowhere', 'campaign'],
  ['GET /cockpit/issues', '/cockpit/issues', 'campaign'],
  ['GET /report', '/report?by=day', 'rollup_customer'],
])('%s looks each customer up', async (_, path, table) => {
  const before = await lookups(table)
  const after = async () => {
    expect((await service.call('GET', path)).status).toBe(200)
    return lookups(table)
  }
  await expect.poll(after, PATIENT).toBeGreaterThanOrEqual(before + CUSTOMERS)
})
