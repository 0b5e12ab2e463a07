// Remembers what was asked for lately: at most about `most` entries, the ones not asked for longest going first, half
// of them at a time. Two maps that take turns, because moving single entries of a map to its end costs more than most
// answers that are worth remembering.

export interface Recent<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

export function createRecent<Key, Value>(most: number): Recent<Key, Value> {
  const half = Math.max(1, Math.floor(most / 2))
  let young = new Map<Key, Value>()
  let old = new Map<Key, Value>()

  function set(key: Key, value: Value): void {
    if (young.size >= half && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }

  return {
    set,
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
  }
}
