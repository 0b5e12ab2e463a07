// What each source requests, and what becomes of its impressions: sums by quarter of an hour, written every few
// seconds. They show staff how many of its places are filled, and the operator a source of which few impressions are
// counted, perhaps because the chain of proxies in front is not the configured one. Nothing is billed by them; a crash
// loses the last ones.

import type { Db } from '../../platform/database.ts'
import {
  addOutcomes,
  deleteOutcomesBefore,
  type OutcomeRow,
  type RefusedSource,
  selectRefused,
} from './queries.ts'
import { SOURCE_REFUSALS } from './refusals.ts'
import type { IgnoreReason } from './verdict.ts'

export interface SourceOutcomes {
  note(sourceId: number, outcome: IgnoreReason | 'counted', nowMs: number): void
  /** Places for an ad that a source requested. */
  requested(sourceId: number, places: number, nowMs: number): void
  /** Writes new counts; if that fails, they are kept for the next time. */
  flush(db: Db): Promise<void>
}

const REQUESTED = 'requested'
const NOTED: readonly string[] = ['counted', ...SOURCE_REFUSALS]
const QUARTER_MS = 15 * 60_000
/** The longest day. */
const KEPT_MS = 25 * 3_600_000

export function createSourceOutcomes(options: { maxSums: number }): SourceOutcomes {
  let sums = new Map<string, OutcomeRow>()

  function add({ sourceId, atMs, outcome, calls }: OutcomeRow): void {
    const key = `${sourceId} ${atMs} ${outcome}`
    const known = sums.get(key)
    if (known) known.calls += calls
    else if (sums.size < options.maxSums) sums.set(key, { sourceId, atMs, outcome, calls })
  }

  const noteAt = (sourceId: number, outcome: string, calls: number, nowMs: number) =>
    add({ sourceId, atMs: Math.floor(nowMs / QUARTER_MS) * QUARTER_MS, outcome, calls })

  return {
    note(sourceId, outcome, nowMs) {
      if (NOTED.includes(outcome)) noteAt(sourceId, outcome, 1, nowMs)
    },
    requested: (sourceId, places, nowMs) => noteAt(sourceId, REQUESTED, places, nowMs),
    async flush(db) {
      if (sums.size === 0) return
      // Always in the same order, so that processes do not deadlock.
      const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
      sums = new Map()
      try {
        await addOutcomes(db, rows)
      } catch (error) {
        rows.forEach(add)
        throw error
      }
    },
  }
}

/** Fewer say nothing. */
const LEAST_REFUSED = 50
/** A phone that changes networks looks like another visitor, and there are always some bots. */
const REFUSED_ONE_IN = 5
/** The quarters before the current one that are looked at. */
const QUARTERS = 4

/** Within the last hour, those with most refusals first. */
export function refusedSources(db: Db, nowMs: number): Promise<RefusedSource[]> {
  const sinceMs = (Math.floor(nowMs / QUARTER_MS) - QUARTERS) * QUARTER_MS
  return selectRefused(db, new Date(sinceMs), LEAST_REFUSED, REFUSED_ONE_IN)
}

export function sweepOutcomes(db: Db, nowMs: number): Promise<unknown> {
  return deleteOutcomesBefore(db, new Date(nowMs - KEPT_MS))
}
