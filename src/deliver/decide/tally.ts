// How many requests got an ad, and why the others did not: plain numbers, read when metrics are scraped.

import type { NoAdReason } from '../reasons.ts'

export interface Tally {
  count(outcome: NoAdReason | 'served'): void
  read(): Iterable<[string, number]>
}

export function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    count: outcome => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    read: () => counts,
  }
}
