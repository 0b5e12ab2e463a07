// The share store on PostgreSQL: what a node asks for and what it gets. The statements are in money-queries.ts and
// node-queries.ts; simulated days have the same store in memory.

import type { Database, Db } from '../../platform/database.ts'
import { grantFirst, lockPoolsOf, movePooled, moveShares, openShares, returnShares } from './money-queries.ts'
import {
  claimDuty,
  endDeadNode,
  endDuty,
  endNode,
  insertNews,
  leaseDuty,
  leaseSharedDuty,
  lockDeadNode,
  renewNode,
  selectNodes,
  takeNews,
} from './node-queries.ts'
import {
  type Ask,
  CAPS_DUTY,
  type Grant,
  MOST_POOLED_ASKS,
  type NodeRef,
  type SharedDuties,
  type ShareStore,
  SLACK_MS,
  VALID_MS,
} from './share.ts'
import { insertWants, takeWanted } from './want-queries.ts'

export { sweepShares } from './node-queries.ts'

const RECLAIM_PARTS = 5
export const MOST_RETURNED = 1_000
/**
 * Settings of the sessions in which shares are moved: rows are found by their keys, each plan is made for the actual
 * number of asks, and nothing is compiled. So no plan goes wrong on a new day or before tables are analysed.
 */
export const BY_KEYS = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_custom_plan',
  jit: 'off',
}

const keyOf = ({ cid, payer, dayKey }: Pick<Ask, 'cid' | 'payer' | 'dayKey'>) => `${dayKey} ${cid} ${payer}`

export function createShareStore(db: Database, maxTtlMs: number): ShareStore & SharedDuties {
  const adsMs = maxTtlMs + SLACK_MS

  /** Returns a part of what a dead node left. The last part ends the node. */
  async function returnPart(tx: Db): Promise<'nothing' | 'a part' | number> {
    const nodeId = await lockDeadNode(tx)
    if (nodeId === null) return 'nothing'
    await lockPoolsOf(tx, nodeId)
    if ((await returnShares(tx, nodeId, MOST_RETURNED)) === MOST_RETURNED) return 'a part'
    await endDeadNode(tx, nodeId)
    return nodeId
  }

  async function movePlain(node: NodeRef, asks: readonly Ask[]): Promise<Grant[]> {
    const fresh = asks.filter(ask => ask.isNew)
    const first = fresh.length > 0 ? await grantFirst(db, node, fresh) : []
    if (first.length === asks.length) return first
    const made = new Set(first.map(keyOf))
    const others = asks.filter(ask => !made.has(keyOf(ask)))
    const unmade = others.filter(ask => ask.isNew)
    if (unmade.length > 0)
      await openShares(
        db,
        node.nodeId,
        unmade.map(ask => ask.cid),
        unmade.map(ask => ask.dayKey),
      )
    return [...first, ...(await moveShares(db, node, others))]
  }

  return {
    async renew(node) {
      return (await renewNode(db, node, VALID_MS, adsMs))?.nodes ?? null
    },
    async move(node, asks) {
      const plain = asks.filter(ask => !ask.isPooled && ask.payer === 0)
      const grants = plain.length > 0 ? await movePlain(node, plain) : []
      // These include asks that were not known to draw from pools.
      const made = new Set(grants.map(keyOf))
      const pooled = asks.filter(ask => !made.has(keyOf(ask)))
      for (let at = 0; at < pooled.length; at += MOST_POOLED_ASKS)
        grants.push(...(await movePooled(db, node, pooled.slice(at, at + MOST_POOLED_ASKS))))
      return grants
    },
    async want(node, wants) {
      await insertWants(db, node.nodeId, wants)
    },
    wanted: node => takeWanted(db, node.nodeId),
    async news(node, read) {
      return (await takeNews(db, node.nodeId, read)).map(row => ({ newsId: row.news_id, ads: row.ads }))
    },
    async sendNews(nodeIds, ads) {
      await insertNews(db, nodeIds, ads)
    },
    async reclaim() {
      const gone: number[] = []
      for (let part = 0; part < RECLAIM_PARTS; part++) {
        const returned = await db.transaction(returnPart)
        if (returned === 'nothing') return { gone, isDone: true }
        if (returned !== 'a part') gone.push(returned)
      }
      return { gone, isDone: false }
    },
    lease: (duty, node, ms) => leaseDuty(db, duty, node, VALID_MS + ms),
    leaseShared: (duty, ms) => leaseSharedDuty(db, duty, VALID_MS + ms),
    claim: (duty, node, ms) => claimDuty(db, duty, node.nodeId, ms),
    async release(duty, node) {
      await endDuty(db, duty, node, -1)
    },
    async nodes() {
      const rows = await selectNodes(db)
      return rows.map(row => ({ nodeId: row.node_id, isLive: row.is_live, adsUntil: row.ads_until }))
    },
    async end(node, lastAdMs, dutyMs) {
      await endDuty(db, CAPS_DUTY, node, dutyMs)
      await endNode(db, node, lastAdMs + SLACK_MS)
    },
  }
}
