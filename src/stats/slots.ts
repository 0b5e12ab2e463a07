// A bound on concurrent runs, in all and per customer. Taking a slot returns the function that frees it.

import { Problem } from '../kernel/problem.ts'

export interface SlotLimits {
  total: number
  perCustomer: number
}

export type TakeSlot = (cuid: number) => () => void

export function createSlots(what: string, { total, perCustomer }: SlotLimits): TakeSlot {
  const taken = new Map<number, number>()
  let all = 0
  return cuid => {
    const own = taken.get(cuid) ?? 0
    if (own >= perCustomer || all >= total) {
      const message =
        own >= perCustomer ? `at most ${perCustomer} ${what} at once` : `too many ${what} at once`
      throw new Problem('too_many_requests', message, { headers: { 'retry-after': '10' } })
    }
    taken.set(cuid, own + 1)
    all++
    let held = true
    return () => {
      if (!held) return
      held = false
      all--
      const left = taken.get(cuid)! - 1
      if (left === 0) taken.delete(cuid)
      else taken.set(cuid, left)
    }
  }
}
