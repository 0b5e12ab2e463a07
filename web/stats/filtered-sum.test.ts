// What was not counted, in one line.

import { expect, it } from 'vitest'
import { filteredSum } from './filtered-sum.ts'

it('adds up what was not counted, and names the reason that most of it has', () => {
  const rows = [
    { reason: 'bot', imps: 10, clicks: 4, actions: 0 },
    { reason: 'foreign_domain', imps: 4_400, clicks: 420, actions: 0 },
  ]
  const { share, ...rest } = filteredSum(rows)
  expect(rest).toEqual({ imps: 4_410, clicks: 424, actions: 0, main: 'foreign_domain' })
  expect(share).toBeCloseTo(4_820 / 4_834)
})

it('has no reason where everything was counted', () => {
  expect(filteredSum([])).toEqual({ imps: 0, clicks: 0, actions: 0, main: null, share: 0 })
  expect(filteredSum([{ reason: 'bot', imps: 0, clicks: 0, actions: 0 }]).main).toBeNull()
})
