// Figures by domain, country, device and so on, largest first.

import { Box, Select, Text } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import * as format from '../format/format.ts'
import { usePeriod } from '../period/use-period.ts'
import { placeLabel } from '../personas/place-name.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { type CategoryName, useCategoryName } from '../words/categories.ts'
import { named, t } from '../words/words.ts'
import { figureColumns } from './figure-columns.ts'
import type { Figures } from './figures.ts'
import type { Dimension } from './subject.ts'
import type { FiguresQuery } from './use-figures.ts'

interface Row {
  key: number
  /** As the API gives it: the id of a campaign, persona or banner, or the code of a place or category. */
  code: number | string
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
  // Until the answer for another dimension arrives, the last one stays visible under its own name.
  const shown = data?.wanted.dimension ?? dimension
  const categoryName = useCategoryName(shown === 'category')
  const rows = useMemo<Row[]>(
    () =>
      (data?.breakdown ?? []).map(({ name, label, id, deleted, share, ...counted }, key) => ({
        key,
        code: id ?? name,
        name: deleted
          ? t('stats.deletedMark', { name })
          : id === undefined
            ? nameInWords(shown, { name, ...(label ? { label } : {}) }, categoryName)
            : name,
        share,
        figures: counted,
      })),
    [data, shown, categoryName],
  )
  const columns = useMemo(() => columnsOf(shown), [shown])
  return (
    <Panel
      flush
      title={t('stats.breakdown')}
      {...(shown === 'hour' ? {} : { about: t('stats.breakdownAbout') })}
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
          // The panel already has a name.
          label={named('dimension', shown)}
          rows={rows}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          {...(shown === 'action' ? {} : { spendOf })}
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

/** Impressions and spend do not belong to an action: only these figures are shown by action. */
const OF_ACTIONS: readonly string[] = ['actions', 'value', 'vpa']
const BY_ID: readonly Dimension[] = ['campaign', 'persona', 'banner']
const BY_PLACE: readonly Dimension[] = ['region', 'city']
const BY_CODE: readonly Dimension[] = ['country', 'region', 'city', 'category']

function columnsOf(dimension: Dimension): Column<Row>[] {
  return [
    {
      id: 'name',
      title: named('dimension', dimension),
      value: row => row.name,
      cell: row => (
        <Ranked ratio={row.share}>
          {BY_PLACE.includes(dimension) ? <Place name={row.name} /> : row.name}
        </Ranked>
      ),
      total: rows => t('table.total', { count: rows.length }),
      csv: [
        ...(BY_ID.includes(dimension) ? [{ title: t('customers.id'), value: (row: Row) => row.code }] : []),
        ...(BY_CODE.includes(dimension) ? [{ title: t('stats.code'), value: (row: Row) => row.code }] : []),
        { title: named('dimension', dimension), value: (row: Row) => row.name },
      ],
      width: 230,
    },
    {
      id: 'share',
      title: t('stats.share'),
      value: row => row.share,
      cell: row => format.roundPercent(row.share),
      numeric: true,
      width: 90,
    },
    ...figureColumns<Row>().filter(({ id }) => dimension !== 'action' || OF_ACTIONS.includes(id)),
  ]
}

/** The city, and the rest of its address below it: together they would not fit into the column. */
function Place({ name }: { name: string }) {
  const [first, ...rest] = name.split(', ')
  return (
    <Box title={name} lh={1.25}>
      {first}
      {rest.length > 0 && (
        <Text component="div" size="xs" c="dimmed" truncate>
          {rest.join(', ')}
        </Text>
      )}
    </Box>
  )
}

/** The bar behind a name shows its share. */
function Ranked({ ratio, children }: { ratio: number; children: ReactNode }) {
  return (
    <div className="rank">
      <i style={{ width: `${ratio * 100}%` }} />
      <div>{children}</div>
    </div>
  )
}

/** Names of the API with a special meaning. */
const MARKS: Record<string, 'stats.other' | 'stats.unknown' | 'stats.inApps' | 'stats.onSites'> = {
  '(other)': 'stats.other',
  unknown: 'stats.unknown',
  '(app)': 'stats.inApps',
  '(web)': 'stats.onSites',
}

/** `label`: the English words for the code, if the API has any. */
function nameInWords(
  dimension: Dimension,
  { name, label }: { name: string; label?: string },
  categoryName: CategoryName,
): string {
  const mark = MARKS[name]
  if (mark) return t(mark)
  switch (dimension) {
    case 'country':
      return format.countryName(name)
    case 'region':
    case 'city':
      return placeLabel({ value: name, label: label ?? name })
    case 'category':
      return categoryName(name, label ?? name)
    case 'os':
      return name === 'other' ? t('stats.other') : name
    case 'size':
      return name.replace('x', ' × ')
    case 'hour':
      return `${name.padStart(2, '0')}:00`
    case 'device':
    case 'gender':
    case 'age':
      return named(dimension, name)
    default:
      return name
  }
}
