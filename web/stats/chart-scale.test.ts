// What the console says of figures: a curve never claims more than was measured, and a day is compared with an even one.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evenDay } from '../overview/even-day.ts'
import { areaUnder, axisOf, smooth } from './chart-scale.ts'

const points = (values: readonly (number | null)[]) =>
  values.map((value, index) => (value === null ? null : { x: index * 10, y: value }))

describe('the curve', () => {
  it('stays between the two points it joins', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 3, maxLength: 40 }), values => {
        const curves = [
          ...smooth(points(values)).matchAll(/C([^,]+),([^,]+),([^,]+),([^,]+),([^,]+),([^,C]+)/g),
        ]
        expect(curves.length).toBe(values.length - 1)
        for (const [index, [, , first, , second]] of curves.entries()) {
          const [low, high] = [values[index]!, values[index + 1]!].sort((a, b) => a - b) as [number, number]
          // Both handles between the ends: then so is all of the curve. Numbers are written with one decimal.
          for (const handle of [Number(first), Number(second)]) {
            expect(handle).toBeGreaterThanOrEqual(low - 0.1)
            expect(handle).toBeLessThanOrEqual(high + 0.1)
          }
        }
      }),
    )
  })

  it('is broken where nothing is known, and a lone point has no area', () => {
    expect(smooth(points([1, 2, null, 3, 4])).match(/M/g)?.length).toBe(2)
    expect(smooth(points([null, null]))).toBe('')
    expect(areaUnder(points([5, null, 6]), 10)).toBe('')
  })

  it.each([
    [[105.2], false, [0, 25, 50, 75, 100, 125]],
    [[1.6], false, [0, 0.5, 1, 1.5, 2]],
    [[1], true, [0, 1]],
    [[7], true, [0, 2, 4, 6, 8]],
    [[12], true, [0, 5, 10, 15]],
    [[0.3], false, [0, 0.1, 0.2, 0.3]],
    [[0.021], false, [0, 0.005, 0.01, 0.015, 0.02, 0.025]],
    [[0, null], true, [0]],
  ])('the axis of %j has round steps', (values, isWhole, ticks) => {
    expect(axisOf(values, isWhole).ticks).toEqual(ticks)
  })

  it('its axis ends at the first tick that is not below the data, with few ticks', () => {
    const value = fc.double({ min: 0.001, max: 1e9, noNaN: true })
    fc.assert(
      fc.property(value, fc.boolean(), fc.constantFrom(4, 5), (drawn, isWhole, most) => {
        const largest = isWhole ? Math.ceil(drawn) : drawn
        const { max, ticks } = axisOf([0, null, largest], isWhole, most)
        expect(ticks.length - 1).toBeLessThanOrEqual(most)
        expect(ticks.at(-1)).toBe(max)
        expect(max).toBeGreaterThanOrEqual(largest * (1 - 1e-6))
        expect(ticks.at(-2)).toBeLessThan(largest)
      }),
    )
  })
})

describe('a day', () => {
  const at = (iso: string) => Date.parse(iso) / 1000
  const run = (start: string, dailySpend: number) => ({
    ...{ start: at(start), created: at(start), end: at('2026-12-24T00:00:00Z'), dailySpend },
  })
  const OLD = '2026-10-01T00:00:00Z'
  it('is compared with an even one in the customer’s zone', () => {
    // Noon in Berlin.
    const noon = evenDay(at('2026-11-17T11:00:00Z'), 'Europe/Berlin', 30, [run(OLD, 90), run(OLD, 6)])
    expect(noon).toEqual({ even: 48, lag: 18, byMidnight: 60 })
  })
  it('begins with each campaign, so that one of a minute ago is not behind', () => {
    const noon = (...campaigns: ReturnType<typeof run>[]) =>
      evenDay(at('2026-11-17T12:00:00Z'), 'UTC', 0, campaigns)
    expect(noon(run('2026-11-17T11:59:00Z', 50))).toBeNull()
    expect(noon(run('2026-11-17T06:00:00Z', 90), run(OLD, 60))).toMatchObject({ even: 60, lag: 60 })
    // It was created at six, though it is dated back to midnight.
    expect(noon({ ...run(OLD, 90), created: at('2026-11-17T06:00:00Z') })?.even).toBe(30)
    expect(noon({ ...run(OLD, 80), end: at('2026-11-17T16:00:00Z') })?.even).toBe(60)
  })
  it('promises no more than the budget, and nothing while it is young', () => {
    expect(evenDay(at('2026-11-17T12:00:00Z'), 'UTC', 90, [run(OLD, 96)])!.byMidnight).toBe(96)
    expect(evenDay(at('2026-11-17T01:00:00Z'), 'UTC', 90, [run(OLD, 96)])).toBeNull()
  })
  it('has 25 hours when clocks are set back', () => {
    expect(evenDay(at('2026-10-24T22:00:00Z') + 12.5 * 3600, 'Europe/Berlin', 0, [run(OLD, 1)])!.even).toBe(
      0.5,
    )
  })
})
