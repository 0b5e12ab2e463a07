// The figures of the chart as a table, for those who do not see it.

import { Table } from '@mantine/core'
import type { Interval } from '../period/period.ts'
import { named, t } from '../words/words.ts'
import { type Metric, metricName, readMetric, write } from './figures.ts'
import { nameOf } from './trend-chart.tsx'
import type { Trend } from './trend-drawing.tsx'

interface ChartTableProps extends Trend {
  interval: Interval
  tz: string
}

/** Whatever scrolls must be reachable by keyboard. */
const REACHABLE = { tabIndex: 0 }

export function ChartTable({ series, before, metric, bars, interval, tz }: ChartTableProps) {
  const columns: Metric[] = bars ? [metric, bars] : [metric]
  const label = t('stats.asTable')
  return (
    <section className="chart-table" aria-label={label} {...REACHABLE}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{named('interval', interval)}</Table.Th>
            {columns.map(name => (
              <Table.Th key={name} ta="end">
                {metricName(name)}
              </Table.Th>
            ))}
            {before.length > 0 && <Table.Th ta="end">{t('stats.before')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {series.map((bucket, index) => (
            <Table.Tr key={bucket.date}>
              <Table.Th scope="row">{nameOf(bucket.date, interval, tz)}</Table.Th>
              {columns.map(name => (
                <Table.Td key={name} ta="end">
                  {write(name, readMetric(name, bucket))}
                </Table.Td>
              ))}
              {before.length > 0 && (
                <Table.Td ta="end">
                  {before[index] ? write(metric, readMetric(metric, before[index])) : '–'}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
