// SQL of shares. Two conditions make budgets safe, each inside one statement and a constraint of its table: grants
// never exceed their budget, and bills of a share never exceed its grant. Budgets are locked before shares, both in the
// order of their keys, so that nodes wait for each other and never deadlock.

import type { Db } from '../platform/database.ts'
import { MINUTE_FADE, yieldOf } from './pacing.ts'
import type { Ask, Grant, NodeRef } from './shares.ts'

/** A new node. */
export function insertNode(db: Db, name: string, validMs: number, adsMs: number) {
  return db.row<{ node_id: number; epoch: number }>(
    `insert into node (name, valid_until, ads_until) values ($1, clock_timestamp() + $2 * interval '1 ms',
       clock_timestamp() + ($2 + $3) * interval '1 ms') returning node_id, epoch`,
    [name, validMs, adsMs],
  )
}

/** The same node in a new process: the former process is replaced. Null: it is gone, or not of this database. */
export function resumeNode(db: Db, nodeId: number, name: string, validMs: number, adsMs: number) {
  return db.row<{ node_id: number; epoch: number }>(
    `update node set epoch = epoch + 1, valid_until = clock_timestamp() + $3 * interval '1 ms',
       ads_until = greatest(ads_until, clock_timestamp() + ($3 + $4) * interval '1 ms')
     where node_id = $1 and name = $2 and not gone returning node_id, epoch`,
    [nodeId, name, validMs, adsMs],
  )
}

/**
 * A node that this database does not know, because it went back in time, under its own number: its ads in the world
 * name it. Null: another one has that number by now.
 */
export async function reviveNode(db: Db, nodeId: number, name: string, validMs: number, adsMs: number) {
  const row = await db.row<{ node_id: number; epoch: number }>(
    `insert into node (node_id, name, valid_until, ads_until) overriding system value
     values ($1, $2, clock_timestamp() + $3 * interval '1 ms', clock_timestamp() + ($3 + $4) * interval '1 ms')
     on conflict do nothing returning node_id, epoch`,
    [nodeId, name, validMs, adsMs],
  )
  const next = `pg_get_serial_sequence('node', 'node_id')`
  if (row) await db.row(`select setval(${next}, greatest(nextval(${next}), $1))`, [nodeId])
  return row
}

/** Valid for a while longer; null: replaced, or gone. `nodes`: all that are valid, this one included. */
export function renewNode(db: Db, node: NodeRef, validMs: number, adsMs: number) {
  return db.row<{ nodes: number }>(
    `with renewed as (
       update node set valid_until = clock_timestamp() + $3 * interval '1 ms',
         ads_until = greatest(ads_until, clock_timestamp() + ($3 + $4) * interval '1 ms')
       where node_id = $1 and epoch = $2 and not gone returning node_id
     )
     select 1 + (select count(*) from node where valid_until > clock_timestamp() and node_id <> $1 and not gone) as nodes
     from renewed`,
    [node.nodeId, node.epoch, validMs, adsMs],
  )
}

/** A node that ends by itself: its last ad runs out in `adsMs`. */
export function endNode(db: Db, node: NodeRef, adsMs: number) {
  return db.run(
    `update node set valid_until = clock_timestamp(), ads_until = clock_timestamp() + $3 * interval '1 ms'
     where node_id = $1 and epoch = $2 and not gone`,
    [node.nodeId, node.epoch, adsMs],
  )
}

