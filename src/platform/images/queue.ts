// The queue of images that wait to be read, owner by owner. Decoding costs memory and processors, so only a few run at
// once, the queue is bounded, and an owner who sends a hundred images delays only their own.

import { refusal } from '../../kernel/errors/problem.ts'

/** Runs `work` when `whose` has a slot; throws 429 or 503 if too many wait. */
export type RunQueued = <T>(whose: string, work: () => Promise<T>) => Promise<T>

export interface ImageQueueOptions {
  atOnce: number
  /** Images of one owner that may wait. */
  mostWaitingEach?: number
  /** Images of all owners that may wait. */
  mostWaiting?: number
}

const MOST_WAITING_EACH = 10
const MOST_WAITING = 100
const AGAIN = { headers: { 'retry-after': '2' } }

export function createImageQueue(options: ImageQueueOptions): RunQueued {
  const { atOnce, mostWaitingEach = MOST_WAITING_EACH, mostWaiting = MOST_WAITING } = options
  /** Lines in the order in which they are served. */
  const lines = new Map<string, (() => void)[]>()
  let waiting = 0
  let running = 0

  function waitInLine(whose: string): Promise<void> {
    const line = lines.get(whose) ?? []
    if (line.length >= mostWaitingEach) throw refusal('too_many_images', {}, AGAIN)
    if (waiting >= mostWaiting) throw refusal('images_waiting', {}, AGAIN)
    waiting++
    lines.set(whose, line)
    return new Promise(resolve => line.push(resolve))
  }

  /** Passes the slot directly to the next in line, so nobody can jump the queue; its owner's line goes to the end. */
  function passOn(): void {
    const next = lines.entries().next()
    if (next.done) {
      running--
      return
    }
    const [whose, line] = next.value
    lines.delete(whose)
    const begin = line.shift()!
    if (line.length > 0) lines.set(whose, line)
    waiting--
    begin()
  }

  return async (whose, work) => {
    if (running >= atOnce) await waitInLine(whose)
    else running++
    try {
      return await work()
    } finally {
      passOn()
    }
  }
}
