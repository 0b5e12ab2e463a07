// The ledger over days and restarts: each day pays for its own ads, and frequency caps hold.

import { beforeEach, describe, expect, test } from 'vitest'
import {
  bill,
  books,
  calendar,
  campaign,
  caps,
  DAY,
  ledger,
  MAX_TTL_MS,
  NOON_MS,
  reserve,
  reserved,
  someone,
  start,
  startAtNoon,
} from '../../../test/support/ledger.ts'
import { createHours, weekOf } from '../../kernel/time/hours.ts'
import type { AdFacts } from './ad.ts'
import type { ReserveRefusal } from './ledger-interface.ts'

beforeEach(startAtNoon)

describe('days', () => {
  const beforeMidnightMs = DAY.endMs - 1000
  const nextKey = calendar.dayAt(DAY.endMs).key

  test("an ad of yesterday is paid from yesterday's budget, and today begins with a full one", () => {
    const ads = [reserved(beforeMidnightMs), reserved(beforeMidnightMs)]
    expect(reserve(beforeMidnightMs)).toBe('budget_spent')
    const today = reserved(DAY.endMs)
    expect(today.dayKey).toBe(nextKey)
    expect(bill(ads[0]!, DAY.endMs + 5000)).toBe('billed 4000')
    expect([books(), books(nextKey)]).toEqual([
      [4000, 4000],
      [0, 4000],
    ])
  })

  test('an ad of yesterday is recorded for yesterday', () => {
    const ad = reserved(beforeMidnightMs)
    expect(ledger.begin(ad, 4000, DAY.endMs + 5000)).toMatchObject({
      isBillable: true,
      lastMs: DAY.endMs - 1,
    })
  })

  test('an edit today does not reopen yesterday', () => {
    const ads = [reserved(beforeMidnightMs), reserved(beforeMidnightMs)]
    ledger.release(ads[0]!.adId)
    reserved(beforeMidnightMs)
    ledger.setCampaign(campaign({ dailySpendMicros: 1_000_000 }), DAY.endMs)
    expect(bill(ads[0]!, DAY.endMs + 1)).toBe('late')
    expect(ledger.account(5, DAY.key)?.grantedMicros).toBe(10_000)
  })

  test('a day closes when its last ad can no longer be billed, and a clock set back does not reopen it', () => {
    const ad = reserved(beforeMidnightMs)
    ledger.expire(DAY.endMs + MAX_TTL_MS - 1)
    expect(books()).toEqual([0, 0])
    ledger.expire(DAY.endMs + MAX_TTL_MS)
    expect(books()).toBeUndefined()
    expect(reserve(beforeMidnightMs)).toBe('day_closed')
    expect(bill(ad, beforeMidnightMs)).toBe('late')
  })

  test('the users of a closed day are forgotten', () => {
    ledger.setCampaign(campaign({ freq: 1 }), beforeMidnightMs)
    bill(reserved(beforeMidnightMs, { user: someone }), beforeMidnightMs)
    expect(caps.users()).toBe(1)
    ledger.expire(DAY.endMs + MAX_TTL_MS)
    expect(caps.users()).toBe(0)
  })

  test('a day stays open while one of its bills is waiting for the database', () => {
    const ad = reserved(beforeMidnightMs)
    ledger.begin(ad, 4000, beforeMidnightMs)
    ledger.expire(DAY.endMs + 10 * MAX_TTL_MS)
    ledger.commit(ad.adId, 4000)
    expect(books()).toEqual([4000, 0])
    ledger.expire(DAY.endMs + 20 * MAX_TTL_MS)
    expect(books()).toBeUndefined()
  })
})

