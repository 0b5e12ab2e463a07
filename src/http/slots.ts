// A bound on concurrent transfers (uploads, exports, streams): in all, per app and per customer. Taking a slot returns
// the function that frees it. If there is no room in the app, or at all, the slowest transfer of whoever has most ends
// for whoever has clearly fewer, so that a few customers cannot keep all others away.

import type { IncomingMessage } from 'node:http'
import type { Caller } from '../kernel/caller.ts'
import { type Problem, refusal } from '../kernel/errors/problem.ts'

export interface SlotLimits {
  total: number
  perApp: number
  /** Omitted where only apps may ask. */
  perCustomer?: number
}

/** Who a transfer is for. */
export interface SlotOwner {
  appId: number
  cuid: number | null
}

/** A transfer that may have to end for another. */
export interface Transfer {
  /** How many bytes its caller has sent or taken so far. */
  bytes(): number
  end(): void
}

export type TakeSlot = (owner: SlotOwner, transfer?: Transfer) => () => void

export function slotOwner(caller: Caller, cuid: number | null): SlotOwner {
  return { appId: caller.appId, cuid: caller.level === 'customer' ? caller.cuid : cuid }
}

/** An answer that its caller takes piece by piece. */
export function answerTo({ socket }: IncomingMessage): Transfer {
  const taken = () => socket.bytesWritten - socket.writableLength
  const before = taken()
  return { bytes: () => taken() - before, end: () => socket.destroy() }
}

interface Held extends SlotOwner {
  transfer: Transfer | undefined
  sinceMs: number
}

type Reason = 'too_many_at_once' | 'too_many_at_once_of_app' | 'too_many_at_once_of_customer'

/** Before that, its speed says nothing. */
const YOUNG_MS = 1000

export function createSlots(what: string, limits: SlotLimits): TakeSlot {
  const { total, perApp, perCustomer = perApp } = limits
  const held = new Set<Held>()
  const refuse = (reason: Reason, max: number): Problem =>
    refusal(reason, { max, what }, { headers: { 'retry-after': '10' } })

  /** Ends one of theirs, or returns false. */
  function makeRoom(among: Held[], { cuid }: SlotOwner): boolean {
    const fewer = among.filter(other => other.cuid === cuid).length
    const most = mostBy(among, other => other.cuid)
    const slowest = most.length > fewer + 1 ? slowestOf(most) : null
    if (slowest === null) return false
    held.delete(slowest)
    slowest.transfer!.end()
    return true
  }

  return (owner, transfer) => {
    const ofApp = [...held].filter(({ appId }) => appId === owner.appId)
    const own = ofApp.filter(({ cuid }) => cuid === owner.cuid)
    if (owner.cuid !== null && own.length >= perCustomer)
      throw refuse('too_many_at_once_of_customer', perCustomer)
    if (ofApp.length >= perApp) {
      if (!makeRoom(ofApp, owner)) throw refuse('too_many_at_once_of_app', perApp)
    } else if (held.size >= total) {
      const largest = mostBy([...held], ({ appId }) => appId)
      if (!makeRoom(largest.length > ofApp.length + 1 ? largest : ofApp, owner))
        throw refuse('too_many_at_once', total)
    }
    const mine: Held = { ...owner, transfer, sinceMs: performance.now() }
    held.add(mine)
    return () => void held.delete(mine)
  }
}

function mostBy(all: Held[], keyOf: (one: Held) => unknown): Held[] {
  const groups = new Map<unknown, Held[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups.values()].reduce((most, group) => (group.length > most.length ? group : most), [])
}

/** Null if none of them may end. */
function slowestOf(all: Held[]): Held | null {
  const nowMs = performance.now()
  const speeds = all.map((one): [Held, number] => [one, speedOf(one, nowMs)])
  const [slowest, speed] = speeds.reduce((least, other) => (other[1] < least[1] ? other : least))
  return speed === Number.POSITIVE_INFINITY ? null : slowest
}

function speedOf({ transfer, sinceMs }: Held, nowMs: number): number {
  if (!transfer) return Number.POSITIVE_INFINITY
  return transfer.bytes() / Math.max(YOUNG_MS, nowMs - sinceMs)
}
