// Seven days of spend as a line; today is not over and is drawn differently. Decoration: the figures are beside it.

import { useId } from 'react'

type Point = readonly [x: number, y: number]

const WIDTH = 84
const HEIGHT = 30
const EDGE = 3
/** Room above the highest day. */
const ROOM = 1.08

const at = (value: number) => value.toFixed(1)

/** Monotone cubic through the points: smooth, and never above or below what was measured. */
function smooth(points: readonly Point[]): string {
  const slopes = points.slice(1).map(([x, y], i) => (y - points[i]![1]) / (x - points[i]![0]))
  const tangents = points.map((_, i) => {
    const [before, after] = [slopes[i - 1] ?? slopes[i] ?? 0, slopes[i] ?? slopes[i - 1] ?? 0]
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after)
  })
  const curves = points.slice(1).map(([x, y], i) => {
    const [fromX, fromY] = points[i]!
    const third = (x - fromX) / 3
    const first = `${at(fromX + third)} ${at(fromY + tangents[i]! * third)}`
    const second = `${at(x - third)} ${at(y - tangents[i + 1]! * third)}`
    return `C${first} ${second} ${at(x)} ${at(y)}`
  })
  return `M${at(points[0]![0])} ${at(points[0]![1])}${curves.join('')}`
}

export function Spark({ days, bad }: { days: readonly number[]; bad: boolean }) {
  const id = useId()
  const most = Math.max(...days)
  const box = {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
  }
  if (most <= 0) {
    return (
      <svg className="ck-spark" aria-hidden="true" {...box}>
        <path className="ck-flat" d={`M${EDGE} ${HEIGHT - EDGE - 1}H${WIDTH - EDGE}`} />
      </svg>
    )
  }
  const points = days.map((value, i): Point => {
    const x = EDGE + (i * (WIDTH - 2 * EDGE)) / (days.length - 1)
    return [x, HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (value / (most * ROOM))]
  })
  const solid = points.slice(0, -1)
  const [last, today] = [solid.at(-1)!, points.at(-1)!]
  const line = smooth(solid)
  return (
    <svg className="ck-spark" aria-hidden="true" data-bad={bad || undefined} {...box}>
      <defs>
        <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className="ck-a0" />
          <stop offset="1" className="ck-a1" />
        </linearGradient>
      </defs>
      <path d={`${line}L${at(last[0])} ${HEIGHT}L${EDGE} ${HEIGHT}Z`} fill={`url(#${id})`} />
      <path className="ck-line" d={line} />
      <path
        className="ck-line ck-dash"
        d={`M${at(last[0])} ${at(last[1])}L${at(today[0])} ${at(today[1])}`}
      />
      <circle className="ck-dot" cx={at(today[0])} cy={at(today[1])} r="2" />
    </svg>
  )
}