describe('frequency', () => {
  const capped = (freq: number) => ledger.setCampaign(campaign({ freq, dailySpendMicros: 1e9 }), NOON_MS)
  const mine = () => reserve(NOON_MS, { user: someone })

  test('open ads count, ended ones do not, seen ones stay', () => {
    capped(2)
    const ads = [mine(), mine()] as AdFacts[]
    expect(mine()).toBe('capped')
    ledger.release(ads[0]!.adId)
    bill(ads[1]!)
    expect(typeof mine()).toBe('object')
    ledger.expire(NOON_MS + 61_000)
    expect([typeof mine(), mine()]).toEqual(['object', 'capped'])
  })

  test('without a user a capped campaign does not serve', () => {
    capped(2)
    expect(reserve()).toBe('no_user' satisfies ReserveRefusal)
  })

  test('a bill after a loss does not break the cap', () => {
    capped(1)
    const first = mine() as AdFacts
    ledger.release(first.adId)
    const second = mine() as AdFacts
    expect(bill(first)).toBe('late')
    expect(bill(second)).toBe('billed 4000')
  })

  test('a cap added during the day waits for the counts and includes open ads', () => {
    ledger.setCampaign(campaign({ dailySpendMicros: 1e9 }), NOON_MS)
    bill(mine() as AdFacts)
    mine()
    capped(3)
    expect(mine()).toBe('counts_missing')
    expect(ledger.countsMissing(NOON_MS)).toEqual([{ cid: 5, dayKey: DAY.key }])
    caps.setCounted(DAY.key, 5, someone, 1)
    ledger.loadCounted(5, DAY.key)
    expect(ledger.countsMissing(NOON_MS)).toEqual([])
    expect([typeof mine(), mine()]).toEqual(['object', 'capped'])
  })

  test('a campaign that was removed and comes back with a cap waits for the counts', () => {
    ledger.setCampaign(campaign({ dailySpendMicros: 1e9 }), NOON_MS)
    const ad = mine() as AdFacts
    ledger.release(ad.adId)
    ledger.removeCampaign(5)
    expect(ledger.countsMissing(NOON_MS)).toEqual([])
    capped(1)
    for (let n = 0; n < 2; n++) expect(ledger.countsMissing(NOON_MS)).toEqual([{ cid: 5, dayKey: DAY.key }])
    capped(0)
    expect(ledger.countsMissing(NOON_MS)).toEqual([])
    capped(2)
    expect(mine()).toBe('counts_missing')
    expect(ledger.countsMissing(NOON_MS)).toEqual([{ cid: 5, dayKey: DAY.key }])
  })

  test('impressions between a new cap and its counts are counted', () => {
    ledger.setCampaign(campaign({ dailySpendMicros: 1e9 }), NOON_MS)
    const ad = mine() as AdFacts
    capped(1)
    bill(ad)
    ledger.loadCounted(5, DAY.key)
    expect(mine()).toBe('capped')
  })
})

