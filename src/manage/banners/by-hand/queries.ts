// SQL of the queue of banners that wait for a person.

import type { Db } from '../../../platform/database.ts'

/** The app and customers whose banners are in the queue. */
export interface QueueScope {
  appId: number
  /** Only these customers; null: all of the app. */
  cuids: readonly number[] | null
}

export interface QueuedRow {
  bid: number
  pid: number
  cid: number
  cuid: number
  company: string
  campaign: string
  name: string
  creative_name: string
  click_url: string | null
  width: number | null
  height: number | null
  type: string | null
  bytes: number | null
  animated: boolean
  review_round: number
  awaits_person_since: Date
}

/** Few banners wait, so the rows above each are looked up by their keys. */
export function selectQueue(db: Db, { appId, cuids }: QueueScope, after: number, limit: number, now: Date) {
  return db.rows<QueuedRow>(
    `select b.bid, b.pid, a.cid, a.cuid, a.company, a.campaign, b.name, b.creative_name,
       coalesce(b.click_url, a.website) as click_url, b.width, b.height, b.type, b.bytes, b.animated, b.review_round,
       b.awaits_person_since
     from banner b cross join lateral (
       select c.cid, c.name as campaign, u.cuid, u.company, u.website
       from persona p join campaign c on c.cid = p.cid join customer u on u.cuid = c.cuid
       where p.pid = b.pid and p.deleted_at is null and c.deleted_at is null and u.deleted_at is null
         and c.end_at > $5 and u.app_id = $1 and ($2::bigint[] is null or u.cuid = any($2)) offset 0
     ) a
     where b.awaits_person_since is not null and b.deleted_at is null and b.bid > $3
     order by b.bid limit $4`,
    [appId, cuids, after, limit, now],
  )
}

/** The customer of a banner; null if the banner does not exist. */
export function selectOwner(db: Db, { appId, cuids }: QueueScope, bid: number) {
  return db.row<{ cuid: number }>(
    `select u.cuid from banner b join persona p using (pid) join campaign c using (cid) join customer u using (cuid)
     where b.bid = $3 and b.deleted_at is null and p.deleted_at is null and c.deleted_at is null
       and u.deleted_at is null and u.app_id = $1 and ($2::bigint[] is null or u.cuid = any($2))`,
    [appId, cuids, bid],
  )
}
