// A bound on streams at once, in all, per app and per customer. Taking a slot returns the function that frees it.

import type { Caller } from '../kernel/caller.ts'
import { Problem } from '../kernel/problem.ts'

export interface SlotLimits {
  total: number
  perApp: number
  /** Left out where only apps may ask. */
  perCustomer?: number
}

/** Who a stream is for. */
export interface SlotOwner {
  appId: number
  cuid: number | null
}

export type TakeSlot = (owner: SlotOwner) => () => void

export function slotOwner(caller: Caller, cuid: number | null): SlotOwner {
  return { appId: caller.appId, cuid: caller.level === 'customer' ? caller.cuid : cuid }
}

export function createSlots(what: string, limits: SlotLimits): TakeSlot {
  const { total, perApp, perCustomer = perApp } = limits
  const taken = new Map<string, number>()
  const add = (name: string, by: 1 | -1) => {
    const count = (taken.get(name) ?? 0) + by
    if (count === 0) taken.delete(name)
    else taken.set(name, count)
  }
  return ({ appId, cuid }) => {
    const bounds: [string, number, string][] = [
      ['all', total, `too many ${what} at once`],
      [`app ${appId}`, perApp, `at most ${perApp} ${what} of one app at once`],
    ]
    if (cuid !== null)
      bounds.push([`customer ${cuid}`, perCustomer, `at most ${perCustomer} ${what} at once`])
    for (const [name, most, message] of bounds)
      if ((taken.get(name) ?? 0) >= most)
        throw new Problem('too_many_at_once', message, { headers: { 'retry-after': '10' } })
    for (const [name] of bounds) add(name, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      for (const [name] of bounds) add(name, -1)
    }
  }
}
