// Work that repeats: never two runs at once, a failure is tried again and logged once, and stopping waits for the run under way.

import type { Log } from './log.ts'
import { createTrouble } from './trouble.ts'

export function every(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> | null = null
  const trouble = createTrouble(log, {
    text: 'repeated work failed; retrying',
    again: 'repeated work succeeds again',
    about: { work: name },
    quietMs: Math.max(10_000, 3 * intervalMs),
  })
  const timer = setInterval(() => {
    running ??= work()
      .then(trouble.over, trouble.is)
      .finally(() => {
        running = null
      })
  }, intervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

/** How much longer than it worked it rests. */
const REST = 9

/**
 * Work whose cost grows with the data: it pauses in between, so that it takes at most a tenth of the time. By the
 * monotonic clock.
 */
export function unhurried(
  work: () => Promise<void>,
  nowMs: () => number = () => performance.now(),
): () => Promise<void> {
  let restUntilMs = Number.NEGATIVE_INFINITY
  return async () => {
    const startedMs = nowMs()
    if (startedMs < restUntilMs) return
    try {
      await work()
    } finally {
      const endedMs = nowMs()
      restUntilMs = endedMs + REST * (endedMs - startedMs)
    }
  }
}
