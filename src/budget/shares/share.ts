// The types of shares: nodes, what they ask the database for, what it grants them, and the store between the two. Also
// says how long a node may promise ads without hearing from the database.

/** A process that delivers. Its replacement has a higher epoch. */
export interface NodeRef {
  nodeId: number
  epoch: number
}

/** What a node wants from one budget, and what it reports to the others. */
export interface Ask {
  cid: number
  /** The flight whose total pays; 0: the campaign alone pays. */
  payer: number
  dayKey: number
  /** The total that should be granted; absolute, so that an ask whose answer was lost can be repeated. */
  targetMicros: number
  /** A smaller increase is useless: it is not enough for one impression. */
  leastMicros: number
  reservedMicros: number
  /** Money for fitting requests per minute: here and recently, and at all nodes over about a day (0: not known yet). */
  rateMicros: number
  meanMicros: number
  /** Reservations that have ended since the last report, billed or not. */
  endedMicros: number
  line: Line | null
  /** The node has not asked for it before. */
  isNew: boolean
  /** It is known to draw from pools above its day: a total, a month or a balance. */
  isPooled?: boolean
  /** The time of the ask by the node's clock, which decides the flight; missing when it gives back. */
  atMs?: number
}

/** The even line of a day leads from this point to the whole budget at the end of the day. */
export interface Line {
  fromMs: number
  spentMicros: number
}

/** The limits that a campaign can reach: its daily or monthly budget, a total, its customer's balance. */
export type SpentBy = 'day' | 'month' | 'total' | 'balance'

/** What the other nodes reported, including those that are away and may come back. */
export interface OtherNodes {
  reservedMicros: number
  /** The sum of all; a node's rate fades while it is away. */
  rateMicros: number
  /** The mean of all nodes as far as known, and which part of the money reserved today was billed (0: not known). */
  meanMicros: number
  yieldRatio: number
  /** Reservations that have ended, from which the yield is computed. */
  endedMicros: number
}

export interface Grant {
  cid: number
  payer: number
  dayKey: number
  grantedMicros: number
  billedMicros: number
  /**
   * What no node has of the budget or of a pool above it, whichever is less; negative if that was lowered below its
   * grants.
   */
  poolMicros: number
  /** Which limit `poolMicros` is the rest of. */
  shortOf: SpentBy
  /** What the campaign's total, and its month, have for this day and later ones; null: it has no such limit. */
  lifeMicros: number | null
  monthMicros: number | null
  /** The same for the paying flight, and what was billed and reserved of it on this day; null: no flight pays. */
  flight: { lifeMicros: number; billedMicros: number; othersReservedMicros: number } | null
  /** The sum over all nodes and all flights. */
  allBilledMicros: number
  /** The latest one that any node reported; null: there is none. */
  line: Line | null
  others: OtherNodes
}

export interface News {
  newsId: number
  ads: Buffer
}

/** Requests were refused for lack of money that no budget has left, but perhaps another node. */
export interface Want {
  cid: number
  dayKey: number
  /** Enough for one impression; null: not only the day's budget must have it. */
  leastMicros: number | null
}

/** `isBack`: what this node lacked is there again; otherwise another node lacks what this one holds. */
export interface Wanted {
  cid: number
  dayKey: number
  isBack: boolean
}

export interface ShareStore {
  /** Renews the node, and returns how many nodes there are; null: this one was replaced or is gone. */
  renew(node: NodeRef): Promise<number | null>
  /** At most `MOST_ASKS` asks: a statement holds its locks until it is done. */
  move(node: NodeRef, asks: readonly Ask[]): Promise<Grant[]>
  want(node: NodeRef, wants: readonly Want[]): Promise<void>
  wanted(node: NodeRef): Promise<Wanted[]>
  /** News for this node. Those in `read` are not sent again. */
  news(node: NodeRef, read: readonly number[]): Promise<News[]>
  sendNews(nodeIds: number[], ads: Buffer[]): Promise<void>
  /** Returns shares of dead nodes to the budgets, a few thousand at a time. `gone`: the nodes that are done. */
  reclaim(): Promise<{ gone: number[]; isDone: boolean }>
  /** Whether this node has the duty, for the time that its ads may last. */
  lease(duty: string, node: NodeRef, adsMs: number): Promise<boolean>
  /** The node stops by itself; its last ad, and the last one under its duty, expire after these times. */
  end(node: NodeRef, adsMs: number, dutyMs: number): Promise<void>
}

/** Duties that all nodes do together. */
export interface SharedDuties {
  /** Whether they have it, for the time that their ads may last. */
  leaseShared(duty: string, adsMs: number): Promise<boolean>
  /** Takes the duty for `ms` if its lease is over or all nodes share it. Returns whether it did. */
  claim(duty: string, node: NodeRef, ms: number): Promise<boolean>
  /** Ends a claim. */
  release(duty: string, node: NodeRef): Promise<void>
  /** Nodes that may have open ads, judged by the longest that an ad may last. */
  nodes(): Promise<NodeLife[]>
}

export interface NodeLife {
  nodeId: number
  isLive: boolean
  adsUntil: Date
}

/** How long a node may promise without hearing from the database. */
export const VALID_MS = 10_000
/** Clocks of nodes and of the database differ by less than this, and notices are written in less time. */
export const SLACK_MS = 30_000
export const CAPS_DUTY = 'caps'
/** Shares per statement: few enough that many nodes and beginning days do not wait for each other. */
export const MOST_ASKS = 300
/** The same for shares that draw from pools: campaigns with a common balance wait for each other. */
export const MOST_POOLED_ASKS = 200
