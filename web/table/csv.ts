// What a table shows, as a CSV file for spreadsheets in the reader's language: with a byte order mark, the language's
// separator and decimal sign; with ids, ISO dates, the currency and the period. Text that a spreadsheet would treat as
// a formula is escaped.

import { currencyCode } from '../format/format.ts'
import type { Period } from '../period/period.ts'
import { language, t } from '../words/words.ts'
import type { Column, Plain } from './column.ts'

const FORMULA = /^[\s]*[=+\-@]|^[\t\r\n]/

const BOM = '\ufeff'
/** Money is in micros, which are six decimals. */
const DECIMALS = 6

/** As programs of the language read it: without group separators and without rounding errors. */
function numberField(value: number): string {
  const text = String(Number(value.toFixed(DECIMALS)))
  return language() === 'de' ? text.replace('.', ',') : text
}

function field(value: Plain): string {
  if (value === null) return ''
  if (typeof value === 'number') return numberField(value)
  if (typeof value === 'boolean') return t(value ? 'table.yes' : 'table.no')
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",;\n\r\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
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
  const separator = language() === 'de' ? ';' : ','
  return `${BOM}${lines.map(line => line.map(field).join(separator)).join('\r\n')}\r\n`
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
