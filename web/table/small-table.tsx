// A table of few rows, without sorting: people, keys, the campaigns of one customer. On a phone each row is a card that
// shows every column beneath its name, so that nothing lies beyond the edge.

import './small-table.css'
import { Table } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'

export interface SmallColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  numeric?: boolean
  /** A date or a button, which is never broken. */
  short?: boolean
}

interface SmallTableProps<Row> {
  /** Names the table for screen readers. */
  label: string
  /** The first has the name of the row. */
  columns: readonly SmallColumn<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => number | string
  /** Narrower than this, it scrolls by itself. */
  leastPx: number
}

/** Whatever scrolls must be reachable by keyboard. */
const REACHABLE = { tabIndex: 0 }

/** Roles are said, because a row that is drawn as a card is none to every browser. */
export function SmallTable<Row>({ label, columns, rows, idOf, leastPx }: SmallTableProps<Row>) {
  return (
    <div className="small-table" style={{ '--least': `${leastPx}px` } as CSSProperties} {...REACHABLE}>
      <Table aria-label={label} role="table">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ title, numeric }) => (
              <Table.Th key={title} role="columnheader" ta={numeric ? 'end' : undefined}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map(row => (
            <Table.Tr key={idOf(row)} role="row">
              {columns.map(({ title, cell, numeric, short }) => (
                <Table.Td
                  key={title}
                  role="cell"
                  data-title={title}
                  data-numeric={numeric || undefined}
                  data-short={short || undefined}
                >
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
