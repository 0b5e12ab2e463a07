// A figure over time, up to now; the unfinished part is drawn differently. Optionally with the previous period and a
// second figure. For screen readers the chart is an image with a sentence.

import './chart.css'
import { Group, Paper, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import * as format from '../format/format.ts'
import type { Interval } from '../period/period.ts'
import { t } from '../words/words.ts'
import { axisOf, labelEvery, lineThrough, type Point } from './chart-scale.ts'
import {
  type Figures,
  type Metric,
  metricName,
  readMetric,
  sumFigures,
  write,
  writeShort,
} from './figures.ts'

export interface Bucket extends Figures {
  date: number
}

export interface SeriesChartProps {
  /** Only the past and the present. */
  series: readonly Bucket[]
  /** The previous period, bucket by bucket. */
  before?: readonly Bucket[] | undefined
  metric: Metric
  second?: Metric | undefined
  interval: Interval
  tz: string
  /** The last bucket is not over yet. */
  isOpen: boolean
}

const HEIGHT = 280
const SIDE_PX = 66
const TOP_PX = 12
const BOTTOM_PX = 30
const LABEL_PX = 86
const HOUR_PX = 130
/** Includes the hour that comes twice when clocks are set back. */
const HOURS_OF_A_DAY = 25
const RATES: readonly Metric[] = ['ctr', 'cnvr', 'cpm', 'cpc', 'cpa', 'spend']
const MAX_DOTS = 40

export function SeriesChart({ series, before = [], metric, second, interval, tz, isOpen }: SeriesChartProps) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number | null>(null)
  const right = second ? SIDE_PX : 14
  const inner = { width: Math.max(width - SIDE_PX - right, 40), height: HEIGHT - TOP_PX - BOTTOM_PX }
  const xOf = (index: number) =>
    SIDE_PX + (series.length > 1 ? (index / (series.length - 1)) * inner.width : inner.width / 2)
  const valuesOf = (which: Metric, buckets: readonly Bucket[]) =>
    buckets.slice(0, series.length).map(bucket => readMetric(which, bucket))
  const values = valuesOf(metric, series)
  const valuesBefore = valuesOf(metric, before)
  const axis = axisOf([...values, ...valuesBefore], !RATES.includes(metric))
  const secondValues = second ? valuesOf(second, series) : []
  const secondAxis = axisOf(secondValues, !!second && !RATES.includes(second))
  const place = (list: readonly (number | null)[], max: number): (Point | null)[] =>
    list.map((value, index) =>
      value === null ? null : { x: xOf(index), y: TOP_PX + inner.height * (1 - value / max) },
    )
  const points = place(values, axis.max)
  const over = isOpen ? points.slice(0, -1) : points
  const bottom = TOP_PX + inner.height
  const isOneDay = interval === 'hour' && series.length <= HOURS_OF_A_DAY
  const shortLabel = (bucket: Bucket) =>
    isOneDay ? format.hour(bucket.date, tz) : labelOf(bucket.date, interval, tz)
  const every = labelEvery(series.length, inner.width, interval === 'hour' && !isOneDay ? HOUR_PX : LABEL_PX)
  const point = (clientX: number, left: number) => {
    const ratio = (clientX - left - SIDE_PX) / inner.width
    const index = Math.round(ratio * (series.length - 1))
    setPointed(index >= 0 && index < series.length ? index : null)
  }
  return (
    <div className="chart">
      <Legend metric={metric} second={second} withBefore={before.length > 0} />
      <div
        ref={ref}
        role="img"
        aria-label={sentenceOf({ series, before, metric, isOpen })}
        onPointerMove={event => point(event.clientX, event.currentTarget.getBoundingClientRect().left)}
        onPointerLeave={() => setPointed(null)}
      >
        {width > 0 && (
          <svg width={width} height={HEIGHT} aria-hidden="true">
            {axis.ticks.map(tick => {
              const y = bottom - (tick / axis.max) * inner.height
              return (
                <g key={tick}>
                  <line className="grid" x1={SIDE_PX} x2={width - right} y1={y} y2={y} />
                  <text x={SIDE_PX - 10} y={y + 4} textAnchor="end">
                    {writeShort(metric, tick)}
                  </text>
                </g>
              )
            })}
            {second &&
              secondAxis.ticks.map(tick => (
                <text
                  key={tick}
                  x={width - right + 10}
                  y={bottom - (tick / secondAxis.max) * inner.height + 4}
                >
                  {writeShort(second, tick)}
                </text>
              ))}
            {series.map((bucket, index) =>
              index % every === 0 ? (
                <text
                  key={bucket.date}
                  x={xOf(index)}
                  y={HEIGHT - 8}
                  textAnchor={xOf(index) > width - LABEL_PX / 2 ? 'end' : 'middle'}
                >
                  {shortLabel(bucket)}
                </text>
              ) : null,
            )}
            {pointed !== null && (
              <line className="pointer" x1={xOf(pointed)} x2={xOf(pointed)} y1={TOP_PX} y2={bottom} />
            )}
            <path className="before" data-series="before" d={lineThrough(place(valuesBefore, axis.max))} />
            <path
              className="second"
              data-series="second"
              d={lineThrough(place(secondValues, secondAxis.max))}
            />
            <path className="value" data-series="value" d={lineThrough(over)} />
            {isOpen && <path className="value open" data-series="open" d={lineThrough(points.slice(-2))} />}
            {points.map((dot, index) =>
              dot && (series.length <= MAX_DOTS || index === series.length - 1) ? (
                <circle
                  key={series[index]!.date}
                  className={isOpen && index === series.length - 1 ? 'dot open' : 'dot'}
                  cx={dot.x}
                  cy={dot.y}
                  r={3.5}
                />
              ) : null,
            )}
          </svg>
        )}
        {pointed !== null && series[pointed] && (
          <Paper
            className="chart-note"
            shadow="md"
            withBorder
            style={{ insetInlineStart: Math.min(xOf(pointed) + 12, Math.max(width - 200, 0)) }}
          >
            <Note
              bucket={series[pointed]}
              before={before[pointed]}
              metrics={second ? [metric, second] : [metric]}
              label={labelOf(series[pointed].date, interval, tz)}
              isOpen={isOpen && pointed === series.length - 1}
            />
          </Paper>
        )}
      </div>
    </div>
  )
}

