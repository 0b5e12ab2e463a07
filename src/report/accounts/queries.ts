// SQL of accounts. The pool is the limit that delivery draws from (shares/): credits raise it, corrections lower it, in
// the transaction that writes the entry. Entries are only ever inserted. A customer's row is locked before its pool.

import { ofEach } from '../../count/fold/figures-queries.ts'
import type { Db } from '../../platform/database.ts'

export interface OwnerRow {
  prepaid: boolean
  account_no: number | null
}

/** Locks the customer, so that its credits and its `prepaid` switch wait for each other. */
export function lockOwner(tx: Db, cuid: number) {
  return tx.row<OwnerRow>(
    `select u.prepaid, a.account_no from customer u
       left join account a on a.cuid = u.cuid and a.ended_at is null
     where u.cuid = $1 and u.deleted_at is null for no key update of u`,
    [cuid],
  )
}

export interface AccountRow {
  prepaid: boolean
  low_balance_micros: number | null
  credited: number
  granted: number
  spent: number
}

/** In one statement, so that its sums are consistent. */
export function selectAccount(db: Db, cuid: number) {
  return db.row<AccountRow>(
    `select u.prepaid, u.low_balance_micros, coalesce(p.limit_micros, 0) as credited,
       coalesce(p.granted_micros, 0) as granted, coalesce(used.spent_micros, 0) as spent
     from customer u left join pool p on p.id = u.cuid left join pools_used(array[$1::bigint]) used on true
     where u.cuid = $1`,
    [cuid],
  )
}

export interface EntryRow {
  entry_id: number
  at: Date
  kind: 'credit' | 'correction'
  amount_micros: number
  reference: string | null
  note: string | null
}

const ENTRY = 'entry_id, at, kind, amount_micros, reference, note'

export function selectEntry(db: Db, cuid: number, reference: string) {
  return db.row<EntryRow>(`select ${ENTRY} from account_entry where cuid = $1 and reference = $2`, [
    cuid,
    reference,
  ])
}

/** The latest entry. */
export function selectLastEntry(db: Db, cuid: number) {
  return db.row<EntryRow>(
    `select ${ENTRY} from account_entry where cuid = $1 order by entry_id desc limit 1`,
    [cuid],
  )
}

export type NewEntry = Omit<EntryRow, 'entry_id'> & { cuid: number; account_no: number }

export async function insertEntry(tx: Db, entry: NewEntry): Promise<EntryRow> {
  const { cuid, account_no, at, kind, amount_micros, reference, note } = entry
  return (await tx.row<EntryRow>(
    `insert into account_entry (cuid, account_no, at, kind, amount_micros, reference, note)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${ENTRY}`,
    [cuid, account_no, at, kind, amount_micros, reference, note],
  ))!
}

/** Returns the number of the new account. */
export async function insertAccount(tx: Db, cuid: number, now: Date): Promise<number> {
  const row = await tx.row<{ account_no: number }>(
    `insert into account (cuid, account_no, began_at)
     select $1, coalesce(max(account_no), 0) + 1, $2 from account where cuid = $1 returning account_no`,
    [cuid, now],
  )
  return row!.account_no
}

/**
 * Called once the pool is gone, so that nothing more can be billed. An entry takes out the rest, so that the account
 * ends at zero.
 */
export async function endAccount(tx: Db, cuid: number, now: Date): Promise<void> {
  await tx.run(
    `with ended as (
       update account set ended_at = $2 where cuid = $1 and ended_at is null returning account_no
     )
     insert into account_entry (cuid, account_no, at, kind, amount_micros)
     select $1, account_no, $2, 'correction', -rest from (
       select account_no,
         coalesce((
           select sum(amount_micros) from account_entry e where e.cuid = $1 and e.account_no = ended.account_no
         ), 0) - coalesce((
           select sum(micros) from account_spend s where s.cuid = $1 and s.account_no = ended.account_no
         ), 0) as rest
       from ended
     ) r where rest <> 0`,
    [cuid, now],
  )
}

export interface LineRow {
  /** The balance before all other lines; this row has nothing else. */
  is_opening: boolean
  kind: 'credit' | 'correction' | 'spend'
  micros: number
  at: Date | null
  reference: string | null
  note: string | null
  cid: number | null
  day: number | null
  ended_at: Date | null
}

export interface Bounds {
  from: Date
  to: Date
  /** The days that contain these moments: earlier days are over by then. */
  fromDay: number
  toDay: number
}

/**
 * The balance before a period, and what happened in it, in one statement. A day's spend belongs to the end of the day,
 * or to that of the account if it ended before.
 */
