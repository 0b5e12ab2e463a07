// Remembers recent lookups: at most about `most` entries; the least recently used are dropped first, half of them at a
// time. Two maps take turns, because moving single entries to the end of a map costs more than most cached answers.

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
