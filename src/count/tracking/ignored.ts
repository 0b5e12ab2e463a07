// Sums up calls that were answered but not counted, until the next batch takes them. When the sums are full, further
// calls are only in the metrics. Written at most once: if the outcome of a batch is unknown, its sums are dropped,
// never added twice.

import type { Counter, IgnoredCalls } from './event.ts'

export interface IgnoredSums {
  add(ids: readonly number[], counter: Counter, reason: string, atMs: number): void
  take(): IgnoredCalls[]
  /** Returns counts that were taken but certainly not written. */
  giveBack(calls: IgnoredCalls[]): void
  isEmpty(): boolean
}

/** Days begin at quarters of an hour, so calls of the same quarter are of the same day. */
const QUARTER_MS = 15 * 60_000

export function createIgnoredSums(options: { maxSums: number }): IgnoredSums {
  let sums = new Map<string, IgnoredCalls>()

  function put(ids: readonly number[], counter: Counter, reason: string, atMs: number, calls: number): void {
    // The last id is the most specific: the others follow from it.
    const key = `${ids.at(-1)} ${ids.length} ${counter} ${reason} ${Math.floor(atMs / QUARTER_MS)}`
    const known = sums.get(key)
    if (known) known.calls += calls
    else if (sums.size < options.maxSums) sums.set(key, { ids, atMs, reason, counter, calls })
  }

  return {
    add: (ids, counter, reason, atMs) => put(ids, counter, reason, atMs, 1),
    take() {
      const taken = [...sums.values()]
      sums = new Map()
      return taken
    },
    giveBack(calls) {
      for (const one of calls) put(one.ids, one.counter, one.reason, one.atMs, one.calls)
    },
    isEmpty: () => sums.size === 0,
  }
}
