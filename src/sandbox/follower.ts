// Several processes may run on one sandbox. Whoever moves the clock tells the database, and the others follow: all the
// time, and at once when they are asked about the clock or are to move it.

import type { Database } from '../platform/database.ts'
import { selectNowMs } from './queries.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface Follower {
  /** Resolves when the clock of this process is not behind. */
  catchUp(): Promise<void>
  stop(): void
}

const LOOK_MS = 500

export function startFollower(db: Database, clock: VirtualClock): Follower {
  async function catchUp(): Promise<void> {
    clock.setMs(await selectNowMs(db))
  }
  // While the database is away nobody moves the clock, and everyone else says so.
  const timer = setInterval(() => void catchUp().catch(() => undefined), LOOK_MS)
  timer.unref()
  return { catchUp, stop: () => clearInterval(timer) }
}
