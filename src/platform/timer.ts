// Work that repeats: never two runs at once, a failure is logged and tried again, and stopping waits for the run under way.

import type { Log } from './log.ts'

export function every(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= work()
      .catch(error => log.warn({ err: error, work: name }, 'repeated work failed; it is tried again'))
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
