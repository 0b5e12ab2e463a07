// Closes the parts of the service within seconds, the last one first. Each is awaited; one that hangs, for example on a
// frozen database, is abandoned: whatever it had not acknowledged was not promised.

import type { Log } from '../platform/log.ts'
import { within } from '../platform/within.ts'

export interface Patience {
  eachMs: number
  allMs: number
}

const IN_A_HURRY: Patience = { eachMs: 4_000, allMs: 8_000 }
/** A sandbox begins again, so work that is still running would write into its next life. */
export const UNHURRIED: Patience = { eachMs: 60_000, allMs: 120_000 }
/** Granted even if all the time is used up; most parts need none. */
const LEAST_MS = 250

export async function closeInTime(
  closers: (() => unknown)[],
  log: Pick<Log, 'warn'>,
  { eachMs, allMs }: Patience = IN_A_HURRY,
): Promise<void> {
  const endMs = performance.now() + allMs
  while (closers.length > 0) {
    const close = closers.pop()!
    const ms = Math.max(LEAST_MS, Math.min(eachMs, endMs - performance.now()))
    await within(ms, close).catch(error =>
      log.warn({ err: error }, 'a part of the service did not stop in time and was abandoned'),
    )
  }
}

/** What a process has opened, and how it ends: the last one first, and the database after all of them. */
export interface Life {
  closers: (() => unknown)[]
  stopDatabase(): unknown
  isStopping: boolean
  stop(): Promise<void>
}

export function beginLife(log: Pick<Log, 'warn'>): Life {
  const life: Life = {
    closers: [],
    stopDatabase: () => {},
    isStopping: false,
    async stop() {
      life.isStopping = true
      await closeInTime(life.closers, log)
      await life.stopDatabase()
    },
  }
  return life
}
