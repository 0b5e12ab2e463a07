// The issues of all customers, if there are very many: each page is bounded in size, and all pages together have each
// issue once.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

const CUSTOMERS = 12
/** Campaigns of each customer, without anything to show. */
const CAMPAIGNS = 150
/** A page ends with a whole customer. */
const MOST_OF_A_PAGE = 1_000 + CAMPAIGNS

let service: TestService
beforeAll(async () => {
  service = await startTestService({ ROLES: 'api' })
  const { db } = service
  const columns = await db.rows<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = 'campaign' and column_name <> 'cid' and is_generated = 'NEVER'`,
  )
  const names = columns.map(({ name }) => name).join()
  for (let n = 0; n < CUSTOMERS; n++) {
    const { cid } = await (await newTestCustomer(service)).newCampaign()
    await db.run(
      `insert into campaign (${names}) select ${names} from campaign, generate_series(2, $2) where cid = $1`,
      [cid, CAMPAIGNS],
    )
  }
})
afterAll(() => service.close())

it('come in pages of bounded size, each issue once', async () => {
  const seen: number[] = []
  let after = ''
  let pages = 0
  do {
    const { status, body } = await service.call('GET', `/cockpit/issues?limit=100${after}`)
    expect(status).toBe(200)
    expect(body.issues.length).toBeLessThan(MOST_OF_A_PAGE)
    seen.push(...body.issues.map((issue: { cid: number }) => issue.cid))
    after = body.next === null ? '' : `&after=${body.next}`
    pages++
  } while (after !== '')
  expect(pages).toBe(2)
  expect([seen.length, new Set(seen).size]).toEqual([CUSTOMERS * CAMPAIGNS, CUSTOMERS * CAMPAIGNS])
})
