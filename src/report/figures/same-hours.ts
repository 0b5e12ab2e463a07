// Two periods of which one is not over: they are compared up to the same time of day. Figures are kept by quarter of an
// hour, so both end with the last quarter that is over.

import { clockAt, QUARTER_S } from './buckets.ts'
import type { Zone } from './zone.ts'

/** Half open, in Unix seconds. */
export interface Span {
  startS: number
  endS: number
}

/** The start of the present quarter of an hour. */
export const quarterAt = (timeS: number) => Math.floor(timeS / QUARTER_S) * QUARTER_S

/** How far both count. A period that is over is compared as a whole. */
export function sameHours(
  now: Span,
  before: Span,
  nowS: number,
  zone: Zone,
): { nowS: number; beforeS: number } {
  if (now.endS <= nowS) return { nowS: now.endS, beforeS: before.endS }
  const untilS = Math.max(now.startS, quarterAt(nowS))
  const localOf = (timeS: number) => timeS + zone.offsetAt(timeS)
  const sameS = clockAt(zone, localOf(untilS) - localOf(now.startS) + localOf(before.startS))
  return { nowS: untilS, beforeS: Math.min(before.endS, Math.max(before.startS, sameS)) }
}
