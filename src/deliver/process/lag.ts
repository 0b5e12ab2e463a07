// How far the process is behind its work, measured by the delay of a timer that is due every few milliseconds. An ad
// request that waits longer than its exchange does is better not answered at all.

export interface LagMeter {
  /** The delay that requests have now; a single hiccup does not count. */
  lagMs(): number
  stop(): void
}

const TICK_MS = 20
/** If there was no request for this long, measuring stops. */
const REST_AFTER_MS = 2_000

export function startLagMeter(nowMs: () => number = () => performance.now()): LagMeter {
  let timer: NodeJS.Timeout | null = null
  let askedMs = nowMs()
  let dueMs = 0
  let beforeMs = 0
  let lagMs = 0

  function tick(): void {
    const lateMs = Math.max(0, nowMs() - dueMs)
    // One late tick is a hiccup that is over; two in a row mean that there is too much work.
    lagMs = Math.min(lateMs, beforeMs)
    beforeMs = lateMs
    dueMs = nowMs() + TICK_MS
    if (nowMs() - askedMs > REST_AFTER_MS) stop()
  }
  function start(): void {
    beforeMs = 0
    lagMs = 0
    dueMs = nowMs() + TICK_MS
    timer = setInterval(tick, TICK_MS)
    timer.unref()
  }
  function stop(): void {
    if (timer) clearInterval(timer)
    timer = null
  }

  start()
  return {
    lagMs() {
      askedMs = nowMs()
      if (timer === null) start()
      return lagMs
    },
    stop,
  }
}
