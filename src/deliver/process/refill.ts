// The node's rounds with the database, about once per second: the node renews itself, learns what others did with its
// ads, and asks for the shares it will need, in parts that succeed or fail separately. A campaign that has run dry does
// not wait for the round. A node that cannot renew stops promising 10 seconds after its last successful renewal began,
// by the monotonic clock. Each change of its state is one line in the log.

import type { Asks, Left, Waiting } from '../../budget/ledger/asks.ts'
import type { Ledger, NodeGate } from '../../budget/ledger/ledger-interface.ts'
import { type AdNews, readNews } from '../../budget/shares/news.ts'
import { type Ask, MOST_ASKS, type NodeRef, type ShareStore, VALID_MS } from '../../budget/shares/share.ts'
import type { Rounds } from '../../kernel/time/clock.ts'
import type { Log } from '../../platform/log.ts'
import { createTrouble, type Trouble } from '../../platform/trouble.ts'
import { within } from '../../platform/within.ts'
import { type CapsDuty, createCapsDuty, type SharedCaps } from './caps-duty.ts'

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

type State = ReturnType<Refill['state']>

/** Whether this process is the node, and may promise. */
function createMembership(options: RefillOptions, validForMs: number) {
  const { store, node, log, steadyMs } = options
  let validUntilMs = Number.NEGATIVE_INFINITY
  let state: State = 'cut off'
  let wasEver = false
  let nodes = 1

  function note(now: State): void {
    if (state === now) return
    state = now
    const about = { node: node.nodeId, epoch: node.epoch }
    if (now === 'cut off') log.warn(about, 'the database does not respond: no ads are promised until it does')
    else if (now === 'replaced')
      log.error(about, 'another process has taken over this node: no more ads are promised')
    else log.info(about, wasEver ? 'the database responds again: ads are promised' : 'ads are promised')
    wasEver ||= now === 'promising'
  }

  return {
    async renew(): Promise<boolean> {
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
    },
    /** At the end of a round: whether the node is cut off. */
    look() {
      if (state === 'promising' && steadyMs() >= validUntilMs) note('cut off')
    },
    mayPromise: () => steadyMs() < validUntilMs,
    validMs: () => Math.max(0, validUntilMs - steadyMs()),
    nodes: () => nodes,
    state: (): State => state,
    /** Promises nothing more. */
    end(now = state) {
      state = now
      validUntilMs = Number.NEGATIVE_INFINITY
    },
  }
}

type Membership = ReturnType<typeof createMembership>

/** Asks for shares, part by part. */
function createAsking({ store, node, nowMs, steadyMs }: RefillOptions, nodes: () => number) {
  let mostAsks = MOST_ASKS
  /** The last round did not have time for everything that was due. */
  let isUnfinished = false
  let isHurried = false
  let isStopped = false

  /** If a part fails, it throws after the other parts are done. */
  async function fill(ledger: Ledger): Promise<void> {
    const startMs = steadyMs()
    const failures: unknown[] = []
    const asks = ledger.asking.due(nodes(), nowMs())
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
      ledger.asking.granted(await store.move(node, part), nodes(), nowMs())
      mostAsks = Math.min(MOST_ASKS, 2 * mostAsks)
    } catch (error) {
      ledger.asking.unanswered(part, nowMs())
      mostAsks = Math.max(LEAST_ASKS, Math.floor(mostAsks / 2))
      throw error
    }
    const wants = ledger.asking.lacking()
    if (wants.length > 0 && nodes() > 1) await store.want(node, wants)
  }

  async function fillShort(ledger: Ledger): Promise<void> {
    isHurried = false
    const asks = ledger.asking.short(nodes(), nowMs())
    for (let part = take(asks); part.length > 0 && !isStopped; part = take(asks)) await move(ledger, part)
  }

  async function giveBack(ledger: Ledger, leavingMs: number, endMs: number): Promise<void> {
    let failures = 0
    const asks = ledger.asking.leaving(leavingMs)
    for (let part = take(asks); part.length > 0; part = take(asks)) {
      await within(endMs - steadyMs(), () => move(ledger, part)).catch(() => failures++)
      if (steadyMs() >= endMs || failures === MOST_FAILURES) return
    }
  }

  return {
    fill,
    fillShort,
    giveBack,
    isUnfinished: () => isUnfinished,
    isHurried: () => isHurried,
    hurry() {
      isHurried = true
    },
    stop() {
      isStopped = true
    },
  }
}

type Asking = ReturnType<typeof createAsking>

/** One round: renew the node, lease the caps' duty, hear news, ask for shares. */
function createRound(
  { store, node, log, nowMs }: RefillOptions,
  membership: Membership,
  duty: CapsDuty,
  asking: Asking,
  trouble: Trouble,
) {
  let rounds = 0
  let isReclaimed = true
  let waiting: Waiting | null = null
  let read: number[] = []

  async function round(ledger: Ledger): Promise<void> {
    try {
      if (membership.state() === 'replaced' || !(await membership.renew())) return
      await duty.lease(rounds)
      if (ledger.size() > 0 || read.length > 0 || rounds % IDLE_NEWS_ROUNDS === 0) await hear(ledger)
      if (membership.nodes() > 1) ledger.asking.wanted(await store.wanted(node))
      try {
        await asking.fill(ledger)
      } finally {
        waiting = ledger.asking.waiting(nowMs())
      }
      if (!asking.isUnfinished() && waiting.unanswered === 0) trouble.over()
      if (rounds++ % RECLAIM_ROUNDS === 0 || !isReclaimed) await reclaim()
    } finally {
      membership.look()
    }
  }

  async function hear(ledger: Ledger): Promise<void> {
    const news = await store.news(node, read)
    const done = new Set(read)
    read = news.map(one => one.newsId)
    for (const { newsId, ads } of news)
      if (!done.has(newsId)) for (const ad of readNews(ads)) applyNews(ledger, ad)
  }

  async function reclaim(): Promise<void> {
    const { gone, isDone } = await store.reclaim()
    isReclaimed = isDone
    if (gone.length > 0)
      log.info({ nodes: gone }, 'returned the unused shares of dead processes to the budgets')
  }

  return { round, waiting: () => waiting }
}

