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

/** The names and total of weights, remembered because every visitor draws from them several times. */
const urns = new WeakMap<Record<string, number>, { names: string[]; total: number }>()

function urnOf(weights: Record<string, number>): { names: string[]; total: number } {
  let urn = urns.get(weights)
  if (!urn) {
    const names = Object.keys(weights).toSorted()
    urn = { names, total: names.reduce((sum, name) => sum + weights[name]!, 0) }
    urns.set(weights, urn)
  }
  return urn
}

/** Draws a name by weight. Uses the order of names, so that the order in which a mix is written does not matter. */
export function pickBy(weights: Record<string, number>, random: Random): string {
  const { names, total } = urnOf(weights)
  let left = random() * total
  for (const name of names) {
    left -= weights[name]!
    if (left < 0) return name
  }
  return names.at(-1)!
}
