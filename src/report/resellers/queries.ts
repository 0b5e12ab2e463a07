// SQL of reports: figures added up in one statement, for the customers of one app only.

import { ofEach, SUMS } from '../../count/fold/figures-queries.ts'
import type { Db } from '../../platform/database.ts'
import type { Counts } from '../figures/figures.ts'

/** Dates, half open; -infinity and infinity for an open period. */
export interface Days {
  from: Date | string
  to: Date | string
}

export type Key = 'cuid' | 'cid' | 'day' | 'month'

/** Consecutive rows of a report: as JSON separated by commas, and their sums. */
export interface Piece extends Counts {
  rows: number
  /** Null if the limit is reached, because then nobody will read the rows. */
  text: string | null
}

/** The customers of a report: all of an app, or only these. */
export interface ReportScope {
  appId: number
  cuids: readonly number[] | null
}

const chosen = (cuids: string) => `app_id = $1 and (${cuids}::bigint[] is null or cuid = any(${cuids}))`
const CHOSEN = chosen('$6')

/** How each key is computed from a row. */
const MADE: Record<Key, string> = {
  cuid: 'cuid',
  cid: 'cid',
  day: 'day',
  month: `date_trunc('month', day)::date`,
}
const DATES: Partial<Record<Key, string>> = {
  day: `'"day":"', to_char(day, 'YYYY-MM-DD'), '",'`,
  month: `'"month":"', to_char(month, 'YYYY-MM'), '",'`,
}

/** How many customers, or campaigns, the report may name, at most `limit`: none has more rows than these. */
export async function countNamed(
  db: Db,
  { appId, cuids }: ReportScope,
  { byCampaign }: { byCampaign: boolean },
  limit: number,
): Promise<number> {
  const found = byCampaign
    ? `select from mine cross join lateral (
         select from campaign where campaign.cuid = mine.cuid limit $3
       ) c limit $3`
    : 'select from mine limit $3'
  const row = await db.row<{ count: number }>(
    `with mine as materialized (select cuid from customer where ${chosen('$2')})
     select count(*) as count from (${found}) found`,
    [appId, cuids, limit],
  )
  return row!.count
}

const OF_MINE = 'from rollup_customer r where r.cuid = mine.cuid and day >= $2 and day < $3'

/**
 * By the index: in its order, no further than to the limit. By months, or campaigns alone, all days of a customer must
 * be seen.
 */
function found(time: 'day' | 'month' | null, byCampaign: boolean): string {
  const keys = [...(time ? [MADE[time]] : []), ...(byCampaign ? ['cid'] : [])].join(', ') || 'cuid'
  return time === 'day' || keys === 'cuid'
    ? `distinct on (${keys}) 1 ${OF_MINE} order by ${keys}`
    : `distinct ${keys} ${OF_MINE}`
}

/**
 * How many rows by customer, or campaign, and time the rollups alone would give, at most `limit`. Nothing is added up,
 * so this costs a fraction of the report.
 */
export async function countRows(
  db: Db,
  { appId, cuids }: ReportScope,
  { time, byCampaign }: { time: 'day' | 'month' | null; byCampaign: boolean },
  { from, to }: Days,
  limit: number,
): Promise<number> {
  const row = await db.row<{ rows: number }>(
    `with mine as materialized (select cuid from customer where ${chosen('$5')})
     select count(*) as rows from (
       select from mine cross join lateral (select ${found(time, byCampaign)} limit $4) r limit $4
     ) found`,
    [appId, from, to, limit, cuids],
  )
  return row!.rows
}

/**
 * Includes deleted campaigns and customers, in the order of the keys, fewer than `limit` rows. The database writes the
 * JSON, because one object per row would block this process for others and fill its memory.
 */
export function sumInPieces(
  db: Db,
  { appId, cuids }: ReportScope,
  keys: Key[],
  { from, to }: Days,
  { limit, rowsAPiece, currency }: { limit: number; rowsAPiece: number; currency: string },
) {
  const names = keys.join(', ')
  const made = keys.map(key => `${MADE[key]} as ${key}`).join(', ')
  const named = keys.includes('cid') ? 'cid' : keys.includes('cuid') ? 'cuid' : null
  const dates = keys.flatMap(key => DATES[key] ?? [])
  return db.rows<Piece>(
    `with mine as materialized (select cuid from customer where ${CHOSEN}), sums as (
       select ${names}, ${SUMS}, row_number() over (order by ${names}) as n
       from (
         select ${made}, imps, views, clicks, actions, spend_micros, value_micros
         from ${ofEach('mine', { from: '$2', to: '$3' })}
       ) parts group by ${names} order by ${names} limit $4
     )${named ? `, heads as materialized (${HEADS[named]})` : ''}
     select count(*) as rows, sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
       sum(spend_micros) as "spendMicros", sum(value_micros) as "valueMicros", string_agg(concat(${[named ? 'head' : `'{'`, ...dates].join(', ')},
         '"imps":', imps, ',"views":', views, ',"clicks":', clicks, ',"actions":', actions,
         ',"spend":', spend_micros::float8 / 1e6, ',"value":', value_micros::float8 / 1e6, '}'), ',' order by n)
         filter (where (select count(*) from sums) < $4) as text
     from ${named ? headed(named) : 'sums'} group by (n - 1) / $5 order by (n - 1) / $5`,
    [appId, from, to, limit, rowsAPiece, cuids, ...(named ? [currency] : [])],
  )
}

/** Never joined by a loop: a full join matches two sets by hashing or sorting, and `offset 0` keeps it a full join. */
const headed = (named: 'cid' | 'cuid') => `(
       select sums.*, heads.head from sums full join heads on heads.${named} = sums.${named} offset 0
     ) headed where n is not null`

const CUSTOMER = `'{"cuid":', cuid, ',"company":', to_json(u.company), ',"externalId":', coalesce(to_json(u.external_id), 'null'),
      ',"balance":', coalesce((b.micros::float8 / 1e6)::text, 'null'), ',"currency":"', $7::text, '"'`
/** A balance is added up once per customer that pays in advance. */
const OF_APP = `(select * from customer where ${CHOSEN}) u
      left join lateral (select case when u.prepaid then balance_of(u.cuid) end as micros) b on true`

/** The beginning of the rows, computed once per customer or campaign. */
const HEADS = {
  cuid: `select cuid, concat(${CUSTOMER}, ',"deleted":', to_json(u.deleted_at is not null), ',') as head
    from ${OF_APP}`,
  cid: `select cid, concat(${CUSTOMER}, ',"cid":', cid, ',"campaign":', to_json(c.name),
      ',"campaignExternalId":', coalesce(to_json(c.external_id), 'null'),
      ',"deleted":', to_json(u.deleted_at is not null or c.deleted_at is not null), ',') as head
    from ${OF_APP} join campaign c using (cuid)`,
}
