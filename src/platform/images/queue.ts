// The queue of images that wait to be read, owner by owner. Decoding costs memory and processors, so only a few run at
// once, the queue is bounded, and an owner who sends a hundred images delays only their own.

import { refusal } from '../../kernel/errors/problem.ts'
import { createFairQueue } from '../fair-queue.ts'

/** Runs `work` when `whose` has a slot; throws 429 or 503 if too many wait. */
export type RunQueued = <T>(whose: string, work: () => Promise<T>) => Promise<T>

export interface ImageQueueOptions {
  atOnce: number
  /** Images of one owner that may wait. */
  mostWaitingEach?: number
  /** Images of all owners that may wait. */
  mostWaiting?: number
}

export const MOST_WAITING_EACH = 10
export const MOST_WAITING = 100
const AGAIN = { headers: { 'retry-after': '2' } }

export function createImageQueue(options: ImageQueueOptions): RunQueued {
  const { atOnce, mostWaitingEach = MOST_WAITING_EACH, mostWaiting = MOST_WAITING } = options
  const limits = {
    atOnce,
    waitingEach: mostWaitingEach,
    waiting: mostWaiting,
    waitMs: Number.POSITIVE_INFINITY,
  }
  const queue = createFairQueue(limits, why =>
    refusal(why === 'owner full' ? 'too_many_images' : 'images_waiting', {}, AGAIN),
  )
  return async (whose, work) => {
    const done = await queue.take([{ name: whose, atOnce }])
    try {
      return await work()
    } finally {
      done()
    }
  }
}
