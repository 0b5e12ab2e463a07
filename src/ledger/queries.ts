// SQL of the ledger: what it starts from, and what explanations read of an account.

import type { Db } from '../platform/database.ts'

export const AD_ID_BYTES = 12
const PAGE_ROWS = 5_000
export const LONG_READ_MS = 1_800_000

/**
 * First in a transaction: all its reads see one state, and take as long as they take. What a restart reads grows with
 * the traffic; a start that is cut off would be cut off again. Everything is joined whole, so never row by row.
 */
export async function beginLongRead(tx: Db): Promise<void> {
  await tx.run('set transaction isolation level repeatable read')
  for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await tx.run(`set local ${setting} = ${LONG_READ_MS}`)
  await tx.run('set local enable_nestloop = off')
}

/** Days to come that have spent. */
export function selectDaysAfter(db: Db, dayKey: number) {
  return db.rows<{ day: number }>('select distinct day from budget_day where day > $1 limit 1000', [dayKey])
}

/**
 * Which of these ads have a counted impression. `servedFrom` is not later than any of them was served. The ids go as
 * one piece of bytes: as an array, two million of them take a quarter of a minute to be written, read and planned.
 */
export function selectBilled(db: Db, servedFrom: Date, adIds: Buffer) {
  return db.rows<{ ad_id: Buffer }>(
    `with known as materialized (
       select substring($2::bytea from at for ${AD_ID_BYTES}) as ad_id
       from generate_series(1, octet_length($2::bytea), ${AD_ID_BYTES}) at
     )
     select known.ad_id from known join event e on substring(uuid_send(e.ad) from 5) = known.ad_id
     where e.ad >= $1::uuid and e.kind = 'i'`,
    [firstAdOf(servedFrom), adIds],
  )
}

/** The first key of an ad that was served then: the second precedes the id. */
function firstAdOf(servedAt: Date): string {
  return Math.floor(servedAt.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
    .padEnd(32, '0')
}

export interface CountedUserRow {
  cid: number
  user_hi: number
  user_lo: number
  impressions: number
}

/** The times say where to look. */
export interface ServedOn {
  key: number
  servedFrom: Date
  servedTo: Date
}

const SEEN_ON = `from event
     where budget_day = $1 and ad >= $2::uuid and ad < $3::uuid and kind = 'i' and cid = any($4::bigint[])
       and (user_lo <> 0 or user_hi <> 0)`

const seenOn = (day: ServedOn, cids: number[]) => [
  day.key,
  firstAdOf(day.servedFrom),
  firstAdOf(day.servedTo),
  cids,
]

/** Page by page; only in a transaction. */
async function* pagesOf<Row>(tx: Db, select: string, params: unknown[]): AsyncGenerator<Row[]> {
  await tx.run(`declare seen no scroll cursor for ${select}`, params)
  for (;;) {
    const rows = await tx.rows<Row>(`fetch ${PAGE_ROWS} from seen`)
    if (rows.length > 0) yield rows
    if (rows.length < PAGE_ROWS) break
  }
  await tx.run('close seen')
}

/** How often each user saw the campaigns on a day. `without`: ads that are left out, 12 bytes each. */
export function selectCounted(tx: Db, day: ServedOn, cids: number[], without: Buffer = Buffer.alloc(0)) {
  return pagesOf<CountedUserRow>(
    tx,
    `select cid, user_hi, user_lo, count(*) as impressions ${SEEN_ON}
       and substring(uuid_send(ad) from 5) not in (
         select substring($5::bytea from at for ${AD_ID_BYTES})
         from generate_series(1, octet_length($5::bytea), ${AD_ID_BYTES}) at
       )
     group by cid, user_hi, user_lo`,
    [...seenOn(day, cids), without],
  )
}

export interface SeenAdRow {
  cid: number
  user_hi: number
  user_lo: number
  ad_id: Buffer
}

/** Each impression of users that are known. */
export function selectSeenAds(tx: Db, day: ServedOn, cids: number[]) {
  return pagesOf<SeenAdRow>(
    tx,
    `select cid, user_hi, user_lo, substring(uuid_send(ad) from 5) as ad_id ${SEEN_ON}`,
    seenOn(day, cids),
  )
}

/** What all nodes have billed of a budget, and what those that may come back report as held. */
export async function selectAccount(db: Db, dayKey: number, cid: number) {
  const row = await db.row<{ billed: number; reserved: number; ended: number }>(
    `select coalesce(sum(s.billed_micros), 0)::bigint as billed,
       coalesce(sum(s.reserved_micros) filter (where not n.gone), 0)::bigint as reserved,
       coalesce(sum(s.ended_micros), 0)::bigint as ended
     from share s join node n using (node_id) where s.day = $1 and s.cid = $2`,
    [dayKey, cid],
  )
  return row!
}

/** How often these users have seen a campaign that has a cap. */
export function selectSeen(
  db: Db,
  dayKey: number,
  cid: number,
  users: readonly { hi: number; lo: number }[],
) {
  return db.rows<{ user_hi: number; user_lo: number; imps: number }>(
    `select user_hi, user_lo, imps from cap_day where day = $1 and cid = $2
       and (user_hi, user_lo) in (select * from unnest($3::integer[], $4::integer[]))`,
    [dayKey, cid, users.map(user => user.hi | 0), users.map(user => user.lo | 0)],
  )
}
