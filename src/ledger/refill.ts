// Rounds with the database, about once per second: this node is renewed, learns what others did with its ads, and asks
// for what it will need. A node that cannot renew promises nothing once its time is over, by the monotonic clock and
// counted from before it asked. Each change of its state is one line in the log.

import type { Log } from '../platform/log.ts'
import { createCapsRebuild, type SharedTurns } from './caps-rebuild.ts'
import type { Ledger, NodeGate } from './ledger.ts'
import { type AdNews, readNews } from './news.ts'
import { CAPS_DUTY, type NodeRef, type ShareStore, VALID_MS } from './shares.ts'

export interface RefillOptions {
  store: ShareStore
  node: NodeRef
  log: Pick<Log, 'info' | 'warn' | 'error'>
  nowMs: () => number
  /** Milliseconds of the monotonic clock. */
  steadyMs: () => number
  /** The longest that an ad may be promised for. */
  maxTtlMs: number
  /** Caps are kept in a shared store, for all nodes. */
  turns?: SharedTurns | null
  /** Another process is this node now, or it was given up: the end of this one. */
  onReplaced: () => void
}

export interface Refill extends NodeGate {
  node: NodeRef
  /** One round; failures are retried in the next. */
  round(ledger: Ledger): Promise<void>
  /** Rounds from now on. */
  start(ledger: Ledger): void
  /** A whole round from now on; failures are only logged. */
  sync(): Promise<void>
  /** How it stands, in words for people. */
  state(): 'promising' | 'cut off' | 'replaced'
  nodes(): number
  /** How long it may promise without hearing from the database. */
  validMs(): number
  holdsCaps(): boolean
  /** What the store of caps waits for since it was emptied, in words; null: nothing. */
  capsWaitFor(): string | null
  /** Promises nothing more and gives nothing back: the database may not be the one that granted it. */
  disown(): void
  stop(): Promise<void>
}

const ROUND_MS = 1_000
/** A node without ads looks so seldom whether there is news of them. */
const QUIET_NEWS_ROUNDS = 10
/** How long a campaign that runs dry waits for others that do. */
const HURRY_MS = 20
const RECLAIM_ROUNDS = 10
/** The longest ad with a cap is tracked over this many rounds: as long as any may last. */
const MEMORY_ROUNDS = 3_600

