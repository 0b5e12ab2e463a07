// Group commit: while one batch is being written, the next one gathers, and continues to gather under traffic. Returns
// 'counted' and 'duplicate' only for events on disk.
//
// While the database is away, batches are retried. A caller that waits too long gets 'waiting': not acknowledged, but
// counted when the database is back (or lost if the process ends before). A full queue accepts nothing more. A row that
// the database refuses ('failed') is set apart, so that it does not block others. Events, views, actions and ignored
// calls have separate batches: locking figures twice in one batch could deadlock with another process, and a view
// counts only after its impression.

import { setTimeout as pauseFor } from 'node:timers/promises'
import { type Clock, isSandbox } from '../../kernel/time/clock.ts'
import { sqlState } from '../../platform/database.ts'
import { within } from '../../platform/within.ts'
import type { AdAction, AdEvent, Batch, BatchResult, Counter, IgnoredCalls, Ingest } from './event.ts'
import { createGather, LEAST_STEP_MS } from './gather.ts'
import type { IgnoreReason } from './verdict.ts'

export type Answer = 'counted' | 'duplicate' | 'late' | 'unseen' | 'waiting' | 'failed'

/**
 * How an event really ended, for the books. 'found': it is on disk, but an answer of the database was lost, so it is
 * not known whether this or an earlier report wrote it. 'unseen': a click whose impression was not counted.
 */
export type Outcome = 'counted' | 'duplicate' | 'found' | 'late' | 'unseen' | 'failed'

export interface Batcher {
  /** False if the queue is full or we are stopping. Must be asked before anything is added. */
  hasRoom(): boolean
  /** `settled` is called exactly once, before the answer, unless the process ends first. */
  addEvent(event: AdEvent, waitMs: number, settled: (outcome: Outcome) => void): Promise<Answer>
  addAction(action: AdAction, waitMs: number): Promise<Answer>
  /** Notes a call that was answered but not counted, so that the statistics show it under its reason. */
  ignore(ids: readonly number[], counter: Counter, reason: string, atMs: number): void
  queued(): number
  /** How long, in ms, every attempt to write has failed, whatever the error; 0 if the last one succeeded. */
  stuckMs(): number
  /** How long the oldest event or action has waited to be written, in ms; 0 if none waits. */
  oldestMs(): number
  /** Whether everything is written, including ignored calls. */
  isIdle(): boolean
  /** Writes everything queued without waiting for more; resolves when it is written or we are stopping. */
  drain(): Promise<void>
  /** Accepts nothing more, and writes what is queued for at most `patienceMs`. */
  stop(patienceMs: number): Promise<void>
}

export interface BatcherOptions {
  ingest: Ingest
  clock: Clock
  /** Called for every failed attempt. */
  onTrouble: (error: unknown) => void
  maxBatch?: number
  maxQueued?: number
  /** How long calls that were not counted may wait for a batch, in ms. */
  ignoredFlushMs?: number
  maxBackoffMs?: number
  /** A wait that tests can replace. */
  pause?: (ms: number) => Promise<unknown>
}

type Item = { event: AdEvent } | { action: AdAction }

interface Entry {
  key: string
  item: Item
  settled: (outcome: Outcome) => void
  answer: ((answer: Answer) => void) | null
  deadlineMs: number
  /** When it was added, by the monotonic clock. */
  sinceMs: number
  /** Reports of the same event since then: answered together with it, never sent. */
  followers: Entry[]
}

const FIRST_BACKOFF_MS = 20
const SWEEP_MS = 50
const MOST_IGNORED = 20_000
/** Days begin at quarters of an hour, so calls of the same quarter are of the same day. */
const QUARTER_MS = 15 * 60_000

