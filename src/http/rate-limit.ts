// Token buckets in memory, one for each key: `rate` requests per second on average, `burst` at once. Exact, because
// taking is synchronous.

import { type Clock, isSandbox } from '../kernel/time/clock.ts'

interface Bucket {
  tokens: number
  atMs: number
}

export interface Taken {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until the bucket is full again. */
  resetS: number
  /** Seconds until the next request is allowed. */
  retryAfterS: number
}

export interface RateLimiter {
  take(key: string): Taken
  /** Puts back a token that was taken in vain. */
  giveBack(key: string): void
}

const MAX_BUCKETS = 100_000

export function createRateLimiter(options: { rate: number; burst: number; clock: Clock }): RateLimiter {
  const { rate, burst, clock } = options
  // In a sandbox the clock stands still between moves, so real time is added to it: both fill the buckets.
  const elapsedMs = isSandbox(clock) ? () => clock.nowMs() + performance.now() : () => clock.nowMs()
  const buckets = new Map<string, Bucket>()

  function bucketOf(key: string, nowMs: number): Bucket {
    const bucket = buckets.get(key)
    if (bucket) {
      bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) / 1000) * rate)
      bucket.atMs = nowMs
      return bucket
    }
    if (buckets.size >= MAX_BUCKETS) dropFull(nowMs)
    const fresh = { tokens: burst, atMs: nowMs }
    buckets.set(key, fresh)
    return fresh
  }

  /** Drops buckets that have had time to fill: a full bucket is the same as none. */
  function dropFull(nowMs: number): void {
    const fillMs = (burst / rate) * 1000
    for (const [key, bucket] of buckets) if (nowMs - bucket.atMs > fillMs) buckets.delete(key)
    if (buckets.size >= MAX_BUCKETS) buckets.clear()
  }

  return {
    take(key) {
      const bucket = bucketOf(key, elapsedMs())
      const allowed = bucket.tokens >= 1
      if (allowed) bucket.tokens -= 1
      return {
        allowed,
        limit: burst,
        remaining: Math.floor(bucket.tokens),
        resetS: Math.ceil((burst - bucket.tokens) / rate),
        retryAfterS: Math.max(1, Math.ceil((1 - bucket.tokens) / rate)),
      }
    },
    giveBack(key) {
      const bucket = buckets.get(key)
      if (bucket) bucket.tokens = Math.min(burst, bucket.tokens + 1)
    },
  }
}
