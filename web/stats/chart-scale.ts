// Positions in a chart: round numbers for its axes, and points joined by straight lines, because nothing is known about
// what lies between them.

export interface Axis {
  max: number
  ticks: number[]
}

const STEPS = [1, 2, 2.5, 5, 10]

/** From zero to a round number above the largest value, in about four steps. */
export function axisOf(values: readonly (number | null)[], isWhole: boolean): Axis {
  const largest = Math.max(0, ...values.map(value => value ?? 0))
  if (largest === 0) return { max: 1, ticks: [0] }
  const rough = largest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(power * STEPS.find(size => size * power >= rough)!, isWhole ? 1 : 0)
  const count = Math.ceil(largest / step - 1e-9)
  return { max: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) }
}

export interface Point {
  x: number
  y: number
}

/** A line through the points; it is broken where one is missing. */
export function lineThrough(points: readonly (Point | null)[]): string {
  let isApart = true
  return points
    .map(point => {
      if (!point) {
        isApart = true
        return ''
      }
      const letter = isApart ? 'M' : 'L'
      isApart = false
      return `${letter}${point.x.toFixed(1)} ${point.y.toFixed(1)}`
    })
    .join('')
}

/** The labels that there is room for. */
export function labelEvery(count: number, widthPx: number, labelPx: number): number {
  return Math.max(1, Math.ceil((count * labelPx) / Math.max(widthPx, 1)))
}
