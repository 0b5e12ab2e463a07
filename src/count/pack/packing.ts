// Packing as a part of the service: a walk over all ids every 6 hours, step by step, with pauses so that it never takes
// more than a tenth of the time.

import { type Clock, steadyMsOf } from '../../kernel/time/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { every, patiently } from '../../platform/timer.ts'
import { beginWalk, packSome, type Walk } from './pack.ts'
import { selectPossibleSince } from './queries.ts'

export interface PackingParts {
  db: Database
  clock: Clock
  log: Log
  metrics: Metrics
  /** How long figures stay in rows of their own. */
  keptS: number
}

const STEP_MS = 500
export const WALK_EVERY_MS = 6 * 3_600_000
/** The previous version cannot read packed figures, and may run beside this one for a day. */
const GRACE_MS = 86_400_000
/** Live totals read only unpacked rows, and so does the verification of the last 7 days. */
const LEAST_KEPT_S = 8 * 86_400

export function startPacking({ db, clock, log, metrics, keptS }: PackingParts): () => Promise<void> {
  const packed = metrics.counter(
    'marquee_packed_rows_total',
    'Rows of figures packed by month by this process.',
  )
  let walk: Walk | null = null
  let nextMs = Number.NEGATIVE_INFINITY

  async function step(): Promise<void> {
    const nowMs = clock.nowMs()
    if (!walk && nowMs < nextMs && nextMs - nowMs <= WALK_EVERY_MS) return
    if (!walk && !(await isPossible(nowMs))) {
      nextMs = nowMs + WALK_EVERY_MS
      return
    }
    walk ??= beginWalk(nowMs, Math.max(keptS, LEAST_KEPT_S) * 1000)
    const done = await packSome(db, walk)
    if (done) packed.inc(done.rows)
    walk = done === null || done.next.at === null ? null : done.next
    if (!walk) nextMs = nowMs + WALK_EVERY_MS
  }

  async function isPossible(nowMs: number): Promise<boolean> {
    const since = await selectPossibleSince(db)
    return since !== null && nowMs - since.getTime() > GRACE_MS
  }

  return every('packing of figures', STEP_MS, patiently(step, steadyMsOf(clock)), log, clock)
}
