// Random numbers for tests: they print their seed, and SEED=… in the environment replays it.

/** `./script/bench faults` repeats what the whole test run does once, with more nodes, requests and steps. */
export const IS_LONG = process.env.FAULT_SECONDS !== undefined

/** True if somebody replays a seed; a whole test run also sets one, for tests without their own seed. */
export const IS_REPLAY = process.env.SEED !== undefined && process.env.SEED !== process.env.RUN_SEED

export interface Random {
  seed: number
  next(): number
  /** 0 … below - 1. */
  int(below: number): number
  pick<T>(list: readonly T[]): T
}

export function seededRandom(name: string): Random {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31)) >>> 0
  console.log(`${name}: SEED=${seed}`)
  return randomOf(seed)
}

/** A 32-bit counter through a mixing function: each seed has its own sequence. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0
    let h = state
    h = Math.imul(h ^ (h >>> 16), 0x21f0aaad)
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
    return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  return { seed, next, int, pick: list => list[int(list.length)]! }
}

/** Picks one item, with a probability proportional to its weight. */
export function pickBy<T>(list: readonly T[], weightOf: (item: T) => number, random: Random): T {
  let at = random.next() * list.reduce((sum, item) => sum + weightOf(item), 0)
  for (const item of list) {
    at -= weightOf(item)
    if (at < 0) return item
  }
  return list[0]!
}
