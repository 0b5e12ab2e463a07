// Positions in a chart: round numbers for its axes, and a smooth curve through the points that never goes above or
// below the measured values.

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

export interface Point {
  x: number
  y: number
}

const short = (value: number) => String(+value.toFixed(1))
const at = ({ x, y }: Point) => `${short(x)} ${short(y)}`

/** The runs of points between missing ones. */
function runsOf(points: readonly (Point | null)[]): Point[][] {
  const runs: Point[][] = []
  let isApart = true
  for (const point of points) {
    if (point && isApart) runs.push([])
    if (point) runs.at(-1)!.push(point)
    isApart = point === null
  }
  return runs
}

/** A monotone cubic, interrupted where a point is missing. */
export function smooth(points: readonly (Point | null)[]): string {
  return runsOf(points).map(smoothRun).join('')
}

/** The area between the curve and the bottom. */
export function areaUnder(points: readonly (Point | null)[], bottom: number): string {
  return runsOf(points)
    .filter(run => run.length > 1)
    .map(
      run =>
        `${smoothRun(run)}L${short(run.at(-1)!.x)} ${short(bottom)}L${short(run[0]!.x)} ${short(bottom)}Z`,
    )
    .join('')
}

function smoothRun(run: readonly Point[]): string {
  const slopes = run.slice(1).map((point, index) => (point.y - run[index]!.y) / (point.x - run[index]!.x))
  const tangents = run.map((_, index) => {
    const [before, after] = [slopes[index - 1] ?? slopes[index] ?? 0, slopes[index] ?? slopes[index - 1] ?? 0]
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after)
  })
  const curves = run.slice(1).map((point, index) => {
    const start = run[index]!
    const third = (point.x - start.x) / 3
    const first = { x: start.x + third, y: start.y + tangents[index]! * third }
    const second = { x: point.x - third, y: point.y - tangents[index + 1]! * third }
    return `C${at(first)} ${at(second)} ${at(point)}`
  })
  return `M${at(run[0]!)}${curves.join('')}`
}

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
