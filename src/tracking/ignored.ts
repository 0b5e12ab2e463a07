// Calls that were answered but not counted, summed up until the next batch takes them. Bounded: beyond the bound they
// are in the metrics only. Written at most once: after a batch of unknown outcome they are dropped, never added twice.

import type { Counter, IgnoredCalls } from './event.ts'

export interface IgnoredSums {
  add(ids: readonly number[], counter: Counter, reason: string, atMs: number): void
  take(): IgnoredCalls[]
  /** Counts that were taken but certainly not written. */
  giveBack(calls: IgnoredCalls[]): void
  isEmpty(): boolean
}

/** Days begin at quarters of an hour, so calls of one quarter are of one day. */
const QUARTER_MS = 15 * 60_000

export function createIgnoredSums(options: { maxSums: number }): IgnoredSums {
  let sums = new Map<string, IgnoredCalls>()

  function put(ids: readonly number[], counter: Counter, reason: string, atMs: number, calls: number): void {
    // The last id is the most particular: the others follow from it.
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