export function selectLines(db: Db, cuid: number, { from, to, fromDay, toDay }: Bounds, limit: number) {
  return db.rows<LineRow>(
    `with spends as (
       select account_no, cid, day, sum(micros)::bigint as micros from (
         select account_no, cid, day, micros from account_spend where cuid = $1
         union all
         select p.account_no, c.cid, s.day, s.billed_micros
         from pool p join campaign c on c.cuid = p.id cross join lateral (
           select day, billed_micros from share
           where share.cid = c.cid and pools <> '{}' and p.id = any(pools) offset 0
         ) s where p.id = $1 and p.account_no is not null
       ) billed group by account_no, cid, day having sum(micros) <> 0
     ),
     lines as materialized (
       select e.at < $2 as is_before, case when e.amount_micros > 0 then 'credit' else 'correction' end as kind,
         e.amount_micros as micros, e.at, e.reference, e.note,
         null::bigint as cid, null::integer as day, null::timestamptz as ended_at, e.entry_id
       from account_entry e where e.cuid = $1 and e.at < $3
       union all
       select s.day < $4 or coalesce(a.ended_at < $2, false), 'spend', -s.micros, null, null, null,
         s.cid, s.day, a.ended_at, null
       from spends s join account a on a.cuid = $1 and a.account_no = s.account_no
       where s.day < $5 or a.ended_at < $3
     )
     select true as is_opening, 'spend' as kind, coalesce(sum(micros), 0)::bigint as micros, null::timestamptz as at,
       null as reference, null as note, null::bigint as cid, null::integer as day, null::timestamptz as ended_at
     from lines where is_before
     union all (
       select false, kind, micros, at, reference, note, cid, day, ended_at from lines where not is_before
       order by day, cid, entry_id limit $6
     )`,
    [cuid, from, to, fromDay, toDay, limit],
  )
}

/** The date of a day's number. */
const dateOf = (day: string) => `to_date(${day}::integer::text, 'YYYYMMDD')`

/** Whether the customer paid in advance at any moment of the period. */
export async function hasAccount(db: Db, cuid: number, { from, to }: Bounds): Promise<boolean> {
  const row = await db.row(
    'select 1 from account where cuid = $1 and began_at < $3 and coalesce(ended_at > $2, true) limit 1',
    [cuid, from, to],
  )
  return row !== null
}

/** What a customer that pays afterwards spent, by day and campaign: the figures, so it is what they add up to. */
export function selectSpends(db: Db, cuid: number, { fromDay, toDay }: Bounds, limit: number) {
  return db.rows<LineRow>(
    `with mine as materialized (select $1::bigint as cuid)
     select false as is_opening, 'spend' as kind, -sum(spend_micros)::bigint as micros, null::timestamptz as at,
       null as reference, null as note, cid, to_char(day, 'YYYYMMDD')::integer as day, null::timestamptz as ended_at
     from ${ofEach('mine', { from: dateOf('$2'), to: dateOf('$3') })}
     group by cid, day having sum(spend_micros) <> 0 order by day, cid limit $4`,
    [cuid, fromDay, toDay, limit],
  )
}

/** After a credit or a new `lowBalance`: a threshold that is reached again is reported again. */
export function watchAgain(tx: Db, cuid: number, { low, spent }: { low: boolean; spent: boolean }) {
  return tx.run(
    `update account set low_sent = low_sent and not $2, spent_sent = spent_sent and not $3
     where cuid = $1 and ended_at is null`,
    [cuid, low, spent],
  )
}

export interface WatchedRow {
  cuid: number
  low_sent: boolean
  spent_sent: boolean
  low_balance_micros: number | null
}

/**
 * Accounts that may have reached a threshold that was not reported yet. At least as much is granted as is spent, so an
 * account with much that is not granted need not be added up. `leastMicros`: how much that is, unless `lowBalance` is
 * more.
 */
export function selectWatched(db: Db, leastMicros: number, after: number, limit: number) {
  return db.rows<WatchedRow>(
    `select a.cuid, a.low_sent, a.spent_sent, u.low_balance_micros
     from account a join pool p on p.id = a.cuid join customer u on u.cuid = a.cuid
     where a.ended_at is null and not (a.spent_sent and (a.low_sent or u.low_balance_micros is null))
       and u.deleted_at is null and a.cuid > $2
       and p.limit_micros - p.granted_micros <= greatest($1, u.low_balance_micros)
     order by a.cuid limit $3`,
    [leastMicros, after, limit],
  )
}

/** If several processes note it at once, one gets true. */
export async function noteSent(tx: Db, cuid: number, what: 'low' | 'spent'): Promise<boolean> {
  const noted = await tx.run(
    `update account set ${what}_sent = true where cuid = $1 and ended_at is null and not ${what}_sent`,
    [cuid],
  )
  return noted === 1
}
