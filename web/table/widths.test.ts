// Columns of figures are as wide as their longest figure, and no wider than drawn where that is enough.

import { expect, it } from 'vitest'
import { widthsOf } from './widths.ts'

interface Row {
  name: string
  spend: number | null
}
const columns = [
  { value: ({ name }: Row) => name, cell: ({ name }: Row) => name, width: 280 },
  { value: ({ spend }: Row) => spend, cell: writeSpend, numeric: true, width: 108 },
]
function writeSpend({ spend }: Row): string {
  return spend === null ? '–' : `¥${spend}`
}
/** Ten pixels for a character. */
const measure = (text: string) => text.length * 10
const widths = (spends: (number | null)[], totals: string[] | null = null) =>
  widthsOf(
    columns,
    spends.map(spend => ({ name: 'A name that is much longer than its column is wide', spend })),
    totals,
    measure,
  )

it('a figure that fits changes nothing, a longer one makes room for itself', () => {
  expect(widths([])).toEqual([280, 108])
  expect(widths([1234, null])).toEqual([280, 108])
  // 13 characters, a little more for digits of equal width, and the space around them.
  expect(widths([5, 123_456_789_012, null])).toEqual([280, Math.ceil(130 * 1.04) + 24])
})

it('so does their total', () => {
  expect(widths([1, 2], ['Total of 2 rows, in all their length', '¥123456789012'])).toEqual([280, 160])
})

it('a column of two figures says itself what it needs', () => {
  const both = { ...columns[1]!, numeric: false, contentPx: () => 200 }
  expect(widthsOf([columns[0]!, both], [{ name: '', spend: 1 }], null, measure)).toEqual([280, 208 + 24])
})
