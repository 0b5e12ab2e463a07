// SQL of traffic samples: one row per process and hour.

import type { Db } from '../../platform/database.ts'

export interface TrafficRow {
  hour: Date
  requests: number
  stride: number
  kept: string
}

/** Writes what this process has seen in an hour, in place of its earlier report. */
export function upsertTraffic(db: Db, sampleId: string, { hour, requests, stride, kept }: TrafficRow) {
  return db.run(
    `insert into traffic_hour (hour, sample_id, requests, stride, kept) values ($1, $2, $3, $4, $5)
     on conflict (hour, sample_id) do update set requests = excluded.requests, stride = excluded.stride,
       kept = excluded.kept`,
    [hour, sampleId, requests, stride, kept],
  )
}

export function deleteTrafficBefore(db: Db, hour: Date) {
  return db.run('delete from traffic_hour where hour < $1', [hour])
}

/** The newest samples of all nodes, up to `chars` bytes in total; the oldest of them first. */
export function selectTraffic(db: Db, from: Date, to: Date, chars: number) {
  return db.rows<TrafficRow>(
    `select hour, requests, stride, kept from traffic_hour
       join (
         select hour, sample_id, sum(octet_length(kept)) over (order by hour desc, sample_id) as so_far
         from traffic_hour where hour >= $1 and hour <= $2
       ) newest using (hour, sample_id)
     where so_far <= $3 order by hour, sample_id`,
    [from, to, chars],
  )
}
