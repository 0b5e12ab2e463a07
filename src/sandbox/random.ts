// Random numbers that can be repeated: the same seed gives the same numbers. Only for sandboxes; nothing here is
// secret.

/** Numbers in [0, 1). */
export interface Random {
  (): number
  /** Starts again from another seed. */
  reseed(seed: string): void
}

export function createRandom(seed: string): Random {
  let state = hashOf(seed)
  /** mulberry32 */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  return Object.assign(next, {
    reseed(another: string) {
      state = hashOf(another)
    },
  })
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return hash
}
