// SQL for nodes: who they are, until when they are valid, the news for them, and their duties. The SQL for their money
// is in money-queries.ts.

import type { Db } from '../../platform/database.ts'
import type { NodeRef } from './share.ts'
import { sweepWants } from './want-queries.ts'

export function insertNode(db: Db, name: string, validMs: number, adsMs: number) {
  return db.row<{ node_id: number; epoch: number }>(
    `insert into node (name, valid_until, ads_until) values ($1, clock_timestamp() + $2 * interval '1 ms',
       clock_timestamp() + ($2 + $3) * interval '1 ms') returning node_id, epoch`,
    [name, validMs, adsMs],
  )
}

/** The same node in a new process, which replaces the former one. Null: it is gone, or not in this database. */
export function resumeNode(db: Db, nodeId: number, name: string, validMs: number, adsMs: number) {
  return db.row<{ node_id: number; epoch: number }>(
    `update node set epoch = epoch + 1, valid_until = clock_timestamp() + $3 * interval '1 ms',
       ads_until = greatest(ads_until, clock_timestamp() + ($3 + $4) * interval '1 ms')
     where node_id = $1 and name = $2 and not gone returning node_id, epoch`,
    [nodeId, name, validMs, adsMs],
  )
}

/**
 * Inserts a node that this database does not know, because it went back in time. The node keeps its number, which is in
 * the links of its ads. Null: another node has that number by now.
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

/** Makes the node valid for longer; null: it was replaced or is gone. `nodes`: all valid nodes, including this one. */
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

/** Whether a process is this node now, on whatever machine. */
export async function isNodeValid(db: Db, nodeId: number, name: string): Promise<boolean> {
  const row = await db.row(
    'select from node where node_id = $1 and name = $2 and valid_until > clock_timestamp()',
    [nodeId, name],
  )
  return row !== null
}

/** A node stops by itself: its last ad expires in `adsMs`. */
export function endNode(db: Db, node: NodeRef, adsMs: number) {
  return db.run(
    `update node set valid_until = clock_timestamp(), ads_until = clock_timestamp() + $3 * interval '1 ms'
     where node_id = $1 and epoch = $2 and not gone`,
    [node.nodeId, node.epoch, adsMs],
  )
}

/** What this node was granted on these days, read when it starts again. */
export function selectShares(db: Db, nodeId: number, days: number[]) {
  return db.rows<{ cid: number; payer: number; day: number; granted_micros: number; billed_micros: number }>(
    `select cid, fid as payer, day, granted_micros, billed_micros from share
     where node_id = $1 and day = any($2::integer[]) and granted_micros > 0`,
    [nodeId, days],
  )
}

/** Returns the news for this node, and deletes what it reports as read. */
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

/** Finds and locks a node whose last ad has expired, and which no other process is ending. */
export async function lockDeadNode(tx: Db): Promise<number | null> {
  const row = await tx.row<{ node_id: number }>(
    `select node_id from node where not gone and ads_until < clock_timestamp()
     order by node_id limit 1 for update skip locked`,
  )
  return row?.node_id ?? null
}

/** It owns nothing any more, and cannot come back. */
export function endDeadNode(tx: Db, nodeId: number) {
  return tx.run('update node set gone = true, epoch = epoch + 1 where node_id = $1', [nodeId])
}

/** Removes what is kept for days before this one: from now on they are only in the statistics. */
export async function sweepShares(db: Db, beforeDay: number): Promise<void> {
  await db.run('select close_days($1)', [beforeDay])
  await sweepWants(db)
  await db.run('delete from cap_day where day < $1', [beforeDay])
  await db.run(`delete from share_news n using node where node.node_id = n.node_id and node.gone`)
  await db.run(
    `delete from node n where gone and node_id > 0 and not exists (select from share s where s.node_id = n.node_id)
       and ads_until < clock_timestamp() - interval '8 days'`,
  )
}

/** Takes or renews a duty, so that no other node has it for `ms`. True: this node has it. A lease never ends early. */
export async function leaseDuty(db: Db, name: string, node: NodeRef, ms: number): Promise<boolean> {
  const leased = await db.run(
    `insert into duty (name, node_id, until)
     select $1, node_id, clock_timestamp() + $4 * interval '1 ms' from node
     where node_id = $2 and epoch = $3 and not gone
     on conflict (name) do update set node_id = excluded.node_id,
       until = case when duty.node_id = excluded.node_id then greatest(duty.until, excluded.until) else excluded.until end
     where duty.node_id = excluded.node_id or duty.until < clock_timestamp()`,
    [name, node.nodeId, node.epoch, ms],
  )
  return leased === 1
}

/** Leases the duty to all nodes together for `ms`, which is written as node 0. */
export async function leaseSharedDuty(db: Db, name: string, ms: number): Promise<boolean> {
  const leased = await db.run(
    `insert into duty (name, node_id, until) values ($1, 0, clock_timestamp() + $2 * interval '1 ms')
     on conflict (name) do update set node_id = 0,
       until = case when duty.node_id = 0 then greatest(duty.until, excluded.until) else excluded.until end
     where duty.node_id = 0 or duty.until < clock_timestamp()`,
    [name, ms],
  )
  return leased === 1
}

/** Takes a duty whose lease is over, even if it was this node's, or that all nodes do together. */
export async function claimDuty(db: Db, name: string, nodeId: number, ms: number): Promise<boolean> {
  const leased = await db.run(
    `insert into duty (name, node_id, until) values ($1, $2, clock_timestamp() + $3 * interval '1 ms')
     on conflict (name) do update set node_id = excluded.node_id, until = excluded.until
     where duty.until < clock_timestamp() or duty.node_id = 0`,
    [name, nodeId, ms],
  )
  return leased === 1
}

/** A node stops by itself; its last ad under that duty expires in `ms`. */
export function endDuty(db: Db, name: string, node: NodeRef, ms: number) {
  return db.run(
    `update duty set until = clock_timestamp() + $3 * interval '1 ms' where name = $1 and node_id = $2`,
    [name, node.nodeId, ms],
  )
}

/** Nodes whose last ad may not have expired yet. */
export function selectNodes(db: Db) {
  return db.rows<{ node_id: number; is_live: boolean; ads_until: Date }>(
    `select node_id, valid_until > clock_timestamp() as is_live, ads_until from node
     where not gone and node_id > 0 and ads_until > clock_timestamp() order by node_id limit 1000`,
  )
}