/** Rows that a first ask is about to find. */
export function openShares(db: Db, nodeId: number, cids: number[], days: number[]) {
  return db.run(
    `with asked as (
       select t.day, c.cid, c.daily_spend_micros from unnest($2::bigint[], $3::integer[]) as t(cid, day)
         join campaign c using (cid)
     ),
     opened as (
       insert into budget (day, cid, limit_micros, granted_micros)
       select day, cid, daily_spend_micros, 0 from asked order by day, cid on conflict do nothing
     )
     insert into share (day, cid, node_id, granted_micros) select day, cid, $1, 0 from asked order by day, cid
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
}

/**
 * Takes and gives back: each share is moved towards its target, never below what is billed and never beyond the
 * budget. Of several nodes each gets a part of what is left, one impression at least, so that the last of a budget is
 * not all with one of them; less than an impression is not worth moving. Of a node that was replaced: nothing.
 */
const MOVE_SHARES = `
  with me as materialized (
    select node_id from node where node_id = $1 and epoch = $2 and not gone for share
  ),
  live as materialized (
    select count(*) as nodes from node where valid_until > clock_timestamp() and not gone
  ),
  -- A node that is away is offered nothing: its rate fades as a minute without requests fades it (pacing.ts).
  others as materialized (
    select node_id, power($13::float8, greatest(0, extract(epoch from clock_timestamp() - valid_until) / 60)) as fade
    from node where node_id <> $1 and not gone
  ),
  asked as materialized (
    select * from unnest($3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
      as t(cid, day, target, least, reserved, rate, mean, ended, line_from, line)
  ),
  budgets as materialized (
    select b.day, b.cid, c.daily_spend_micros - b.granted_micros as pool, c.daily_spend_micros as daily,
      b.line_from_ms as line_from, b.line_micros as line
    from asked a join budget b on b.day = a.day and b.cid = a.cid join campaign c on c.cid = b.cid cross join me
    order by b.day, b.cid for update of b
  ),
  mine as materialized (
    select s.day, s.cid, s.granted_micros as granted, s.billed_micros as billed
    from budgets b join share s on s.day = b.day and s.cid = b.cid and s.node_id = $1
    order by s.day, s.cid for update of s
  ),
  wanted as (
    select a.*, m.granted, m.billed, b.pool, b.daily,
      least(a.target - m.granted, b.pool,
        greatest(case when l.nodes > 1 then b.pool / (2 * l.nodes) else b.pool end, a.least)) as most
    from asked a join mine m on m.day = a.day and m.cid = a.cid
      join budgets b on b.day = a.day and b.cid = a.cid cross join live l
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
    from moved m where s.day = m.day and s.cid = m.cid and s.node_id = $1
  )
  select m.cid, m.day, m.granted + m.more as granted, m.billed, m.pool - m.more as pool, o.all_billed,
    o.others_reserved, o.others_rate, o.mean, o.ended,
    b.line_from, b.line
  from moved m join budgets b on b.day = m.day and b.cid = m.cid cross join lateral (
    select sum(s.billed_micros) as all_billed,
      coalesce(sum(s.reserved_micros) filter (where n.node_id is not null), 0) as others_reserved,
      coalesce(sum(s.rate_micros * n.fade), 0)::bigint as others_rate,
      max(s.mean_micros) as mean,
      sum(s.ended_micros) as ended
    from share s left join others n on n.node_id = s.node_id where s.day = m.day and s.cid = m.cid
  ) o`

export async function moveShares(db: Db, node: NodeRef, asks: readonly Ask[]): Promise<Grant[]> {
  const rows = await db.rows<GrantRow>(MOVE_SHARES, [
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
    MINUTE_FADE,
  ])
  return rows.map(row => ({
    cid: row.cid,
    dayKey: row.day,
    grantedMicros: row.granted,
    billedMicros: row.billed,
    poolMicros: row.pool,
    allBilledMicros: row.all_billed,
    line: row.line_from > 0 ? { fromMs: row.line_from, spentMicros: row.line } : null,
    others: {
      reservedMicros: row.others_reserved,
      rateMicros: row.others_rate,
      meanMicros: row.mean,
      yieldShare: yieldOf(row.all_billed, row.ended),
      endedMicros: row.ended,
    },
  }))
}

/** What this node had granted, as it starts again: of today and of every day whose ads may still be billed. */
export function selectShares(db: Db, nodeId: number, days: number[]) {
  return db.rows<{ cid: number; day: number; granted_micros: number; billed_micros: number }>(
    `select cid, day, granted_micros, billed_micros from share
     where node_id = $1 and day = any($2::integer[]) and granted_micros > 0`,
    [nodeId, days],
  )
}

/** News for this node; those it reports as read are deleted. */
export async function takeNews(db: Db, nodeId: number, read: readonly number[]) {
  if (read.length > 0) await db.run('delete from share_news where news_id = any($1::bigint[])', [read])
  return db.rows<{ news_id: number; ads: Buffer }>(
    'select news_id, ads from share_news where node_id = $1 order by news_id limit 1000',
    [nodeId],
  )
}

export function insertNews(db: Db, nodeIds: number[], ads: Buffer[]) {
  return db.run('insert into share_news (node_id, ads) select * from unnest($1::integer[], $2::bytea[])', [
    nodeIds,
    ads,
  ])
}

/** Nodes whose last ad has run out: nothing is theirs any more. */
export async function endDeadNodes(tx: Db): Promise<number[]> {
  const rows = await tx.rows<{ node_id: number }>(
    `update node set gone = true, epoch = epoch + 1 where node_id in (
       select node_id from node where not gone and ads_until < clock_timestamp() for update skip locked
     ) returning node_id`,
  )
  return rows.map(row => row.node_id)
}

/** Their unbilled grants go back to the budgets. Returns the number of shares. */
export function returnShares(tx: Db, nodeIds: number[]) {
  return tx.run(
    `with keys as materialized (
       select distinct day, cid from share where node_id = any($1::integer[]) and granted_micros > billed_micros
     ),
     budgets as materialized (
       select b.day, b.cid from keys k join budget b on b.day = k.day and b.cid = k.cid
       order by b.day, b.cid for update of b
     ),
     shares as materialized (
       select s.day, s.cid, s.node_id, s.granted_micros - s.billed_micros as rest
       from budgets b join share s on s.day = b.day and s.cid = b.cid and s.node_id = any($1::integer[])
       order by s.day, s.cid, s.node_id for update of s
     ),
     into_budget as (
       update budget b set granted_micros = b.granted_micros - r.rest
       from (select day, cid, sum(rest) as rest from shares group by day, cid) r where b.day = r.day and b.cid = r.cid
     )
     update share s set granted_micros = s.billed_micros, reserved_micros = 0, rate_micros = 0
     from shares r where s.day = r.day and s.cid = r.cid and s.node_id = r.node_id`,
    [nodeIds],
  )
}

/** Days before this one are only in the statistics from now on. */
export async function sweepShares(db: Db, beforeDay: number): Promise<void> {
  await db.run('delete from share where day < $1', [beforeDay])
  await db.run('delete from budget where day < $1', [beforeDay])
  await db.run('delete from cap_day where day < $1', [beforeDay])
  await db.run(`delete from share_news n using node where node.node_id = n.node_id and node.gone`)
  await db.run(
    `delete from node n where gone and node_id > 0 and not exists (select from share s where s.node_id = n.node_id)
       and ads_until < clock_timestamp() - interval '8 days'`,
  )
}

/**
 * Takes up a duty, or keeps it: nobody else may have it for `ms`. True: it is this node's.
 * A duty is free when the time of its holder is over, never before.
 */
export async function holdDuty(db: Db, name: string, node: NodeRef, ms: number): Promise<boolean> {
  const held = await db.run(
    `insert into duty (name, node_id, until)
     select $1, node_id, clock_timestamp() + $4 * interval '1 ms' from node
     where node_id = $2 and epoch = $3 and not gone
     on conflict (name) do update set node_id = excluded.node_id,
       until = case when duty.node_id = excluded.node_id then greatest(duty.until, excluded.until) else excluded.until end
     where duty.node_id = excluded.node_id or duty.until < clock_timestamp()`,
    [name, node.nodeId, node.epoch, ms],
  )
  return held === 1
}

/** The duty is done by all together, for `ms`; node 0 stands for that. */
export async function holdSharedDuty(db: Db, name: string, ms: number): Promise<boolean> {
  const held = await db.run(
    `insert into duty (name, node_id, until) values ($1, 0, clock_timestamp() + $2 * interval '1 ms')
     on conflict (name) do update set node_id = 0,
       until = case when duty.node_id = 0 then greatest(duty.until, excluded.until) else excluded.until end
     where duty.node_id = 0 or duty.until < clock_timestamp()`,
    [name, ms],
  )
  return held === 1
}

/** Takes up a duty that is free, even of this node, or that all do together. */
export async function claimDuty(db: Db, name: string, nodeId: number, ms: number): Promise<boolean> {
  const held = await db.run(
    `insert into duty (name, node_id, until) values ($1, $2, clock_timestamp() + $3 * interval '1 ms')
     on conflict (name) do update set node_id = excluded.node_id, until = excluded.until
     where duty.until < clock_timestamp() or duty.node_id = 0`,
    [name, nodeId, ms],
  )
  return held === 1
}

/** Nodes whose last ad may not have run out yet. */
export function selectNodes(db: Db) {
  return db.rows<{ node_id: number; is_live: boolean; ads_until: Date }>(
    `select node_id, valid_until > clock_timestamp() as is_live, ads_until from node
     where not gone and node_id > 0 and ads_until > clock_timestamp() order by node_id limit 1000`,
  )
}

/** A node that ends by itself, and whose last ad of that duty runs out in `ms`. */
export function endDuty(db: Db, name: string, node: NodeRef, ms: number) {
  return db.run(
    `update duty set until = clock_timestamp() + $3 * interval '1 ms' where name = $1 and node_id = $2`,
    [name, node.nodeId, ms],
  )
}
