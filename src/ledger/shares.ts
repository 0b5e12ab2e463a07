// Shares of budgets as the database keeps them: what a node asks for and what it gets. The statements are in
// money-queries.ts and node-queries.ts; the simulated day has the same in memory.

import type { Database, Db } from '../platform/database.ts'
import { moveShares, openShares, returnShares } from './money-queries.ts'
import {
  claimDuty,
  endDeadNode,
  endDuty,
  endNode,
  holdDuty,
  holdSharedDuty,
  insertNews,
  lockDeadNode,
  renewNode,
  selectNodes,
  takeNews,
} from './node-queries.ts'

export { sweepShares } from './node-queries.ts'

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
  /** At most `MOST_ASKS` of them: the locks of one statement are held until it is done. */
  move(node: NodeRef, asks: readonly Ask[]): Promise<Grant[]>
  /** News for this node. `read` need not be sent again. */
  news(node: NodeRef, read: readonly number[]): Promise<News[]>
  tell(nodeIds: number[], ads: Buffer[]): Promise<void>
  /** Returns what dead nodes leave, a few thousand shares at a time: which are gone now, and whether all are. */
  reclaim(): Promise<{ gone: number[]; isDone: boolean }>
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
/** Shares per statement. */
export const MOST_ASKS = 1_000
const RECLAIM_PARTS = 5
/**
 * Settings of the sessions in which shares are moved: rows are found by their keys, each plan is made for as many asks
 * as there are, and no statement is worth compiling. So no plan goes wrong on a new day, or before tables are analysed.
 */
export const BY_KEYS = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_custom_plan',
  jit: 'off',
}

export function createShareStore(db: Database, maxTtlMs: number): ShareStore & SharedDuties {
  const adsMs = maxTtlMs + SLACK_MS

  /** A part of what one dead node leaves. The last part ends it. */
  async function returnPart(tx: Db): Promise<'nothing' | 'a part' | number> {
    const nodeId = await lockDeadNode(tx)
    if (nodeId === null) return 'nothing'
    if ((await returnShares(tx, nodeId, MOST_ASKS)) === MOST_ASKS) return 'a part'
    await endDeadNode(tx, nodeId)
    return nodeId
  }

  return {
    async renew(node) {
      return (await renewNode(db, node, VALID_MS, adsMs))?.nodes ?? null
    },
    async move(node, asks) {
      const fresh = asks.filter(ask => ask.isNew)
      if (fresh.length > 0)
        await openShares(
          db,
          node.nodeId,
          fresh.map(ask => ask.cid),
          fresh.map(ask => ask.dayKey),
        )
      return moveShares(db, node, asks)
    },
    async news(node, read) {
      return (await takeNews(db, node.nodeId, read)).map(row => ({ newsId: row.news_id, ads: row.ads }))
    },
    async tell(nodeIds, ads) {
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
