// A queue for work that strangers can start: only a limited amount of it runs at once, the rest waits in order of
// arrival. So a burst of it cannot take every connection of a pool, and the work of others goes first.

export type Line = <T>(work: () => Promise<T>) => Promise<T>

export function createLine(atOnce: number): Line {
  const waiting: (() => void)[] = []
  let running = 0

  /** The place goes straight to the next in line, so that nobody can jump the queue. */
  function passOn(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return async work => {
    if (running < atOnce) running++
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      passOn()
    }
  }
}
