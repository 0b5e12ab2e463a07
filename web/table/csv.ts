// What a table shows, as a CSV file. A text that a spreadsheet would take for a formula is made harmless.

import type { Column } from './column.ts'

const FORMULA = /^[=+\-@\t\r]/

function field(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const shown = columns.filter(column => !column.control)
  const lines = [
    shown.map(column => field(column.title)),
    ...rows.map(row => shown.map(c => field(c.value(row)))),
  ]
  return `${lines.map(line => line.join(',')).join('\r\n')}\r\n`
}

export function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
