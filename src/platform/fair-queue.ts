// A fair queue for something scarce. Each owner has a bounded number of slots; its further requests wait in a line of
// its own. The lines are served in rotation, so that one owner's thousand requests delay only that owner. Lines are
// bounded, and nobody waits forever.

export interface Owner {
  name: string
  /** Slots at once. */
  atOnce: number
}

export interface QueueLimits {
  /** Slots at once, of all owners together. */
  atOnce: number
  /** How many may wait: of one owner, and in all. */
  waitingEach: number
  waiting: number
  /** Infinite: as long as it takes. */
  waitMs: number
}

/** Why a caller got no slot: too many are waiting already, of its owner or in all, or it waited too long. */
export type QueueRefusal = 'owner full' | 'full' | 'late'

export interface WaitOptions {
  /** Ends the wait; the reason is thrown. */
  signal?: AbortSignal | undefined
  /** Waits however many others wait, until it gets a slot or the signal aborts. */
  isPatient?: boolean
}

/** Frees a slot. */
export type Done = () => void

export interface FairQueue {
  /** Takes a slot for all of these owners at once, or throws the error that `refuse` makes. */
  take(owners: readonly Owner[], options?: WaitOptions): Promise<Done>
  waiting(): number
}

interface Waiter {
  owners: readonly Owner[]
  begin(): void
}

export function createFairQueue(limits: QueueLimits, refuse: (why: QueueRefusal) => Error): FairQueue {
  const running = new Map<string, number>()
  const waitingOf = new Map<string, number>()
  /** Lines in the order in which they are served. A line that was served goes to the end. */
  const lines = new Map<string, Set<Waiter>>()
  let atWork = 0
  let waiting = 0

  const isFree = (owners: readonly Owner[]) =>
    atWork < limits.atOnce && owners.every(({ name, atOnce }) => (running.get(name) ?? 0) < atOnce)

  function begin(owners: readonly Owner[]): Done {
    atWork++
    for (const { name } of owners) add(running, name, 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      atWork--
      for (const { name } of owners) add(running, name, -1)
      passOn()
    }
  }

  /** Gives a free slot to the first line that may use it. */
  function passOn(): void {
    if (atWork >= limits.atOnce) return
    for (const [name, line] of lines) {
      const [next] = line
      if (!isFree(next!.owners)) continue
      lines.delete(name)
      lines.set(name, line)
      next!.begin()
      return
    }
  }

  function wait(owners: readonly Owner[], { signal, isPatient = false }: WaitOptions): Promise<Done> {
    if (!isPatient && owners.some(isWaitedFor)) throw refuse('owner full')
    if (!isPatient && waiting >= limits.waiting) throw refuse('full')
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        owners,
        begin() {
          leave()
          resolve(begin(owners))
        },
      }
      const giveUp = (error: Error) => {
        leave()
        reject(error)
      }
      const onAbort = () => giveUp(signal!.reason)
      const hasTime = isPatient || limits.waitMs === Number.POSITIVE_INFINITY
      const timer = hasTime ? undefined : setTimeout(() => giveUp(refuse('late')), limits.waitMs)
      const leave = enter(waiter, () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      })
      signal?.addEventListener('abort', onAbort)
    })
  }

  const isWaitedFor = ({ name }: Owner) => (waitingOf.get(name) ?? 0) >= limits.waitingEach

  /** Returns the function that leaves the line. */
  function enter(waiter: Waiter, onLeave: () => void): () => void {
    const { owners } = waiter
    const name = owners.map(owner => owner.name).join()
    const line = lines.get(name) ?? new Set()
    lines.set(name, line.add(waiter))
    waiting++
    for (const owner of owners) add(waitingOf, owner.name, 1)
    return () => {
      line.delete(waiter)
      if (line.size === 0) lines.delete(name)
      waiting--
      for (const owner of owners) add(waitingOf, owner.name, -1)
      onLeave()
    }
  }

  return {
    async take(owners, options = {}) {
      options.signal?.throwIfAborted()
      return isFree(owners) ? begin(owners) : wait(owners, options)
    },
    waiting: () => waiting,
  }
}

function add(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
