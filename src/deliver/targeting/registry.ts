// Small dense numbers for keys in use, so that sizes and category codes can be bits and map keys. A number is freed
// when its last user is gone, so unused keys leave nothing behind.

export interface Registry<Key> {
  /** The key's number, which stays the same until the key was released as often as it was acquired. */
  acquire(key: Key): number
  release(key: Key): void
  /** Undefined if the key is unused. */
  find(key: Key): number | undefined
  /** How many use the key. */
  usersOf(key: Key): number
  readonly size: number
  /** All numbers that were ever used are below. */
  readonly end: number
}

export function createRegistry<Key>(): Registry<Key> {
  const idOf = new Map<Key, number>()
  const users: number[] = []
  const freeIds: number[] = []
  return {
    acquire(key) {
      let id = idOf.get(key)
      if (id === undefined) {
        id = freeIds.pop() ?? users.length
        idOf.set(key, id)
        users[id] = 0
      }
      users[id] = users[id]! + 1
      return id
    },
    release(key) {
      const id = idOf.get(key)
      if (id === undefined) throw new Error('released a key that nobody uses')
      users[id] = users[id]! - 1
      if (users[id] !== 0) return
      idOf.delete(key)
      freeIds.push(id)
    },
    find: key => idOf.get(key),
    usersOf(key) {
      const id = idOf.get(key)
      return id === undefined ? 0 : users[id]!
    },
    get size() {
      return idOf.size
    },
    get end() {
      return users.length
    },
  }
}
