// SQL of the export: closing hours, reading their rows, and the progress of each destination. Everything that the
// export knows about the tables of events is in this file.

import type pg from 'pg'
import type { Db } from '../../platform/database.ts'
import type { Value } from './parquet/file.ts'

/** The rows written by transactions from `fromTx` up to, but not including, `toTx`. */
export interface ClosedHour {
  hour: Date
  fromTx: number
  toTx: number
  closedAt: Date
}

const HOUR = 'hour, from_tx as "fromTx", to_tx as "toTx", closed_at as "closedAt"'

/**
 * Closes everything written since the previous hour was closed, under the name of the last full hour. Null if that was
 * done already, or while an older transaction is still running.
 */
export function closeHour(db: Db, now: Date): Promise<ClosedHour | null> {
  return db.row<ClosedHour>(
    `insert into export_hour (hour, from_tx, to_tx, closed_at)
     select full_hour, coalesce(last.to_tx, 0), oldest.tx, $1
     from (select date_trunc('hour', $1::timestamptz, 'UTC') - interval '1 hour' as full_hour) named
     cross join (
       select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + tx_offset as tx from event_numbering
     ) oldest
     left join (select hour, to_tx from export_hour where from_tx >= 0 order by from_tx desc limit 1) last on true
     where (last.hour is null or last.hour < full_hour) and oldest.tx > coalesce(last.to_tx, 0)
     on conflict do nothing
     returning ${HOUR}`,
    [now],
  )
}

/** The hour that begins at this transaction number; null if it is not closed yet. */
export function selectHourFrom(db: Db, fromTx: number) {
  return db.row<ClosedHour>(`select ${HOUR} from export_hour where from_tx = $1`, [fromTx])
}

export function selectHours(db: Db, from: Date, to: Date) {
  return db.rows<ClosedHour>(`select ${HOUR} from export_hour where hour >= $1 and hour < $2 order by hour`, [
    from,
    to,
  ])
}

/** The progress of this destination. A new one begins with the first hour from `first`. */
export async function selectMark(db: Db, destination: string, first: Date): Promise<number> {
  const row = await db.row<{ to_tx: number }>('select to_tx from export_mark where destination = $1', [
    destination,
  ])
  if (row) return row.to_tx
  const hour = await db.row<{ from_tx: number }>(
    'select from_tx from export_hour where hour >= $1 order by hour limit 1',
    [first],
  )
  return hour?.from_tx ?? 0
}

export async function moveMark(db: Db, destination: string, hour: ClosedHour): Promise<void> {
  await db.run(
    `insert into export_mark as m (destination, to_tx) values ($1, $2)
     on conflict (destination) do update set to_tx = greatest(m.to_tx, excluded.to_tx)`,
    [destination, hour.toTx],
  )
}

/** The number of closed hours that this destination has not reached. */
export async function countWaiting(db: Db, mark: number): Promise<number> {
  const row = await db.row<{ hours: number }>(
    'select count(*) as hours from export_hour where from_tx >= $1',
    [mark],
  )
  return row!.hours
}

