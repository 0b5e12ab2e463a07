// How many requests of a sample an audience fits, each at its own time. Pure.

import { setImmediate } from 'node:timers/promises'
import { type KeptRequest, requestOf } from '../delivery/funnel/sample.ts'
import type { Traffic } from '../delivery/funnel/shared.ts'
import { type Hours, isOpenAt } from '../kernel/hours.ts'
import { fromMicros } from '../kernel/money.ts'
import type { Targeting } from '../personas/targeting.ts'
import { matches } from '../targeting/match.ts'
import type { Reach } from './contract.ts'

export interface Wanted {
  targeting: Targeting
  /** Null: always. */
  hours: Hours | null
  /** `300x250`; empty: any. */
  sizes: ReadonlySet<string>
  /** Null: any. */
  cpmMicros: number | null
}

/** Requests between two turns of the event loop: other calls are not kept waiting. */
const CHUNK = 128

export async function reachOf(wanted: Wanted, { sinceMs, requests, kept }: Traffic): Promise<Reach> {
  const floors: number[] = []
  for (const [done, one] of kept.entries()) {
    const floor = lowestFloor(wanted, one)
    if (floor !== null) floors.push(floor)
    if (done % CHUNK === 0) await setImmediate()
  }
  floors.sort((a, b) => a - b)
  const { cpmMicros } = wanted
  const affordable = cpmMicros === null ? floors.length : floors.filter(floor => floor <= cpmMicros).length
  const ofAll = (sampled: number) => (kept.length === 0 ? 0 : Math.round((sampled * requests) / kept.length))
  return {
    since: Math.floor(sinceMs / 1000),
    requests,
    sampled: kept.length,
    fits: ofAll(floors.length),
    affordable: ofAll(affordable),
    floors: floors.length === 0 ? null : { low: quantile(floors, 0.25), high: quantile(floors, 0.75) },
  }
}

/** Of the places that a banner fits; null: there is none, or nobody who is meant asks. */
function lowestFloor({ targeting, hours, sizes }: Wanted, one: KeptRequest): number | null {
  if (!isOpenAt(hours, one.atS * 1000) || !matches(targeting, requestOf(one))) return null
  const floors = one.request.slots
    .filter(
      slot => sizes.size === 0 || slot.sizes.some(({ width, height }) => sizes.has(`${width}x${height}`)),
    )
    .map(({ floorMicros }) => floorMicros)
  return floors.length === 0 ? null : Math.min(...floors)
}

function quantile(sorted: number[], part: number): number {
  return fromMicros(sorted[Math.round(part * (sorted.length - 1))]!)
}
