// The figures of the chart as a table, for readers who cannot see the chart.

import { ActionIcon, Group, Table } from '@mantine/core'
import type { ChartNotes } from '../notes/data.ts'
import { NoteWords } from '../notes/note-list.tsx'
import type { Interval } from '../period/period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'
import { type Metric, metricName, readMetric, write } from './figures.ts'
import { nameOf } from './trend-chart.tsx'
import type { Trend } from './trend-drawing.tsx'

interface ChartTableProps extends Trend {
  interval: Interval
  tz: string
  notes: ChartNotes | undefined
}

/** Everything that scrolls must be reachable by keyboard. */
const REACHABLE = { tabIndex: 0 }

export function ChartTable({ series, before, metric, bars, interval, tz, notes }: ChartTableProps) {
  const may = useMay()
  const hasNotes = notes !== undefined && (may.edit || notes.marks.length > 0)
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
            {hasNotes && <Table.Th>{t('notes.title')}</Table.Th>}
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
              {hasNotes && (
                <Table.Td className="note-cell">
                  <NotesAt notes={notes} index={index} name={nameOf(bucket.date, interval, tz)} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

/** The notes on a bucket, and a way to write another. */
function NotesAt({ notes, index, name }: { notes: ChartNotes; index: number; name: string }) {
  const may = useMay()
  const mark = notes.marks.find(one => one.index === index)
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <div>
        {mark?.notes.map(note => (
          <div key={note.nid}>
            <NoteWords note={note} onOpen={notes.onOpen} />
          </div>
        ))}
      </div>
      {may.edit && (
        <ActionIcon
          variant="subtle"
          aria-label={t('notes.addOn', { day: name })}
          onClick={() => notes.onAdd(index)}
        >
          <Icon name="note" size={16} />
        </ActionIcon>
      )}
    </Group>
  )
}
