// How far the process is behind its work: the delay of a timer that should come every few milliseconds. Ad requests
// that wait longer than their exchange does are better not answered at all.

export interface LagMeter {
  /** The delay that requests have now, as far as it lasts. */
  lagMs(): number
  stop(): void
}

const TICK_MS = 20

export function startLagMeter(nowMs: () => number = () => performance.now()): LagMeter {
  let dueMs = nowMs() + TICK_MS
  let beforeMs = 0
  let lagMs = 0
  const timer = setInterval(() => {
    const lateMs = Math.max(0, nowMs() - dueMs)
    // One late tick is a hiccup that is over; two in a row are more work than time.
    lagMs = Math.min(lateMs, beforeMs)
    beforeMs = lateMs
    dueMs = nowMs() + TICK_MS
  }, TICK_MS)
  timer.unref()
  return {
    lagMs: () => lagMs,
    stop: () => clearInterval(timer),
  }
}
