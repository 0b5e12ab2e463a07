// SQL of shared traffic samples: one row per node, rewritten now and then.

import type { Db } from '../../platform/database.ts'

export interface TrafficRow {
  since: Date
  requests: number
  stride: number
  kept: string
}

/** What this node has seen, in place of what it said before; nobody's that is older than the sample reaches back. */
export async function writeTraffic(
  db: Db,
  nodeId: number,
  { since, requests, stride, kept }: TrafficRow,
  served: string,
): Promise<void> {
  await db.run(
    `insert into traffic (node_id, at, since, requests, stride, kept, served) values ($1, now(), $2, $3, $4, $5, $6)
     on conflict (node_id) do update set at = excluded.at, since = excluded.since, requests = excluded.requests,
       stride = excluded.stride, kept = excluded.kept, served = excluded.served`,
    [nodeId, since, requests, stride, kept, served],
  )
  await db.run(`delete from traffic where at < now() - interval '2 hours'`)
}

/** Of all nodes but one, and how many ads of the persona each has served. */
export function selectTraffic(db: Db, pid: number, exceptNodeId: number) {
  return db.rows<TrafficRow & { served: number }>(
    `select since, requests, stride, kept, coalesce((served ->> $1::text)::bigint, 0) as served from traffic
     where node_id <> $2 and at >= now() - interval '2 hours' order by node_id`,
    [pid, exceptNodeId],
  )
}
