// A table of few rows, without sorting: people, keys, the campaigns of one customer. On a phone each row is a card that
// shows all columns below its name, so that nothing is cut off.

import './small-table.css'
import { Table } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'

export interface SmallColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  numeric?: boolean
  /** A date or a button, which is never wrapped. */
  short?: boolean
}

interface SmallTableProps<Row> {
  /** Names the table for screen readers. */
  label: string
  /** The first column has the name of the row. */
  columns: readonly SmallColumn<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => number | string
  /** Below this width, it scrolls by itself. */
  leastPx: number
}

/** Everything that scrolls must be reachable by keyboard. */
const REACHABLE = { tabIndex: 0 }

/** Roles are explicit, because some browsers do not treat a row drawn as a card as a row. */
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
