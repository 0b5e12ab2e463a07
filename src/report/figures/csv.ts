// CSV by RFC 4180, safe to open in a spreadsheet. Text that it would take for a formula gets an apostrophe in front,
// and text that it would split into cells is quoted, whichever separator it uses in its country.

export type Cell = string | number | null

const LINE_END = '\r\n'

export interface CsvMarks {
  separator: string
  decimal: string
}

export const ENGLISH: CsvMarks = { separator: ',', decimal: '.' }
/** The marks that spreadsheets in German read. */
export const GERMAN: CsvMarks = { separator: ';', decimal: ',' }
/** The beginning of a formula, including full-width letters; spreadsheets trim tabs and line breaks before it. */
const FORMULA = /^[\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/
/** All separators that spreadsheets know: after one of them, the rest of a text could be a formula. */
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/
const SEPARATORS = ',;|\t\r\n'
const BEGINS_FORMULA = '=+-@\uff1d\uff0b\uff0d\uff20'
const SKIPPED = /["'\s]/

export function csvLine(cells: readonly Cell[], marks = ENGLISH): string {
  return cells.map(cell => cellText(cell, marks)).join(marks.separator) + LINE_END
}

/** A table with its header; the cells of each row are in the order of the columns. */
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
  // A number is never a formula, even with a sign.
  if (typeof cell === 'number') return String(cell).replace('.', decimal)
  const apart = withoutInnerFormulas(cell)
  const safe = FORMULA.test(apart) ? `'${apart}` : apart
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Also escapes a formula in the middle of a text, for readers that split the text in spite of its quotes. */
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
