// The types of shares: nodes, what they ask the database for, what it grants them, and the store between the two. Also
// how long a node may promise ads without hearing from the database.

/** A process that delivers. Its replacement has a higher epoch. */
export interface NodeRef {
  nodeId: number
  epoch: number
}

/** What a node wants of one budget, and what it reports to the others. */
export interface Ask {
  cid: number
  /** The flight whose total pays; 0: the campaign alone does. */
  payer: number
  dayKey: number
  /** How much is to be granted in all: absolute, so that an ask whose answer was lost may be repeated. */
  targetMicros: number
  /** Less than this more is of no use: it does not make up one impression. */
  leastMicros: number
  reservedMicros: number
  /** Fitting requests per minute, in money: here and recently, and of all nodes over about a day (0: not known yet). */
  rateMicros: number
  meanMicros: number
  /** Money that ads no longer hold, billed or not, since the last report. */
  endedMicros: number
  line: Line | null
  /** Not asked before. */
  isNew: boolean
  /** It is known to draw from pools above its day: a life or a balance. */
  isPooled?: boolean
  /** When it asks, by its own clock, which decides the flight; none: it gives back. */
  atMs?: number
}

/** The even line of a day leads from here to its whole budget at its end. */
export interface Line {
  fromMs: number
  spentMicros: number
}

/** The limits that a campaign can reach: of its day, of its life, of its customer's balance. */
export type SpentBy = 'day' | 'total' | 'balance'

/** What the other nodes reported, those included that are away and may come back. */
export interface OtherNodes {
  reservedMicros: number
  /** Of all together; it fades with the time that a node is away. */
  rateMicros: number
  /** What is known of the mean of all, and which part of what ads hold is billed (0: not known): by anybody today. */
  meanMicros: number
  yieldRatio: number
  /** Money whose end is known, which the yield is taken from. */
  endedMicros: number
}

export interface Grant {
  cid: number
  payer: number
  dayKey: number
  grantedMicros: number
  billedMicros: number
  /**
   * The rest that no node has, of the budget or of a pool above it, whichever is less: negative when that was lowered
   * below its grants.
   */
  poolMicros: number
  /** Which of them that is. */
  shortOf: SpentBy
  /** What the life of the campaign has for this day and those after it; null: its life has no limit. */
  lifeMicros: number | null
  /** The same of the flight that pays, and what of it this day has spent; null: none does. */
  flight: { lifeMicros: number; billedMicros: number; othersReservedMicros: number } | null
  /** Of all nodes, and of all flights. */
  allBilledMicros: number
  /** The latest report of any node; null: there is none. */
  line: Line | null
  others: OtherNodes
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
  sendNews(nodeIds: number[], ads: Buffer[]): Promise<void>
  /** Returns what dead nodes leave, a few thousand shares at a time: which are gone now, and whether all are. */
  reclaim(): Promise<{ gone: number[]; isDone: boolean }>
  /** Whether the duty is this node's, for the time its ads may last. */
  lease(duty: string, node: NodeRef, adsMs: number): Promise<boolean>
  /** The node ends by itself; its last ad, and the last one of its duty, expire after these times. */
  end(node: NodeRef, adsMs: number, dutyMs: number): Promise<void>
}

/** Duties that all nodes do together. */
export interface SharedDuties {
  /** Whether it is theirs, for the time their ads may last. */
  leaseShared(duty: string, adsMs: number): Promise<boolean>
  /** Whether no node has had the duty for the lifetime of its ads, or all share it; then it is this node's for `ms`. */
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
/** Shares per statement: a few hundred, so that many nodes and days that begin do not wait for each other. */
export const MOST_ASKS = 300
/** Of shares that draw from pools: campaigns of one balance wait for each other. */
export const MOST_POOLED_ASKS = 200
