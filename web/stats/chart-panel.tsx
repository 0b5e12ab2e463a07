// The figures of a page as tabs, and the chosen one over time. The choices are in the address.

import { Button, SegmentedControl } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { hour } from '../format/format.ts'
import { type ChartNotes, marksOf, type NotesOf, useNotes } from '../notes/data.ts'
import type { OpenNote } from '../notes/note-dialog.tsx'
import { AddNote, NoteList } from '../notes/note-list.tsx'
import { type Interval, type Period, sensibleInterval } from '../period/period.ts'
import { usePeriod } from '../period/use-period.ts'
import { dayOf } from '../period/zone.ts'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { useAddressChoice, useAddressState } from '../table/address-state.ts'
import { named, t } from '../words/words.ts'
import { ChartTable } from './chart-table.tsx'
import { FigureTabs } from './figure-tabs.tsx'
import { type Bucket, figuresShown, METRICS, type Metric, metricName } from './figures.ts'
import { TrendChart } from './trend-chart.tsx'
import type { Trend } from './trend-drawing.tsx'
import { comparedWords, type FiguresQuery, type PageFigures } from './use-figures.ts'

const NoteDialog = lazy(async () => ({ default: (await import('../notes/note-dialog.tsx')).NoteDialog }))
const INTERVALS: Interval[] = ['hour', 'day', 'week', 'month']
/** With more points than this, it no longer looks like a line. */
const MAX_POINTS = 2000
/** The figure that is drawn as bars beside another one. */
const BARS: Partial<Record<Metric, Metric>> = {
  spend: 'clicks',
  imps: 'clicks',
  value: 'actions',
  roas: 'actions',
  ctr: 'clicks',
  cpa: 'actions',
}

export interface ChartChoice {
  interval: Interval
}

const fits = (interval: Interval, { days }: Period) => interval !== 'hour' || days * 24 <= MAX_POINTS

/** What the page must ask for to draw its chart. */
export function useChartChoice(): ChartChoice {
  const period = usePeriod()
  const [chosen] = useAddressState('by')
  const wanted = INTERVALS.find(interval => interval === chosen)
  const interval = wanted && fits(wanted, period) ? wanted : sensibleInterval(period.days)
  return { interval }
}

interface ChartPanelProps {
  figures: FiguresQuery
  choice: ChartChoice
  /** Whose notes the chart shows; left out: none. */
  notesOf?: NotesOf
  height?: number
  /** Shown beside the chart. */
  children?: ReactNode
}

export function ChartPanel({ figures, choice, notesOf, height, children }: ChartPanelProps) {
  const { data, error } = figures
  const isWorth = data ? data.summary.value + (data.previous?.summary.value ?? 0) > 0 : null
  const metrics = figuresShown(isWorth ?? false)
  const [wanted, setMetric] = useAddressChoice<Metric>('figure', METRICS, 'spend')
  const metric = metrics.includes(wanted) ? wanted : 'spend'
  const id = useId()
  return (
    <section className="panel" aria-label={t('stats.overTime')}>
      <FigureTabs
        figures={data?.summary ?? null}
        previous={data?.previous}
        {...{ metrics, metric }}
        known={isWorth === null ? figuresShown(true) : metrics}
        onMetric={setMetric}
        controls={id}
      />
      <div className={children ? 'beside' : undefined}>
        <div id={id} role="tabpanel" aria-labelledby={`${id}-${metric}`}>
          {!data && !error && <Waiting height={height ?? 260} />}
          {!data && error && <Refused error={error} onRetry={() => figures.refetch()} />}
          {data && (
            <Chart
              figures={data}
              metric={metric}
              choice={choice}
              notesOf={notesOf}
              {...(height ? { height } : {})}
            />
          )}
        </div>
        {children}
      </div>
    </section>
  )
}

interface ChartProps {
  figures: PageFigures
  metric: Metric
  choice: ChartChoice
  notesOf: NotesOf | undefined
  height?: number
}

function Chart({ figures, metric, choice, notesOf, ...size }: ChartProps) {
  const period = usePeriod()
  const { tz, endS, preset, firstDay } = period
  const [isTable, setTable] = useState(false)
  const [open, setOpen] = useState<OpenNote | null>(null)
  const [cut, setCut] = useState(0)
  const written = useNotes(notesOf)
  const { asOf, timeseries = [], previous, wanted } = figures
  const past = timeseries.filter(bucket => bucket.date <= asOf)
  // For all time, everything before the first event is left out.
  const first = preset === 'all' ? past.findIndex(isSomething) : 0
  const series = first < 0 ? [] : past.slice(first)
  if (series.length === 0) return <Nothing icon="statistics" title={t('stats.none')} />
  const nextS = timeseries[past.length]?.date ?? endS
  const interval = wanted.interval ?? 'day'
  const before = previous?.timeseries ?? []
  const isOpen = nextS > asOf
  const until = isOpen && previous ? hour(previous.until, tz) : undefined
  const trend: Trend = { series, before, metric, bars: BARS[metric], isOpen, until }
  const toggle = () => setTable(!isTable)
  const dates = series.map(({ date }) => date)
  // The first week or month may have begun before the period.
  const dayAt = (index: number) => [dayOf(dates[index]!, tz), firstDay].sort()[1]!
  const addNote = (index: number) => setOpen({ day: dayAt(index) })
  const notes: ChartNotes | undefined = notesOf && {
    marks: marksOf(written, dates, nextS, tz),
    onAdd: addNote,
    onOpen: note => setOpen({ note }),
  }
  // The table has all notes.
  const listed = notes?.marks.filter(({ index }) => isTable || index >= cut)
  return (
    <>
      <div className="legend">
        {(trend.bars || before.length > 0) && <Mark kind={`line m-${metric}`} name={metricName(metric)} />}
        {trend.bars && <Mark kind={`bar m-${trend.bars}`} name={metricName(trend.bars)} />}
        {previous && before.length > 0 && <Mark kind="prev" name={comparedWords(period, previous)} />}
        {trend.isOpen && <Mark kind={`dash m-${metric}`} name={t('stats.live')} />}
        {notes && listed && <NoteList marks={listed} onOpen={notes.onOpen} />}
        <span className="end">
          {notes && <AddNote onAdd={() => addNote(dates.length - 1)} />}
          <Button variant="subtle" size="compact-sm" aria-pressed={isTable} onClick={toggle}>
            {t('stats.table')}
          </Button>
          <Intervals shown={choice.interval} />
        </span>
      </div>
      {isTable ? (
        <ChartTable {...trend} interval={interval} tz={tz} notes={notes} />
      ) : (
        <TrendChart {...trend} {...{ interval, tz, notes }} onCut={setCut} onTable={toggle} {...size} />
      )}
      {open && notesOf && (
        <Suspense>
          <NoteDialog of={notesOf} open={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  )
}

function Mark({ kind, name }: { kind: string; name: string }) {
  return (
    <span>
      <i className={`k ${kind}`} aria-hidden="true" />
      {name}
    </span>
  )
}

function Intervals({ shown }: { shown: Interval }) {
  const period = usePeriod()
  const [, setInterval] = useAddressState('by')
  return (
    <SegmentedControl
      className="intervals"
      size="xs"
      aria-label={t('stats.interval')}
      value={shown}
      data={INTERVALS.map(value => ({
        value,
        label: named('interval', value),
        disabled: !fits(value, period),
      }))}
      onChange={setInterval}
    />
  )
}

const isSomething = ({ imps, clicks, actions }: Bucket) => imps + clicks + actions > 0
