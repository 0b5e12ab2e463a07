// A figure over time. The chart is a picture with a sentence for those who do not see it; the numbers are in the CSV.

import '@mantine/charts/styles.css'
import { AreaChart } from '@mantine/charts'
import * as format from '../format/format.ts'
import type { Interval } from '../period/period.ts'
import { t } from '../words/words.ts'
import { type Figures, type Metric, metricName, sumFigures, write, writeShort } from './figures.ts'

export interface Bucket extends Figures {
  date: number
}

interface SeriesChartProps {
  series: readonly Bucket[]
  metric: Metric
  interval: Interval
  tz: string
  height?: number
}

export function SeriesChart({ series, metric, interval, tz, height = 280 }: SeriesChartProps) {
  const data = series.map(bucket => ({ label: labelOf(bucket.date, interval, tz), value: bucket[metric] }))
  const total = sumFigures(series)[metric]
  return (
    <div
      role="img"
      aria-label={t('stats.chartOf', { metric: metricName(metric), total: write(metric, total) })}
    >
      <AreaChart
        h={height}
        data={data}
        dataKey="label"
        series={[{ name: 'value', label: metricName(metric), color: 'brand.5' }]}
        curveType="monotone"
        withDots={data.length <= 40}
        tickLine="none"
        gridAxis="x"
        strokeWidth={2.5}
        valueFormatter={value => write(metric, value)}
        areaChartProps={{ accessibilityLayer: false, margin: { left: 4, right: 12, top: 8 } }}
        xAxisProps={{ minTickGap: 36 }}
        yAxisProps={{ tickFormatter: (value: number) => writeShort(metric, value), width: 68 }}
      />
    </div>
  )
}

function labelOf(unixS: number, interval: Interval, tz: string): string {
  if (interval === 'hour') return `${format.shortDay(unixS, tz)} ${format.hour(unixS, tz)}`
  if (interval === 'month') return format.month(unixS, tz)
  return format.shortDay(unixS, tz)
}
