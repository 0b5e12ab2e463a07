// SQL of delivery: the deployment's secret, and what the ledger starts from.

import type { Db } from '../platform/database.ts'

/** The secret of that name: the first who asks makes it, everybody gets the same. */
export async function secretNamed(db: Db, name: string, fresh: Buffer): Promise<Buffer> {
  await db.run('insert into secret (name, value) values ($1, $2) on conflict do nothing', [name, fresh])
  return (await db.row<{ value: Buffer }>('select value from secret where name = $1', [name]))!.value
}

/** First in a transaction: all its reads see one state. */
export function seeOneState(tx: Db) {
  return tx.run('set transaction isolation level repeatable read')
}

export function selectSpent(db: Db, dayKeys: number[]) {
  return db.rows<{ cid: number; day: number; spent_micros: number }>(
    'select cid, day, spent_micros from budget_day where day = any($1::integer[])',
    [dayKeys],
  )
}

/** Which of these ads have a counted impression. `servedFrom` is not later than any of them was served. */
export function selectBilled(db: Db, servedFrom: Date, adIds: Buffer[]) {
  return db.rows<{ ad_id: Buffer }>(
    `select ad_id from event where served_at >= $1 and kind = 'impression' and ad_id = any($2::bytea[])`,
    [servedFrom, adIds],
  )
}

/** How often each user saw the campaigns on a day. */
export function selectCounted(db: Db, dayKey: number, cids: number[]) {
  return db.rows<{ cid: number; user_hash: Buffer; impressions: number }>(
    `select cid, user_hash, count(*) as impressions from event
     where budget_day = $1 and kind = 'impression' and cid = any($2::bigint[]) and user_hash is not null
     group by cid, user_hash`,
    [dayKey, cids],
  )
}
