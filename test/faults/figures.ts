// The figures that customers and the ledger read are the events, added up: for every id, day and country.

import { expect } from 'vitest'
import type { Database } from '../../src/platform/database.ts'

/** `<ad id> impression`, `<ad id> click` or `order <order>` of all that was counted. */
export async function countedKeys(db: Database): Promise<string[]> {
  const events = await db.rows<{ ad_id: Buffer; kind: string }>('select ad_id, kind from event')
  const orders = await db.rows<{ dedupe: string }>('select dedupe from action')
  return [
    ...events.map(event => `${event.ad_id.toString('base64url')} ${event.kind}`),
    ...orders.map(order => `order ${order.dedupe.slice('o:'.length)}`),
  ]
}

export async function figuresMustBeTheEvents(db: Database): Promise<void> {
  const wrong = await db.rows(
    `with fact as (
       select kind, cuid, cid, fid, pid, bid, spend_micros from event
       union all select 'action', cuid, cid, fid, pid, bid, 0 from action
     ), wanted as (
       select id, count(*) filter (where kind = 'impression') as imps, count(*) filter (where kind = 'click') as clicks,
         count(*) filter (where kind = 'action') as actions, sum(spend_micros) as spend
       from fact, unnest(array[cuid, cid, fid, pid, bid]) as id group by id
     ), found as (
       select id, sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions, sum(spend_micros) as spend
       from rollup group by id
     )
     select * from wanted full join found using (id)
     where (wanted.imps, wanted.clicks, wanted.actions, wanted.spend)
       is distinct from (found.imps, found.clicks, found.actions, found.spend)`,
  )
  expect(wrong).toEqual([])
  const byCountry = await db.rows(
    `select * from (
       select cid as id, coalesce(country, 'unknown') as name, count(*) filter (where kind = 'impression') as imps,
         count(*) filter (where kind = 'click') as clicks, sum(spend_micros) as spend
       from event group by 1, 2
     ) wanted full join (
       select id, name, sum(imps) as imps, sum(clicks) as clicks, sum(spend_micros) as spend from rollup_dimension
       where dimension = 'country' and id in (select cid from event) group by 1, 2
     ) found using (id, name)
     where (wanted.imps, wanted.clicks, wanted.spend) is distinct from (found.imps, found.clicks, found.spend)`,
  )
  expect(byCountry).toEqual([])
  const spent = await db.rows(
    `select * from (
       select cid, budget_day as day, sum(spend_micros) as spend from event where kind = 'impression' group by 1, 2
     ) wanted full join budget_day found using (cid, day) where wanted.spend is distinct from found.spent_micros`,
  )
  expect(spent).toEqual([])
}
