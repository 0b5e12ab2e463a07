// Remembers recent lookups, about `most` entries. The least recently used entries are dropped first, half of them at a
// time. Two maps alternate, because moving single entries to the end of a map costs more than most cached answers.

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

/** Longer texts are looked up each time, so the memory stays small whatever is sent. */
const LONGEST_REMEMBERED = 64

/** The same lookup by text, with recent answers remembered; an answer of undefined is not. */
export function remembered<Value>(look: (text: string) => Value, most: number): (text: string) => Value {
  const known = createRecent<string, Value>(most)
  return text => {
    if (text.length > LONGEST_REMEMBERED) return look(text)
    const found = known.get(text)
    if (found !== undefined) return found
    const value = look(text)
    known.set(text, value)
    return value
  }
}
