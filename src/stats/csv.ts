// CSV by RFC 4180, safe to open in a spreadsheet: text that it would take for a formula gets an apostrophe in front,
// and text that would fall into two cells is quoted, whichever separator the spreadsheet goes by in its country.

export type Cell = string | number | null

const LINE_END = '\r\n'

export interface CsvMarks {
  separator: string
  decimal: string
}

const ENGLISH: CsvMarks = { separator: ',', decimal: '.' }
/** As spreadsheets in German read it. */
export const GERMAN: CsvMarks = { separator: ';', decimal: ',' }
/** What begins a formula, also in full-width letters; tab and line breaks are trimmed away before one. */
const FORMULA = /^[\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/
/** All separators that spreadsheets know: behind one of them, the rest of a text could be a formula. */
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/
const SEPARATORS = ',;|\t\r\n'
const BEGINS_FORMULA = '=+-@\uff1d\uff0b\uff0d\uff20'
const SKIPPED = /["'\s]/

export function csvLine(cells: readonly Cell[], marks = ENGLISH): string {
  return cells.map(cell => cellText(cell, marks)).join(marks.separator) + LINE_END
}

/** A table with its header; each row's cells stand in the order of the columns. */
export function csvOf<Row extends object>(columns: readonly (keyof Row & string)[], rows: Row[]): string {
  const lines = rows.map(row => csvLine(columns.map(column => row[column] as Cell)))
  return csvLine(columns) + lines.join('')
}

/** Headers of an answer that a browser saves under this name. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileName}.csv"`,
    vary: 'accept',
  }
}

function cellText(cell: Cell, { decimal }: CsvMarks): string {
  if (cell === null) return ''
  // A number is one, whatever its sign.
  if (typeof cell === 'number') return String(cell).replace('.', decimal)
  const apart = withoutInnerFormulas(cell)
  const safe = FORMULA.test(apart) ? `'${apart}` : apart
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A formula in the middle of a text is disarmed too, for a reader who splits the text in spite of its quotes. */
function withoutInnerFormulas(text: string): string {
  let safe = ''
  let isAfterSeparator = false
  for (const char of text) {
    if (isAfterSeparator && BEGINS_FORMULA.includes(char)) safe += "'"
    if (SEPARATORS.includes(char)) isAfterSeparator = true
    else if (!SKIPPED.test(char)) isAfterSeparator = false
    safe += char
  }
  return safe
}