function Legend({
  metric,
  second,
  withBefore,
}: {
  metric: Metric
  second: Metric | undefined
  withBefore: boolean
}) {
  if (!second && !withBefore) return null
  return (
    <Group gap="md" mb={6} justify="flex-end">
      <Mark kind="value" name={metricName(metric)} />
      {withBefore && <Mark kind="before" name={t('stats.before')} />}
      {second && <Mark kind="second" name={metricName(second)} />}
    </Group>
  )
}

function Mark({ kind, name }: { kind: string; name: string }) {
  return (
    <Group gap={6}>
      <span className={`chart-mark ${kind}`} aria-hidden="true" />
      <Text size="xs">{name}</Text>
    </Group>
  )
}

interface NoteProps {
  bucket: Bucket
  before: Bucket | undefined
  metrics: readonly Metric[]
  label: string
  isOpen: boolean
}

function Note({ bucket, before, metrics, label, isOpen }: NoteProps) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {isOpen ? `${label}, ${t('stats.unfinished')}` : label}
      </Text>
      {metrics.map(metric => (
        <Text size="sm" key={metric}>
          {metricName(metric)}: <strong>{write(metric, readMetric(metric, bucket))}</strong>
        </Text>
      ))}
      {before && (
        <Text size="xs" c="dimmed">
          {t('stats.before')}: {write(metrics[0]!, readMetric(metrics[0]!, before))}
        </Text>
      )}
    </>
  )
}

function sentenceOf({
  series,
  before = [],
  metric,
  isOpen,
}: Pick<SeriesChartProps, 'series' | 'before' | 'metric' | 'isOpen'>) {
  const total = (buckets: readonly Bucket[]) => write(metric, readMetric(metric, sumFigures(buckets)))
  return [
    t('stats.chartOf', { metric: metricName(metric), total: total(series) }),
    isOpen ? t('stats.chartUnfinished') : '',
    before.length > 0 ? t('stats.chartBefore', { total: total(before) }) : '',
  ]
    .filter(Boolean)
    .join('. ')
    .replace(/\.\.+/g, '.')
}

function labelOf(unixS: number, interval: Interval, tz: string): string {
  if (interval === 'hour') return `${format.shortDay(unixS, tz)} ${format.hour(unixS, tz)}`
  if (interval === 'month') return format.month(unixS, tz)
  return format.shortDay(unixS, tz)
}
