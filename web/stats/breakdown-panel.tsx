// Figures by domain, country, device and so on, largest first.

import { Box, Select, Text } from '@mantine/core'
import { useMemo } from 'react'
import * as format from '../format/format.ts'
import { usePeriod } from '../period/use-period.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { named, t } from '../words/words.ts'
import { figureColumns } from './figure-columns.ts'
import type { Figures } from './figures.ts'
import type { Dimension } from './subject.ts'
import type { FiguresQuery } from './use-figures.ts'

interface Row {
  key: number
  id: number | null
  name: string
  share: number
  figures: Figures
}
const idOf = (row: Row) => row.key
const nameOf = (row: Row) => row.name
const spendOf = (row: Row) => row.figures.spend

interface BreakdownPanelProps {
  figures: FiguresQuery
  dimensions: readonly Dimension[]
  dimension: Dimension
  onDimension: (next: Dimension) => void
}

export function BreakdownPanel({ figures, dimensions, dimension, onDimension }: BreakdownPanelProps) {
  const { data, error } = figures
  const period = usePeriod()
  // Until the answer for another dimension arrives, the last one stays, under its own name.
  const shown = data?.wanted.dimension ?? dimension
  const rows = useMemo<Row[]>(
    () =>
      (data?.breakdown ?? []).map(({ name, id = null, deleted, share, ...counted }, key) => ({
        key,
        id,
        name: deleted ? t('stats.deletedMark', { name }) : labelOf(shown, name),
        share,
        figures: counted,
      })),
    [data, shown],
  )
  const columns = useMemo(() => columnsOf(shown), [shown])
  return (
    <Panel
      flush
      title={t('stats.breakdown')}
      about={t('stats.breakdownAbout')}
      actions={
        <Select
          aria-label={t('stats.dimension')}
          allowDeselect={false}
          w={190}
          value={dimension}
          data={dimensions.map(value => ({ value, label: named('dimension', value) }))}
          onChange={next => next && onDimension(next as Dimension)}
        />
      }
    >
      {!data && !error && <Waiting height={240} />}
      {!data && error && (
        <Box p="lg">
          <Refused error={error} onRetry={() => figures.refetch()} />
        </Box>
      )}
      {data && (
        <ListPanel
          key={shown}
          bare
          id="breakdown"
          label={t('stats.breakdown')}
          rows={rows}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          spendOf={spendOf}
          sorting={{
            column: shown === 'hour' ? 'name' : shown === 'action' ? 'actions' : 'imps',
            descending: shown !== 'hour',
          }}
          fileName={`${t('stats.file')}-${shown}`}
          period={period}
          withoutIds
          totals
          empty={<Nothing icon="statistics" title={t('stats.none')} />}
        />
      )}
    </Panel>
  )
}

/** Names that stand for something else. */
const MARKS: Record<string, 'stats.other' | 'stats.unknown' | 'stats.inApps' | 'stats.onSites'> = {
  '(other)': 'stats.other',
  unknown: 'stats.unknown',
  '(app)': 'stats.inApps',
  '(web)': 'stats.onSites',
}

function labelOf(dimension: Dimension, name: string): string {
  const mark = MARKS[name]
  if (mark) return t(mark)
  if (dimension === 'country' && /^[A-Z]{2}$/.test(name)) return format.countryName(name)
  if (dimension === 'device' || dimension === 'gender' || dimension === 'age') return named(dimension, name)
  if (dimension === 'hour' && /^\d+$/.test(name)) return `${name.padStart(2, '0')}:00`
  return name
}

const BY_ID: readonly Dimension[] = ['campaign', 'persona', 'banner']

function columnsOf(dimension: Dimension): Column<Row>[] {
  return [
    {
      id: 'name',
      title: named('dimension', dimension),
      value: row => row.name,
      total: rows => t('table.total', { count: rows.length }),
      csv: [
        ...(BY_ID.includes(dimension) ? [{ title: t('customers.id'), value: (row: Row) => row.id }] : []),
        { title: named('dimension', dimension), value: (row: Row) => row.name },
      ],
      width: 230,
    },
    {
      id: 'share',
      title: t('stats.share'),
      value: row => row.share,
      cell: row => <Share ratio={row.share} />,
      numeric: true,
      width: 140,
    },
    ...figureColumns<Row>(),
  ]
}

function Share({ ratio }: { ratio: number }) {
  return (
    <Box style={{ display: 'flex', alignItems: 'center', gap: 8, justifyContent: 'flex-end' }}>
      <Box h={6} w={56} style={{ borderRadius: 3, background: 'var(--line)', overflow: 'hidden' }}>
        <Box h="100%" style={{ width: `${ratio * 100}%`, background: 'var(--mantine-color-brand-5)' }} />
      </Box>
      <Text size="sm" component="span">
        {format.roundPercent(ratio)}
      </Text>
    </Box>
  )
}
