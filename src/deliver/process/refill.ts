// The node's rounds with the database, about once per second: the node renews itself, learns what others did with its
// ads, and asks for the shares it will need, in parts that succeed or fail separately. A campaign that has run dry does
// not wait for the round. A node that cannot renew stops promising 10 seconds after its last successful renewal began,
// by the monotonic clock. Each change of its state is one line in the log.

import type { Asks, Left, Waiting } from '../../budget/ledger/asks.ts'
import type { Ledger, NodeGate } from '../../budget/ledger/ledger-interface.ts'
import { type AdNews, readNews } from '../../budget/shares/news.ts'
import {
  type Ask,
  CAPS_DUTY,
  MOST_ASKS,
  type NodeRef,
  type ShareStore,
  VALID_MS,
} from '../../budget/shares/share.ts'
import type { Rounds } from '../../kernel/time/clock.ts'
import type { Log } from '../../platform/log.ts'
import { createTrouble } from '../../platform/trouble.ts'
import { within } from '../../platform/within.ts'
import { createCapsRebuild, type SharedCaps } from './caps-rebuild.ts'

export interface RefillOptions {
  store: ShareStore
  node: NodeRef
  log: Pick<Log, 'info' | 'warn' | 'error'>
  nowMs: () => number
  /** Milliseconds of the monotonic clock. */
  steadyMs: () => number
  /** If the clock is moved, the mover runs the rounds. */
  rounds?: Rounds | undefined
  /** The longest time for which an ad may be promised. */
  maxTtlMs: number
  /** The shared store of caps for all nodes, if there is one. */
  sharedCaps?: SharedCaps | null
  /** Another process is this node now, or the node was given up: this process no longer is the node. */
  onReplaced: () => void
}

export interface Refill extends NodeGate {
  node: NodeRef
  /** One round; failures are retried in the next. */
  round(ledger: Ledger): Promise<void>
  /** Begins to make rounds. */
  start(ledger: Ledger): void
  /** Makes a whole new round; failures are only logged. */
  sync(): Promise<void>
  /** Its state, in words for people. */
  state(): 'promising' | 'cut off' | 'replaced'
  nodes(): number
  /** How long it may promise without hearing from the database. */
  validMs(): number
  /**
   * If the clock is moved: resolves after the next round. Whoever waits for a share is woken in order and between two
   * rounds, so that the same clicks always get the same shares. Null while the clock stands still.
   */
  untilAsked(): Promise<void> | null
  /** What was waiting after the last round; null before the first one. */
  waiting(): Waiting | null
  hasCapsDuty(): boolean
  /** What the cap store waits for since it was emptied, in words; null: nothing. */
  capsWaitFor(): string | null
  /** Promises nothing more and gives nothing back: the database may not be the one that granted it. */
  forsakeShares(): void
  stop(): Promise<void>
  /**
   * The node stops by itself: it returns what no ad has reserved, and tells the others when its last ad expires. What
   * could not be returned in time stays with the node until then.
   */
  leave(ledger: Ledger, withinMs: number): Promise<Left>
}

const ROUND_MS = 1_000
/** A node without ads reads its news only once in this many rounds. */
const IDLE_NEWS_ROUNDS = 10
/** How long a campaign that runs dry waits for others that run dry, too. */
const HURRY_MS = 5
/** If asking takes longer, it continues in the next round, which begins at once, so that renewals do not wait. */
const FILL_MS = 2_000
/** Failing parts are halved, so that one bad ask does not block the others; after this many the round is given up. */
const LEAST_ASKS = 25
const MOST_FAILURES = 3
/** The time to report that the node has stopped. */
const END_MS = 500
const RECLAIM_ROUNDS = 10
/** The longest ad with a cap is tracked over this many rounds, which is about as long as an ad may last. */
const MEMORY_ROUNDS = 3_600

