// A complete list: search, filters and columns, actions on the selected rows, CSV of what is shown, and the table
// itself. Search, filters and order are kept in the address, so that Back and a link show the same rows.

import { ActionIcon, Button, Group, Paper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useMemo, useState } from 'react'
import { NoMatch } from '../empty/no-match.tsx'
import type { Period } from '../period/period.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { useAddressState, useAddressText } from './address-state.ts'
import { Cards } from './cards.tsx'
import { type Column, type Sorting, searchRows, sortRows } from './column.ts'
import { ColumnChooser, useColumnChoice } from './column-chooser.tsx'
import { csvName, csvOf, saveFile } from './csv.ts'
import { DataTable } from './data-table.tsx'
import { Filters, filterRows, useFilters } from './filters.tsx'
import { SearchField } from './search-field.tsx'
import { type Segment, Segments, useSegment } from './segments.tsx'

interface ListPanelProps<Row> {
  label: string
  /** Its name in the address and for its saved columns; by default the file's name. */
  id?: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  idOf: (row: Row) => number
  nameOf: (row: Row) => string
  /** The text that is searched: what the row shows; by default the name. */
  textOf?: (row: Row) => string
  /** Parts of the list; the first has all rows. */
  segments?: readonly Segment<Row>[]
  /** If given, rows can be filtered by status. */
  statusOf?: (row: Row) => string
  /** If given, rows can be filtered by spend. */
  spendOf?: (row: Row) => number | null
  sorting: Sorting
  fileName: string
  /** The period of the figures, for the CSV. */
  period?: Period
  /** The ids are only row numbers and mean nothing elsewhere. */
  withoutIds?: boolean
  totals?: boolean
  /** Parts of the sum without a row: shown below all other rows. */
  rest?: readonly { name: string }[]
  /** Buttons for the selected rows; without them, rows cannot be selected. */
  bulk?: (chosen: readonly Row[], done: () => void) => ReactNode
  /** The buttons are in a bar at the bottom of the screen. */
  hasBar?: boolean
  /** Rows of two lines. */
  isTall?: boolean
  /** Rows as cards, on a phone. */
  card?: (row: Row) => ReactNode
  actions?: ReactNode
  empty: ReactNode
  /** Beneath the rows. */
  foot?: ReactNode
  /** Inside another panel. */
  bare?: boolean
}

const PHONE = '(max-width: 700px)'
const NOTHING_CHOSEN: ReadonlySet<number> = new Set()
const NO_FILTERS = { statuses: [], spendFrom: null, spendTo: null }
const NO_REST: readonly { name: string }[] = []

export function ListPanel<Row>(props: ListPanelProps<Row>) {
  const { rows, bulk, hasBar, card, empty, foot, bare } = props
  const list = useList(props)
  const { shown, rest, chosen, choose } = list
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false })
  const areCards = card !== undefined && isPhone
  const doings = bulk && chosen.length > 0 && bulk(chosen, () => choose(NOTHING_CHOSEN))
  return (
    // On the page itself it is paper without a border; inside a panel it keeps a distance from the edge.
    <Paper
      withBorder={false}
      radius={bare ? undefined : 0}
      style={areCards ? undefined : { overflow: 'hidden' }}
      className={bare ? undefined : 'on-page'}
    >
      <ListHead props={props} list={list} areCards={areCards} doings={!hasBar && doings} />
      {hasBar && doings && (
        <SelectionBar count={chosen.length} onClear={() => choose(NOTHING_CHOSEN)}>
          {doings}
        </SelectionBar>
      )}
      {rows.length === 0 && rest.length === 0 ? (
        empty
      ) : shown.length === 0 && rest.length === 0 ? (
        <NothingShown list={list} all={rows.length} />
      ) : (
        <ListRows props={props} list={list} areCards={areCards} />
      )}
      {rows.length > 0 && foot}
    </Paper>
  )
}

/** What of the rows is shown and chosen, by the address. */
function useList<Row>(props: ListPanelProps<Row>) {
  const { rows, idOf, nameOf, textOf = nameOf, statusOf, spendOf, withoutIds, segments } = props
  const { id: table = props.fileName } = props
  const [search, setSearch] = useAddressText(`${table}.q`)
  const [sorting, setSorting] = useSorting(`${table}.sort`, props.sorting)
  const filters = useFilters(table)
  const segment = useSegment(table, segments, rows)
  const columns = useColumnChoice(table, props.columns)
  const [ids, choose] = useState(NOTHING_CHOSEN)
  const { statuses, spendFrom, spendTo } = filters
  const wanted = statuses.join('-')
  const shown = useMemo(() => {
    const chosen = { statuses: wanted === '' ? [] : wanted.split('-'), spendFrom, spendTo }
    const byId = withoutIds ? undefined : idOf
    return searchRows(filterRows(segment.inside, chosen, statusOf, spendOf), textOf, search, byId)
  }, [segment.inside, textOf, search, idOf, withoutIds, wanted, spendFrom, spendTo, statusOf, spendOf])
  const chosen = useMemo(() => shown.filter(row => ids.has(idOf(row))), [shown, ids, idOf])
  // If only some rows are shown, the sum is theirs alone.
  const rest = shown.length === rows.length && props.rest ? props.rest : NO_REST
  return {
    search,
    setSearch,
    sorting,
    setSorting,
    filters,
    segment,
    columns,
    ids,
    choose,
    shown,
    chosen,
    rest,
  }
}

