// Shares of budgets as the database keeps them: what a node asks for and what it gets. The statements are in
// share-queries.ts; the simulated day has the same in memory.

import type { Database } from '../platform/database.ts'
import {
  claimDuty,
  endDeadNodes,
  endDuty,
  endNode,
  holdDuty,
  holdSharedDuty,
  insertNews,
  moveShares,
  openShares,
  renewNode,
  returnShares,
  selectNodes,
  takeNews,
} from './share-queries.ts'

export { sweepShares } from './share-queries.ts'

/** A process that delivers. Its replacement has a higher epoch. */
export interface NodeRef {
  nodeId: number
  epoch: number
}

/** What a node wants of one budget, and what it reports to the others. */
export interface Ask {
  cid: number
  dayKey: number
  /** How much is to be granted in all: absolute, so that an ask whose answer was lost may be repeated. */
  targetMicros: number
  /** Less than this more is of no use: it does not make up one impression. */
  leastMicros: number
  reservedMicros: number
  /** Fitting requests per minute, in money: here and recently, and of all nodes over about a day. */
  rateMicros: number
  meanMicros: number
  /** Money that ads no longer hold, billed or not, since the last report. */
  endedMicros: number
  line: Line | null
  /** Not asked before. */
  isNew: boolean
}

/** The even line of a day leads from here to its whole budget at its end. */
export interface Line {
  fromMs: number
  spentMicros: number
}

/** What the other nodes told, those included that are away and may come back. */
export interface OthersView {
  reservedMicros: number
  /** Of all together; it fades with the time that a node is away. */
  rateMicros: number
  /** What is known of the mean of all, and which part of what ads hold is billed (0: not known): by anybody today. */
  meanMicros: number
  yieldShare: number
  /** Money whose end is known, which the yield is taken from. */
  endedMicros: number
}

export interface Grant {
  cid: number
  dayKey: number
  grantedMicros: number
  billedMicros: number
  /** The rest that no node has: negative when the budget was lowered below its grants. */
  poolMicros: number
  /** Of all nodes. */
  allBilledMicros: number
  /** The latest report of any node; null: there is none. */
  line: Line | null
  others: OthersView
}

export interface News {
  newsId: number
  ads: Buffer
}

export interface ShareStore {
  /** How many nodes there are; null: this one was replaced, or is gone. */
  renew(node: NodeRef): Promise<number | null>
  move(node: NodeRef, asks: readonly Ask[]): Promise<Grant[]>
  /** News for this node. `read` need not be sent again. */
  news(node: NodeRef, read: readonly number[]): Promise<News[]>
  tell(nodeIds: number[], ads: Buffer[]): Promise<void>
  /** Returns what dead nodes leave; their ids. */
  reclaim(): Promise<number[]>
  /** Whether the duty is this node's, for the time its ads may last. */
  hold(duty: string, node: NodeRef, adsMs: number): Promise<boolean>
  /** The node ends by itself; its last ad, and the last one of its duty, expire after these times. */
  end(node: NodeRef, adsMs: number, dutyMs: number): Promise<void>
}

/** Duties that all nodes do together. */
export interface SharedDuties {
  /** Whether it is theirs, for the time their ads may last. */
  holdShared(duty: string, adsMs: number): Promise<boolean>
  /** Whether nobody has had the duty for as long as its ads last, or all share it; then it is this node's for `ms`. */
  claim(duty: string, node: NodeRef, ms: number): Promise<boolean>
  /** What was claimed is free. */
  release(duty: string, node: NodeRef): Promise<void>
  /** Nodes that may have open ads, by the longest that an ad lasts. */
  nodes(): Promise<NodeLife[]>
}

export interface NodeLife {
  nodeId: number
  isLive: boolean
  adsUntil: Date
}

/** How long a node may promise without hearing from the database. */
export const VALID_MS = 10_000
/** Clocks of nodes and of the database differ by less, and notices take less long to be written. */
export const SLACK_MS = 30_000
export const CAPS_DUTY = 'caps'
/** Shares per statement: the locks of one are held until it is done. */
const MOST_ASKS = 2_000

export function createShareStore(db: Database, maxTtlMs: number): ShareStore & SharedDuties {
  const adsMs = maxTtlMs + SLACK_MS
  return {
    async renew(node) {
      return (await renewNode(db, node, VALID_MS, adsMs))?.nodes ?? null
    },
    async move(node, asks) {
      const grants: Grant[] = []
      for (let at = 0; at < asks.length; at += MOST_ASKS) {
        const some = asks.slice(at, at + MOST_ASKS)
        const fresh = some.filter(ask => ask.isNew)
        if (fresh.length > 0)
          await openShares(
            db,
            node.nodeId,
            fresh.map(ask => ask.cid),
            fresh.map(ask => ask.dayKey),
          )
        grants.push(...(await moveShares(db, node, some)))
      }
      return grants
    },
    async news(node, read) {
      return (await takeNews(db, node.nodeId, read)).map(row => ({ newsId: row.news_id, ads: row.ads }))
    },
    async tell(nodeIds, ads) {
      await insertNews(db, nodeIds, ads)
    },
    reclaim: () =>
      db.transaction(async tx => {
        const nodeIds = await endDeadNodes(tx)
        if (nodeIds.length > 0) await returnShares(tx, nodeIds)
        return nodeIds
      }),
    hold: (duty, node, ms) => holdDuty(db, duty, node, VALID_MS + ms),
    holdShared: (duty, ms) => holdSharedDuty(db, duty, VALID_MS + ms),
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
