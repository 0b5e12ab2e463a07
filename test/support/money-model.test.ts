// The model ledger with which simulated weeks are compared: it is never away, but does not know the future either.

import { expect, test } from 'vitest'
import { createMoneyModel, dayLimit, flightLimit, lifeLimit } from './money-model.ts'

const CUID = 1
const KEYS = [lifeLimit(2), flightLimit(3), dayLimit(2, 20270101)]
const ad = (untilMs: number, paidMicros: number) => ({ priceMicros: 10, paidMicros, untilMs })

function modelOf(limits: number[]) {
  const model = createMoneyModel()
  for (const [n, key] of KEYS.entries()) model.setLimit(key, CUID, limits[n]!)
  return { model, couldMicros: () => model.sales()[0]!.couldMicros }
}

test('an ad holds its whole price until the paid amount is known', () => {
  const { model, couldMicros } = modelOf([25, 100, 100])
  model.offer(KEYS, CUID, ad(1000, 8), 0)
  model.offer(KEYS, CUID, ad(1000, 0), 1)
  // Both ads are open: there is no room for a third.
  model.offer(KEYS, CUID, ad(1000, 10), 999)
  model.offer(KEYS, CUID, ad(2000, 9), 1000)
  expect(couldMicros()).toBe(8 + 9)
})

test('ads that a lowered limit no longer allows are not sold', () => {
  const { model, couldMicros } = modelOf([100, 100, 100])
  model.offer(KEYS, CUID, ad(1000, 10), 0)
  model.setLimit(KEYS[1]!, CUID, 4)
  expect(couldMicros()).toBe(4)
})

test('a campaign that spends evenly could not have sold more before a raise than it did', () => {
  const { model, couldMicros } = modelOf([20, 100, 100])
  for (const n of [1, 2, 3]) model.offer(KEYS, CUID, ad(n, 10), n - 1)
  model.bill(KEYS, CUID, 10)
  model.setLimit(KEYS[0]!, CUID, 50)
  model.planAnew(KEYS, CUID)
  expect(couldMicros()).toBe(10)
  // From then on the rest counts: 40 of 50.
  for (let n = 0; n < 9; n++) model.offer(KEYS, CUID, ad(n, 10), n)
  expect(couldMicros()).toBe(50)
})

test('money that is set aside forever is missed, in spite of a raise', () => {
  const { model } = modelOf([20, 100, 100])
  model.setLimit(KEYS[0]!, CUID, 50)
  model.planAnew(KEYS, CUID)
  for (let n = 0; n < 9; n++) model.offer(KEYS, CUID, ad(n, 10), n)
  model.bill(KEYS, CUID, 10)
  expect(model.sales()).toEqual([{ cuid: CUID, billedMicros: 10, couldMicros: 50 }])
})
