// A whole list: search, what to do with the chosen rows, CSV of what is shown, and the table itself.

import { Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { type Column, type Sorting, searchRows, sortRows } from './column.ts'
import { csvOf, saveFile } from './csv.ts'
import { DataTable } from './data-table.tsx'

interface ListPanelProps<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  idOf: (row: Row) => number
  nameOf: (row: Row) => string
  /** What the search looks at; the name if not given. */
  textOf?: (row: Row) => string
  sorting: Sorting
  fileName: string
  totals?: boolean
  /** Buttons for the chosen rows; without it nothing can be chosen. */
  bulk?: (chosen: readonly Row[], done: () => void) => ReactNode
  actions?: ReactNode
  empty: ReactNode
  /** Inside another panel. */
  bare?: boolean
}

const NOTHING_CHOSEN: ReadonlySet<number> = new Set()

export function ListPanel<Row>(props: ListPanelProps<Row>) {
  const {
    label,
    rows,
    columns,
    idOf,
    nameOf,
    textOf = nameOf,
    fileName,
    bulk,
    actions,
    empty,
    totals,
    bare,
  } = props
  const [search, setSearch] = useState('')
  const [sorting, setSorting] = useState(props.sorting)
  const [ids, setIds] = useState(NOTHING_CHOSEN)
  const shown = useMemo(() => searchRows(rows, textOf, search), [rows, textOf, search])
  const chosen = useMemo(() => shown.filter(row => ids.has(idOf(row))), [shown, ids, idOf])
  const save = () =>
    saveFile(`${fileName}.csv`, 'text/csv;charset=utf-8', csvOf(sortRows(shown, columns, sorting), columns))
  return (
    <Paper withBorder={!bare} style={{ overflow: 'hidden' }}>
      <Group p="md" gap="sm" justify="space-between">
        <Group gap="sm" style={{ flex: 1 }} miw={220}>
          <TextInput
            aria-label={t('table.search')}
            placeholder={t('table.search')}
            type="search"
            leftSection={<Icon name="search" size={16} />}
            value={search}
            onChange={event => setSearch(event.currentTarget.value)}
            w={{ base: '100%', xs: 260 }}
          />
          <Text size="sm" c="dimmed" role="status">
            {chosen.length > 0
              ? t('table.chosen', { count: chosen.length })
              : t('table.rows', { count: shown.length })}
          </Text>
          {bulk && chosen.length > 0 && bulk(chosen, () => setIds(NOTHING_CHOSEN))}
        </Group>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            onClick={save}
            disabled={shown.length === 0}
          >
            {t('table.csv')}
          </Button>
          {actions}
        </Group>
      </Group>
      {rows.length === 0 ? (
        empty
      ) : (
        <DataTable
          label={label}
          rows={shown}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          sorting={sorting}
          onSort={setSorting}
          totals={totals}
          selection={bulk ? { ids, onChange: setIds } : undefined}
        />
      )}
    </Paper>
  )
}
