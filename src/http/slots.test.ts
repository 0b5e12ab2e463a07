// Concurrent streams: neither a customer nor an app can take the slots of others.

import { describe, expect, it } from 'vitest'
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

describe('if there is no room', () => {
  /** A transfer that has moved so many bytes. */
  function transfer(bytes: number) {
    const made = {
      hasEnded: false,
      bytes: () => bytes,
      end() {
        made.hasEnded = true
      },
    }
    return made
  }
  const transfers = (...bytes: number[]) => bytes.map(transfer)
  const ended = (all: { hasEnded: boolean }[]) => all.map(({ hasEnded }) => hasEnded)

  it('in the app, the slowest of whoever has most ends for whoever has clearly fewer', () => {
    const take = createSlots('streams', { total: 100, perApp: 6, perCustomer: 4 })
    const [many, few] = [transfers(500, 20, 300, 400), transfers(10, 10)]
    for (const one of many) take({ appId: 1, cuid: 10 }, one)
    for (const one of few) take({ appId: 1, cuid: 11 }, one)
    take({ appId: 1, cuid: 12 }, transfer(0))
    expect([ended(many), ended(few)]).toEqual([
      [false, true, false, false],
      [false, false],
    ])
    // Now they have three, two and one: a second would only take turns with the third of the first.
    take({ appId: 1, cuid: 12 }, transfer(0))
    expect(ended(many)).toEqual([false, true, true, false])
    expect(codeOf(() => take({ appId: 1, cuid: 12 }, transfer(0)))).toBe('too_many_at_once')
    expect(ended([...many, ...few])).toEqual([false, true, true, false, false, false])
  })

  it('at all, it is one of the app that has most; what cannot end stays', () => {
    const take = createSlots('streams', { total: 6, perApp: 5, perCustomer: 3 })
    const large = transfers(30, 20, 10)
    for (const one of large) take({ appId: 1, cuid: 10 }, one)
    take({ appId: 1, cuid: 11 })
    take({ appId: 2, cuid: 20 }, transfer(1))
    take({ appId: 2, cuid: 21 }, transfer(1))
    take({ appId: 3, cuid: 30 })
    expect(ended(large)).toEqual([false, false, true])
    const fixed = createSlots('reports', { total: 2, perApp: 2 })
    for (let n = 0; n < 2; n++) fixed({ appId: 1, cuid: null })
    expect(codeOf(() => fixed({ appId: 2, cuid: null }))).toBe('too_many_at_once')
  })

  it('what has ended takes no place, also if it is freed later', () => {
    const take = createSlots('streams', { total: 10, perApp: 2, perCustomer: 2 })
    const frees = transfers(2, 1).map(one => take({ appId: 1, cuid: 10 }, one))
    take({ appId: 1, cuid: 11 }, transfer(0))
    for (const free of frees) free()
    take({ appId: 1, cuid: 12 }, transfer(0))
    expect(codeOf(() => take({ appId: 1, cuid: 13 }, transfer(0)))).toBe('too_many_at_once')
  })
})
