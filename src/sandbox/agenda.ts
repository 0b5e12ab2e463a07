// What is still to happen, by time; entries with the same time keep the order in which they were added.

export interface Agenda<T> {
  add(atMs: number, what: T): void
  /** The time of the next entry; infinite: there is none. */
  nextMs(): number
  take(): T
}

interface Entry<T> {
  atMs: number
  order: number
  what: T
}

export function createAgenda<T>(): Agenda<T> {
  /** A heap: no entry is later than those at 2n + 1 and 2n + 2. */
  const heap: Entry<T>[] = []
  let added = 0

  const isLater = (a: Entry<T>, b: Entry<T>) => a.atMs > b.atMs || (a.atMs === b.atMs && a.order > b.order)

  function swap(a: number, b: number): void {
    const entry = heap[a]!
    heap[a] = heap[b]!
    heap[b] = entry
  }

  function rise(at: number): void {
    for (let child = at; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!isLater(heap[parent]!, heap[child]!)) return
      swap(parent, child)
      child = parent
    }
  }

  function sink(): void {
    for (let parent = 0; ; ) {
      let first = parent
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && isLater(heap[first]!, heap[child]!)) first = child
      if (first === parent) return
      swap(parent, first)
      parent = first
    }
  }

  return {
    add(atMs, what) {
      heap.push({ atMs, order: added++, what })
      rise(heap.length - 1)
    },
    nextMs: () => heap[0]?.atMs ?? Number.POSITIVE_INFINITY,
    take() {
      swap(0, heap.length - 1)
      const { what } = heap.pop()!
      sink()
      return what
    },
  }
}
