// Closes the parts of the service, the last one first, within seconds. Each is awaited; one that hangs, for example on
// a frozen database, is abandoned: nothing it had not acknowledged was promised.

import type { Log } from '../platform/log.ts'
import { within } from '../platform/within.ts'

const EACH_MS = 4_000
const ALL_MS = 8_000
/** Also when all the time is used up: most parts need none. */
const LEAST_MS = 250

export async function letGoInTime(closers: (() => unknown)[], log: Pick<Log, 'warn'>): Promise<void> {
  const endMs = performance.now() + ALL_MS
  while (closers.length > 0) {
    const close = closers.pop()!
    const ms = Math.max(LEAST_MS, Math.min(EACH_MS, endMs - performance.now()))
    await within(ms, close).catch(error =>
      log.warn({ err: error }, 'a part of the service did not stop in time and was abandoned'),
    )
  }
}
