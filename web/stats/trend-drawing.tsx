// The drawing of a figure over time: a line over a soft area, a second figure as bars at their own smaller scale, the
// previous period thin and grey, the unfinished bucket dashed and open, weekends shaded.

import { useId } from 'react'
import type { NoteMark } from '../notes/data.ts'
import {
  type Axis,
  areaUnder,
  axisOf,
  barAt,
  labelEvery,
  type Point,
  smooth,
  stepAbove,
} from './chart-scale.ts'
import { type Bucket, type Metric, readMetric, writeShort } from './figures.ts'

export interface Trend {
  /** Only the past and the present. */
  series: readonly Bucket[]
  /** The previous period, bucket by bucket. */
  before: readonly Bucket[]
  metric: Metric
  bars: Metric | undefined
  /** The last bucket is not over yet. */
  isOpen: boolean
  /** The time of day until which that bucket counts in both periods. */
  until?: string | undefined
}

interface TrendDrawingProps extends Trend {
  width: number
  height: number
  /** The label of a bucket, below the axis. */
  labelOf: (index: number) => string
  isWeekend: (index: number) => boolean
  pointed: number | null
  marks?: readonly NoteMark[]
}

/** Room for the labels of money, with currency signs of three letters. */
const LEFT = 58
const TOP = 12
const BOTTOM = 26
/** Room for a label of these characters, and between two of them. */
const labelPx = (label: string) => label.length * 6.6 + 14
/** Labels are about equally wide. */
const LABELS_LOOKED_AT = 24
/** The height of the chart is this many times that of the highest bar. */
const BARS_PART = 2.6
const RATES: readonly Metric[] = ['ctr', 'cnvr', 'cpm', 'cpc', 'cpa', 'vpa', 'roas', 'spend', 'value']
const isWhole = (metric: Metric) => !RATES.includes(metric)

const rightOf = (bars: Metric | undefined) => (bars ? 44 : 14)

/** The position of a bucket, and the bucket at a position. */
export function placesIn(width: number, count: number, bars: Metric | undefined) {
  const step = Math.max(width - LEFT - rightOf(bars), 40) / Math.max(count, 1)
  return {
    step,
    xOf: (index: number) => LEFT + step * (index + 0.5),
    indexAt: (x: number) => Math.min(count - 1, Math.max(0, Math.floor((x - LEFT) / step))),
  }
}

export function TrendDrawing(props: TrendDrawingProps) {
  const {
    series,
    before,
    metric,
    bars,
    isOpen,
    width,
    height,
    labelOf,
    isWeekend,
    pointed,
    marks = [],
  } = props
  const id = useId()
  const { step, xOf } = placesIn(width, series.length, bars)
  const [bottom, right] = [height - BOTTOM, width - rightOf(bars)]
  const inner = bottom - TOP
  const valuesOf = (which: Metric, buckets: readonly Bucket[]) =>
    buckets.slice(0, series.length).map(bucket => readMetric(which, bucket))
  const [values, valuesBefore] = [valuesOf(metric, series), valuesOf(metric, before)]
  const axis = axisOf([...values, ...valuesBefore], isWhole(metric))
  const place = (list: readonly (number | null)[]): (Point | null)[] =>
    list.map((value, index) =>
      value === null ? null : { x: xOf(index), y: bottom - inner * (value / axis.max) },
    )
  const points = place(values)
  const over = isOpen ? points.slice(0, -1) : points
  const last = series.length - 1
  const widest = Math.max(
    ...series.slice(-LABELS_LOOKED_AT).map((_, index) => labelPx(labelOf(last - index))),
  )
  const every = labelEvery(series.length, series.length * step, widest)
  // The last label stays within the drawing, and the one before it gives way.
  const lastX = Math.min(xOf(last), width - widest / 2)
  const isLabelled = (index: number) =>
    index === last || ((last - index) % every === 0 && xOf(index) + widest <= lastX)
  const pointsBefore = place(valuesBefore)
  const open = points.at(-1)
  const dot = pointed === null ? null : points[pointed]
  return (
    <svg className="trend" width={width} height={height} aria-hidden="true" data-metric-line={metric}>
      <defs>
        <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className="a0" />
          <stop offset="1" className="a1" />
        </linearGradient>
      </defs>
      {series.map((bucket, index) =>
        isWeekend(index) ? (
          <rect
            key={bucket.date}
            className="we"
            x={xOf(index) - step / 2}
            y={TOP}
            width={step}
            height={inner}
          />
        ) : null,
      )}
      {axis.ticks.map(tick => {
        const y = bottom - (tick / axis.max) * inner
        return (
          <g key={tick}>
            <line className={tick === 0 ? 'grid base' : 'grid'} x1={LEFT} x2={right} y1={y} y2={y} />
            <text x={LEFT - 8} y={y + 4} textAnchor="end">
              {tick === 0 ? '0' : writeShort(metric, tick)}
            </text>
          </g>
        )
      })}
      <path className="area" d={areaUnder(over, bottom)} fill={`url(#${id})`} />
      {pointed !== null && (
        <line className="cross" x1={xOf(pointed)} x2={xOf(pointed)} y1={TOP} y2={bottom} />
      )}
      {bars && (
        <Bars
          values={valuesOf(bars, series)}
          {...{ metric: bars, xOf, step, bottom, inner, right, pointed, axis }}
          partAt={isOpen ? last : -1}
        />
      )}
      <path
        className="prev"
        data-series="before"
        d={smooth(isOpen ? pointsBefore.slice(0, last) : pointsBefore)}
      />
      <path className="line" data-series="value" d={smooth(over)} />
      {isOpen && <Open className="prev dash" name="before-open" ends={pointsBefore.slice(last - 1)} />}
      {isOpen && <Open className="line dash" name="open" ends={points.slice(-2)} />}
      {isOpen && open && <circle className="dot open" cx={open.x} cy={open.y} r={4} />}
      <Notes marks={marks} xOf={xOf} endOf={index => (points[index]?.y ?? bottom) - 6} />
      {dot && <circle className="dot" cx={dot.x} cy={dot.y} r={4.5} />}
      {series.map((bucket, index) =>
        isLabelled(index) ? (
          <text
            key={bucket.date}
            className={isOpen && index === last ? 'now' : undefined}
            x={index === last ? lastX : xOf(index)}
            y={height - 6}
            textAnchor="middle"
          >
            {labelOf(index)}
          </text>
        ) : null,
      )}
    </svg>
  )
}

