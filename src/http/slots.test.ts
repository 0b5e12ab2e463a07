// Concurrent streams: neither a customer nor an app can take the slots of others.

import { expect, it } from 'vitest'
import { createSlots } from './slots.ts'

const codeOf = (take: () => unknown) => {
  try {
    take()
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

it('a customer has a limit, its app has one too, and others are not affected', () => {
  const take = createSlots('streams', { total: 6, perApp: 3, perCustomer: 2 })
  const first = take({ appId: 1, cuid: 10 })
  take({ appId: 1, cuid: 10 })
  expect(codeOf(() => take({ appId: 1, cuid: 10 }))).toBe('too_many_at_once')
  take({ appId: 1, cuid: 11 })
  expect(codeOf(() => take({ appId: 1, cuid: 12 }))).toBe('too_many_at_once')
  take({ appId: 2, cuid: 20 })
  first()
  first()
  take({ appId: 1, cuid: 12 })
  expect(codeOf(() => take({ appId: 1, cuid: 13 }))).toBe('too_many_at_once')
})

it('a refusal takes nothing', () => {
  const take = createSlots('streams', { total: 2, perApp: 2, perCustomer: 1 })
  const free = take({ appId: 1, cuid: 10 })
  for (let n = 0; n < 5; n++) expect(codeOf(() => take({ appId: 1, cuid: 10 }))).toBe('too_many_at_once')
  free()
  take({ appId: 1, cuid: 10 })
  take({ appId: 1, cuid: 11 })
  expect(codeOf(() => take({ appId: 2, cuid: 20 }))).toBe('too_many_at_once')
})