export function createRefill(options: RefillOptions): Refill {
  const { store, node, log, nowMs, steadyMs, maxTtlMs } = options
  let validUntilMs = Number.NEGATIVE_INFINITY
  let capsUntilMs = Number.NEGATIVE_INFINITY
  let state: 'promising' | 'cut off' | 'replaced' = 'cut off'
  let wasEver = false
  let nodes = 1
  let rounds = 0
  /** Ads with a cap may be promised for this long: the time for which the duty is held. */
  let cappedTtlMs = 0
  let longestTtlMs = maxTtlMs
  let longestSeenMs = 0
  /** A campaign with a cap was to be served since the duty was last held. */
  let capsWereAsked = false
  let read: number[] = []
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let hurryTimer: NodeJS.Timeout | null = null
  let isStopped = false
  let isHurried = false
  let goAround = () => {}
  const rebuild = options.turns && createCapsRebuild(options.turns, node, log, steadyMs)

  function note(now: typeof state): void {
    if (state === now) return
    state = now
    const about = { node: node.nodeId, epoch: node.epoch }
    if (now === 'cut off')
      log.warn(about, 'the database does not answer: no more ads are promised until it does')
    else if (now === 'replaced')
      log.error(about, 'another process has taken this one’s place: no more ads are promised')
    else log.info(about, wasEver ? 'the database answers again: ads are promised' : 'ads are promised')
    wasEver ||= now === 'promising'
  }

  async function renew(): Promise<boolean> {
    const startMs = steadyMs()
    const count = await store.renew(node)
    if (count === null) {
      validUntilMs = Number.NEGATIVE_INFINITY
      note('replaced')
      options.onReplaced()
      return false
    }
    nodes = count
    validUntilMs = startMs + VALID_MS
    note('promising')
    return true
  }

  async function holdCaps(): Promise<void> {
    const startMs = steadyMs()
    if (rounds % MEMORY_ROUNDS === MEMORY_ROUNDS - 1) {
      longestTtlMs = longestSeenMs
      longestSeenMs = 0
    }
    const ttlMs = Math.max(longestTtlMs, longestSeenMs)
    const did = steadyMs() < capsUntilMs
    // While nobody asks, a duty of our own is good for half of its time.
    const isQuiet = !capsWereAsked && !options.turns && ttlMs === cappedTtlMs
    if (isQuiet && startMs < capsUntilMs - VALID_MS / 2) return
    capsWereAsked = false
    const does = options.turns
      ? await shareCaps(options.turns, ttlMs)
      : await store.hold(CAPS_DUTY, node, ttlMs)
    if (does) {
      cappedTtlMs = ttlMs
      capsUntilMs = startMs + VALID_MS
    } else capsUntilMs = Number.NEGATIVE_INFINITY
    if (does && !did) log.info({ node: node.nodeId }, 'this process serves the campaigns that have a cap')
    if (did && !does)
      log.info({ node: node.nodeId }, 'this process does not serve the campaigns that have a cap')
  }

  /** A server that does not know what was seen and what is open (a new or emptied one) is told. */
  async function shareCaps({ duties, store: turns }: SharedTurns, ttlMs: number): Promise<boolean> {
    const isComplete = await turns.isComplete().catch(() => null)
    if (isComplete === false) rebuild!.advance()
    if (!isComplete) return false
    rebuild!.over()
    return duties.holdShared(CAPS_DUTY, ttlMs)
  }

  async function hear(ledger: Ledger): Promise<void> {
    const news = await store.news(node, read)
    const done = new Set(read)
    read = news.map(one => one.newsId)
    for (const { newsId, ads } of news)
      if (!done.has(newsId)) for (const ad of readNews(ads)) tell(ledger, ad)
  }

  async function round(ledger: Ledger): Promise<void> {
    try {
      if (state === 'replaced' || !(await renew())) return
      await holdCaps()
      if (ledger.size() > 0 || read.length > 0 || rounds % QUIET_NEWS_ROUNDS === 0) await hear(ledger)
      const asks = ledger.asks(nowMs())
      if (asks.length > 0) ledger.granted(await store.move(node, asks), nodes, nowMs())
      if (rounds++ % RECLAIM_ROUNDS === 0) await reclaim()
    } finally {
      if (state === 'promising' && steadyMs() >= validUntilMs) note('cut off')
    }
  }

  async function reclaim(): Promise<void> {
    const gone = await store.reclaim()
    if (gone.length > 0)
      log.info({ nodes: gone }, 'the unused shares of dead processes have gone back to the budgets')
  }

  return {
    node,
    round,
    mayPromise: () => steadyMs() < validUntilMs,
    mayCap(ttlMs) {
      capsWereAsked = true
      if (ttlMs > longestSeenMs) longestSeenMs = ttlMs
      return ttlMs <= cappedTtlMs && steadyMs() < capsUntilMs
    },
    hurry() {
      isHurried = true
      if (running === null) hurryTimer ??= setTimeout(() => goAround(), HURRY_MS)
    },
    start(ledger) {
      goAround = () => {
        hurryTimer = null
        if (running || isStopped) return
        isHurried = false
        running = round(ledger)
          .catch(error => log.warn({ err: error }, 'shares of budgets cannot be renewed; retrying'))
          .finally(() => {
            running = null
            if (isHurried && !isStopped) hurryTimer ??= setTimeout(goAround, HURRY_MS)
          })
      }
      timer = setInterval(goAround, ROUND_MS)
      timer.unref()
    },
    async sync() {
      while (running) await running
      goAround()
      await running
    },
    state: () => state,
    nodes: () => nodes,
    validMs: () => Math.max(0, validUntilMs - steadyMs()),
    holdsCaps: () => steadyMs() < capsUntilMs,
    capsWaitFor: () => rebuild?.waitsFor() ?? null,
    disown() {
      state = 'replaced'
      validUntilMs = Number.NEGATIVE_INFINITY
    },
    async stop() {
      isStopped = true
      if (timer) clearInterval(timer)
      if (hurryTimer) clearTimeout(hurryTimer)
      await running
      await rebuild?.stop()
      validUntilMs = Number.NEGATIVE_INFINITY
    },
  }
}

function tell(ledger: Ledger, ad: AdNews): void {
  if (ad.end === 'billed') ledger.heardBilled(ad.adId, ad.chargeMicros)
  else ledger.release(ad.adId)
}

/** The node ends by itself: money that no ad holds goes back, and others know when its last ad expires. */
export async function giveBack(
  refill: Refill,
  store: ShareStore,
  ledger: Ledger,
  nowMs: number,
): Promise<void> {
  if (refill.state() === 'replaced') return
  ledger.expire(nowMs)
  // The answers tell what was really billed; there may be a little more to give back then.
  for (let turn = 0; turn < 2; turn++) {
    const asks = ledger.leave(nowMs)
    if (asks.length > 0) ledger.granted(await store.move(refill.node, asks), refill.nodes(), nowMs)
  }
  const { untilMs, cappedUntilMs } = ledger.lastAds()
  await store.end(refill.node, Math.max(0, untilMs - nowMs), Math.max(0, cappedUntilMs - nowMs))
}
