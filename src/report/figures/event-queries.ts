// SQL that reads counted events page by page, by key, so that an export of any size holds one page in memory.

import type { Db } from '../../platform/database.ts'

/** The row after which the next page begins. `at` is text, because a Date would lose its microseconds. */
export interface EventKey {
  at: string
  /** Its quarter of an hour, counted since 1970. */
  quarter: number
  ad: string
  kind: string
}

export interface EventRow {
  at: string
  quarter: number
  at_s: number
  /** See `readAdKey`. */
  ad: string
  /** Codes: see count/tracking/codes.ts. */
  kind: string
  device: string
  os: string
  country: number
  fid: number
  pid: number
  bid: number
  source_id: number
  spend_micros: number
  place_kind: 'domain' | 'app' | null
  place_name: string | null
  /** `CA-ON`; the city is spelled as in our table. */
  region: string | null
  city: string | null
  audience: number
}

const ABOUT = `l.country || '-' || l.region as region, nullif(l.city, '') as city, audience`

/** Sorts before all other ads of the same moment. */
export const FIRST_AD = '00000000-0000-0000-0000-000000000000'

/** Impressions and clicks of a campaign received before `to`, oldest first; the index knows their quarters. */
export function selectEvents(db: Db, cid: number, to: Date | string, after: EventKey, limit: number) {
  return db.rows<EventRow>(
    `select e.at::text, quarter_number(e.at) as quarter, floor(extract(epoch from e.at))::bigint as at_s, e.ad, e.kind, fid, pid, bid, e.source_id,
       e.spend_micros, p.kind as place_kind, p.name as place_name, e.device, e.os, e.country, ${ABOUT}
     from (
       select * from event
       where cid = $1 and quarter_number(at) >= $7::integer and at >= $2::timestamptz and at < $3
         and (at, ad, kind) > ($2::timestamptz, $4::uuid, $5::"char")
       order by quarter_number(at), at, ad, kind limit $6
     ) e join leaf using (leaf) left join place p using (place_hash) left join locality l using (locality)
     order by e.at, e.ad, e.kind`,
    [cid, after.at, to, after.ad, after.kind, limit, after.quarter],
  )
}

export interface ActionKey {
  at: string
  actionId: number
}

export interface ActionRow {
  at: string
  at_s: number
  action_id: number
  ad_id: Buffer
  name: string
  value_micros: number | null
  credited_to: 'click' | 'view'
  fid: number
  pid: number
  bid: number
  place_kind: 'domain' | 'app' | null
  place_name: string | null
  /** `CA-ON`; the city is spelled as in our table. */
  region: string | null
  city: string | null
  audience: number
  device: string | null
  os: string | null
  country: string | null
}

export function selectActions(db: Db, cid: number, to: Date | string, after: ActionKey, limit: number) {
  return db.rows<ActionRow>(
    `select a.at::text, floor(extract(epoch from a.at))::bigint as at_s, a.action_id, a.ad_id, a.name,
       a.value_micros, a.credited_to, a.fid, a.pid, a.bid, p.kind as place_kind, p.name as place_name,
       a.device, a.os, a.country, ${ABOUT}
     from (
       select * from action
       where cid = $1 and at >= $2::timestamptz and at < $3
         and (at, action_id) > ($2::timestamptz, $4::bigint)
       order by at, action_id limit $5
     ) a left join place p using (place_hash) left join locality l using (locality)
     order by a.at, a.action_id`,
    [cid, after.at, to, after.actionId, limit],
  )
}
