// Repeatable randomness: the same seed makes the same choices.

/** An integer from 0 up to, but not including, `below`. */
export type Random = (below: number) => number

export const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000)

/** mulberry32 (public domain): small, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

export function takeAny<T>(list: T[], random: Random): T | undefined {
  return list.splice(random(list.length), 1)[0]
}
