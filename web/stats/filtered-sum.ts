// What was not counted, added up, with its most frequent reason.

export interface FilteredRow {
  reason: string
  imps: number
  clicks: number
  actions: number
}

export interface FilteredSum {
  imps: number
  clicks: number
  actions: number
  /** Null: everything was counted. */
  main: string | null
  /** The part of it that has the main reason. */
  share: number
}

const countOf = ({ imps, clicks, actions }: FilteredRow) => imps + clicks + actions

export function filteredSum(rows: readonly FilteredRow[]): FilteredSum {
  const imps = sum(rows, row => row.imps)
  const clicks = sum(rows, row => row.clicks)
  const actions = sum(rows, row => row.actions)
  const all = imps + clicks + actions
  const main = rows.toSorted((a, b) => countOf(b) - countOf(a))[0]
  if (!main || all === 0) return { imps, clicks, actions, main: null, share: 0 }
  return { imps, clicks, actions, main: main.reason, share: countOf(main) / all }
}

function sum(rows: readonly FilteredRow[], of: (row: FilteredRow) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}
