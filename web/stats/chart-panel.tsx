// The figures of a page over time: which figure, by what interval, optionally with the previous period and a second
// figure. All of these choices are in the address.

import { SegmentedControl, Select, Switch } from '@mantine/core'
import { type Interval, type Period, sensibleInterval } from '../period/period.ts'
import { usePeriod } from '../period/use-period.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { useAddressChoice, useAddressState } from '../table/address-state.ts'
import { named, t } from '../words/words.ts'
import { METRICS, type Metric, metricName } from './figures.ts'
import { type Bucket, SeriesChart } from './series-chart.tsx'
import type { FiguresQuery, PageFigures } from './use-figures.ts'

const INTERVALS: Interval[] = ['hour', 'day', 'week', 'month']
/** With more points than this it is no longer a line. */
const MAX_POINTS = 2000
const NONE = 'none'

export interface ChartChoice {
  interval: Interval
  /** Whether the previous period is drawn. */
  compares: boolean
}

const fits = (interval: Interval, { days }: Period) => interval !== 'hour' || days * 24 <= MAX_POINTS

/** What the page must ask for to draw its chart. */
export function useChartChoice(): ChartChoice {
  const period = usePeriod()
  const [chosen] = useAddressState('by')
  const [compare] = useAddressState('compare')
  const wanted = INTERVALS.find(interval => interval === chosen)
  const interval = wanted && fits(wanted, period) ? wanted : sensibleInterval(period.days)
  return { interval, compares: compare === 'before' && period.preset !== 'all' }
}

export function ChartPanel({ figures, choice }: { figures: FiguresQuery; choice: ChartChoice }) {
  const period = usePeriod()
  const [metric, setMetric] = useAddressChoice<Metric>('figure', METRICS, 'imps')
  const [second, setSecond] = useAddressChoice<Metric | typeof NONE>('with', [NONE, ...METRICS], NONE)
  const [, setInterval] = useAddressState('by')
  const [, setCompare] = useAddressState('compare')
  const { data, error } = figures
  return (
    <Panel
      title={t('stats.overTime')}
      actions={
        <>
          <Switch
            label={t('stats.compare')}
            checked={choice.compares}
            disabled={period.preset === 'all'}
            onChange={event => setCompare(event.currentTarget.checked ? 'before' : undefined)}
          />
          <Select
            aria-label={t('stats.metric')}
            allowDeselect={false}
            w={160}
            value={metric}
            data={METRICS.map(value => ({ value, label: metricName(value) }))}
            onChange={next => next && setMetric(next as Metric)}
          />
          <Select
            aria-label={t('stats.second')}
            allowDeselect={false}
            w={170}
            value={second}
            data={[
              { value: NONE, label: t('stats.noSecond') },
              ...METRICS.filter(value => value !== metric).map(value => ({
                value,
                label: metricName(value),
              })),
            ]}
            onChange={next => next && setSecond(next as Metric)}
          />
          <SegmentedControl
            className="intervals"
            aria-label={t('stats.interval')}
            value={choice.interval}
            data={INTERVALS.map(value => ({
              value,
              label: named('interval', value),
              disabled: !fits(value, period),
            }))}
            onChange={setInterval}
          />
        </>
      }
    >
      {!data && !error && <Waiting height={280} />}
      {!data && error && <Refused error={error} onRetry={() => figures.refetch()} />}
      {data && (
        <Chart
          figures={data}
          metric={metric}
          second={second === NONE || second === metric ? undefined : second}
          withBefore={choice.compares}
          isWhole={period.preset === 'all'}
        />
      )}
    </Panel>
  )
}

interface ChartProps {
  figures: PageFigures
  metric: Metric
  second: Metric | undefined
  withBefore: boolean
  /** For all time: what came before the first event is left out. */
  isWhole: boolean
}

function Chart({ figures, metric, second, withBefore, isWhole }: ChartProps) {
  const { tz, endS } = usePeriod()
  const { asOf, timeseries = [], previous, wanted } = figures
  const past = timeseries.filter(bucket => bucket.date <= asOf)
  const first = isWhole ? past.findIndex(isSomething) : 0
  const shown = first < 0 ? [] : past.slice(first)
  if (shown.length === 0) return <Nothing icon="statistics" title={t('stats.none')} />
  const nextS = timeseries[past.length]?.date ?? endS
  return (
    <SeriesChart
      series={shown}
      before={withBefore ? previous?.timeseries : undefined}
      metric={metric}
      second={second}
      interval={wanted.interval ?? 'day'}
      tz={tz}
      isOpen={nextS > asOf}
    />
  )
}

const isSomething = ({ imps, clicks, actions }: Bucket) => imps + clicks + actions > 0
