// A table that draws only the visible rows, so that thousands scroll and sort without a pause. Header and totals stay
// in view; every row can be reached and selected by keyboard.

import './table.css'
import { type Range, useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { type Column, classOf, type Sorting, sortRows } from './column.ts'
import { Tick } from './controls.tsx'
import { TableRow, type Toggle } from './row.tsx'
import { type Selection, useToggle } from './toggle.ts'
import { type Measure, widthsOf } from './widths.ts'

export interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  idOf: (row: Row) => number
  nameOf: (row: Row) => string
  sorting: Sorting
  onSort: (sorting: Sorting) => void
  selection?: Selection | undefined
  totals?: boolean | undefined
  /** Below all rows, above the sum that includes them: a name and figures. */
  rest?: readonly { name: string }[]
  /** Rows of two lines. */
  isTall?: boolean | undefined
  /** As low as two lines allow. */
  isDense?: boolean
}

/** Everything that scrolls must be reachable by keyboard. */
const REACHABLE = { tabIndex: 0 }
const ROW_PX = 52
const TALL_PX = 60
const DENSE_PX = 40
const NAME_MIN_PX = 200
const CHECK_PX = 44
/** Nothing focused is covered by the first column, which is at its narrowest when it is pinned. */
const UNCOVERED = { scrollPaddingInlineStart: NAME_MIN_PX }
const NO_REST: readonly { name: string }[] = []

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, idOf, nameOf, sorting, onSort, selection, totals, rest = NO_REST } = props
  const { isTall = false, isDense = false } = props
  const [scroll, setScroll] = useState<HTMLElement | null>(null)
  const sorted = useMemo(() => sortRows(rows, columns, sorting), [rows, columns, sorting])
  // What needs all rows is not computed again for each row that scrolls into view.
  const shownIds = useMemo(() => rows.map(idOf), [rows, idOf])
  const sums = useMemo(() => {
    const summed = (column: Column<Row>) => (column.figure ? [...rows, ...(rest as readonly Row[])] : rows)
    return totals && rows.length + rest.length > 0
      ? columns.map(column => column.total?.(summed(column)))
      : null
  }, [totals, rows, rest, columns])
  const widths = useMemo(() => widthsOf(columns, rows, sums, measured), [columns, rows, sums])
  const width = widths.reduce((sum, px) => sum + px, selection ? CHECK_PX : 0)

  const sortedIds = useMemo(() => sorted.map(idOf), [sorted, idOf])
  const toggle = useToggle(selection, sortedIds)
  return (
    <section
      ref={setScroll}
      className="table-scroll"
      style={UNCOVERED}
      {...REACHABLE}
      aria-label={label}
      onScroll={({ currentTarget }) =>
        currentTarget.toggleAttribute('data-sideways', currentTarget.scrollLeft !== 0)
      }
    >
      <table
        className="table"
        data-tall={isTall || undefined}
        data-dense={isDense || undefined}
        style={{ minWidth: width + NAME_MIN_PX - widths[0]! }}
        aria-rowcount={rows.length + 1}
      >
        <colgroup>
          {selection && <col style={{ width: CHECK_PX }} />}
          {columns.map((column, index) => (
            <col key={column.id} style={index === 0 ? undefined : { width: widths[index] }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection && <TickAll ids={shownIds} selection={selection} />}
            {columns.map((column, index) => (
              <HeaderCell
                key={column.id}
                column={column}
                first={index === 0}
                sorting={sorting}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <Rows
          scroll={scroll}
          sorted={sorted}
          // Rows of another height are measured anew.
          key={String(isDense)}
          rowPx={isDense ? DENSE_PX : isTall ? TALL_PX : ROW_PX}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          onToggle={selection && toggle}
          chosenIds={selection?.ids}
        />
        <Rest rest={rest} columns={columns} hasTicks={selection !== undefined} />
        {sums && (
          <tfoot>
            <tr>
              {selection && <td />}
              {columns.map((column, index) => (
                <td key={column.id} className={classOf(column, index)}>
                  {sums[index]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  )
}

function TickAll({ ids, selection }: { ids: readonly number[]; selection: Selection }) {
  const chosen = useMemo(() => ids.filter(id => selection.ids.has(id)).length, [ids, selection.ids])
  return (
    <th scope="col">
      <Tick
        label={t('table.selectAll')}
        checked={chosen > 0 && chosen === ids.length}
        partly={chosen > 0 && chosen < ids.length}
        onChange={() => selection.onChange(chosen === ids.length ? new Set() : new Set(ids))}
      />
    </th>
  )
}

interface RestProps<Row> {
  rest: readonly { name: string }[]
  columns: readonly Column<Row>[]
  hasTicks: boolean
}

function Rest<Row>({ rest, columns, hasTicks }: RestProps<Row>) {
  if (rest.length === 0) return null
  return (
    <tbody>
      {rest.map(part => (
        <tr key={part.name} className="rest">
          {hasTicks && <td />}
          {columns.map((column, index) => (
            <td key={column.id} className={classOf(column, index)}>
              {index === 0 ? part.name : column.figure ? column.cell?.(part as Row) : null}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

interface RowsProps<Row> {
  /** Null before it is drawn. */
  scroll: HTMLElement | null
  sorted: readonly Row[]
  rowPx: number
  columns: readonly Column<Row>[]
  idOf: (row: Row) => number
  nameOf: (row: Row) => string
  onToggle: Toggle | undefined
  chosenIds: ReadonlySet<number> | undefined
}

/** Rows are added and removed a few at a time, so that most frames of a scroll have nothing to draw. */
const BLOCK = 4
const BESIDE = 6

/** `most`: the largest number of rows that fit. */
function inBlocks({ startIndex, count }: Range, most: number): number[] {
  const from = Math.max(0, Math.floor((startIndex - BESIDE) / BLOCK) * BLOCK)
  const to = Math.min(count, from + most + 2 * BESIDE + BLOCK)
  return Array.from({ length: to - from }, (_, at) => from + at)
}

/** The part of the table that is redrawn in each frame while scrolling. */
function Rows<Row>(props: RowsProps<Row>) {
  const { scroll, sorted, rowPx, columns, idOf, nameOf, onToggle, chosenIds } = props
  const most = useRef(0)
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroll,
    estimateSize: () => rowPx,
    rangeExtractor: range => {
      most.current = Math.max(most.current, range.endIndex - range.startIndex + 1)
      return inBlocks(range, most.current)
    },
  })
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const span = columns.length + (onToggle ? 1 : 0)
  return (
    <tbody>
      {before > 0 && <Spacer height={before} span={span} />}
      {items.map(item => {
        const row = sorted[item.index]!
        const id = idOf(row)
        return (
          <TableRow
            key={id}
            row={row}
            id={id}
            name={nameOf(row)}
            index={item.index + 2}
            columns={columns}
            onToggle={onToggle}
            isChosen={chosenIds?.has(id) ?? false}
          />
        )
      })}
      {after > 0 && <Spacer height={after} span={span} />}
    </tbody>
  )
}

function Spacer({ height, span }: { height: number; span: number }) {
  return (
    <tr>
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}

interface HeaderCellProps<Row> {
  column: Column<Row>
  first: boolean
  sorting: Sorting
  onSort: (sorting: Sorting) => void
}

function HeaderCell<Row>({ column, first, sorting, onSort }: HeaderCellProps<Row>) {
  const active = sorting.column === column.id
  const descending = active ? !sorting.descending : !!(column.numeric || column.largestFirst)
  return (
    <th
      scope="col"
      className={`${column.numeric ? 'numeric' : ''} ${first ? 'pinned' : ''}`}
      aria-sort={active ? (sorting.descending ? 'descending' : 'ascending') : undefined}
    >
      {column.control ? (
        column.title
      ) : (
        <button type="button" onClick={() => onSort({ column: column.id, descending })}>
          {column.title}
          <Icon name={!active ? 'sort' : sorting.descending ? 'down' : 'up'} size={13} />
        </button>
      )}
    </th>
  )
}

let context: CanvasRenderingContext2D | null = null

/** Totals are bold, so everything is measured in bold. */
const measured: Measure = (text, size) => {
  context ??= document.createElement('canvas').getContext('2d')
  const style = getComputedStyle(document.body)
  const px = style.getPropertyValue(size === 's' ? '--text-s' : '--text-m')
  context!.font = `${style.getPropertyValue('--strong')} ${px} ${style.fontFamily}`
  return context!.measureText(text).width
}
