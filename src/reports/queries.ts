// SQL of reports: the rollups and `fresh`, added up in one statement, only for the customers of one app.

import type { Db } from '../platform/database.ts'
import type { Counts } from '../stats/figures.ts'

/** Dates, half open; -infinity and infinity for an open period. */
export interface Days {
  from: Date | string
  to: Date | string
}

export type Key = 'cuid' | 'cid' | 'day' | 'month'

export interface SumRow extends Counts {
  cuid?: number
  company?: string
  external_id?: string | null
  cid?: number
  campaign?: string
  is_deleted?: boolean
  day?: string
  month?: string
}

/** How a key is made from a row of the rollups, and from a fresh row. */
const KEY: Record<Key, string> = {
  cuid: 'cuid',
  cid: 'cid',
  day: 'day',
  month: `date_trunc('month', day)::date`,
}
const SHOWN: Record<Key, string> = {
  cuid: 'cuid, u.company, u.external_id',
  cid: 'cid, c.name as campaign',
  day: `to_char(day, 'YYYY-MM-DD') as day`,
  month: `to_char(month, 'YYYY-MM') as month`,
}

/** Includes deleted campaigns and customers. In the order of the keys, at most `limit` rows. */
export function sumByKeys(db: Db, appId: number, keys: Key[], { from, to }: Days, limit: number) {
  const names = keys.join(', ')
  const made = keys.map(key => `${KEY[key]} as ${key}`).join(', ')
  const byCustomer = keys.includes('cuid')
  const byCampaign = keys.includes('cid')
  const deleted = `(u.deleted_at is not null${byCampaign ? ' or c.deleted_at is not null' : ''}) as is_deleted`
  return db.rows<SumRow>(
    `with mine as materialized (select cuid from customer where app_id = $1),
     sums as (
       select ${names}, sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
         sum(spend_micros) as "spendMicros"
       from (
         select ${made}, sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
           sum(spend_micros) as spend_micros
         from rollup_customer join mine using (cuid) where day >= $2 and day < $3 group by ${places(keys)}
         union all
         select ${made}, count(*) filter (where kind = 'i'), count(*) filter (where kind = 'v'),
           count(*) filter (where kind = 'c'), count(*) filter (where kind = 'a'), sum(spend_micros)
         from fresh join mine using (cuid) where day >= $2 and day < $3 group by ${places(keys)}
       ) parts group by ${names} order by ${names} limit $4
     )
     select ${keys.map(key => SHOWN[key]).join(', ')}${byCustomer ? `, ${deleted}` : ''},
       imps, views, clicks, actions, "spendMicros"
     from sums${byCustomer ? ' join customer u using (cuid)' : ''}${byCampaign ? ' join campaign c using (cuid, cid)' : ''}
     order by ${keys.map(key => `sums.${key}`).join(', ')}`,
    [appId, from, to, limit],
  )
}

/** `1, 2`: the keys by position, because `day` could mean the column or what is made of it. */
function places(keys: Key[]): string {
  return keys.map((_, index) => index + 1).join(', ')
}
