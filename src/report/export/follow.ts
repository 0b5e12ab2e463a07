// Keeps a destination up to date: closes hours as they pass, and writes one after the other. A failed hour is retried
// in the next round, so none is skipped, and none is written twice.

import type { Clock } from '../../kernel/time/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { ObjectStore } from '../../platform/store/store.ts'
import { every } from '../../platform/timer.ts'
import { exportHour } from './export.ts'
import { closeHour, countWaiting, moveMark, selectHourFrom, selectMark } from './queries.ts'

export interface FollowParts {
  db: Database
  /** Null: hours are still closed, so that they can be exported by hand, or when there is a store later. */
  store: ObjectStore | null
  currency: string
  clock: Clock
  log: Log
  metrics: Metrics
  /** How long all events are certain to be kept, in seconds. */
  keptS: number
}

const ROUND_MS = 10_000

export function startExport(parts: FollowParts): () => Promise<void> {
  const stopping = new AbortController()
  const end = every('export', ROUND_MS, createFollower(parts, stopping.signal), parts.log, parts.clock)
  return () => {
    stopping.abort(new Error('the service is stopping'))
    return end()
  }
}

/** Returns the function that runs one round. */
export function createFollower(parts: FollowParts, signal?: AbortSignal): () => Promise<void> {
  const { db, store, clock, log, metrics, keptS } = parts
  const waiting = metrics.gauge('marquee_export_hours_waiting', 'Closed hours not exported yet.')
  const rows = metrics.counter('marquee_export_rows_total', 'Rows exported.')
  const failures = metrics.counter(
    'marquee_export_failures_total',
    'Failed attempts to export an hour; each is retried.',
  )

  async function writeWaiting(to: ObjectStore): Promise<void> {
    const firstKept = new Date(clock.nowMs() - keptS * 1000)
    for (let mark = await selectMark(db, to.url, firstKept); ; ) {
      waiting.set(await countWaiting(db, mark))
      const hour = await selectHourFrom(db, mark)
      const manifest = hour && (await exportHour({ ...parts, store: to, signal }, hour))
      if (!manifest) return
      await moveMark(db, to.url, hour)
      rows.inc(manifest.rows)
      log.info({ hour: manifest.hour, rows: manifest.rows, sums: manifest.sums }, 'an hour was exported')
      mark = hour.toTx
    }
  }

  return async () => {
    await closeHour(db, new Date(clock.nowMs()))
    if (!store) return
    await writeWaiting(store).catch(error => {
      if (signal?.aborted) return
      failures.inc()
      throw error
    })
  }
}