/** Writes entries, and repeats that until it succeeds; each ends once. */
function createWriter(
  { ingest, onTrouble, maxBackoffMs = 1000 }: BatcherOptions,
  end: (entry: Entry, outcome: Outcome, answer: Answer) => void,
  isGivenUp: () => boolean,
  /** Called when a batch is written, before anything of it is answered. */
  written: () => void,
) {
  let unwrittenSinceMs: number | null = null

  async function write(entries: Entry[], wasUncertain = false): Promise<void> {
    if (entries.length === 0) return
    const batch = batchOf(entries)
    let isUncertain = wasUncertain
    unwrittenSinceMs ??= performance.now()
    for (let backoffMs = FIRST_BACKOFF_MS; !isGivenUp(); backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      try {
        const result = await ingest(batch)
        unwrittenSinceMs = null
        written()
        settle(entries, result, isUncertain)
        return
      } catch (error) {
        onTrouble(error)
        if (isRefusal(error)) unwrittenSinceMs = null
        if (isRefusal(error) || (isTooLong(error) && entries.length > 1))
          return setApart(entries, isUncertain)
        isUncertain ||= !isSurelyUndone(error)
        await new Promise(resolve => setTimeout(resolve, backoffMs))
      }
    }
  }

  /** Halves the batch until the bad row is alone, or each part is small enough. */
  async function setApart(entries: Entry[], isUncertain: boolean): Promise<void> {
    if (entries.length === 1) return end(entries[0]!, 'failed', 'failed')
    const middle = Math.ceil(entries.length / 2)
    await write(entries.slice(0, middle), isUncertain)
    await write(entries.slice(middle), isUncertain)
  }

  function settle(entries: Entry[], result: BatchResult, isUncertain: boolean): void {
    const known = new Set(result.known)
    const late = new Set(result.late)
    const unseen = new Set(result.unseen)
    entries.forEach((entry, at) => {
      if (late.has(at)) end(entry, 'late', 'late')
      else if (unseen.has(at)) end(entry, 'unseen', 'unseen')
      else if (!known.has(at)) end(entry, 'counted', 'counted')
      else if (isUncertain) end(entry, 'found', 'counted')
      else end(entry, 'duplicate', 'duplicate')
    })
  }

  return {
    write,
    stuckMs: () => (unwrittenSinceMs === null ? 0 : performance.now() - unwrittenSinceMs),
  }
}

/**
 * Sums up calls that were answered but not counted. When the sums are full, further calls are only in the metrics.
 * Written at most once: if the outcome of a batch is unknown, its sums are dropped, never added twice.
 */
function createIgnored(
  { ingest, onTrouble, ignoredFlushMs = 250 }: BatcherOptions,
  start: () => void,
  isStopping: () => boolean,
) {
  let sums = new Map<string, IgnoredCalls>()
  let flushTimer: NodeJS.Timeout | null = null
  let isDue = false

  function put({ ids, atMs, reason, counter, calls }: IgnoredCalls): void {
    // The last id is the most specific: the others follow from it.
    const key = `${ids.at(-1)} ${ids.length} ${counter} ${reason} ${Math.floor(atMs / QUARTER_MS)}`
    const known = sums.get(key)
    if (known) known.calls += calls
    else if (sums.size < MOST_IGNORED) sums.set(key, { ids, atMs, reason, counter, calls })
  }

  async function write(): Promise<void> {
    isDue = false
    const ignored = [...sums.values()]
    sums = new Map()
    try {
      await ingest({ events: [], actions: [], ignored })
    } catch (error) {
      onTrouble(error)
      if (isSurelyUndone(error) && !isRefusal(error) && !isStopping()) {
        for (const calls of ignored) put(calls)
        flushLater()
      }
    }
  }

  function flushLater(): void {
    if (flushTimer || isStopping()) return
    flushTimer = setTimeout(() => {
      flushTimer = null
      isDue = true
      start()
    }, ignoredFlushMs)
    flushTimer.unref()
  }

  return {
    add(ids: readonly number[], counter: Counter, reason: string, atMs: number): void {
      put({ ids, atMs, reason, counter, calls: 1 })
      flushLater()
    },
    write,
    isDue: () => (isDue || isStopping()) && sums.size > 0,
    isEmpty: () => sums.size === 0,
    hurry() {
      isDue = true
    },
    stop() {
      if (flushTimer) clearTimeout(flushTimer)
    },
  }
}

