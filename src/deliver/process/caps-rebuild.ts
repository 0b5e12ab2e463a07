// A cap store that is new or was emptied is loaded again: each live node loads its open ads, and one of them today's
// impressions from the events. The store grants counts only after that, so that no cap is exceeded. It takes seconds.
// If a node died within the last hour, its open ads are unknown: the store waits until they expire.

import type { CapStore, OpenCapCount } from '../../budget/caps/shared-caps.ts'
import { CAPS_DUTY, type NodeRef, type SharedDuties } from '../../budget/shares/share.ts'
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

export interface CapsRebuild {
  /** Starts a step in the background: a day takes long to load. */
  advance(): void
  /** The store is complete. */
  over(): void
  /** What it waits for, in words; null: nothing. */
  waitsFor(): string | null
  stop(): Promise<void>
}

/** Nodes that were promising an ad when the store was emptied have done so by then. */
const SETTLE_MS = 1_000
/** Loading a day takes less. */
const LOAD_MS = 120_000

export function createCapsRebuild(
  { duties, store, load, open }: SharedCaps,
  node: NodeRef,
  log: Pick<Log, 'info' | 'warn'>,
  steadyMs: () => number,
): CapsRebuild {
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
    over() {
      sinceMs = null
      words = null
      loaded = ''
    },
    waitsFor: () => words,
    stop: async () => void (await running),
  }
}
