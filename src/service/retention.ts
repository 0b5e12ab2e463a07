// How long events are kept: partitions for the next days are created, and expired ones are dropped together with the
// rows that only they explain. Figures stay.

import { sweepActions } from '../count/conversions/retention.ts'
import { goneBeforeMs, keepPartitions } from '../count/ingest/partitions.ts'
import { sweepServed } from '../count/tracking/served.ts'
import { sweepOutcomes } from '../count/tracking/source-outcomes.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { keysAnywhere } from '../kernel/time/day.ts'
import { DAY_MS } from '../kernel/time/units.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { every } from '../platform/timer.ts'

export interface RetentionParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
}

const EVERY_MS = 3_600_000

/** Runs once before anything is counted, then every hour. Returns the function that stops it. */
export async function startRetention({ config, db, clock, log }: RetentionParts) {
  const retention = { eventRetentionS: config.EVENT_RETENTION, clickWindowS: config.CLICK_WINDOW }
  async function keep(): Promise<void> {
    await keepPartitions(db, clock.nowMs(), retention)
    await sweepOutcomes(db, clock.nowMs())
    await sweepServed(db, keysAnywhere(clock.nowMs() - DAY_MS)[0]!)
    await sweepActions(db, await goneBeforeMs(db, clock.nowMs(), retention))
  }
  await keep()
  return every('partitions', EVERY_MS, keep, log, clock)
}
