// SQL that moves money between budgets and shares. Two conditions keep budgets safe, each in one statement and by a
// constraint of its table: grants never exceed their budget (here), and bills of a share never exceed its grant
// (count/ingest). Budgets and shares are locked in the order of their keys, each share after its budget, so that nodes
// wait for each other but never deadlock. Each ask finds its rows by their keys: twice the asks cost twice as much.

import type { Db } from '../../platform/database.ts'
import { MINUTE_FADE, yieldOf } from '../pacing/pacing.ts'
import type { Ask, Grant, NodeRef, SpentBy } from './share.ts'

/** Campaigns with a limit above their day are moved by `movePooled`. */
const CAMPAIGN = `select daily_spend_micros as daily,
        total_spend_micros is not null or monthly_spend_micros is not null
          or (select prepaid from customer u where u.cuid = campaign.cuid)
          or coalesce((select true from flight f where f.cid = campaign.cid and f.total_spend_micros is not null limit 1),
            false) as is_pooled
      from campaign`

/**
 * The first ask of a day for a campaign that no node has a share of: budget and share are created with their grant,
 * which is all that most campaigns need on a new day. If the budget exists, the ask is left to `MOVE_SHARES`.
 */
const GRANT_FIRST = `
  with me as materialized (
    select node_id from node where node_id = $1 and epoch = $2 and not gone for share
  ),
  live as materialized (
    select count(*) as nodes from node where valid_until > clock_timestamp() and not gone
  ),
  asked as materialized (
    select t.*, c.daily, least(t.target, c.daily,
      greatest(case when l.nodes > 1 then c.daily / (2 * l.nodes) else c.daily end, t.least)) as most
    from unnest($3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
      as t(cid, day, target, least, reserved, rate, mean, ended, line_from, line)
      cross join lateral (${CAMPAIGN} where cid = t.cid limit 1) c
      cross join live l
    where exists (select from me) and not c.is_pooled
  ),
  granted as materialized (
    select *, case when target > 0 and most >= least and most > 0 then most else 0 end as more from asked
  ),
  into_budget as (
    insert into budget (day, cid, limit_micros, granted_micros, line_from_ms, line_micros)
    select day, cid, daily, more, line_from, line from granted order by day, cid
    on conflict do nothing returning day, cid
  ),
  -- Grouped, because a join of the two would be a loop over both.
  made as materialized (
    select day, cid, max(daily) as daily, max(more) as more, max(reserved) as reserved, max(rate) as rate,
      max(mean) as mean, max(ended) as ended
    from (
      select day, cid, daily, more, reserved, rate, mean, ended, false as is_made from granted
      union all select day, cid, null, null, null, null, null, null, true from into_budget
    ) u group by day, cid having bool_or(is_made)
  ),
  into_share as (
    insert into share (day, cid, node_id, granted_micros, reserved_micros, rate_micros, mean_micros, ended_micros)
    select day, cid, $1, more, reserved, rate, mean, ended from made order by day, cid
  )
  select day, cid, more as granted, 0 as billed, daily - more as pool, 0 as all_billed, 0 as others_reserved,
    0 as others_rate, 0 as mean, 0 as ended, 0 as line_from, 0 as line from made`

export async function grantFirst(db: Db, node: NodeRef, asks: readonly Ask[]): Promise<Grant[]> {
  return (await db.rows<GrantRow>(GRANT_FIRST, paramsOf(node, asks))).map(grantOf)
}

/**
 * Creates empty rows for first asks whose budget another node has created or is creating. They wait for the transaction
 * that has locked that budget, so that a campaign that gets a total meanwhile counts all its shares.
 */
export function openShares(db: Db, nodeId: number, cids: number[], days: number[]) {
  return db.run(
    `with asked as materialized (
       select t.day, c.cid, c.daily_spend_micros from unnest($2::bigint[], $3::integer[]) as t(cid, day)
         join campaign c using (cid) order by t.day, c.cid
     ),
     opened as (
       insert into budget (day, cid, limit_micros, granted_micros)
       select day, cid, daily_spend_micros, 0 from asked order by day, cid on conflict do nothing
     ),
     free as materialized (
       select b.day from asked a cross join lateral (
         select day from budget where day = a.day and cid = a.cid limit 1 for share
       ) b
     )
     insert into share (day, cid, node_id, granted_micros)
     select day, cid, $1, 0 from asked where (select count(*) from free) >= 0 order by day, cid
     on conflict do nothing`,
    [nodeId, cids, days],
  )
}

interface GrantRow {
  cid: number
  day: number
  granted: number
  billed: number
  pool: number
  all_billed: number
  others_reserved: number
  others_rate: number
  mean: number
  ended: number
  line_from: number
  line: number
  /** Only for campaigns that draw from pools. */
  payer?: number
  life?: number | null
  month?: number | null
  short_of?: SpentBy
  /** Only where a flight pays. */
  flight?: number | null
  flight_billed?: number | null
  flight_reserved?: number | null
}

