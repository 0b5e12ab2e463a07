// Who may serve campaigns with a cap: one process, which leases the duty, or all that share a store of caps.
//
// A cap store that is new or was emptied is loaded again: each live node loads its open ads, and one of them today's
// impressions from the events. The store grants counts only after that, so that no cap is exceeded. It takes seconds.
// If a node died within the last hour, its open ads are unknown: the store waits until they expire.

import type { CapStore, OpenCapCount } from '../../budget/caps/shared-caps.ts'
import {
  CAPS_DUTY,
  type NodeRef,
  type SharedDuties,
  type ShareStore,
  VALID_MS,
} from '../../budget/shares/share.ts'
import type { Log } from '../../platform/log.ts'
import { loggedError } from '../../platform/trouble.ts'

export interface SharedCaps {
  duties: SharedDuties
  store: Pick<CapStore, 'isComplete' | 'generation' | 'loadOpen' | 'nodesLoaded' | 'complete'>
  /** Loads all impressions of today. */
  load(): Promise<void>
  /** The ads of this node that have a cap count. */
  open(): OpenCapCount[]
}

interface CapsDutyOptions {
  store: Pick<ShareStore, 'lease'>
  node: NodeRef
  log: Pick<Log, 'info' | 'warn'>
  steadyMs: () => number
  /** How long a lease is valid. Infinite if the clock is moved: its rounds say nothing about time. */
  validForMs: number
  maxTtlMs: number
  sharedCaps?: SharedCaps | null
}

export type CapsDuty = ReturnType<typeof createCapsDuty>

/** Nodes that were promising an ad when the store was emptied have done so by then. */
const SETTLE_MS = 1_000
/** Loading a day takes less. */
const LOAD_MS = 120_000

/** The longest ad with a cap is tracked over this many rounds, which is about as long as an ad may last. */
const MEMORY_ROUNDS = 3_600

export function createCapsDuty(options: CapsDutyOptions) {
  const { store, node, log, steadyMs, validForMs, sharedCaps } = options
  const rebuild = sharedCaps && createCapsRebuild(sharedCaps, node, log, steadyMs)
  let untilMs = Number.NEGATIVE_INFINITY
  /** Ads with a cap may be promised for this long: the time for which the duty is leased. */
  let cappedTtlMs = 0
  let longestTtlMs = options.maxTtlMs
  let longestSeenMs = 0
  /** A campaign with a cap was to be served since the duty was last leased. */
  let isAsked = false

  async function lease(round: number): Promise<void> {
    const startMs = steadyMs()
    if (validForMs === VALID_MS && round % MEMORY_ROUNDS === MEMORY_ROUNDS - 1) {
      longestTtlMs = longestSeenMs
      longestSeenMs = 0
    }
    const ttlMs = Math.max(longestTtlMs, longestSeenMs)
    const did = steadyMs() < untilMs
    // Without traffic, our own duty is renewed only after half of its time.
    const isUnused = !isAsked && !sharedCaps && ttlMs === cappedTtlMs
    if (isUnused && startMs < untilMs - VALID_MS / 2) return
    isAsked = false
    const does = sharedCaps ? await share(sharedCaps, ttlMs) : await store.lease(CAPS_DUTY, node, ttlMs)
    if (does) cappedTtlMs = ttlMs
    untilMs = does ? startMs + validForMs : Number.NEGATIVE_INFINITY
    if (does && !did) log.info({ node: node.nodeId }, 'this process serves campaigns with a cap')
    if (did && !does) log.info({ node: node.nodeId }, 'this process does not serve campaigns with a cap')
  }

  /** Loads the server if it is new or was emptied, and so does not know what was seen and what is open. */
  async function share({ duties, store: capStore }: SharedCaps, ttlMs: number): Promise<boolean> {
    const isComplete = await capStore.isComplete().catch(() => null)
    if (isComplete === false) rebuild!.advance()
    if (!isComplete) return false
    rebuild!.over()
    return duties.leaseShared(CAPS_DUTY, ttlMs)
  }

  return {
    /** Takes or renews the duty, if it is due in this round. */
    lease,
    mayCap(ttlMs: number): boolean {
      isAsked = true
      if (ttlMs > longestSeenMs) longestSeenMs = ttlMs
      return ttlMs <= cappedTtlMs && steadyMs() < untilMs
    },
    isOurs: () => steadyMs() < untilMs,
    /** What the cap store waits for since it was emptied, in words; null: nothing. */
    waitsFor: () => rebuild?.waitsFor() ?? null,
    stop: async () => void (await rebuild?.stop()),
  }
}

function createCapsRebuild(
  { duties, store, load, open }: SharedCaps,
  node: NodeRef,
  log: Pick<Log, 'info' | 'warn'>,
  steadyMs: () => number,
) {
  let sinceMs: number | null = null
  let loaded = ''
  let words: string | null = null
  let running: Promise<void> | null = null

  function say(now: string): void {
    if (words === now) return
    words = now
    log.warn(
      { node: node.nodeId },
      `the server at CAPS_URL was emptied or is new: campaigns with a cap wait for ${now}`,
    )
  }

  async function step(): Promise<void> {
    const generation = await store.generation()
    if (loaded !== generation && !(await store.loadOpen(generation, node.nodeId, open()))) return
    loaded = generation
    const missing = await nodesMissing(generation)
    if (missing.length > 0) return say(`the open ads of ${missing.join(', ')}`)
    say('what was seen today')
    if (!(await duties.claim(CAPS_DUTY, node, LOAD_MS))) return
    await load()
    const isComplete = await store.complete(generation)
    await duties.release(CAPS_DUTY, node)
    if (isComplete)
      log.info({ node: node.nodeId }, 'the server at CAPS_URL was loaded with what was seen today')
  }

  async function nodesMissing(generation: string): Promise<string[]> {
    const nodes = await duties.nodes()
    const known = new Set(
      await store.nodesLoaded(
        generation,
        nodes.map(({ nodeId }) => nodeId),
      ),
    )
    return nodes
      .filter(({ nodeId }) => !known.has(nodeId))
      .map(({ nodeId, isLive, adsUntil }) =>
        isLive ? `node ${nodeId}` : `node ${nodeId}, which is gone (until ${adsUntil.toISOString()})`,
      )
  }

  return {
    /** Starts a step in the background: a day takes long to load. */
    advance() {
      sinceMs ??= steadyMs()
      if (steadyMs() - sinceMs < SETTLE_MS) return
      running ??= step()
        .catch(error =>
          log.warn({ node: node.nodeId, ...loggedError(error) }, 'the server at CAPS_URL cannot be loaded'),
        )
        .finally(() => {
          running = null
        })
    },
    /** The store is complete. */
    over() {
      sinceMs = null
      words = null
      loaded = ''
    },
    waitsFor: (): string | null => words,
    stop: async () => void (await running),
  }
}
