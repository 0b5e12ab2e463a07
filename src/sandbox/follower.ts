// Keeps the clocks of several processes on one sandbox together. Whoever moves the clock writes it to the database, and
// the others read it regularly, and immediately before they answer about the clock or move it.

import type { Database } from '../platform/database.ts'
import { selectNowMs } from './queries.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface Follower {
  /** Resolves when this process's clock is up to date. */
  catchUp(): Promise<void>
  stop(): void
}

const LOOK_MS = 500

export function startFollower(db: Database, clock: VirtualClock): Follower {
  async function catchUp(): Promise<void> {
    clock.setMs(await selectNowMs(db))
  }
  // While the database is away, nobody moves the clock, and all other parts report the outage.
  const timer = setInterval(() => void catchUp().catch(() => undefined), LOOK_MS)
  timer.unref()
  return { catchUp, stop: () => clearInterval(timer) }
}