/** What is not over yet, in both periods until the same time. */
function Open({
  className,
  name,
  ends,
}: {
  className: string
  name: string
  ends: readonly (Point | null)[]
}) {
  const [from, to] = ends
  if (!from || !to) return null
  return <path className={className} data-series={name} d={`M${from.x} ${from.y}L${to.x} ${to.y}`} />
}

interface NotesProps {
  marks: readonly NoteMark[]
  xOf: (index: number) => number
  /** Where the line of a note ends, above the curve. */
  endOf: (index: number) => number
}

const NOTE_PX = 9
const NOTE_ROWS = 3

/** Numbers in circles at the top; numbers close to each other are in different rows. */
function Notes({ marks, xOf, endOf }: NotesProps) {
  const lastIn: number[] = []
  return marks.map(({ number, index }) => {
    const x = xOf(index)
    const free = Array.from({ length: NOTE_ROWS }, (_, row) => row).find(
      row => x - (lastIn[row] ?? Number.NEGATIVE_INFINITY) > 2 * NOTE_PX,
    )
    const row = free ?? 0
    lastIn[row] = x
    const y = TOP + 6 + row * (2 * NOTE_PX + 2)
    return (
      <g key={number} className="note" data-note={number}>
        {endOf(index) > y + NOTE_PX && <line x1={x} x2={x} y1={y + NOTE_PX} y2={endOf(index)} />}
        <circle cx={x} cy={y} r={NOTE_PX} />
        <text x={x} y={y + 4.3} textAnchor="middle">
          {number}
        </text>
      </g>
    )
  })
}

interface BarsProps {
  values: readonly (number | null)[]
  metric: Metric
  xOf: (index: number) => number
  step: number
  bottom: number
  inner: number
  right: number
  pointed: number | null
  /** The axis of the line: the bars have theirs on the same lines. */
  axis: Axis
  /** The bar that is not over yet. */
  partAt: number
}

function Bars({ values, metric, xOf, step, bottom, inner, right, pointed, axis, partAt }: BarsProps) {
  const lines = Math.max(1, axis.ticks.length - 1)
  const largest = Math.max(0, ...values.map(value => value ?? 0))
  const perLine = stepAbove((largest * BARS_PART) / lines, isWhole(metric))
  const heightOf = (value: number) => (inner * value) / (perLine * lines)
  const wide = Math.max(2, Math.min(12, step * 0.4))
  return (
    <g className={`bars m-${metric}`} data-series="bars">
      {values.map((value, index) =>
        value ? (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is what it is by its place.
            key={index}
            className={['bar', index === partAt ? 'part' : '', index === pointed ? 'hot' : ''].join(' ')}
            d={barAt(xOf(index), bottom, wide, Math.max(1, heightOf(value)))}
          />
        ) : null,
      )}
      {largest > 0 &&
        axis.ticks.map((tick, line) => (
          <text key={tick} x={right + 8} y={bottom - (inner * line) / lines + 4}>
            {line === 0 ? '0' : writeShort(metric, line * perLine)}
          </text>
        ))}
    </g>
  )
}
