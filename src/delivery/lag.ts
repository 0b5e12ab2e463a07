// How far the process is behind its work: the delay of a timer that should come every few milliseconds. Ad requests
// that wait longer than their exchange does are better not answered at all.

export interface LagMeter {
  /** The delay that a request of this moment has had, as far as it is known. */
  lagMs(): number
  stop(): void
}

const TICK_MS = 20

export function startLagMeter(nowMs: () => number = () => performance.now()): LagMeter {
  let dueMs = nowMs() + TICK_MS
  let lagMs = 0
  const timer = setInterval(() => {
    const lateMs = Math.max(0, nowMs() - dueMs)
    // Up at once, down in steps: one quiet tick between two full ones is no relief.
    lagMs = Math.max(lateMs, lagMs / 2)
    dueMs = nowMs() + TICK_MS
  }, TICK_MS)
  timer.unref()
  return {
    lagMs: () => lagMs,
    stop: () => clearInterval(timer),
  }
}
