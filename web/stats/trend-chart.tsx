// A figure over time, up to now, read by pointer, by touch and by keyboard: arrows move from bucket to bucket, Escape
// closes the card, T shows the same figures as a table; a click or Enter writes a note on a bucket. For screen readers
// the chart is an image with a sentence.

import './chart.css'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useState } from 'react'
import * as format from '../format/format.ts'
import type { ChartNotes, NoteMark } from '../notes/data.ts'
import type { Interval } from '../period/period.ts'
import { dayOf } from '../period/zone.ts'
import { useMay } from '../session/may.ts'
import { t } from '../words/words.ts'
import { type Bucket, metricName, readMetric, sumFigures, write } from './figures.ts'
import { TrendCard } from './trend-card.tsx'
import { placesIn, type Trend, TrendDrawing } from './trend-drawing.tsx'

interface TrendChartProps extends Trend {
  interval: Interval
  tz: string
  height?: number
  notes: ChartNotes | undefined
  /** The number of first buckets that there is no room for. */
  onCut: (cut: number) => void
  onTable: () => void
}

/** Includes the hour that comes twice when clocks are set back. */
const HOURS_OF_A_DAY = 25
/** A phone shows only the last two weeks, because more bars would be too thin. */
const NARROW_PX = 480
const NARROW_DAYS = 14
const HEIGHT = 222
/** A chart that can be read bucket by bucket must be reachable by keyboard. */
const REACHABLE = { tabIndex: 0 }

export function TrendChart(props: TrendChartProps) {
  const { interval, tz, height = HEIGHT, notes, onCut, onTable, ...whole } = props
  const may = useMay()
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number | null>(null)
  const isCut = width > 0 && width < NARROW_PX && interval === 'day' && whole.series.length > NARROW_DAYS
  const trend = isCut ? lastOf(whole, NARROW_DAYS) : whole
  const cut = whole.series.length - trend.series.length
  useEffect(() => onCut(cut), [cut, onCut])
  const marks = marksFrom(notes?.marks ?? [], cut)
  const addNote = notes && may.edit ? (index: number) => notes.onAdd(index + cut) : null
  const { series, before, metric, bars, isOpen } = trend
  const { xOf, indexAt } = placesIn(width, series.length, bars)
  const last = series.length - 1
  const shown = pointed === null ? null : Math.min(pointed, last)
  const isOneDay = interval === 'hour' && series.length <= HOURS_OF_A_DAY
  const labelOf = (index: number) => {
    const { date } = series[index]!
    if (isOpen && index === last && interval === 'day') return t('period.today')
    return isOneDay ? format.hour(date, tz) : nameOf(date, interval, tz)
  }
  const isWeekend = (index: number) =>
    interval === 'day' && [0, 6].includes(new Date(dayOf(series[index]!.date, tz)).getUTCDay())
  const point = (event: PointerEvent<HTMLElement>) =>
    setPointed(indexAt(event.clientX - event.currentTarget.getBoundingClientRect().left))
  const press = (event: KeyboardEvent) => {
    const next = nextOf(event.key, shown, last)
    if (event.key === 't' || event.key === 'T') onTable()
    else if (event.key === 'Escape') setPointed(null)
    else if (event.key === 'Enter' && shown !== null && addNote) addNote(shown)
    else if (next === null) return
    else setPointed(next)
    event.preventDefault()
  }
  // Reading the chart with a finger must not open anything.
  const click = (event: MouseEvent<HTMLElement>) => {
    if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch') return
    addNote?.(indexAt(event.clientX - event.currentTarget.getBoundingClientRect().left))
  }
  const bucket = shown === null ? undefined : series[shown]
  const title = bucket && titleOf(bucket.date, interval, tz)
  const pointedMark = marks.find(({ index }) => index === shown)
  return (
    <div className="chart">
      <div
        ref={ref}
        className={`plot m-${metric}`}
        role="img"
        {...REACHABLE}
        aria-label={[sentenceOf(whole), addNote ? t('notes.enterToAdd') : ''].join(' ').trim()}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
        onClick={click}
        onKeyDown={press}
        onBlur={() => setPointed(null)}
      >
        {width > 0 && (
          <TrendDrawing {...trend} {...{ width, height, labelOf, isWeekend, marks }} pointed={shown} />
        )}
        {bucket && title && (
          <TrendCard
            bucket={bucket}
            before={before[shown!]}
            metrics={[metric, ...(bars ? [bars] : []), ...(metric === 'spend' ? (['value'] as const) : [])]}
            title={title}
            tz={tz}
            isOpen={isOpen && shown === last}
            until={trend.until}
            notes={pointedMark?.notes ?? []}
            hint={addNote ? t('notes.clickToAdd') : null}
            x={xOf(shown!)}
            width={width}
          />
        )}
      </div>
      <span role="status" className="visually-hidden">
        {bucket &&
          [
            `${title}: ${metricName(metric)} ${write(metric, readMetric(metric, bucket))}`,
            ...(pointedMark?.notes ?? []).map(({ text }) => text),
          ].join('. ')}
      </span>
    </div>
  )
}

/** The marks of a chart without its first buckets. */
function marksFrom(marks: readonly NoteMark[], cut: number): NoteMark[] {
  return marks.filter(({ index }) => index >= cut).map(mark => ({ ...mark, index: mark.index - cut }))
}

function lastOf(trend: Trend, count: number): Trend {
  const from = trend.series.length - count
  return { ...trend, series: trend.series.slice(from), before: trend.before.slice(from, from + count) }
}

function nextOf(key: string, shown: number | null, last: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return shown === null ? last : Math.max(0, shown - 1)
    case 'ArrowRight':
      return shown === null ? 0 : Math.min(last, shown + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

function sentenceOf({ series, before, metric, isOpen }: Trend): string {
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

export function nameOf(unixS: number, interval: Interval, tz: string): string {
  if (interval === 'hour') return `${format.shortDay(unixS, tz)} ${format.hour(unixS, tz)}`
  if (interval === 'month') return format.month(unixS, tz)
  return format.shortDay(unixS, tz)
}

const titleOf = (unixS: number, interval: Interval, tz: string) =>
  interval === 'day' ? format.longDay(unixS, tz) : nameOf(unixS, interval, tz)
