// Seven days of spend as a line; today is not over and is drawn differently. Decoration: the figures are beside it.

import { useId } from 'react'
import { type Point, smooth } from '../stats/chart-scale.ts'

const WIDTH = 84
const HEIGHT = 30
const EDGE = 3
/** Room above the highest day. */
const ROOM = 1.08

const at = (value: number) => value.toFixed(1)

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
    return { x, y: HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (value / (most * ROOM)) }
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
      <path d={`${line}L${at(last.x)} ${HEIGHT}L${EDGE} ${HEIGHT}Z`} fill={`url(#${id})`} />
      <path className="ck-line" d={line} />
      <path className="ck-line ck-dash" d={`M${at(last.x)} ${at(last.y)}L${at(today.x)} ${at(today.y)}`} />
      <circle className="ck-dot" cx={at(today.x)} cy={at(today.y)} r="2" />
    </svg>
  )
}