/**
 * The other nodes. A node that is away gets no requests: its rate fades each minute as without requests, by `$13`
 * (pacing.ts). Beyond 300 minutes nothing is left of it, and the power would be too small for a number.
 */
const OTHERS = `others as materialized (
    select node_id, power($13::float8, least(300,
      greatest(0, extract(epoch from clock_timestamp() - valid_until) / 60))) as fade
    from node where node_id <> $1 and not gone
  )`

/** What all nodes were billed, and what the others reported. Our shares with another payer than `payer` are others. */
const SUMS = (day: string, cid: string, payer: string) => `
    select sum(s.billed_micros) as all_billed,
      coalesce(sum(s.reserved_micros) filter (where n.node_id is not null
        or s.node_id = $1 and s.fid <> ${payer}), 0) as others_reserved,
      coalesce(sum(s.rate_micros * n.fade), 0)::bigint as others_rate,
      max(s.mean_micros) as mean,
      sum(s.ended_micros) as ended
    from share s left join others n on n.node_id = s.node_id where s.day = ${day} and s.cid = ${cid}`

/**
 * Moves each share up or down towards its target, never below what is billed and never beyond the budget. If there are
 * several nodes, each gets a part of what is left, at least one impression, so that no node gets the whole rest of a
 * budget; less than an impression is not worth moving. A node that was replaced gets nothing.
 */
const MOVE_SHARES = `
  with me as materialized (
    select node_id from node where node_id = $1 and epoch = $2 and not gone for share
  ),
  live as materialized (
    select count(*) as nodes from node where valid_until > clock_timestamp() and not gone
  ),
  ${OTHERS},
  asked as materialized (
    select * from unnest($3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
      as t(cid, day, target, least, reserved, rate, mean, ended, line_from, line)
    order by day, cid
  ),
  -- One ask after the other: the lateral queries leave the planner no other way, whatever it knows about the tables.
  held as materialized (
    select a.*, s.fid, s.node_id, s.granted, s.billed, c.daily, c.daily - b.granted as pool, b.known_from, b.known_line
    from asked a
      cross join lateral (${CAMPAIGN} where cid = a.cid limit 1) c
      cross join lateral (
        select granted_micros as granted, line_from_ms as known_from, line_micros as known_line
        from budget where day = a.day and cid = a.cid limit 1 for update
      ) b
      cross join lateral (
        select fid, node_id, granted_micros as granted, billed_micros as billed, pools
        from share where day = a.day and cid = a.cid and fid = 0 and node_id = $1 limit 1 for update
      ) s
    where exists (select from me) and not c.is_pooled and s.pools = '{}'
  ),
  wanted as (
    select h.*, least(h.target - h.granted, h.pool,
      greatest(case when l.nodes > 1 then h.pool / (2 * l.nodes) else h.pool end, h.least)) as most
    from held h cross join live l
  ),
  moved as materialized (
    select *, case when target <= granted then greatest(target, billed) - granted
      when most >= least and most > 0 then most else 0 end as more
    from wanted
  ),
  into_budget as (
    update budget b set granted_micros = b.granted_micros + m.more,
      limit_micros = case when m.more > 0 then m.daily else greatest(m.daily, b.granted_micros + m.more) end,
      line_from_ms = greatest(b.line_from_ms, m.line_from),
      line_micros = case when m.line_from > b.line_from_ms then m.line else b.line_micros end
    from moved m where b.day = m.day and b.cid = m.cid and (m.more <> 0 or m.line_from > b.line_from_ms)
  ),
  into_share as (
    update share s set granted_micros = s.granted_micros + m.more, reserved_micros = m.reserved,
      rate_micros = m.rate, mean_micros = coalesce(nullif(m.mean, 0), s.mean_micros),
      ended_micros = s.ended_micros + m.ended
    from moved m where s.day = m.day and s.cid = m.cid and s.fid = m.fid and s.node_id = m.node_id
  )
  select m.cid, m.day, m.granted + m.more as granted, m.billed, m.pool - m.more as pool,
    m.known_from as line_from, m.known_line as line,
    o.all_billed, o.others_reserved, o.others_rate, o.mean, o.ended
  from moved m cross join lateral (
${SUMS('m.day', 'm.cid', '0')}
  ) o`

export async function moveShares(db: Db, node: NodeRef, asks: readonly Ask[]): Promise<Grant[]> {
  return (await db.rows<GrantRow>(MOVE_SHARES, [...paramsOf(node, asks), MINUTE_FADE])).map(grantOf)
}

