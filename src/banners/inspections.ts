// Inspections take turns, customer by customer: decoding costs memory and processors, so only a few run at once, the
// queue is bounded, and a customer who sends a hundred images delays only their own.

import { Problem } from '../kernel/problem.ts'
import type { Inspection } from './creative/inspect.ts'

/** `cuid`: whose turn it is. */
export type Inspect = (bytes: Buffer, cuid: number) => Promise<Inspection>

export interface InspectionOptions {
  atOnce: number
  inspect: (bytes: Buffer) => Promise<Inspection>
  /** Images of one customer that may wait. */
  mostWaitingEach?: number
  /** Of all together. */
  mostWaiting?: number
}

const MOST_WAITING_EACH = 10
const MOST_WAITING = 100

export function createInspections(options: InspectionOptions): Inspect {
  const { atOnce, inspect, mostWaitingEach = MOST_WAITING_EACH, mostWaiting = MOST_WAITING } = options
  /** In the order of their turns. */
  const lines = new Map<number, (() => void)[]>()
  let waiting = 0
  let running = 0

  function waitInLine(cuid: number): Promise<void> {
    const line = lines.get(cuid) ?? []
    if (line.length >= mostWaitingEach)
      throw busy('too_many_requests', 'too many images of this customer are waiting to be checked')
    if (waiting >= mostWaiting) throw busy('unavailable', 'too many images are waiting to be checked')
    waiting++
    lines.set(cuid, line)
    return new Promise(resolve => line.push(resolve))
  }

  /** The place goes straight to the next in line, so nobody can push in between; its customer goes to the end. */
  function passOn(): void {
    const next = lines.entries().next()
    if (next.done) {
      running--
      return
    }
    const [cuid, line] = next.value
    lines.delete(cuid)
    const begin = line.shift()!
    if (line.length > 0) lines.set(cuid, line)
    waiting--
    begin()
  }

  return async (bytes, cuid) => {
    if (running >= atOnce) await waitInLine(cuid)
    else running++
    try {
      return await inspect(bytes)
    } finally {
      passOn()
    }
  }
}

function busy(code: 'too_many_requests' | 'unavailable', message: string): Problem {
  return new Problem(code, `${message}; try again`, { headers: { 'retry-after': '2' } })
}
