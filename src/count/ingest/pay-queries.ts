// SQL of the money of a batch. New impressions are charged to the shares of the nodes that promised them, and paid
// clicks to the share that was claimed for them. A share that does not cover its sum aborts the statement, and so the
// whole batch. Shares and caps are locked in the order of their keys. A node is sent news of its ads that this process
// charged.

import type { Db } from '../../platform/database.ts'

/** SQLSTATE of a batch that a share or a cap does not cover. */
export const NOT_HELD = 'MQ001'

export interface PayFor {
  /** Whether some campaigns of the batch have a cap. */
  caps: boolean
  /** Whether other nodes promised some of its ads. */
  others: boolean
  /** Whether some of its events are clicks. */
  clicks: boolean
  /** Whether flights with a total pay for some events. */
  flights: boolean
}

/** Charges the new events in `counted`. `$26` is the node that writes. */
export function payPart({ caps, others, flights }: PayFor): string {
  const payer = flights ? 'payer' : '0'
  return `
  charges as materialized (
    select budget_day as day, cid, ${payer} as fid, node_id, sum(spend_micros) as micros from counted
    where spend_micros > 0 group by 1, 2, 3, 4
  )${PAID}${caps ? `${SEEN}${CAPPED}` : ''}${others ? NEWS : ''}`
}

/**
 * Charges `charges`. Each share is looked up by its key, one after the other, so that no plan reads all of them. The
 * condition is repeated outside: PostgreSQL then expects few shares, and looks those up by their keys for the update.
 */
export const PAID = `,
  shares as materialized (
    select s.day, s.cid, s.fid, s.node_id, c.micros
    from (select * from charges order by day, cid, fid, node_id offset 0) c join lateral (
      select s.day, s.cid, s.fid, s.node_id from share s
      where s.day = c.day and s.cid = c.cid and s.fid = c.fid and s.node_id = c.node_id for update
    ) s on s.day = c.day and s.cid = c.cid and s.fid = c.fid and s.node_id = c.node_id
  ),
  paid as (
    update share s set billed_micros = s.billed_micros + c.micros from shares c
    where s.day = c.day and s.cid = c.cid and s.fid = c.fid and s.node_id = c.node_id
      and s.billed_micros + c.micros <= s.granted_micros
    returning s.cid
  )`

const SEEN = `,
  seen as materialized (
    select budget_day as day, cid, user_hi, user_lo, count(*) as imps, min(freq) as freq from counted
    where kind = 'i' and freq > 0 and (user_hi <> 0 or user_lo <> 0) group by 1, 2, 3, 4
  )`

/** Counts `seen`. */
export const CAPPED = `,
  capped as (
    insert into cap_day as d (day, cid, user_hi, user_lo, imps, freq)
    select day, cid, user_hi, user_lo, imps, freq from seen where imps <= freq order by 1, 2, 3, 4
    on conflict (day, cid, user_hi, user_lo) do update set imps = d.imps + excluded.imps, freq = excluded.freq
      where d.imps + excluded.imps <= excluded.freq
    returning d.cid
  )`

/** In the format that budget/shares/news.ts reads: how the ad ended, its id, and what it was charged. */
const NEWS = `,
  news as (
    insert into share_news (node_id, ads)
    select node_id, string_agg('\\x01'::bytea || substring(uuid_send(ad) from 5) || int8send(spend_micros), ''::bytea)
    from counted where kind = 'i' and node_id <> $26 group by node_id
  )`

export const IS_PAID = '(select count(*) from charges) = (select count(*) from paid)'
export const IS_CAPPED = '(select count(*) from seen) = (select count(*) from capped)'
export const allMustBe = (held: string[]) => `select -1 where not must_hold(${held.join(' and ')})`

/** Returns no row, or aborts the statement. */
export function mustBePaid({ caps }: PayFor): string {
  return allMustBe(caps ? [IS_PAID, IS_CAPPED] : [IS_PAID])
}

export interface ShareKey {
  day: number
  cid: number
  /** The flight that pays, or 0. */
  fid: number
  node_id: number
}

/** What is left of these shares, which stay locked until the transaction ends. */
export function lockShares(tx: Db, keys: readonly ShareKey[]) {
  return tx.rows<ShareKey & { room: number }>(
    `select s.day, s.cid, s.fid, s.node_id, s.granted_micros - s.billed_micros as room
     from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::integer[]) as k(day, cid, fid, node_id)
       join share s on s.day = k.day and s.cid = k.cid and s.fid = k.fid and s.node_id = k.node_id
     order by s.day, s.cid, s.fid, s.node_id for update of s`,
    (['day', 'cid', 'fid', 'node_id'] as const).map(name => keys.map(key => key[name])),
  )
}

export interface CapKey {
  day: number
  cid: number
  user_hi: number
  user_lo: number
}

/** How often these users saw these campaigns. Existing rows stay locked. */
export function lockCaps(tx: Db, keys: readonly CapKey[]) {
  return tx.rows<CapKey & { imps: number }>(
    `select d.day, d.cid, d.user_hi, d.user_lo, d.imps
     from unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[]) as k(day, cid, user_hi, user_lo)
       join cap_day d on d.day = k.day and d.cid = k.cid and d.user_hi = k.user_hi and d.user_lo = k.user_lo
     order by d.day, d.cid, d.user_hi, d.user_lo for update of d`,
    [
      keys.map(key => key.day),
      keys.map(key => key.cid),
      keys.map(key => key.user_hi),
      keys.map(key => key.user_lo),
    ],
  )
}

/** Positions of events that were counted before. Parameters are in PostgreSQL's text form of arrays. */
export async function selectKnown(tx: Db, ads: string, kinds: string): Promise<number[]> {
  const rows = await tx.rows<{ known: number }>(
    `select n - 1 as known from unnest($1::uuid[], $2::"char"[]) with ordinality as t(ad, kind, n)
     where (select true from event e where e.ad = t.ad and e.kind = t.kind)`,
    [ads, kinds],
  )
  return rows.map(row => row.known)
}
