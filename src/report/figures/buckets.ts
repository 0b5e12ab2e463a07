// Where hours, days, weeks and months begin in a time zone. Pure arithmetic over a zone's offsets.
//
// A day, week or month begins at the first second at which the zone's date is that date or later: so a midnight that is
// skipped (or a whole day, as on some Pacific islands) and one that comes twice both have one answer. An hour begins
// with every full hour of the zone's clocks, and with every change of them.

import type { Zone } from './zone.ts'

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

const HOUR_S = 3600
export const DAY_S = 86_400
const LENGTH_S = { hour: HOUR_S, day: DAY_S, week: 7 * DAY_S, month: 31 * DAY_S }
/** Figures are stored per quarter of an hour. */
export const QUARTER_S = 900
/** No clock was ever further from UTC than this. */
const MAX_OFFSET_S = 16 * HOUR_S
/** Since 1970, no zone changed its clocks and back within 6.9 days: equal offsets at both ends mean no change. */
const STRIDE_S = 5 * DAY_S

export interface Range {
  zone: Zone
  interval: Interval
  /** A half-open interval. */
  startS: number
  endS: number
}

/**
 * The first seconds of all buckets that the range touches, ascending; the first may be before the range. Null if there
 * are more than `max`.
 */
export function bucketsOf(range: Range, max: number): number[] | null {
  const starts: number[] = []
  if (range.startS >= range.endS) return starts
  // No bucket is twice as long as its kind, so this is certainly too many; no walk is needed.
  if ((range.endS - range.startS) / (2 * LENGTH_S[range.interval]) > max) return null
  const steps = range.interval === 'hour' ? hourSteps(range) : calendarSteps(range, range.interval)
  for (const bucketS of steps) {
    if (bucketS >= range.endS) return starts
    if (starts.length === max) return null
    starts.push(bucketS)
  }
  return starts
}

/** The first second of the zone's day that contains this moment. */
export function dayStart(zone: Zone, timeS: number): number {
  return calendarSteps({ zone, startS: timeS }, 'day').next().value
}

/** The zone's date at this moment, `2026-03-29`. */
export function dateOf(zone: Zone, timeS: number): string {
  return new Date((timeS + zone.offsetAt(timeS)) * 1000).toISOString().slice(0, 10)
}

/** The date as a number, 20260329, which names the day of a budget. */
export function dayNumber(zone: Zone, timeS: number): number {
  return Number(dateOf(zone, timeS).replaceAll('-', ''))
}

/** The first second at which the zone's clocks show this local time or a later one. */
export function clockAt(zone: Zone, localS: number): number {
  return firstAt(zone, steadyOffsets(zone), localS)
}

function* calendarSteps(
  { zone, startS }: Pick<Range, 'zone' | 'startS'>,
  interval: Exclude<Interval, 'hour'>,
): Generator<number, never> {
  const offsets = steadyOffsets(zone)
  let localS = floorLocal(interval, startS + zone.offsetAt(startS))
  let bucketS = firstAt(zone, offsets, localS)
  while (true) {
    localS = nextLocal(interval, localS)
    const nextS = firstAt(zone, offsets, localS)
    // A bucket without a second in it (a skipped day) does not exist; one that ended before the range is left out.
    if (nextS > bucketS && nextS > startS) yield bucketS
    bucketS = nextS
  }
}

function* hourSteps({ zone, startS }: Range): Generator<number, never> {
  const offsets = steadyOffsets(zone)
  let offsetS = zone.offsetAt(startS)
  let bucketS = startS - modulo(startS + offsetS, HOUR_S)
  if (zone.offsetAt(bucketS) !== offsetS) bucketS = changeBetween(zone, bucketS, startS)
  while (true) {
    yield bucketS
    let nextS = bucketS - modulo(bucketS + offsetS, HOUR_S) + HOUR_S
    if (offsets(bucketS, nextS) === null) {
      nextS = changeBetween(zone, bucketS, nextS)
      offsetS = zone.offsetAt(nextS)
    }
    bucketS = nextS
  }
}

/** Local times are seconds since 1970 as the zone's clocks show them. */
function floorLocal(interval: Exclude<Interval, 'hour'>, localS: number): number {
  const day = Math.floor(localS / DAY_S)
  if (interval === 'day') return day * DAY_S
  // Day 0 was a Thursday; weeks begin on Monday.
  if (interval === 'week') return (day - modulo(day + 3, 7)) * DAY_S
  const date = new Date(localS * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
}

function nextLocal(interval: Exclude<Interval, 'hour'>, localS: number): number {
  if (interval === 'day') return localS + DAY_S
  if (interval === 'week') return localS + 7 * DAY_S
  const date = new Date(localS * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000
}

function firstAt(zone: Zone, offsets: SteadyOffsets, localS: number): number {
  const endS = localS + MAX_OFFSET_S
  let fromS = localS - MAX_OFFSET_S
  const steadyS = offsets(fromS, endS)
  if (steadyS !== null) return localS - steadyS
  while (true) {
    const offsetS = zone.offsetAt(fromS)
    const untilS = zone.offsetAt(endS) === offsetS ? endS : changeBetween(zone, fromS, endS)
    const wantedS = Math.max(fromS, localS - offsetS)
    if (wantedS < untilS || untilS === endS) return wantedS
    fromS = untilS
  }
}

/** The first second after `fromS` whose offset differs from that at `fromS`. The offset at `toS` must differ. */
function changeBetween(zone: Zone, fromS: number, toS: number): number {
  const offsetS = zone.offsetAt(fromS)
  let same = fromS
  let other = toS
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (zone.offsetAt(middle) === offsetS) same = middle
    else other = middle
  }
  return other
}

/** The offset that is valid throughout a period of at most two days; null if it changes. */
type SteadyOffsets = (fromS: number, toS: number) => number | null

/** A call of Intl costs microseconds, so each steady period is extended ahead and remembered. */
function steadyOffsets(zone: Zone): SteadyOffsets {
  let known = { fromS: 0, toS: -1, offsetS: 0 }
  return (fromS, toS) => {
    if (known.fromS <= fromS && toS <= known.toS) return known.offsetS
    const offsetS = zone.offsetAt(fromS)
    if (zone.offsetAt(toS) !== offsetS) return null
    const aheadS = fromS + STRIDE_S
    known = { fromS, toS: zone.offsetAt(aheadS) === offsetS ? aheadS : toS, offsetS }
    return offsetS
  }
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
