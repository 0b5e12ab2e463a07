// SQL of a node: what its ledger starts from.

import { firstAdOf } from '../../count/tracking/ad.ts'
import type { Db } from '../../platform/database.ts'

export const AD_ID_BYTES = 12
const PAGE_ROWS = 5_000
export const LONG_READ_MS = 1_800_000

/**
 * To be called first in a transaction: all its reads see one state, and may take long. What a restart reads grows with
 * the traffic, and a start that hits a timeout would hit it again. Whole tables are joined, so never row by row.
 */
export async function beginLongRead(tx: Db): Promise<void> {
  await tx.run('set transaction isolation level repeatable read')
  for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await tx.run(`set local ${setting} = ${LONG_READ_MS}`)
  await tx.run('set local enable_nestloop = off')
}

/** Later days on which money was spent. */
export function selectDaysAfter(db: Db, dayKey: number) {
  return db.rows<{ day: number }>('select distinct day from budget_day where day > $1 limit 1000', [dayKey])
}

/**
 * Which of these ads have a counted impression. None of them was served before `servedFrom`. The ids are passed as one
 * buffer: as an array, two million ids take 15 seconds to be written, read and planned.
 */
export function selectBilled(db: Db, servedFrom: Date, adIds: Buffer) {
  return db.rows<{ ad_id: Buffer }>(
    `with known as materialized (
       select substring($2::bytea from at for ${AD_ID_BYTES}) as ad_id
       from generate_series(1, octet_length($2::bytea), ${AD_ID_BYTES}) at
     )
     select known.ad_id from known join event e on substring(uuid_send(e.ad) from 5) = known.ad_id
     where e.ad >= $1::uuid and e.kind = 'i'`,
    [firstAdOf(servedFrom.getTime()), adIds],
  )
}

export interface CountedUserRow {
  cid: number
  user_hi: number
  user_lo: number
  impressions: number
}

/** A day, and the span in which its ads were served. */
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
  firstAdOf(day.servedFrom.getTime()),
  firstAdOf(day.servedTo.getTime()),
  cids,
]

/** Reads page by page; only in a transaction. */
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

/** Each impression whose user is known. */
export function selectSeenAds(tx: Db, day: ServedOn, cids: number[]) {
  return pagesOf<SeenAdRow>(
    tx,
    `select cid, user_hi, user_lo, substring(uuid_send(ad) from 5) as ad_id ${SEEN_ON}`,
    seenOn(day, cids),
  )
}
