// The best banners of the first page.

import { expect, it } from 'vitest'
import { bestOf } from './best.ts'

const row = (id: number | undefined, imps: number, clicks: number, spend = 1, value = 0) => ({
  ...{ id, imps, spend, value, ctr: clicks / imps },
})
const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)

it('by what came back for the money where conversions have values, else by click rate; four at most', () => {
  const rows = [
    row(1, 1000, 10, 10, 20),
    row(2, 1000, 50, 10, 10),
    row(3, 1000, 20, 10, 90),
    row(4, 1000, 5, 1, 1.5),
    row(5, 1000, 1, 5, 2),
  ]
  expect(ids(bestOf(rows, true))).toEqual([3, 1, 4, 2])
  expect(ids(bestOf(rows, false))).toEqual([2, 3, 1, 4])
})

it('leaves out what was hardly shown, what brought nothing, what was deleted, and sums', () => {
  const rows = [
    row(1, 2, 1),
    row(2, 1000, 0),
    { ...row(3, 1000, 9), deleted: true },
    row(undefined, 9000, 900),
    row(5, 100, 1),
  ]
  expect(ids(bestOf(rows, false))).toEqual([5])
  expect(bestOf(rows, true)).toEqual([])
})