const MICROS = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`
const AD = (column: string) => `translate(encode(${column}, 'base64'), '+/=', '-_')`

/** Rows with spend show their own pricing; the others have the campaign's current pricing. */
const PRICING = `case when spend_micros > 0 then case kind when 'click' then 'cpc' else 'cpm' end
        when c.cpc_micros is not null then 'cpc' when c.cpm_micros is not null then 'cpm' end`
const PAID_CLICK = `case when kind = 'click' and spend_micros > 0 then spend_micros else c.cpc_micros end`

/** Columns are in the order of columns.ts (the category is a number), and rows are always in the same order. */
function rowsOf({ fromTx, toTx }: ClosedHour): string {
  const within = `tx >= ${Number(fromTx)} and tx < ${Number(toTx)}`
  return `
    select kind, ${MICROS('at')} as occurred_at, ${MICROS('served_at')} as served_at, ${AD('ad_id')} as ad, cuid, cid,
      fid, pid, bid, source_id, budget_day, spend_micros,
      case when place_kind = 'domain' then place_name end, case when place_kind = 'app' then place_name end,
      device, os, country, action, value_micros, credited_to, l.country_code || '-' || l.region, nullif(l.city, ''),
      category, ${PRICING}, case ${PRICING} when 'cpc' then ${PAID_CLICK} else c.cpm_micros end
    from (
      select e.kind, e.at, e.served_at, e.ad_id, e.cuid, e.cid, e.fid, e.pid, e.bid, e.source_id, e.budget_day,
        e.spend_micros, p.kind as place_kind, p.name as place_name, e.device, e.os, e.country, null as action,
        null::bigint as value_micros, null as credited_to, e.locality, e.category, 0 as action_id
      from event_in_words e left join place p using (place_hash) where ${within}
      union all
      select 'action', a.at, a.served_at, a.ad_id, a.cuid, a.cid, a.fid, a.pid, a.bid, null, null,
        0, p.kind, p.name, a.device, a.os, a.country, a.name, a.value_micros, a.credited_to, a.locality,
        nullif(a.audience / 16, 0), a.action_id
      from action a left join place p using (place_hash) where ${within}
    ) written left join (select locality, country as country_code, region, city from locality) l using (locality)
      left join (select cid, cpm_micros, cpc_micros from campaign) c using (cid)
    order by at, ad_id, kind, action_id`
}

/** Rows that are read and encoded without a pause; this takes a few milliseconds. */
const ROWS_AT_ONCE = 500

/**
 * The rows of an hour, chunk by chunk, in one transaction that holds the export's lock, so that only one process
 * writes. Yields null instead of rows if another process has the lock.
 */
export async function* readHour(
  pool: pg.Pool,
  hour: ClosedHour,
  lock: number,
): AsyncGenerator<Value[][] | null> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin read only')
    // Reading a large hour and writing it to its destination may take a long time.
    await client.query('set local statement_timeout = 0')
    await client.query("set local idle_in_transaction_session_timeout = '15min'")
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as locked', [lock])
    if (!rows[0].locked) return yield null
    await client.query(`declare written no scroll cursor for ${rowsOf(hour)}`)
    for (;;) {
      const chunk = await client.query<Value[]>({
        text: `fetch ${ROWS_AT_ONCE} from written`,
        rowMode: 'array',
      })
      if (chunk.rows.length === 0) return
      yield chunk.rows
    }
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    await client.query('rollback').catch(error => {
      failure = error
    })
    client.release(failure)
  }
}

export interface Numbering {
  cluster: string
  txOffset: number
}

/** The identity of the database cluster, and the one that was recorded at the last start. */
export async function selectNumbering(db: Db): Promise<{ cluster: string; known: string | null }> {
  const row = await db.row<{ cluster: string; known: string | null }>(
    `select system_identifier::text as cluster, (select cluster from event_numbering) as known
     from pg_control_system()`,
  )
  return row!
}

/** A number greater than that of any row or closed hour. */
export async function selectNextNumber(db: Db): Promise<number> {
  const row = await db.row<{ next: number }>(
    `select 1 + greatest(
       (select coalesce(max(tx), 0) from event), (select coalesce(max(tx), 0) from action),
       (select coalesce(max(to_tx), 0) from export_hour)
     ) as next`,
  )
  return row!.next
}

export async function forgetChanges(db: Db): Promise<void> {
  await db.run('delete from catalog_change')
}

export async function saveNumbering(db: Db, { cluster, txOffset }: Numbering): Promise<void> {
  await db.run(
    `insert into event_numbering (cluster, tx_offset) values ($1, $2)
     on conflict (only_row) do update set cluster = excluded.cluster, tx_offset = excluded.tx_offset`,
    [cluster, txOffset],
  )
  if (txOffset === 0) return
  for (const table of ['event', 'action'])
    await db.run(
      `alter table ${table} alter column tx set default pg_current_xact_id()::text::bigint + ${Number(txOffset)}`,
    )
}
