// One row of a table. It is redrawn only when its content changes: scrolling draws the rows that come into view, not
// those that stay.

import { memo } from 'react'
import { t } from '../words/words.ts'
import { type Column, classOf } from './column.ts'
import { Tick } from './controls.tsx'

/** `isRange`: with all rows from the one chosen before. */
export type Toggle = (id: number, isRange: boolean) => void

export interface TableRowProps<Row> {
  row: Row
  id: number
  name: string
  /** Its position among all rows; the header is the first. */
  index: number
  columns: readonly Column<Row>[]
  /** Undefined: rows cannot be selected. */
  onToggle: Toggle | undefined
  isChosen: boolean
}

function DrawnRow<Row>({ row, id, name, index, columns, onToggle, isChosen }: TableRowProps<Row>) {
  return (
    <tr aria-rowindex={index} data-selected={isChosen || undefined}>
      {onToggle && (
        <td className="own">
          <Tick
            label={t('table.select', { name })}
            checked={isChosen}
            onChange={(_, isRange) => onToggle(id, isRange)}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td key={column.id} className={classOf(column, at)}>
          {column.cell ? column.cell(row) : column.value(row)}
        </td>
      ))}
    </tr>
  )
}

export const TableRow = memo(DrawnRow) as typeof DrawnRow