export function createBatcher(options: BatcherOptions): Batcher {
  const { clock, onTrouble } = options
  const { maxBatch = 1000, maxQueued = 50_000, pause = pauseFor } = options
  // The next hour of a sandbox waits for all of its visitors.
  const gather = createGather({ maxBatch, pause, ...(isSandbox(clock) ? { mostMs: LEAST_STEP_MS } : {}) })
  const gathered = { size: () => queue.length, isAwaited: () => isAwaited }
  const pending = new Map<string, Entry>()
  const queue: Entry[] = []
  let queuedCount = 0
  let running: Promise<void> | null = null
  let sweepTimer: NodeJS.Timeout | null = null
  /** Whether the queue contains a click or an action, which somebody waits for. */
  let isAwaited = false
  /** Whether somebody waits until everything is written. */
  let isDraining = false
  let isStopping = false
  let giveUp = false
  const noteCame = () => gather.cameMeanwhile(queue.length)
  const { write, stuckMs } = createWriter(options, end, () => giveUp, noteCame)
  const ignored = createIgnored(options, start, () => isStopping)

  function add(key: string, item: Item, waitMs: number, settled: Entry['settled']): Promise<Answer> {
    return new Promise(resolve => {
      const entry: Entry = {
        key,
        item,
        settled,
        answer: resolve,
        deadlineMs: clock.nowMs() + waitMs,
        sinceMs: performance.now(),
        followers: [],
      }
      queuedCount++
      const leader = pending.get(key)
      if (leader) leader.followers.push(entry)
      else {
        pending.set(key, entry)
        queue.push(entry)
        isAwaited ||= isAwaitedBy(item)
        if (isAwaited || queue.length >= maxBatch) gather.wake()
      }
      start()
    })
  }

  function start(): void {
    if (running) return
    // Starts in the next turn, so that the first batch includes everything that arrived in this one.
    running = new Promise<void>(resolve => setImmediate(resolve))
      .then(run)
      .catch(onTrouble)
      .finally(() => {
        running = null
        if (queue.length > 0 && !giveUp) start()
      })
    sweepTimer ??= setInterval(sweep, SWEEP_MS)
    sweepTimer.unref()
  }

  async function run(): Promise<void> {
    while ((queue.length > 0 || ignored.isDue()) && !giveUp) {
      if (!isStopping && !isDraining) await gather.wait(gathered)
      const entries = queue.splice(0, maxBatch)
      isAwaited = queue.some(({ item }) => isAwaitedBy(item))
      await write(entries.filter(({ item }) => 'event' in item && item.event.kind !== 'view'))
      await write(entries.filter(({ item }) => 'event' in item && item.event.kind === 'view'))
      await write(entries.filter(entry => 'action' in entry.item))
      if (entries.length > 0) gather.wrote(entries.length)
      if (ignored.isDue()) await ignored.write()
    }
  }

  function end(entry: Entry, outcome: Outcome, answer: Answer): void {
    pending.delete(entry.key)
    finish(entry, outcome, answer)
    for (const follower of entry.followers) {
      if (outcome === 'failed' || outcome === 'late' || outcome === 'unseen')
        finish(follower, outcome, outcome)
      else finish(follower, 'duplicate', 'duplicate')
    }
  }

  function finish(entry: Entry, outcome: Outcome, answer: Answer): void {
    queuedCount--
    try {
      entry.settled(outcome)
    } catch (error) {
      onTrouble(error)
    }
    if (outcome === 'duplicate' || outcome === 'late' || outcome === 'unseen') {
      const counter = counterOf(entry.item)
      if (counter) ignored.add(idsOf(adOf(entry.item)), counter, reasonOf(entry.item, outcome), clock.nowMs())
    }
    entry.answer?.(answer)
    entry.answer = null
  }

  /** Ensures that no caller waits longer than promised while the database is away. */
  function sweep(): void {
    // A sandbox clock jumps; whoever moves it waits for the answers themselves.
    if (!clock.rounds?.isMoving()) tellWaiting(pending.values(), clock.nowMs())
    if (pending.size > 0 || !sweepTimer) return
    clearInterval(sweepTimer)
    sweepTimer = null
  }

  /** Entries are in the order in which they arrived, and are removed when they are written. */
  function oldestMs(): number {
    for (const { sinceMs } of pending.values()) return performance.now() - sinceMs
    return 0
  }

  const isIdle = () => queuedCount === 0 && running === null && ignored.isEmpty()

  return {
    hasRoom: () => queuedCount < maxQueued && !isStopping,
    addEvent: (event, waitMs, settled) => add(`${event.ad.adId}${event.kind}`, { event }, waitMs, settled),
    addAction: (action, waitMs) =>
      add(`${action.ad.cuid} ${action.dedupe}`, { action }, waitMs, () => undefined),
    ignore: ignored.add,
    queued: () => queuedCount,
    stuckMs,
    oldestMs,
    isIdle,
    async drain() {
      isDraining = true
      gather.wake()
      while (!isIdle() && !isStopping) {
        ignored.hurry()
        start()
        await running
        // The database is away.
        if (!isIdle()) await pause(LEAST_STEP_MS)
      }
      isDraining = false
    },
    async stop(patienceMs) {
      isStopping = true
      gather.wake()
      ignored.stop()
      if (!ignored.isEmpty()) start()
      const drained = async () => {
        while (running) await running
      }
      await within(patienceMs, drained).catch(() => undefined)
      giveUp = true
      if (sweepTimer) clearInterval(sweepTimer)
      tellWaiting(pending.values(), Number.POSITIVE_INFINITY)
    },
  }
}

