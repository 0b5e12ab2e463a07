// The ledger within a day: reserving, billing and losing, to the last micro.

import { beforeEach, describe, expect, test } from 'vitest'
import {
  bill,
  books,
  campaign,
  ended,
  ledger,
  MAX_TTL_MS,
  NOON_MS,
  newId,
  reserve,
  reserved,
  start,
  startAtNoon,
} from '../../../test/support/ledger.ts'

beforeEach(startAtNoon)

describe('reserving', () => {
  test('an ad that does not fit beside spent and reserved money is refused', () => {
    bill(reserved())
    reserved()
    expect(reserve()).toBe('budget_spent')
    expect(books()).toEqual([4000, 4000])
  })

  test('the budget can be spent to the last micro', () => {
    ledger.setCampaign(campaign({ dailySpendMicros: 8000 }), NOON_MS)
    expect([bill(reserved()), bill(reserved()), reserve()]).toEqual([
      'billed 4000',
      'billed 4000',
      'budget_spent',
    ])
  })

  test('a lowered budget stops new reservations, and open ads are still billed', () => {
    const ad = reserved()
    ledger.setCampaign(campaign({ dailySpendMicros: 1000 }), NOON_MS)
    expect(reserve()).toBe('budget_spent')
    expect(bill(ad)).toBe('billed 4000')
    ledger.setCampaign(campaign({ dailySpendMicros: 8000 }), NOON_MS)
    reserved()
  })

  test('an unknown or removed campaign is refused; its open ads are billed', () => {
    const ad = reserved()
    ledger.removeCampaign(5)
    expect(reserve()).toBe('unknown_campaign')
    expect(bill(ad)).toBe('billed 4000')
  })

  test('at its limit the ledger refuses, and serves again when something has ended', () => {
    start(NOON_MS, 1)
    ledger.setCampaign(campaign(), NOON_MS)
    const ad = reserved()
    expect(reserve()).toBe('ledger_full')
    ledger.release(ad.adId)
    reserved()
  })

  test('an id can be reserved only once', () => {
    const { adId } = reserved()
    expect(ledger.reserve({ adId, cid: 5, priceMicros: 1, user: null, ttlMs: 1, random: 0 }, NOON_MS)).toBe(
      'duplicate_ad',
    )
  })

  test('a wrong amount, id or time is a bug and changes nothing', () => {
    const wish = { adId: newId(), cid: 5, priceMicros: 1, user: null, ttlMs: 1, random: 0 }
    for (const wrong of [
      { priceMicros: 0.5 },
      { priceMicros: -1 },
      { priceMicros: Number.NaN },
      { adId: 'x' },
      { ttlMs: 0 },
      { ttlMs: MAX_TTL_MS + 1 },
    ])
      expect(() => ledger.reserve({ ...wish, ...wrong }, NOON_MS)).toThrow(RangeError)
    expect(books()).toBeUndefined()
  })

  test('even pacing refuses with its reason, "asap" never does', () => {
    expect(typeof reserve(NOON_MS, { random: 0.99 })).toBe('object')
    ledger.setCampaign(campaign({ pacing: 'even', dailySpendMicros: 100_000 }), NOON_MS)
    expect(typeof reserve(NOON_MS, { random: 0.99 })).toBe('object')
    expect(reserve(NOON_MS, { random: 0.99 })).toBe('pacing')
  })
})

