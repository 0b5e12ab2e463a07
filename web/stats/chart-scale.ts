// Positions in a chart: round numbers for its axes, and a smooth curve through the points that never goes above or
// below the measured values.

import { area, curveMonotoneX, line } from 'd3-shape'

export interface Axis {
  max: number
  ticks: number[]
}

const STEPS = [1, 2, 2.5, 5, 10, 20]

/** From zero to the first round number that is not below the largest value, in at most this many steps. */
export function axisOf(values: readonly (number | null)[], isWhole: boolean, mostSteps = 5): Axis {
  const largest = Math.max(0, ...values.map(value => value ?? 0))
  if (largest === 0) return { max: 1, ticks: [0] }
  const power = 10 ** Math.floor(Math.log10(largest / mostSteps))
  // Rounded, because 3 * 0.1 is more than 0.3.
  const stepsOf = (step: number) => Math.ceil(+(largest / step).toFixed(6))
  const fits = (step: number) => stepsOf(step) <= mostSteps && (!isWhole || Number.isInteger(step))
  const step = STEPS.map(size => size * power).find(fits) ?? 1
  const ticks = Array.from({ length: stepsOf(step) + 1 }, (_, index) => +(index * step).toPrecision(12))
  return { max: ticks.at(-1)!, ticks }
}

/** The first round number that is not below this. */
export function stepAbove(least: number, isWhole: boolean): number {
  if (least <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  const fits = (step: number) => +step.toPrecision(12) >= least && (!isWhole || Number.isInteger(step))
  return STEPS.map(size => size * power).find(fits) ?? 1
}

export interface Point {
  x: number
  y: number
}

const short = (value: number) => String(+value.toFixed(1))

/** A monotone cubic, interrupted where a point is missing. */
export function smooth(points: readonly (Point | null)[]): string {
  const curve = line<Point | null>(x, y).defined(isThere).curve(curveMonotoneX).digits(1)
  return curve(points) ?? ''
}

/** The area between the curve and the bottom. */
export function areaUnder(points: readonly (Point | null)[], bottom: number): string {
  // A point on its own has no area.
  const isInRun = (point: Point | null, i: number) =>
    isThere(point) && (isThere(points[i - 1] ?? null) || isThere(points[i + 1] ?? null))
  const shape = area<Point | null>(x, bottom, y).defined(isInRun).curve(curveMonotoneX).digits(1)
  return shape(points) ?? ''
}

const isThere = (point: Point | null) => point !== null
const x = (point: Point | null) => point!.x
const y = (point: Point | null) => point!.y

/** A bar on the bottom line, rounded at the top. */
export function barAt(x: number, bottom: number, width: number, height: number): string {
  const round = Math.min(2, width / 2, height)
  const side = short(height - round)
  return `M${short(x - width / 2)} ${short(bottom)}v-${side}q0 -${short(round)} ${short(round)} -${short(round)}h${short(width - 2 * round)}q${short(round)} 0 ${short(round)} ${short(round)}v${side}z`
}

/** Every how many buckets there is room for a label. */
export function labelEvery(count: number, widthPx: number, labelPx: number): number {
  return Math.max(1, Math.ceil((count * labelPx) / Math.max(widthPx, 1)))
}