/** Ends the waiting of callers whose time is over. */
function tellWaiting(leaders: Iterable<Entry>, nowMs: number): void {
  for (const leader of leaders) {
    for (const entry of [leader, ...leader.followers]) {
      if (entry.answer === null || nowMs < entry.deadlineMs) continue
      entry.answer('waiting')
      entry.answer = null
    }
  }
}

function batchOf(entries: Entry[]): Batch {
  const batch: Batch = { events: [], actions: [], ignored: [] }
  for (const { item } of entries) {
    if ('event' in item) batch.events.push(item.event)
    else batch.actions.push(item.action)
  }
  return batch
}

/** Whether somebody waits for the answer: a visitor for a page, or a shop's server. */
function isAwaitedBy(item: Item): boolean {
  return 'action' in item || item.event.kind === 'click'
}

function adOf(item: Item) {
  return 'action' in item ? item.action.ad : item.event.ad
}

/** Views that are not counted are not shown anywhere. */
function counterOf(item: Item): Counter | null {
  if ('action' in item) return 'actions'
  return { impression: 'imps' as const, click: 'clicks' as const, view: null }[item.event.kind]
}

/** A late click is one that no budget pays for: it arrived in time. */
export function reasonOf(
  item: { event: Pick<AdEvent, 'kind'> } | { action: unknown },
  outcome: 'duplicate' | 'late' | 'unseen',
): IgnoreReason {
  if (outcome === 'unseen') return 'no_impression'
  return outcome === 'late' && 'event' in item && item.event.kind === 'click' ? 'unbilled_budget' : outcome
}

/** The ids of everything whose figures an ad belongs to, the most specific last. */
export function idsOf(ad: { cuid: number; cid: number; fid: number; pid: number; bid: number }): number[] {
  return [ad.cuid, ad.cid, ad.fid, ad.pid, ad.bid]
}

/** The statement took longer than the database allows; a retry would take as long. */
function isTooLong(error: unknown): boolean {
  return sqlState(error) === '57014'
}

/** The database will never accept this data: classes 22 and 23 of SQLSTATE. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '')
}

/**
 * Whether nothing was written: the server refused, or was never reached. Otherwise it may have written everything and
 * only its answer was lost, even if it says that it is shutting down (57P), lost a connection (08) or failed internally
 * (58, XX).
 */
function isSurelyUndone(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== null) return !/^(57P|08|58|XX)/.test(state)
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return code === 'ECONNREFUSED' || code === 'ENOENT'
}
