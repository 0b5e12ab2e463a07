// Output of commands: a table for people, or JSON for programs with --json.

export type Cell = string | number | boolean | Date | null

export function printRows<T extends object>(rows: T[], columns: (keyof T & string)[], json: boolean): void {
  if (json) printJson(rows)
  else if (rows.length === 0) console.log('none')
  else printTable(rows, columns)
}

function printTable<T extends object>(rows: T[], columns: (keyof T & string)[]): void {
  const lines = [columns, ...rows.map(row => columns.map(column => show(row[column] as Cell)))]
  const widths = columns.map((_, i) => lines.reduce((most, line) => Math.max(most, line[i]!.length), 0))
  for (const line of lines)
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
}

export function printRecord(record: Record<string, Cell>, json: boolean): void {
  const width = Math.max(...Object.keys(record).map(key => key.length))
  if (json) printJson(record)
  else for (const [key, value] of Object.entries(record)) console.log(`${key.padEnd(width)}  ${show(value)}`)
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2))
}

function show(value: Cell): string {
  if (value === null) return '-'
  if (value instanceof Date) return value.toISOString().slice(0, 19).replace('T', ' ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}
