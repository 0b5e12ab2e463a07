// What a table shows, as a CSV file for spreadsheets in the reader's language: with a byte order mark, the language's
// separator and decimal sign; with ids, ISO dates, the currency and the period.

import { type Cell, csvLine, ENGLISH, GERMAN } from '../../src/report/figures/contract.ts'
import { currencyCode } from '../format/format.ts'
import type { Period } from '../period/period.ts'
import { language, t } from '../words/words.ts'
import type { Column, Plain } from './column.ts'

const BOM = '\ufeff'
/** Money is in micros, which are six decimals. */
const DECIMALS = 6

/** Numbers without rounding errors. */
function cellOf(value: Plain): Cell {
  if (typeof value === 'number') return Number(value.toFixed(DECIMALS))
  return typeof value === 'boolean' ? t(value ? 'table.yes' : 'table.no') : value
}

export interface CsvTable<Row> {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** Undefined: the rows have no ids. */
  idOf?: ((row: Row) => number) | undefined
  /** Parts of the sum without a row: a name and figures. */
  rest: readonly { name: string }[]
  period?: Period | undefined
}

/** `2026-03-29T12:00:00Z`. */
export const isoTime = (unixS: number) => `${new Date(unixS * 1000).toISOString().slice(0, 19)}Z`

export function csvOf<Row>({ rows, columns, idOf, rest, period }: CsvTable<Row>): string {
  const shown = columns.filter(column => !column.control)
  const fields = shown.flatMap((column, index) =>
    (column.csv ?? [{ title: column.title, value: column.value }]).map(({ title, value }, at) => ({
      title: column.money ? `${title} (${currencyCode()})` : title,
      value,
      ofRest: (part: { name: string }): Plain =>
        index === 0 ? (at === 0 ? part.name : null) : column.figure ? column.value(part as Row) : null,
    })),
  )
  const days = period ? [period.firstDay, period.lastDay] : []
  const lines = [
    [
      ...(idOf ? [t('customers.id')] : []),
      ...fields.map(({ title }) => title),
      ...(period ? [t('period.first'), t('period.last')] : []),
    ],
    ...rows.map(row => [...(idOf ? [idOf(row)] : []), ...fields.map(({ value }) => value(row)), ...days]),
    ...rest.map(part => [...(idOf ? [null] : []), ...fields.map(({ ofRest }) => ofRest(part)), ...days]),
  ]
  const marks = language() === 'de' ? GERMAN : ENGLISH
  return BOM + lines.map(line => csvLine(line.map(cellOf), marks)).join('')
}

export function csvName(name: string, period: Period | undefined): string {
  return period ? `${name}-${period.firstDay}-${period.lastDay}.csv` : `${name}.csv`
}

export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
