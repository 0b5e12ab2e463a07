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
  const { label, rows, columns, idOf, nameOf, textOf = nameOf, statusOf, spendOf, fileName } = props
  const {
    bulk,
    hasBar,
    isTall,
    card,
    actions,
    empty,
    foot,
    totals,
    bare,
    period,
    withoutIds,
    segments,
    id: table = fileName,
  } = props
  const [search, setSearch] = useAddressText(`${table}.q`)
  const [sorting, setSorting] = useSorting(`${table}.sort`, props.sorting)
  const filters = useFilters(table)
  const segment = useSegment(table, segments, rows)
  const choice = useColumnChoice(table, columns)
  const [ids, setIds] = useState(NOTHING_CHOSEN)
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false })
  const { statuses, spendFrom, spendTo } = filters
  const wanted = statuses.join('-')
  const shown = useMemo(() => {
    const chosen = { statuses: wanted === '' ? [] : wanted.split('-'), spendFrom, spendTo }
    const byId = withoutIds ? undefined : idOf
    return searchRows(filterRows(segment.inside, chosen, statusOf, spendOf), textOf, search, byId)
  }, [segment.inside, textOf, search, idOf, withoutIds, wanted, spendFrom, spendTo, statusOf, spendOf])
  const isById = !withoutIds && shown.some(row => String(idOf(row)) === search.trim())
  // Only what the segments do not already say.
  const isFound = search !== '' || filters.count > 0
  const chosen = useMemo(() => shown.filter(row => ids.has(idOf(row))), [shown, ids, idOf])
  // If only some rows are shown, the sum is theirs alone.
  const rest = shown.length === rows.length && props.rest ? props.rest : NO_REST
  const known = useMemo(() => (statusOf ? [...new Set(rows.map(statusOf))].sort() : []), [rows, statusOf])
  const save = () => {
    const csv = csvOf({
      rows: sortRows(shown, choice.shown, sorting),
      columns: choice.shown,
      idOf: withoutIds ? undefined : idOf,
      rest,
      period,
    })
    saveFile(csvName(fileName, period), 'text/csv;charset=utf-8', csv)
  }
  const hidden = search.trim() !== '' ? 'search' : filters.count > 0 ? 'filters' : 'part'
  const inside = segment.inside.length
  const clear = () => {
    if (hidden === 'search') setSearch('')
    else if (hidden === 'filters') filters.set(NO_FILTERS)
    else segment.choose(segment.first)
  }
  const doings = bulk && chosen.length > 0 && bulk(chosen, () => setIds(NOTHING_CHOSEN))
  const selection = bulk ? { ids, onChange: setIds } : undefined
  const areCards = card !== undefined && isPhone
  return (
    // On the page itself it is paper without a border; inside a panel it keeps a distance from the edge.
    <Paper
      withBorder={false}
      radius={bare ? undefined : 0}
      style={areCards ? undefined : { overflow: 'hidden' }}
      className={bare ? undefined : 'on-page'}
    >
      <Group p={bare ? 'md' : 0} pb={areCards ? 0 : 'md'} gap="sm" justify="space-between">
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
          <Text
            size="sm"
            c="dimmed"
            role="status"
            className={segments && !isFound ? 'visually-hidden' : undefined}
          >
            {chosen.length > 0
              ? t('table.chosen', { count: chosen.length })
              : t('table.rows', { count: shown.length })}
            {isById && ` · ${t('table.byId', { id: search.trim() })}`}
          </Text>
          {!hasBar && doings}
        </Group>
        <Group gap="xs" className={areCards ? 'desk' : undefined}>
          <ColumnChooser columns={columns} hidden={choice.hidden} onHide={choice.hide} />
          <Button
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            onClick={save}
            disabled={shown.length === 0 && rest.length === 0}
          >
            {t('table.csv')}
          </Button>
          {actions}
        </Group>
      </Group>
      {hasBar && doings && (
        <section className="selbar" aria-label={t('table.chosen', { count: chosen.length })}>
          <b>{t('table.chosen', { count: chosen.length })}</b>
          {doings}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('table.choseNothing')}
            onClick={() => setIds(NOTHING_CHOSEN)}
          >
            <Icon name="close" />
          </ActionIcon>
        </section>
      )}
      {rows.length === 0 && rest.length === 0 ? (
        empty
      ) : shown.length === 0 && rest.length === 0 ? (
        <NoMatch
          by={hidden}
          search={search}
          count={hidden === 'part' ? rows.length : inside}
          onClear={clear}
        />
      ) : areCards ? (
        <Cards
          label={label}
          rows={shown}
          columns={columns}
          sorting={sorting}
          idOf={idOf}
          nameOf={nameOf}
          selection={selection}
          card={card}
        />
      ) : (
        <DataTable
          label={label}
          rows={shown}
          columns={choice.shown}
          idOf={idOf}
          nameOf={nameOf}
          sorting={sorting}
          onSort={setSorting}
          totals={totals}
          rest={rest}
          selection={selection}
          isTall={isTall}
        />
      )}
      {rows.length > 0 && foot}
    </Paper>
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
