// How many requests of a sample an audience fits, each at its own time; which sizes they ask for, and what another
// price would change. Pure.

import { setImmediate } from 'node:timers/promises'
import { type KeptRequest, requestOf } from '../../deliver/sample/sample.ts'
import type { Traffic } from '../../deliver/sample/traffic.ts'
import { matches } from '../../deliver/targeting/match.ts'
import { fromMicros, MICROS_PER_UNIT } from '../../kernel/money.ts'
import { type Hours, isOpenAt } from '../../kernel/time/hours.ts'
import type { Targeting } from '../../manage/personas/matched-form.ts'
import { isAllowedSize } from '../../manage/reference/ad-sizes.ts'
import { MOST_ASKED, type Reach } from './contract.ts'

export interface Wanted {
  targeting: Targeting
  /** Null: always. */
  hours: Hours | null
  /** Sizes such as `300x250`; empty: any. */
  sizes: ReadonlySet<string>
  /** Null: any. */
  cpmMicros: number | null
}

/** Of fewer requests that went to somebody, their prices say nothing. */
const LEAST_SERVED = 10
/** Requests per turn of the event loop, so that other calls need not wait. */
const CHUNK = 128

export async function reachOf(wanted: Wanted, { sinceMs, requests, kept }: Traffic): Promise<Reach> {
  const floors: number[] = []
  const needed: number[] = []
  let served = 0
  const asked = new Map<string, Asked>()
  for (const [done, one] of kept.entries()) {
    if (done % CHUNK === 0) await setImmediate()
    if (!isMeant(wanted, one)) continue
    const floor = lowestFloor(wanted, one)
    if (floor !== null) {
      floors.push(floor)
      needed.push(neededFor(wanted, one))
      if (one.places.some(({ won }) => won !== null)) served++
    }
    note(asked, one, floor !== null)
  }
  for (const prices of [floors, needed]) prices.sort((a, b) => a - b)
  const { cpmMicros } = wanted
  const affords = (micros: number) => floors.filter(floor => floor <= micros).length
  const affordable = cpmMicros === null ? floors.length : affords(cpmMicros)
  const betterMicros = cpmMicros === null || floors.length === 0 ? null : upToCents(quantile(floors, 0.75))
  const ofAll = (sampled: number) => (kept.length === 0 ? 0 : Math.round((sampled * requests) / kept.length))
  return {
    since: Math.floor(sinceMs / 1000),
    requests,
    sampled: kept.length,
    fits: ofAll(floors.length),
    affordable: ofAll(affordable),
    floors:
      floors.length === 0
        ? null
        : { low: fromMicros(quantile(floors, 0.25)), high: fromMicros(quantile(floors, 0.75)) },
    better:
      betterMicros !== null && affords(betterMicros) > affordable
        ? { cpm: fromMicros(betterMicros), affordable: ofAll(affords(betterMicros)) }
        : null,
    winning: served < LEAST_SERVED ? null : { half: priceOf(needed, 0.5), most: priceOf(needed, 0.9) },
    sizes: [...asked]
      .sort(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1))
      .slice(0, MOST_ASKED)
      .map(([size, { requests: often, more }]) => ({ size, requests: ofAll(often), more: ofAll(more) })),
  }
}

function isMeant({ targeting, hours }: Wanted, one: KeptRequest): boolean {
  return isOpenAt(hours, one.atS * 1000) && matches(targeting, requestOf(one))
}

const nameOf = ({ width, height }: { width: number; height: number }) => `${width}x${height}`

type Slot = KeptRequest['request']['slots'][number]

const takes = ({ sizes }: Wanted, slot: Slot) =>
  sizes.size === 0 || slot.sizes.some(size => sizes.has(nameOf(size)))

/** The lowest floor of the places that a banner fits; null: there is no such place. */
function lowestFloor(wanted: Wanted, one: KeptRequest): number | null {
  const floors = one.request.slots.filter(slot => takes(wanted, slot)).map(({ floorMicros }) => floorMicros)
  return floors.length === 0 ? null : Math.min(...floors)
}

/** The lowest price that one of these places would have gone to. */
function neededFor(wanted: Wanted, { request, places }: KeptRequest): number {
  const prices = request.slots.map((slot, at) => {
    const won = places[at]?.won
    if (!takes(wanted, slot)) return Number.POSITIVE_INFINITY
    return Math.max(slot.floorMicros, won ? won.cpmMicros + CENT_MICROS : 0)
  })
  return Math.min(...prices)
}

interface Asked {
  requests: number
  /** Requests that no banner fits yet. */
  more: number
}

/** Counts the sizes of a request, without those that no banner can have. */
function note(asked: Map<string, Asked>, { request }: KeptRequest, fits: boolean): void {
  const sizes = request.slots
    .flatMap(slot => slot.sizes)
    .filter(size => isAllowedSize(size.width, size.height))
  for (const size of new Set(sizes.map(nameOf))) {
    const { requests, more } = asked.get(size) ?? { requests: 0, more: 0 }
    asked.set(size, { requests: requests + 1, more: more + (fits ? 0 : 1) })
  }
}

function quantile(sorted: number[], part: number): number {
  return sorted[Math.round(part * (sorted.length - 1))]!
}

const CENT_MICROS = MICROS_PER_UNIT / 100
/** Rounds up to whole cents, as people enter prices. */
const upToCents = (micros: number) => Math.ceil(micros / CENT_MICROS) * CENT_MICROS
const priceOf = (sorted: number[], part: number) => fromMicros(upToCents(quantile(sorted, part)))