/** The same for shares that draw from pools: see `move_money` in migrations/0160. */
const MOVE_POOLED = `
  with ${OTHERS}
  select m.o_cid as cid, m.o_fid as payer, m.o_day as day, m.o_granted as granted, m.o_billed as billed, m.o_pool as pool,
    m.o_line_from as line_from, m.o_line as line, m.o_life as life, m.o_month as month, m.o_short_of as short_of,
    m.o_flight as flight, f.flight_billed, f.flight_reserved, o.all_billed, o.others_reserved, o.others_rate, o.mean, o.ended
  from move_money($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, $15) m
    cross join lateral (${SUMS('m.o_day', 'm.o_cid', 'm.o_fid')}
    ) o
    left join lateral (
      select sum(s.billed_micros)::bigint as flight_billed,
        coalesce(sum(s.reserved_micros) filter (where s.node_id <> $1), 0)::bigint as flight_reserved
      from share s where s.day = m.o_day and s.cid = m.o_cid and s.fid = m.o_fid
    ) f on m.o_fid <> 0`

export async function movePooled(db: Db, node: NodeRef, asks: readonly Ask[]): Promise<Grant[]> {
  const now = new Date(Math.max(...asks.map(ask => ask.atMs ?? 0)))
  const params = [...paramsOf(node, asks), MINUTE_FADE, asks.map(ask => ask.payer), now]
  return (await db.rows<GrantRow>(MOVE_POOLED, params)).map(grantOf)
}

function paramsOf(node: NodeRef, asks: readonly Ask[]): unknown[] {
  return [
    node.nodeId,
    node.epoch,
    asks.map(ask => ask.cid),
    asks.map(ask => ask.dayKey),
    asks.map(ask => ask.targetMicros),
    asks.map(ask => ask.leastMicros),
    asks.map(ask => ask.reservedMicros),
    asks.map(ask => Math.round(ask.rateMicros)),
    asks.map(ask => Math.round(ask.meanMicros)),
    asks.map(ask => ask.endedMicros),
    asks.map(ask => Math.round(ask.line?.fromMs ?? 0)),
    asks.map(ask => Math.round(ask.line?.spentMicros ?? 0)),
  ]
}

function grantOf(row: GrantRow): Grant {
  return {
    cid: row.cid,
    payer: row.payer ?? 0,
    dayKey: row.day,
    grantedMicros: row.granted,
    billedMicros: row.billed,
    poolMicros: row.pool,
    shortOf: row.short_of ?? 'day',
    lifeMicros: row.life ?? null,
    monthMicros: row.month ?? null,
    flight: flightOf(row),
    allBilledMicros: row.all_billed,
    line: row.line_from > 0 ? { fromMs: row.line_from, spentMicros: row.line } : null,
    others: {
      reservedMicros: row.others_reserved,
      rateMicros: row.others_rate,
      meanMicros: row.mean,
      yieldRatio: yieldOf(row.all_billed, row.ended),
      endedMicros: row.ended,
    },
  }
}

function flightOf({ flight, flight_billed, flight_reserved }: GrantRow): Grant['flight'] {
  if (flight === null || flight === undefined) return null
  return {
    lifeMicros: flight,
    billedMicros: flight_billed ?? 0,
    othersReservedMicros: flight_reserved ?? 0,
  }
}

/** Pools are locked before budgets and shares. */
export function lockPoolsOf(tx: Db, nodeId: number) {
  return tx.run(
    `select from pool where id in (
       select unnest(pools) from share where node_id = $1 and granted_micros > billed_micros and pools <> '{}'
     ) order by id for update`,
    [nodeId],
  )
}

/** Returns unbilled grants of a dead node to the budgets, at most `most` shares. Resolves with how many there were. */
export function returnShares(tx: Db, nodeId: number, most: number) {
  return tx.run(
    `with rests as materialized (
       select s.day, s.cid, s.fid, s.node_id, s.granted_micros - s.billed_micros as rest, s.pools
       from share s join budget b on b.day = s.day and b.cid = s.cid
       where s.node_id = $1 and s.granted_micros > s.billed_micros
       order by s.day, s.cid, s.fid limit $2 for update of b, s
     ),
     into_budget as (
       update budget b set granted_micros = b.granted_micros - r.rest
       from (select day, cid, sum(rest) as rest from rests group by 1, 2) r where b.day = r.day and b.cid = r.cid
     ),
     into_pool as (
       update pool p set granted_micros = p.granted_micros - r.rest
       from (select id, sum(rest) as rest from rests cross join unnest(pools) as id group by id) r where r.id = p.id
     )
     update share s set granted_micros = s.billed_micros, reserved_micros = 0, rate_micros = 0
     from rests r where s.day = r.day and s.cid = r.cid and s.fid = r.fid and s.node_id = r.node_id`,
    [nodeId, most],
  )
}
