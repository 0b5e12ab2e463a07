// Work that repeats: two runs never overlap, a failure is retried and logged once, and stopping waits for the run under
// way. With a clock that is moved, whoever moves it runs the work at its times; while that clock stands still, and with
// any other clock, timers of the machine run it.

import type { Clock } from '../kernel/time/clock.ts'
import type { Log } from './log.ts'
import { createTrouble } from './trouble.ts'

export interface EveryOptions {
  /** With a clock that is moved, do not run while it stands still, because the result would depend on the moment. */
  isByTheClock?: boolean
}

export function every(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  log: Log,
  clock: Clock,
  options: EveryOptions = {},
): () => Promise<void> {
  const { rounds } = clock
  const { isByTheClock = false } = options
  let running: Promise<void> | null = null
  const trouble = troubleOf(name, log)
  function run(): Promise<void> {
    running ??= work()
      .then(trouble.over, trouble.is)
      .finally(() => {
        running = null
      })
    return running
  }
  const timer = setInterval(() => {
    if (!rounds || !(isByTheClock || rounds.isMoving())) run()
  }, intervalMs)
  timer.unref()
  const leave = rounds?.add({
    name,
    everyMs: intervalMs,
    run: async () => await (running ? running.then(run) : run()),
  })
  return async () => {
    clearInterval(timer)
    leave?.()
    await running
  }
}

/** Each run reports how it went, and a run may take long to fail, so silence does not mean success. */
function troubleOf(name: string, log: Log) {
  return createTrouble(log, {
    text: 'repeated work failed; retrying',
    again: 'repeated work succeeds again',
    about: { work: name },
    calmMs: Number.POSITIVE_INFINITY,
  })
}

export interface Polling {
  /** Looks at once, or once more after the look under way. */
  wake(): void
  stop(): Promise<void>
}

/** Polls a queue: often while something waits in it, which `look` returns, otherwise rarely. */
export function pollQueue(
  name: string,
  everyMs: { waiting: number; empty: number },
  look: () => Promise<boolean>,
  log: Log,
  clock: Clock,
): Polling {
  const { rounds } = clock
  const trouble = troubleOf(name, log)
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isWoken = false
  let isStopped = false

  async function run(): Promise<void> {
    clearTimeout(timer)
    isWoken = false
    const isWaiting = await look().then(
      found => {
        trouble.over()
        return found
      },
      error => {
        trouble.is(error)
        return true
      },
    )
    running = null
    if (isStopped) return
    timer = setTimeout(start, isWoken ? 0 : isWaiting ? everyMs.waiting : everyMs.empty)
    timer.unref()
  }
  function start(): void {
    if (rounds?.isMoving()) timer = setTimeout(start, everyMs.waiting).unref()
    else running = run()
  }
  async function round(): Promise<void> {
    await running
    clearTimeout(timer)
    if (isStopped) return
    running = run()
    await running
  }

  start()
  const leave = rounds?.add({ name, everyMs: everyMs.waiting, run: round })
  return {
    wake() {
      isWoken = true
      if (running === null && !isStopped && !rounds?.isMoving()) start()
    },
    async stop() {
      isStopped = true
      leave?.()
      clearTimeout(timer)
      await running
    },
  }
}

/** How many times longer it pauses than it worked. */
const REST = 9

/**
 * Work whose cost grows with the data: it pauses in between, so that it takes at most a tenth of the time, by the
 * monotonic clock.
 */
export function patiently(
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
