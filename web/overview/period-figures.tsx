// The figures of the period with their change to the period before, and the chart, from one series over both.

import { Grid, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { api } from '../api/client.ts'
import { usePeriod } from '../period/use-period.ts'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { FigureCards } from '../stats/figure-cards.tsx'
import { METRICS, type Metric, metricName } from '../stats/figures.ts'
import { t } from '../words/words.ts'

const SeriesChart = lazy(async () => ({ default: (await import('../stats/series-chart.tsx')).SeriesChart }))

export function PeriodFigures({ cuid, children }: { cuid: number; children: ReactNode }) {
  const period = usePeriod()
  const [metric, setMetric] = useState<Metric>('imps')
  const interval = period.days <= 2 ? 'hour' : 'day'
  const compares = period.preset !== 'all'
  const start = compares ? period.previousStartS : period.startS
  const series = useQuery({
    queryKey: ['series', cuid, cuid, start, period.endS, period.tz, interval],
    queryFn: () => api.readTimeseries({ cuid, id: cuid, start, end: period.endS, tz: period.tz, interval }),
    placeholderData: before => before,
  })
  const all = series.data?.timeseries ?? []
  const current = all.filter(bucket => bucket.date >= period.startS)
  const previous = all.filter(bucket => bucket.date < period.startS)
  return (
    <>
      <FigureCards
        figures={series.data ? current : series.error ? null : [null]}
        previous={compares ? previous : undefined}
      />
      <Grid gap="lg" mb="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Panel
            title={t('stats.overTime')}
            actions={
              <Select
                aria-label={t('stats.metric')}
                allowDeselect={false}
                w={150}
                value={metric}
                data={METRICS.map(value => ({ value, label: metricName(value) }))}
                onChange={next => next && setMetric(next as Metric)}
              />
            }
          >
            {series.isPending && <Waiting height={280} />}
            {series.error && <Refused error={series.error} onRetry={() => series.refetch()} />}
            {series.data && (
              <Suspense fallback={<Waiting height={280} />}>
                <SeriesChart series={current} metric={metric} interval={interval} tz={period.tz} />
              </Suspense>
            )}
          </Panel>
        </Grid.Col>
        {children}
      </Grid>
    </>
  )
}