type List<Row> = ReturnType<typeof useList<Row>>

interface PartProps<Row> {
  props: ListPanelProps<Row>
  list: List<Row>
  areCards: boolean
}

function ListHead<Row>({ props, list, areCards, doings }: PartProps<Row> & { doings: ReactNode }) {
  const { rows, columns, statusOf, spendOf, segments, bulk, actions, bare } = props
  const { search, setSearch, filters, segment, shown, rest } = list
  const known = useMemo(() => (statusOf ? [...new Set(rows.map(statusOf))].sort() : []), [rows, statusOf])
  return (
    <Group p={bare ? 'md' : 0} pb={areCards && bulk ? 0 : 'md'} gap="sm" justify="space-between">
      <Group gap="sm" style={{ flex: 1 }} miw={220} wrap={areCards ? 'nowrap' : 'wrap'}>
        <SearchField
          value={search}
          onChange={setSearch}
          w={{ base: '100%', xs: 220 }}
          style={areCards ? { flex: 1 } : undefined}
        />
        {(statusOf || spendOf) && (
          <Filters filters={filters} statuses={known} bySpend={spendOf !== undefined} />
        )}
        {segments && (
          <Segments segments={segments} rows={rows} chosen={segment.chosen} onChoose={segment.choose} />
        )}
        <Count props={props} list={list} />
        {doings}
      </Group>
      <Group gap="xs" className={areCards ? 'desk' : undefined}>
        <ColumnChooser
          columns={columns}
          hidden={list.columns.hidden}
          onHide={list.columns.hide}
          isDense={list.columns.isDense}
          onPack={list.columns.pack}
        />
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          onClick={() => saveCsv(props, list)}
          disabled={shown.length === 0 && rest.length === 0}
        >
          {t('table.csv')}
        </Button>
        {actions}
      </Group>
    </Group>
  )
}

function saveCsv<Row>({ fileName, idOf, withoutIds, period }: ListPanelProps<Row>, list: List<Row>) {
  const csv = csvOf({
    rows: sortRows(list.shown, list.columns.shown, list.sorting),
    columns: list.columns.shown,
    idOf: withoutIds ? undefined : idOf,
    rest: list.rest,
    period,
  })
  saveFile(csvName(fileName, period), 'text/csv;charset=utf-8', csv)
}

function Count<Row>({ props, list }: Omit<PartProps<Row>, 'areCards'>) {
  const { idOf, withoutIds, segments } = props
  const { search, filters, shown, chosen } = list
  const isById = !withoutIds && shown.some(row => String(idOf(row)) === search.trim())
  // Only what the segments do not already say.
  const isFound = search !== '' || filters.count > 0
  return (
    <Text size="sm" c="dimmed" role="status" className={segments && !isFound ? 'visually-hidden' : undefined}>
      {chosen.length > 0
        ? t('table.chosen', { count: chosen.length })
        : t('table.rows', { count: shown.length })}
      {isById && ` · ${t('table.byId', { id: search.trim() })}`}
    </Text>
  )
}

interface SelectionBarProps {
  count: number
  onClear: () => void
  children: ReactNode
}

function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  return (
    <section className="selbar" aria-label={t('table.chosen', { count })}>
      <b>{t('table.chosen', { count })}</b>
      {children}
      <ActionIcon variant="subtle" color="gray" aria-label={t('table.choseNothing')} onClick={onClear}>
        <Icon name="close" />
      </ActionIcon>
    </section>
  )
}

function NothingShown<Row>({ list, all }: { list: List<Row>; all: number }) {
  const { search, setSearch, filters, segment } = list
  const hidden = search.trim() !== '' ? 'search' : filters.count > 0 ? 'filters' : 'part'
  const clear = () => {
    if (hidden === 'search') setSearch('')
    else if (hidden === 'filters') filters.set(NO_FILTERS)
    else segment.choose(segment.first)
  }
  return (
    <NoMatch
      by={hidden}
      search={search}
      count={hidden === 'part' ? all : segment.inside.length}
      onClear={clear}
    />
  )
}

function ListRows<Row>({ props, list, areCards }: PartProps<Row>) {
  const { label, idOf, nameOf, card, totals, isTall } = props
  const { shown, sorting, setSorting, rest, columns, ids, choose } = list
  const selection = props.bulk ? { ids, onChange: choose } : undefined
  const common = { label, rows: shown, idOf, nameOf, sorting, selection }
  if (areCards && card) return <Cards {...common} columns={props.columns} card={card} />
  return (
    <DataTable
      {...common}
      columns={columns.shown}
      onSort={setSorting}
      totals={totals}
      rest={rest}
      isTall={isTall}
      isDense={columns.isDense}
    />
  )
}

/** `-spend`: by spend, largest first. */
function useSorting(name: string, usual: Sorting): [Sorting, (next: Sorting) => void] {
  const [text, setText] = useAddressState(name)
  const { column, descending } = usual
  const written = text ?? (descending ? `-${column}` : column)
  const sorting = useMemo(
    () => ({ column: written.replace(/^-/, ''), descending: written.startsWith('-') }),
    [written],
  )
  return [sorting, next => setText(next.descending ? `-${next.column}` : next.column)]
}