describe('restarting', () => {
  test('the books are the same before and after a restart', () => {
    ledger.setCampaign(campaign({ freq: 2, dailySpendMicros: 100_000 }), NOON_MS)
    const ads = [1, 2, 3].map(lo => reserved(NOON_MS, { user: { hi: 1, lo } }))
    bill(ads[0]!)
    const before = { snapshot: ledger.snapshot(), books: books() }
    start()
    ledger.setCampaign(campaign({ freq: 2, dailySpendMicros: 100_000 }), NOON_MS)
    const counted = [{ cid: 5, dayKey: DAY.key, user: { hi: 1, lo: 1 }, impressions: 1 }]
    Array.from(ledger.restore({ ...before.snapshot, billedInDatabase: new Set(), counted }, NOON_MS))
    expect(books()).toEqual(before.books)
    expect(ledger.snapshot()).toEqual(before.snapshot)
    expect([bill(ads[0]!), bill(ads[1]!)]).toEqual(['duplicate', 'billed 4000'])
    const again = () => reserve(NOON_MS, { user: { hi: 1, lo: 1 } })
    expect([typeof again(), again()]).toEqual(['object', 'capped'])
  })

  const nothing = {
    spent: [],
    open: [],
    billed: [],
    budgets: [],
    counted: [],
    billedInDatabase: new Set<string>(),
  }

  test('a very large restore is done in chunks, so that others are served in between', () => {
    start()
    const spent = Array.from({ length: 20_000 }, (_, n) => ({ cid: n + 1, dayKey: DAY.key, spentMicros: n }))
    expect(Array.from(ledger.restore({ ...nothing, spent }, NOON_MS))).toHaveLength(4)
    expect(ledger.account(20_000, DAY.key)?.spentMicros).toBe(19_999)
  })

  test('an open ad that the database has billed holds no money', () => {
    const ad = reserved()
    start()
    ledger.setCampaign(campaign(), NOON_MS)
    const spent = [{ cid: 5, dayKey: DAY.key, spentMicros: 4000 }]
    Array.from(
      ledger.restore({ ...nothing, spent, open: [ad], billedInDatabase: new Set([ad.adId]) }, NOON_MS),
    )
    expect(books()).toEqual([4000, 0])
    expect(bill(ad)).toBe('duplicate')
  })

  test('an ad that nobody remembers is billed while there is money, otherwise it is late', () => {
    const ads = [reserved(), reserved()]
    start()
    ledger.setCampaign(campaign(), NOON_MS)
    Array.from(
      ledger.restore({ ...nothing, spent: [{ cid: 5, dayKey: DAY.key, spentMicros: 4000 }] }, NOON_MS),
    )
    expect([bill(ads[0]!), bill(ads[1]!)]).toEqual(['billed 4000', 'late'])
  })

  test('an open ad for which there is no longer room is not taken over', () => {
    const ad = reserved()
    start()
    ledger.setCampaign(campaign(), NOON_MS)
    Array.from(
      ledger.restore(
        { ...nothing, spent: [{ cid: 5, dayKey: DAY.key, spentMicros: 8000 }], open: [ad] },
        NOON_MS,
      ),
    )
    expect(books()).toEqual([8000, 0])
    expect(bill(ad)).toBe('late')
  })

  test('yesterday has the budget that the journal recorded, or none', () => {
    const ad = reserved(DAY.endMs - 1)
    const nowMs = DAY.endMs + 1
    for (const [budgets, result] of [
      [[{ cid: 5, dayKey: DAY.key, grantedMicros: 4000 }], 'billed 4000'],
      [[{ cid: 5, dayKey: DAY.key, grantedMicros: 3999 }], 'late'],
      [[], 'late'],
    ] as const) {
      start(nowMs)
      ledger.setCampaign(campaign(), nowMs)
      Array.from(
        ledger.restore({ ...nothing, spent: [{ cid: 5, dayKey: DAY.key, spentMicros: 0 }], budgets }, nowMs),
      )
      expect(bill(ad, nowMs)).toBe(result)
    }
  })
})

describe('how far behind', () => {
  test('an even campaign is behind by what is due and not spent, an "asap" one by everything not yet sold', () => {
    ledger.setCampaign(campaign({ pacing: 'even' }), NOON_MS)
    expect(ledger.paceLag(5, NOON_MS)).toBeCloseTo(0.5)
    ledger.setCampaign(campaign(), NOON_MS)
    expect(ledger.paceLag(5, NOON_MS)).toBe(1)
    bill(reserved())
    reserved()
    expect(ledger.paceLag(5, NOON_MS)).toBeCloseTo(0.2)
    ledger.setCampaign(campaign({ pacing: 'even' }), NOON_MS)
    expect(ledger.paceLag(5, NOON_MS)).toBeCloseTo(-0.3)
    expect(ledger.paceLag(404, NOON_MS)).toBe(0)
  })

  test('only time inside flights counts as due', () => {
    const flights = [{ fid: 1, startS: NOON_MS / 1000, endS: NOON_MS / 1000 + 3600 }]
    ledger.setCampaign(campaign({ pacing: 'even', flights }), NOON_MS)
    expect(ledger.paceLag(5, NOON_MS)).toBe(0)
    expect(ledger.paceLag(5, NOON_MS + 1_800_000)).toBeCloseTo(0.5)
  })

  test('only time inside its hours counts as due', () => {
    const hours = createHours(weekOf({ sun: [10, 11, 20, 21], mon: [3] }), calendar)
    ledger.setCampaign(campaign({ pacing: 'even', hours }), NOON_MS)
    expect(ledger.paceLag(5, DAY.startMs + 9 * 3_600_000)).toBe(0)
    expect(ledger.paceLag(5, NOON_MS)).toBeCloseTo(0.5)
    expect(ledger.paceLag(5, NOON_MS + 7 * 3_600_000)).toBeCloseTo(0.5)
    expect(ledger.paceLag(5, NOON_MS + 9 * 3_600_000)).toBeCloseTo(0.75)
    expect(ledger.paceLag(5, DAY.endMs - 1)).toBeCloseTo(1)
  })
})
