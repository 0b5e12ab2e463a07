// What a table shows: a column has a plain value, by which it is sorted, searched and written to CSV, and maybe a
// richer cell. Texts sort by the reader's alphabet, what is missing comes last.

import type { ReactNode } from 'react'
import { locale } from '../words/words.ts'

export type Plain = string | number | null

export interface Column<Row> {
  id: string
  title: string
  value: (row: Row) => Plain
  cell?: (row: Row) => ReactNode
  /** What stands below the column, of all rows shown. */
  total?: (rows: readonly Row[]) => ReactNode
  numeric?: boolean
  /** An amount: the CSV names the currency. */
  money?: boolean
  /** A figure of the period: what the sum has beyond the rows has it too. */
  figure?: boolean
  /** In the CSV instead of the value, where machines read another form: one column or more. */
  csv?: { title: string; value: (row: Row) => Plain }[]
  /** Pixels; the first column takes what is left. */
  width: number
  /** For switches and menus: neither sorted nor exported. */
  control?: boolean
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
  // Each value is taken once: a table of thousands is sorted without a pause.
  const keyed = rows.map(row => ({ row, key: column.value(row) }))
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null)
    if (typeof a.key === 'number' && typeof b.key === 'number') return sign * (a.key - b.key)
    return sign * compare(String(a.key), String(b.key))
  })
  return keyed.map(({ row }) => row)
}

/** Letters that are no plain one with a mark. */
const LETTERS: Record<string, string> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

/** As people type it who do not have the other keyboard: without case and accents. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßøłđæœı]/g, letter => LETTERS[letter]!)
}

export function searchRows<Row>(rows: readonly Row[], textOf: (row: Row) => string, search: string) {
  const words = plainText(search).split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(row => {
    const text = plainText(textOf(row))
    return words.every(word => text.includes(word))
  })
}
