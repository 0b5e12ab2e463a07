// When visitors come: at random moments of each hour, as many as fit the hour of the local day and the day of the week.

import { HOUR_MS } from '../kernel/time/units.ts'
import type { Random } from './random.ts'
import { busyness } from './visitors.ts'

export interface Period {
  fromMs: number
  toMs: number
  requests: number
  /** The local wall clock, as if it were UTC. */
  wallMsOf(ms: number): number
}

/** The time of each request, in order. The total is exact, however many hours share it. */
export function* timesOf({ fromMs, toMs, requests, wallMsOf }: Period, random: Random): Generator<number> {
  const parts: { startMs: number; endMs: number; weight: number }[] = []
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(toMs, (Math.floor(startMs / HOUR_MS) + 1) * HOUR_MS)
    parts.push({ startMs, endMs, weight: busyness(wallMsOf(startMs)) * (endMs - startMs) })
    startMs = endMs
  }
  const total = parts.reduce((sum, { weight }) => sum + weight, 0)
  let seen = 0
  let made = 0
  for (const { startMs, endMs, weight } of parts) {
    seen += weight
    const count = Math.round((requests * seen) / total) - made
    made += count
    const times = Array.from({ length: count }, () => startMs + Math.floor(random() * (endMs - startMs)))
    yield* times.toSorted((a, b) => a - b)
  }
}