describe('billing', () => {
  test('the price is charged, never more than was reserved; the rest is freed', () => {
    expect(bill(reserved(), NOON_MS, 1500)).toBe('billed 1500')
    expect(bill(reserved(), NOON_MS, 9999)).toBe('billed 4000')
    expect(books()).toEqual([5500, 0])
  })

  test('an impression at or after the end of its reservation is late', () => {
    expect(bill(reserved(), NOON_MS + 59_999)).toBe('billed 4000')
    expect(bill(reserved(), NOON_MS + 60_000)).toBe('late')
    ledger.expire(NOON_MS + 60_250)
    expect(books()).toEqual([4000, 0])
  })

  test('two notices at once make one pending bill and one charge, whichever of them the database accepts', () => {
    const ad = reserved()
    expect(ledger.begin(ad, 3000, NOON_MS)).toMatchObject({ isBillable: true, chargeMicros: 3000 })
    expect(ledger.begin(ad, 4000, NOON_MS)).toMatchObject({ isBillable: true, chargeMicros: 4000 })
    expect(books()).toEqual([0, 4000])
    expect(ledger.duplicate(ad.adId)).toBe(false)
    expect(books()).toEqual([0, 4000])
    expect(ledger.commit(ad.adId, 3000)).toBe(true)
    expect(books()).toEqual([3000, 0])
    expect(bill(ad)).toBe('duplicate')
  })

  test('a rolled back bill leaves the reservation open to be billed again', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.cancel(ad.adId)
    expect(books()).toEqual([0, 4000])
    expect(bill(ad)).toBe('billed 4000')
  })

  test('an ad that is being billed does not expire; rolled back after its time, it does', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.expire(NOON_MS + 120_000)
    expect(books()).toEqual([0, 4000])
    ledger.cancel(ad.adId)
    expect(books()).toEqual([0, 0])
    expect(ledger.size()).toBe(0)
  })

  test('an ad that is being billed and commits after its time is billed', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.expire(NOON_MS + 120_000)
    expect(ledger.commit(ad.adId, 4000)).toBe(true)
    expect(books()).toEqual([4000, 0])
    expect(ledger.size()).toBe(0)
  })

  test('a commit whose answer was lost is charged when the database turns out to have it', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    expect(ledger.duplicate(ad.adId)).toBe(true)
    expect(books()).toEqual([4000, 0])
  })

  test('an ad found by one notice and rolled back by another is charged once', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.begin(ad, 4000, NOON_MS)
    ledger.duplicate(ad.adId, 2500)
    ledger.cancel(ad.adId)
    expect(books()).toEqual([2500, 0])
  })

  test('two notices that both claim to be new are charged once', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.begin(ad, 4000, NOON_MS)
    expect([ledger.commit(ad.adId, 4000), ledger.commit(ad.adId, 4000)]).toEqual([true, false])
    expect(books()).toEqual([4000, 0])
  })

  test('an answer without a pending bill is a bug', () => {
    const ad = reserved()
    expect(() => ledger.commit(ad.adId, 4000)).toThrow()
    expect(() => ledger.cancel(newId())).toThrow()
    expect(books()).toEqual([0, 4000])
  })
})

describe('losses', () => {
  test('a loss notice frees the money, once', () => {
    const ad = reserved()
    expect([ledger.release(ad.adId), ledger.release(ad.adId), ledger.release(newId())]).toEqual([
      true,
      false,
      false,
    ])
    expect(books()).toEqual([0, 0])
    expect(ended).toEqual([`${ad.adId} freed`])
  })

  test('a bill after the loss is billed while there is money, otherwise it is late', () => {
    const [first, second] = [reserved(), reserved()]
    ledger.release(first.adId)
    ledger.release(second.adId)
    expect(bill(first)).toBe('billed 4000')
    reserved()
    expect(bill(second)).toBe('late')
    expect(bill(second, NOON_MS, 2000)).toBe('billed 2000')
    expect(books()).toEqual([6000, 4000])
  })

  test('a loss notice frees nothing that is billed or being billed', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    expect(ledger.release(ad.adId)).toBe(false)
    expect(books()).toEqual([0, 4000])
    ledger.commit(ad.adId, 4000)
    expect(ledger.release(ad.adId)).toBe(false)
    expect(books()).toEqual([4000, 0])
  })

  test('a loss notice during a bill that is rolled back frees the money afterwards', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.release(ad.adId)
    ledger.cancel(ad.adId)
    expect(books()).toEqual([0, 0])
  })
})

describe('clicks', () => {
  const click = (nowMs = NOON_MS) => {
    const bill = ledger.beginClick({ adId: newId(), cid: 5, priceMicros: 4000 }, nowMs)
    return typeof bill === 'string' ? bill : 'begun'
  }

  test('are paid for until the end of the last flight, to the millisecond', () => {
    const flight = (fid: number, fromMs: number, untilMs: number) => ({
      fid,
      startS: (NOON_MS + fromMs) / 1000,
      endS: (NOON_MS + untilMs) / 1000,
    })
    const flights = [flight(8, 60_000, 90_000), flight(7, -10_000, 10_000)]
    ledger.setCampaign(campaign({ cpcMicros: 4000, flights }), NOON_MS)
    expect([click(), click(NOON_MS + 30_000)]).toEqual(['begun', 'begun'])
    ledger.setCampaign(campaign({ cpcMicros: 4000, flights, dailySpendMicros: 100_000 }), NOON_MS)
    expect([click(NOON_MS + 89_999), click(NOON_MS + 90_000)]).toEqual(['begun', 'unbilled_budget'])
  })

  test('of a campaign that is off are paid for only while it is paid by click', () => {
    ledger.setCampaign(campaign({ cpcMicros: 4000, enabled: false }), NOON_MS)
    expect(click()).toBe('begun')
    ledger.setCampaign(campaign({ enabled: true }), NOON_MS)
    expect(click()).toBe('begun')
    ledger.setCampaign(campaign({ enabled: false, dailySpendMicros: 100_000 }), NOON_MS)
    expect(click()).toBe('unbilled_budget')
  })
})