export function createRefill(options: RefillOptions): Refill {
  const { store, node, log, nowMs, steadyMs, rounds } = options
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let soonTimer: NodeJS.Timeout | null = null
  let leaveRounds = () => {}
  let isStopped = false
  let startRound = () => {}
  let startShortRound = () => {}
  const untilNextRound: (() => void)[] = []
  const trouble = createTrouble(log, {
    text: 'cannot renew budget shares; retrying',
    again: 'budget shares are renewed again',
    // A round with many parts may take longer than any time without a failure.
    calmMs: Number.POSITIVE_INFINITY,
  })
  /** A clock that is moved belongs to one process, which cannot be replaced. Its leaps do not cut the process off. */
  const validForMs = rounds ? Number.POSITIVE_INFINITY : VALID_MS
  const membership = createMembership(options, validForMs)
  const duty = createCapsDuty({ ...options, validForMs })
  const asking = createAsking(options, membership.nodes)
  const { round, waiting } = createRound(options, membership, duty, asking, trouble)

  async function leave(ledger: Ledger, withinMs: number): Promise<Left> {
    const endMs = steadyMs() + withinMs
    const hasStopped = await within(withinMs, stop).then(
      () => true,
      () => false,
    )
    if (membership.state() === 'replaced') return { campaigns: 0, micros: 0 }
    const leavingMs = nowMs()
    ledger.expire(leavingMs)
    // The answers say what was really billed; after that there may be a little more to give back.
    if (hasStopped) for (let times = 0; times < 2; times++) await asking.giveBack(ledger, leavingMs, endMs)
    const { untilMs, cappedUntilMs } = ledger.lastAds()
    const end = () =>
      store.end(node, Math.max(0, untilMs - leavingMs), Math.max(0, cappedUntilMs - leavingMs))
    await within(END_MS, end).catch(trouble.is)
    return ledger.asking.left()
  }

  /** One at a time: two answers about one share must not overtake each other. */
  function run(work: () => Promise<void>): void {
    if (running || isStopped) return
    running = work()
      .catch(trouble.is)
      .finally(() => {
        running = null
        if (asking.isUnfinished()) soon(startRound, 0)
        else if (asking.isHurried()) soon(startShortRound, HURRY_MS)
      })
  }

  function soon(work: () => void, ms: number): void {
    if (isStopped || rounds?.isMoving()) return
    soonTimer ??= setTimeout(() => {
      soonTimer = null
      work()
    }, ms)
  }

  async function stop(): Promise<void> {
    isStopped = true
    asking.stop()
    leaveRounds()
    if (timer) clearInterval(timer)
    if (soonTimer) clearTimeout(soonTimer)
    await running
    wakeAll()
    await duty.stop()
    membership.end()
  }

  async function sync(): Promise<void> {
    while (running) await running
    do {
      startRound()
      await running
    } while (asking.isUnfinished() && !isStopped)
  }

  /** As `sync`; also asks for campaigns that have run dry meanwhile. */
  async function moved(): Promise<void> {
    await sync()
    if (asking.isHurried()) startShortRound()
    await running
    wakeAll()
  }

  function wakeAll(): void {
    for (const wake of untilNextRound.splice(0)) wake()
  }

  function start(ledger: Ledger): void {
    startRound = () => run(() => round(ledger))
    startShortRound = () => run(() => (membership.mayPromise() ? asking.fillShort(ledger) : round(ledger)))
    timer = setInterval(() => {
      if (!rounds?.isMoving()) startRound()
    }, ROUND_MS)
    timer.unref()
    if (!rounds) return
    const isHurried = () => asking.isHurried() || untilNextRound.length > 0
    leaveRounds = rounds.add({ name: 'shares', everyMs: ROUND_MS, run: moved, isHurried })
  }

  return {
    node,
    round,
    mayPromise: membership.mayPromise,
    mayCap: duty.mayCap,
    hurry() {
      asking.hurry()
      if (running === null) soon(startShortRound, HURRY_MS)
    },
    start,
    sync,
    state: membership.state,
    nodes: membership.nodes,
    validMs: membership.validMs,
    untilAsked() {
      if (isStopped || !rounds?.isMoving()) return null
      return new Promise(resolve => untilNextRound.push(resolve))
    },
    waiting,
    hasCapsDuty: duty.isOurs,
    capsWaitFor: duty.waitsFor,
    forsakeShares: () => membership.end('replaced'),
    stop,
    leave,
  }
}

function applyNews(ledger: Ledger, ad: AdNews): void {
  if (ad.end === 'billed') ledger.heardBilled(ad.adId, ad.chargeMicros)
  else ledger.release(ad.adId)
}
