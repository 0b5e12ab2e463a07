// What a table shows: a column has a plain value, used for sorting, search and CSV, and optionally a richer cell. Texts
// are sorted by the reader's alphabet; missing values come last.

import type { ReactNode } from 'react'
import { locale } from '../words/words.ts'
import type { Measure } from './widths.ts'

export type Plain = string | number | boolean | null

export interface Column<Row> {
  id: string
  title: string
  value: (row: Row) => Plain
  cell?: (row: Row) => ReactNode
  /** Shown below the column, for all rows shown. */
  total?: (rows: readonly Row[]) => ReactNode
  numeric?: boolean
  /** Sorted like a number, although it is not aligned to the right. */
  largestFirst?: boolean
  /** An amount: the CSV names its currency. */
  money?: boolean
  /** A figure of the period: rows for parts of the sum without a row of their own show it too. */
  figure?: boolean
  /** Written to the CSV instead of the value, if machines need another form: one or more columns. */
  csv?: { title: string; value: (row: Row) => Plain }[]
  /** Pixels, unless a figure needs more; the first column takes the rest. */
  width: number
  /** Pixels that the widest cell needs, if that is not the cell with the largest value. */
  contentPx?: (rows: readonly Row[], measure: Measure) => number
  /** For switches and menus: neither sorted nor exported. */
  control?: boolean
}

/** The classes of a cell. */
export function classOf<Row>(column: Column<Row>, index: number): string {
  return `${column.numeric ? 'numeric' : ''} ${index === 0 ? 'pinned' : ''}`
}

export interface Sorting {
  column: string
  descending: boolean
}

export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting,
): readonly Row[] {
  const column = columns.find(({ id }) => id === sorting.column)
  if (!column) return rows
  const { compare } = new Intl.Collator(locale(), { numeric: true, sensitivity: 'base' })
  const sign = sorting.descending ? -1 : 1
  // Each value is computed once, so that thousands of rows are sorted without a pause.
  const keyOf = (value: Plain) => (typeof value === 'boolean' ? Number(value) : value)
  const keyed = rows.map(row => ({ row, key: keyOf(column.value(row)) }))
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null)
    if (typeof a.key === 'number' && typeof b.key === 'number') return sign * (a.key - b.key)
    return sign * compare(String(a.key), String(b.key))
  })
  return keyed.map(({ row }) => row)
}

/** Letters that are not a plain letter with a mark. */
const LETTERS: Record<string, string> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

/** As people type it without a special keyboard: lower case, without accents. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßøłđæœı]/g, letter => LETTERS[letter]!)
}

/**
 * The rows whose text contains all the words. An id is found only if it was typed in full: nobody sees it, and parts of
 * it occur in many ids.
 */
export function searchRows<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  search: string,
  idOf?: (row: Row) => number,
) {
  const words = plainText(search).split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(row => {
    const text = plainText(textOf(row))
    return words.every(word => text.includes(word)) || (idOf && words.join(' ') === String(idOf(row)))
  })
}
