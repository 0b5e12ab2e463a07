// The widths of columns with figures: as designed, unless an amount needs more. In some currencies a day costs
// millions.

/** The pixels that a text takes. */
export type Measure = (text: string, size?: 's') => number

/** The parts of a column that decide its width. */
interface Sized<Row> {
  value: (row: Row) => unknown
  cell?: (row: Row) => unknown
  numeric?: boolean
  width: number
  contentPx?: (rows: readonly Row[], measure: Measure) => number
}

const PADDING_PX = 24
/** Digits of equal width are a little wider than the measured ones. */
const SLACK = 1.04

/** Pixels for each column. `totals`: the values below them. */
export function widthsOf<Row>(
  columns: readonly Sized<Row>[],
  rows: readonly Row[],
  totals: readonly unknown[] | null,
  measure: Measure,
): number[] {
  const textPx = (content: unknown) => (typeof content === 'string' ? measure(content) : 0)
  return columns.map((column, index) => {
    if (!column.numeric && !column.contentPx) return column.width
    const contentPx = column.contentPx?.(rows, measure) ?? textPx(largestCell(column, rows))
    return Math.max(
      column.width,
      Math.ceil(SLACK * Math.max(contentPx, textPx(totals?.[index]))) + PADDING_PX,
    )
  })
}

function largestCell<Row>({ value, cell }: Sized<Row>, rows: readonly Row[]): unknown {
  const largest = largestOf(rows, row => Number(value(row)))
  return largest && cell?.(largest)
}

export function largestOf<Row>(rows: readonly Row[], figure: (row: Row) => number): Row | undefined {
  let largest: Row | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const found = figure(row)
    if (!(found > most)) continue
    most = found
    largest = row
  }
  return largest
}