export function createRefill(options: RefillOptions): Refill {
  const { store, node, log, nowMs, steadyMs, maxTtlMs } = options
  let validUntilMs = Number.NEGATIVE_INFINITY
  let capsUntilMs = Number.NEGATIVE_INFINITY
  let state: 'promising' | 'cut off' | 'replaced' = 'cut off'
  let wasEver = false
  let nodes = 1
  let rounds = 0
  let mostAsks = MOST_ASKS
  /** The last round did not have time for everything that was due. */
  let isUnfinished = false
  let isReclaimed = true
  let waiting: Waiting | null = null
  /** Ads with a cap may be promised for this long: the time for which the duty is leased. */
  let cappedTtlMs = 0
  let longestTtlMs = maxTtlMs
  let longestSeenMs = 0
  /** A campaign with a cap was to be served since the duty was last leased. */
  let capsWereAsked = false
  let read: number[] = []
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let leaveRounds = () => {}
  let soonTimer: NodeJS.Timeout | null = null
  let isStopped = false
  let isHurried = false
  let startRound = () => {}
  const rebuild = options.sharedCaps && createCapsRebuild(options.sharedCaps, node, log, steadyMs)
  let startShortRound = () => {}
  const untilNextRound: (() => void)[] = []
  /** A clock that is moved belongs to one process, which cannot be replaced. Its leaps do not cut the process off. */
  const validForMs = options.rounds ? Number.POSITIVE_INFINITY : VALID_MS
  const trouble = createTrouble(log, {
    text: 'cannot renew budget shares; retrying',
    again: 'budget shares are renewed again',
    // A round with many parts may take longer than any time without a failure.
    calmMs: Number.POSITIVE_INFINITY,
  })

  function note(now: typeof state): void {
    if (state === now) return
    state = now
    const about = { node: node.nodeId, epoch: node.epoch }
    if (now === 'cut off') log.warn(about, 'the database does not respond: no ads are promised until it does')
    else if (now === 'replaced')
      log.error(about, 'another process has taken over this node: no more ads are promised')
    else log.info(about, wasEver ? 'the database responds again: ads are promised' : 'ads are promised')
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
    validUntilMs = startMs + validForMs
    note('promising')
    return true
  }

  async function leaseCapsDuty(): Promise<void> {
    const startMs = steadyMs()
    // The rounds of a clock that is moved say nothing about time.
    if (!options.rounds && rounds % MEMORY_ROUNDS === MEMORY_ROUNDS - 1) {
      longestTtlMs = longestSeenMs
      longestSeenMs = 0
    }
    const ttlMs = Math.max(longestTtlMs, longestSeenMs)
    const did = steadyMs() < capsUntilMs
    // Without traffic, our own duty is renewed only after half of its time.
    const isUnused = !capsWereAsked && !options.sharedCaps && ttlMs === cappedTtlMs
    if (isUnused && startMs < capsUntilMs - VALID_MS / 2) return
    capsWereAsked = false
    const does = options.sharedCaps
      ? await shareCaps(options.sharedCaps, ttlMs)
      : await store.lease(CAPS_DUTY, node, ttlMs)
    if (does) {
      cappedTtlMs = ttlMs
      capsUntilMs = startMs + validForMs
    } else capsUntilMs = Number.NEGATIVE_INFINITY
    if (does && !did) log.info({ node: node.nodeId }, 'this process serves campaigns with a cap')
    if (did && !does) log.info({ node: node.nodeId }, 'this process does not serve campaigns with a cap')
  }

  /** Loads the server if it is new or was emptied, and so does not know what was seen and what is open. */
  async function shareCaps({ duties, store: capStore }: SharedCaps, ttlMs: number): Promise<boolean> {
    const isComplete = await capStore.isComplete().catch(() => null)
    if (isComplete === false) rebuild!.advance()
    if (!isComplete) return false
    rebuild!.over()
    return duties.leaseShared(CAPS_DUTY, ttlMs)
  }

  async function hear(ledger: Ledger): Promise<void> {
    const news = await store.news(node, read)
    const done = new Set(read)
    read = news.map(one => one.newsId)
    for (const { newsId, ads } of news)
      if (!done.has(newsId)) for (const ad of readNews(ads)) applyNews(ledger, ad)
  }

  async function round(ledger: Ledger): Promise<void> {
    try {
      if (state === 'replaced' || !(await renew())) return
      await leaseCapsDuty()
      if (ledger.size() > 0 || read.length > 0 || rounds % IDLE_NEWS_ROUNDS === 0) await hear(ledger)
      if (nodes > 1) ledger.asking.wanted(await store.wanted(node))
      try {
        await fill(ledger)
      } finally {
        waiting = ledger.asking.waiting(nowMs())
      }
      if (!isUnfinished && waiting.unanswered === 0) trouble.over()
      if (rounds++ % RECLAIM_ROUNDS === 0 || !isReclaimed) await reclaim()
    } finally {
      if (state === 'promising' && steadyMs() >= validUntilMs) note('cut off')
    }
  }

  /** If a part fails, it throws after the other parts are done. */
  async function fill(ledger: Ledger): Promise<void> {
    const startMs = steadyMs()
    const failures: unknown[] = []
    const asks = ledger.asking.due(nodes, nowMs())
    isUnfinished = false
    for (let part = take(asks); part.length > 0 && !isStopped; part = take(asks)) {
      await move(ledger, part).catch(error => failures.push(error))
      // Campaigns that have run dry meanwhile do not wait for the rest.
      if (isHurried) await fillShort(ledger).catch(error => failures.push(error))
      isUnfinished = steadyMs() - startMs >= FILL_MS
      if (isUnfinished || failures.length >= MOST_FAILURES) break
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Each ask depends on what was granted before it: the next part is taken when this one is answered. */
  function take(asks: Asks): Ask[] {
    const part: Ask[] = []
    for (let next = asks.next(); !next.done; next = asks.next()) {
      part.push(next.value)
      if (part.length === mostAsks) break
    }
    return part
  }

  async function move(ledger: Ledger, part: Ask[]): Promise<void> {
    try {
      ledger.asking.granted(await store.move(node, part), nodes, nowMs())
      mostAsks = Math.min(MOST_ASKS, 2 * mostAsks)
    } catch (error) {
      ledger.asking.unanswered(part, nowMs())
      mostAsks = Math.max(LEAST_ASKS, Math.floor(mostAsks / 2))
      throw error
    }
    const wants = ledger.asking.lacking()
    if (wants.length > 0 && nodes > 1) await store.want(node, wants)
  }

  async function fillShort(ledger: Ledger): Promise<void> {
    isHurried = false
    const asks = ledger.asking.short(nodes, nowMs())
    for (let part = take(asks); part.length > 0 && !isStopped; part = take(asks)) await move(ledger, part)
  }

  async function reclaim(): Promise<void> {
    const { gone, isDone } = await store.reclaim()
    isReclaimed = isDone
    if (gone.length > 0)
      log.info({ nodes: gone }, 'returned the unused shares of dead processes to the budgets')
  }

  async function leave(ledger: Ledger, withinMs: number): Promise<Left> {
    const endMs = steadyMs() + withinMs
    const hasStopped = await within(withinMs, stop).then(
      () => true,
      () => false,
    )
    if (state === 'replaced') return { campaigns: 0, micros: 0 }
    const leavingMs = nowMs()
    ledger.expire(leavingMs)
    // The answers say what was really billed; after that there may be a little more to give back.
    if (hasStopped) for (let times = 0; times < 2; times++) await giveBack(ledger, leavingMs, endMs)
    const { untilMs, cappedUntilMs } = ledger.lastAds()
    const end = () =>
      store.end(node, Math.max(0, untilMs - leavingMs), Math.max(0, cappedUntilMs - leavingMs))
    await within(END_MS, end).catch(trouble.is)
    return ledger.asking.left()
  }

  async function giveBack(ledger: Ledger, leavingMs: number, endMs: number): Promise<void> {
    let failures = 0
    const asks = ledger.asking.leaving(leavingMs)
    for (let part = take(asks); part.length > 0; part = take(asks)) {
      await within(endMs - steadyMs(), () => move(ledger, part)).catch(() => failures++)
      if (steadyMs() >= endMs || failures === MOST_FAILURES) return
    }
  }

  /** One at a time: two answers about one share must not overtake each other. */
  function run(work: () => Promise<void>): void {
    if (running || isStopped) return
    running = work()
      .catch(trouble.is)
      .finally(() => {
        running = null
        if (isUnfinished) soon(startRound, 0)
        else if (isHurried) soon(startShortRound, HURRY_MS)
      })
  }

  function soon(work: () => void, ms: number): void {
    if (isStopped || options.rounds?.isMoving()) return
    soonTimer ??= setTimeout(() => {
      soonTimer = null
      work()
    }, ms)
  }

  async function stop(): Promise<void> {
    isStopped = true
    leaveRounds()
    if (timer) clearInterval(timer)
    if (soonTimer) clearTimeout(soonTimer)
    await running
    wakeAll()
    await rebuild?.stop()
    validUntilMs = Number.NEGATIVE_INFINITY
  }

  async function sync(): Promise<void> {
    while (running) await running
    do {
      startRound()
      await running
    } while (isUnfinished && !isStopped)
  }

  /** As `sync`; also asks for campaigns that have run dry meanwhile. */
  async function moved(): Promise<void> {
    await sync()
    if (isHurried) startShortRound()
    await running
    wakeAll()
  }

  function wakeAll(): void {
    for (const wake of untilNextRound.splice(0)) wake()
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
      if (running === null) soon(startShortRound, HURRY_MS)
    },
    start(ledger) {
      startRound = () => run(() => round(ledger))
      startShortRound = () => run(() => (steadyMs() < validUntilMs ? fillShort(ledger) : round(ledger)))
      const { rounds } = options
      timer = setInterval(() => {
        if (!rounds?.isMoving()) startRound()
      }, ROUND_MS)
      timer.unref()
      if (rounds)
        leaveRounds = rounds.add({
          name: 'shares',
          everyMs: ROUND_MS,
          run: moved,
          isHurried: () => isHurried || untilNextRound.length > 0,
        })
    },
    sync,
    state: () => state,
    nodes: () => nodes,
    validMs: () => Math.max(0, validUntilMs - steadyMs()),
    untilAsked() {
      if (isStopped || !options.rounds?.isMoving()) return null
      return new Promise(resolve => untilNextRound.push(resolve))
    },
    waiting: () => waiting,
    hasCapsDuty: () => steadyMs() < capsUntilMs,
    capsWaitFor: () => rebuild?.waitsFor() ?? null,
    forsakeShares() {
      state = 'replaced'
      validUntilMs = Number.NEGATIVE_INFINITY
    },
    stop,
    leave,
  }
}

function applyNews(ledger: Ledger, ad: AdNews): void {
  if (ad.end === 'billed') ledger.heardBilled(ad.adId, ad.chargeMicros)
  else ledger.release(ad.adId)
}
