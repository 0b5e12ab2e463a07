// A bound on concurrent streams: in all, per app and per customer. Taking a slot returns the function that frees it.

import type { Caller } from '../kernel/caller.ts'
import { refusal } from '../kernel/errors/problem.ts'

export interface SlotLimits {
  total: number
  perApp: number
  /** Omitted where only apps may ask. */
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

type Reason = 'too_many_at_once' | 'too_many_at_once_of_app' | 'too_many_at_once_of_customer'

export function createSlots(what: string, limits: SlotLimits): TakeSlot {
  const { total, perApp, perCustomer = perApp } = limits
  const taken = new Map<string, number>()
  const add = (name: string, by: 1 | -1) => {
    const count = (taken.get(name) ?? 0) + by
    if (count === 0) taken.delete(name)
    else taken.set(name, count)
  }
  return ({ appId, cuid }) => {
    const bounds: [string, number, Reason][] = [
      ['all', total, 'too_many_at_once'],
      [`app ${appId}`, perApp, 'too_many_at_once_of_app'],
    ]
    if (cuid !== null) bounds.push([`customer ${cuid}`, perCustomer, 'too_many_at_once_of_customer'])
    for (const [name, max, reason] of bounds)
      if ((taken.get(name) ?? 0) >= max)
        throw refusal(reason, { max, what }, { headers: { 'retry-after': '10' } })
    for (const [name] of bounds) add(name, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      for (const [name] of bounds) add(name, -1)
    }
  }
}
