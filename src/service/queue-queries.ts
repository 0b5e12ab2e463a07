// How much work waits in the database. Counted only up to a bound, so that looking at a long queue does not cost more.

import type { Db } from '../platform/database.ts'

export interface Queues {
  reviews: number
  webhooks: number
  webhook_s: number
  mails: number
}

/** No more than this many are counted. */
export const MOST_COUNTED = 10_000

export async function selectQueues(db: Db): Promise<Queues> {
  const row = await db.row<Queues>(
    `select
       (select count(*) from (
          select from banner where status = 'pending' and deleted_at is null and awaits_person_since is null
          limit ${MOST_COUNTED}) b)::int as reviews,
       (select count(*) from (
          select from webhook_delivery where state = 'pending' limit ${MOST_COUNTED}) d)::int as webhooks,
       (select count(*) from (select from mail where state = 'waiting' limit ${MOST_COUNTED}) m)::int as mails,
       (select coalesce(max(extract(epoch from now() - next_at)) filter (where next_at < now()), 0) from (
          select next_at from webhook_delivery where state = 'pending' limit ${MOST_COUNTED}) d)::float8 as webhook_s`,
  )
  return row!
}
