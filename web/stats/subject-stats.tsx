// Everything that is counted of one subject: figures, chart, breakdown, losses and what was filtered.

import { Grid, SegmentedControl, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type Interval, sensibleInterval } from '../period/period.ts'
import { usePeriod } from '../period/use-period.ts'
import { useCuid } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { BreakdownPanel } from './breakdown-panel.tsx'
import { FigureCards } from './figure-cards.tsx'
import { METRICS, type Metric, metricName } from './figures.ts'
import { FilteredPanel } from './filtered-panel.tsx'
import { FunnelPanel } from './funnel-panel.tsx'
import { LivePanel } from './live-panel.tsx'
import { SeriesChart } from './series-chart.tsx'
import type { Subject } from './subject.ts'

const INTERVALS: Interval[] = ['hour', 'day', 'week', 'month']
/** More points than this are no longer a line. */
const MAX_POINTS = 2000

export function SubjectStats({ subject }: { subject: Subject }) {
  const cuid = useCuid()
  const period = usePeriod()
  const [metric, setMetric] = useState<Metric>('imps')
  const [chosen, setChosen] = useState<Interval | null>(null)
  const fits = (interval: Interval) => interval !== 'hour' || period.days * 24 <= MAX_POINTS
  const interval = chosen && fits(chosen) ? chosen : sensibleInterval(period.days)
  const { startS: start, endS: end, tz } = period
  const series = useQuery({
    queryKey: ['series', cuid, subject.id, start, end, tz, interval],
    queryFn: () => api.readTimeseries({ cuid, id: subject.id, start, end, tz, interval }),
    placeholderData: before => before,
  })
  return (
    <div>
      <FigureCards figures={series.data?.timeseries ?? (series.error ? null : [null])} />
      <Stack gap="lg">
        <Panel
          title={t('stats.overTime')}
          actions={
            <>
              <Select
                aria-label={t('stats.metric')}
                allowDeselect={false}
                w={150}
                value={metric}
                data={METRICS.map(value => ({ value, label: metricName(value) }))}
                onChange={next => next && setMetric(next as Metric)}
              />
              <SegmentedControl
                aria-label={t('stats.interval')}
                value={interval}
                data={INTERVALS.map(value => ({
                  value,
                  label: named('interval', value),
                  disabled: !fits(value),
                }))}
                onChange={next => setChosen(next as Interval)}
              />
            </>
          }
        >
          {series.isPending && <Waiting height={280} />}
          {series.error && <Refused error={series.error} onRetry={() => series.refetch()} />}
          {series.data?.timeseries.length === 0 && <Nothing icon="statistics" title={t('stats.none')} />}
          {series.data && series.data.timeseries.length > 0 && (
            <SeriesChart series={series.data.timeseries} metric={metric} interval={interval} tz={tz} />
          )}
        </Panel>
        {subject.kind === 'persona' && <FunnelPanel cid={subject.cid!} pid={subject.pid!} />}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <BreakdownPanel subject={subject} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            {subject.kind === 'customer' ? <LivePanel /> : <FilteredPanel subject={subject} />}
          </Grid.Col>
        </Grid>
      </Stack>
    </div>
  )
}
