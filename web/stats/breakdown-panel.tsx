// Figures by domain, country, device and so on, largest first.

import { Box, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import * as format from '../format/format.ts'
import { usePeriod } from '../period/use-period.ts'
import { useCuid } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { named, t } from '../words/words.ts'
import { figureColumns } from './figure-columns.ts'
import type { Figures } from './figures.ts'
import { type Dimension, dimensionsOf, type Subject } from './subject.ts'

interface Row {
  key: number
  name: string
  share: number
  figures: Figures
}
const idOf = (row: Row) => row.key
const nameOf = (row: Row) => row.name

export function BreakdownPanel({ subject }: { subject: Subject }) {
  const cuid = useCuid()
  const { startS: start, endS: end } = usePeriod()
  const dimensions = dimensionsOf(subject)
  const [dimension, setDimension] = useState<Dimension>(dimensions[0]!)
  const query = useQuery({
    queryKey: ['breakdown', cuid, subject.id, dimension, start, end],
    queryFn: () => api.readBreakdown({ cuid, id: subject.id, dimension, start, end }),
  })
  const rows = useMemo<Row[]>(
    () =>
      (query.data?.breakdown ?? []).map(({ name, share, ...figures }, key) => ({
        key,
        name: labelOf(dimension, name),
        share,
        figures,
      })),
    [query.data, dimension],
  )
  const columns = useMemo(() => columnsOf(dimension), [dimension])
  return (
    <Panel
      flush
      title={t('stats.breakdown')}
      about={t('stats.breakdownAbout')}
      actions={
        dimensions.length > 1 && (
          <Select
            aria-label={t('stats.dimension')}
            allowDeselect={false}
            w={190}
            value={dimension}
            data={dimensions.map(value => ({ value, label: named('dimension', value) }))}
            onChange={next => next && setDimension(next as Dimension)}
          />
        )
      }
    >
      {query.isPending && <Waiting height={240} />}
      {query.error && (
        <Box p="lg">
          <Refused error={query.error} onRetry={() => query.refetch()} />
        </Box>
      )}
      {query.data && (
        <ListPanel
          key={dimension}
          bare
          label={t('stats.breakdown')}
          rows={rows}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          sorting={{ column: dimension === 'hour' ? 'name' : 'imps', descending: dimension !== 'hour' }}
          fileName={`${t('stats.file')}-${dimension}`}
          totals
          empty={<Nothing icon="statistics" title={t('stats.none')} />}
        />
      )}
    </Panel>
  )
}

function labelOf(dimension: Dimension, name: string): string {
  if (name === '(other)') return t('stats.other')
  if (dimension === 'country' && /^[A-Z]{2}$/.test(name)) return format.countryName(name)
  if (dimension === 'device') return named('device', name)
  if (dimension === 'hour' && /^\d+$/.test(name)) return `${name.padStart(2, '0')}:00`
  return name
}

function columnsOf(dimension: Dimension): Column<Row>[] {
  return [
    {
      id: 'name',
      title: named('dimension', dimension),
      value: row => row.name,
      total: rows => t('table.total', { count: rows.length }),
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
