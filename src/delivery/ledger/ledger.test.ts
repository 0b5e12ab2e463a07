import { beforeEach, describe, expect, test } from 'vitest'
import type { LiveCampaign } from '../../catalog/live.ts'
import { createCalendar } from '../../kernel/day.ts'
import type { AdFacts } from './ad.ts'
import { createCaps, type UserHash } from './caps.ts'
import { createLedger, type Ledger, type ReserveRefusal } from './ledger.ts'

const ZONE = 'America/Toronto'
const calendar = createCalendar(ZONE)
const DAY = calendar.dayAt(Date.parse('2026-11-15T17:00:00Z'))
const NOON_MS = DAY.startMs + 12 * 3_600_000
const MAX_TTL_MS = 600_000
const someone: UserHash = { hi: 1, lo: 2 }

const campaign = (more: Partial<LiveCampaign> = {}): LiveCampaign => ({
  cid: 5,
  cuid: 1,
  enabled: true,
  flights: [{ fid: 6, startS: 0, endS: 4e9 }],
  freq: 0,
  dailySpendMicros: 10_000,
  cpmMicros: 4_000_000,
  category: [],
  pacing: 'asap',
  ...more,
})

let ledger: Ledger
let ended: string[]
let adNumber = 0

function fresh(nowMs = NOON_MS, maxAds = 1000): Ledger {
  return createLedger({
    calendar,
    caps: createCaps({ maxUsers: 1000 }),
    log: { reserved() {}, ended: (ad, how) => ended.push(`${ad.adId} ${how}`), budget() {} },
    nowMs,
    maxTtlMs: MAX_TTL_MS,
    maxAds,
  })
}
beforeEach(() => {
  ended = []
  ledger = fresh()
  ledger.setCampaign(campaign(), NOON_MS)
})

const newId = () => Buffer.from(String(adNumber++).padStart(12, '0')).toString('base64url')
function reserve(nowMs = NOON_MS, more: { ttlMs?: number; user?: UserHash | null; random?: number } = {}) {
  return ledger.reserve(
    { adId: newId(), cid: 5, priceMicros: 4000, user: null, ttlMs: 60_000, random: 0, ...more },
    nowMs,
  )
}
function reserved(...args: Parameters<typeof reserve>): AdFacts {
  const ad = reserve(...args)
  if (typeof ad === 'string') throw new Error(ad)
  return ad
}
function bill(ad: AdFacts, nowMs = NOON_MS, priceMicros = ad.priceMicros): string {
  const begun = ledger.begin(ad, priceMicros, nowMs)
  if (!begun.hold) return begun.reason
  return ledger.commit(ad.adId, begun.chargeMicros) ? `billed ${begun.chargeMicros}` : 'not charged'
}
const books = (dayKey = DAY.key) => {
  const account = ledger.account(5, dayKey)
  return account && [account.spentMicros, account.reservedMicros]
}

describe('reserving', () => {
  test('what does not fit beside spent and reserved money is refused', () => {
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

  test('a lowered budget stops new reservations, and what is out is still billed', () => {
    const ad = reserved()
    ledger.setCampaign(campaign({ dailySpendMicros: 1000 }), NOON_MS)
    expect(reserve()).toBe('budget_spent')
    expect(bill(ad)).toBe('billed 4000')
    ledger.setCampaign(campaign({ dailySpendMicros: 8000 }), NOON_MS)
    reserved()
  })

  test('a campaign that is not known or no longer, is refused; its ads that are out are billed', () => {
    const ad = reserved()
    ledger.removeCampaign(5)
    expect(reserve()).toBe('unknown_campaign')
    expect(bill(ad)).toBe('billed 4000')
  })

  test('beyond its bound the ledger refuses, and serves again when something has ended', () => {
    ledger = fresh(NOON_MS, 1)
    ledger.setCampaign(campaign(), NOON_MS)
    const ad = reserved()
    expect(reserve()).toBe('ledger_full')
    ledger.release(ad.adId)
    reserved()
  })

  test('an id is reserved once', () => {
    const { adId } = reserved()
    expect(ledger.reserve({ adId, cid: 5, priceMicros: 1, user: null, ttlMs: 1, random: 0 }, NOON_MS)).toBe(
      'duplicate_ad',
    )
  })

  test('what is no amount, no id or no time is a bug and changes nothing', () => {
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

  test('even pacing refuses by its reason, as soon as possible never does', () => {
    expect(typeof reserve(NOON_MS, { random: 0.99 })).toBe('object')
    ledger.setCampaign(campaign({ pacing: 'even' }), NOON_MS)
    expect(reserve(NOON_MS, { random: 0.99 })).toBe('pacing')
  })
})

describe('billing', () => {
  test('the price is charged, never more than was reserved; the rest is free', () => {
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

  test('two notices at once are one hold and one charge, whichever the database takes', () => {
    const ad = reserved()
    expect(ledger.begin(ad, 3000, NOON_MS)).toEqual({ hold: true, chargeMicros: 3000 })
    expect(ledger.begin(ad, 4000, NOON_MS)).toEqual({ hold: true, chargeMicros: 4000 })
    expect(books()).toEqual([0, 4000])
    expect(ledger.duplicate(ad.adId)).toBe(false)
    expect(books()).toEqual([0, 4000])
    expect(ledger.commit(ad.adId, 3000)).toBe(true)
    expect(books()).toEqual([3000, 0])
    expect(bill(ad)).toBe('duplicate')
  })

  test('a rolled back bill leaves the reservation open, and it can be billed again', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.cancel(ad.adId)
    expect(books()).toEqual([0, 4000])
    expect(bill(ad)).toBe('billed 4000')
  })

  test('a begun ad does not run out; rolled back after its time it does', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.expire(NOON_MS + 120_000)
    expect(books()).toEqual([0, 4000])
    ledger.cancel(ad.adId)
    expect(books()).toEqual([0, 0])
    expect(ledger.size()).toBe(0)
  })

  test('a begun ad that commits after its time is billed', () => {
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

  test('found by one notice and rolled back by the other, it is charged once', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.begin(ad, 4000, NOON_MS)
    ledger.duplicate(ad.adId, 2500)
    ledger.cancel(ad.adId)
    expect(books()).toEqual([2500, 0])
  })

  test('an answer without a hold is a bug', () => {
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

  test('a bill that comes after the loss is billed while the money is there, else late', () => {
    const [first, second] = [reserved(), reserved()]
    ledger.release(first.adId)
    ledger.release(second.adId)
    expect(bill(first)).toBe('billed 4000')
    reserved()
    expect(bill(second)).toBe('late')
    expect(bill(second, NOON_MS, 2000)).toBe('billed 2000')
    expect(books()).toEqual([6000, 4000])
  })

  test('a loss notice frees nothing that is billed or about to be', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    expect(ledger.release(ad.adId)).toBe(false)
    expect(books()).toEqual([0, 4000])
    ledger.commit(ad.adId, 4000)
    expect(ledger.release(ad.adId)).toBe(false)
    expect(books()).toEqual([4000, 0])
  })

  test('a loss notice during a bill that is rolled back frees the money then', () => {
    const ad = reserved()
    ledger.begin(ad, 4000, NOON_MS)
    ledger.release(ad.adId)
    ledger.cancel(ad.adId)
    expect(books()).toEqual([0, 0])
  })
})

describe('days', () => {
  const beforeMidnightMs = DAY.endMs - 1000
  const nextKey = calendar.dayAt(DAY.endMs).key

  test('an ad of yesterday is paid from yesterday, and today begins with its whole budget', () => {
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

  test('an edit of today does not reopen yesterday', () => {
    const ads = [reserved(beforeMidnightMs), reserved(beforeMidnightMs)]
    ledger.release(ads[0]!.adId)
    reserved(beforeMidnightMs)
    ledger.setCampaign(campaign({ dailySpendMicros: 1_000_000 }), DAY.endMs)
    expect(bill(ads[0]!, DAY.endMs + 1)).toBe('late')
    expect(ledger.account(5, DAY.key)?.dailySpendMicros).toBe(10_000)
  })

  test('a day is closed when its last ad can no longer be billed, and a clock turned back does not open it again', () => {
    const ad = reserved(beforeMidnightMs)
    ledger.expire(DAY.endMs + MAX_TTL_MS - 1)
    expect(books()).toEqual([0, 0])
    ledger.expire(DAY.endMs + MAX_TTL_MS)
    expect(books()).toBeUndefined()
    expect(reserve(beforeMidnightMs)).toBe('day_closed')
    expect(bill(ad, beforeMidnightMs)).toBe('late')
  })

  test('a day stays open while one of its bills waits for the database', () => {
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

  test('open ones count, ended ones do not, seen ones stay', () => {
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

  test('a cap that comes during the day waits for the counts and includes what is out', () => {
    ledger.setCampaign(campaign({ dailySpendMicros: 1e9 }), NOON_MS)
    bill(mine() as AdFacts)
    mine()
    capped(3)
    expect(mine()).toBe('counts_missing')
    expect(ledger.countsMissing(NOON_MS)).toEqual([{ cid: 5, dayKey: DAY.key }])
    ledger.loadCounted(5, DAY.key, [{ cid: 5, dayKey: DAY.key, user: someone, impressions: 1 }])
    expect(ledger.countsMissing(NOON_MS)).toEqual([])
    expect([typeof mine(), mine()]).toEqual(['object', 'capped'])
  })
})

describe('starting again', () => {
  test('the books after a restart are those before it', () => {
    ledger.setCampaign(campaign({ freq: 2, dailySpendMicros: 100_000 }), NOON_MS)
    const ads = [1, 2, 3].map(lo => reserved(NOON_MS, { user: { hi: 1, lo } }))
    bill(ads[0]!)
    const before = { snapshot: ledger.snapshot(), books: books() }
    ledger = fresh()
    ledger.setCampaign(campaign({ freq: 2, dailySpendMicros: 100_000 }), NOON_MS)
    const counted = [{ cid: 5, dayKey: DAY.key, user: { hi: 1, lo: 1 }, impressions: 1 }]
    ledger.restore({ ...before.snapshot, billedInDatabase: new Set(), counted }, NOON_MS)
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

  test('an open ad that the database has billed holds no money', () => {
    const ad = reserved()
    ledger = fresh()
    ledger.setCampaign(campaign(), NOON_MS)
    const spent = [{ cid: 5, dayKey: DAY.key, spentMicros: 4000 }]
    ledger.restore({ ...nothing, spent, open: [ad], billedInDatabase: new Set([ad.adId]) }, NOON_MS)
    expect(books()).toEqual([4000, 0])
    expect(bill(ad)).toBe('duplicate')
  })

  test('an ad that nobody remembers is billed while the money is there, else late', () => {
    const ads = [reserved(), reserved()]
    ledger = fresh()
    ledger.setCampaign(campaign(), NOON_MS)
    ledger.restore({ ...nothing, spent: [{ cid: 5, dayKey: DAY.key, spentMicros: 4000 }] }, NOON_MS)
    expect([bill(ads[0]!), bill(ads[1]!)]).toEqual(['billed 4000', 'late'])
  })

  test('an open ad for which there is no room any more is not taken in', () => {
    const ad = reserved()
    ledger = fresh()
    ledger.setCampaign(campaign(), NOON_MS)
    ledger.restore(
      { ...nothing, spent: [{ cid: 5, dayKey: DAY.key, spentMicros: 8000 }], open: [ad] },
      NOON_MS,
    )
    expect(books()).toEqual([8000, 0])
    expect(bill(ad)).toBe('late')
  })

  test('yesterday has the budget that the journal saw, or none', () => {
    const ad = reserved(DAY.endMs - 1)
    const nowMs = DAY.endMs + 1
    for (const [budgets, result] of [
      [[{ cid: 5, dayKey: DAY.key, dailySpendMicros: 4000 }], 'billed 4000'],
      [[{ cid: 5, dayKey: DAY.key, dailySpendMicros: 3999 }], 'late'],
      [[], 'late'],
    ] as const) {
      ledger = fresh(nowMs)
      ledger.setCampaign(campaign(), nowMs)
      ledger.restore({ ...nothing, spent: [{ cid: 5, dayKey: DAY.key, spentMicros: 0 }], budgets }, nowMs)
      expect(bill(ad, nowMs)).toBe(result)
    }
  })
})

describe('how far behind', () => {
  test('an even campaign is behind by what is due and not spent, an urgent one by all that is not out', () => {
    ledger.setCampaign(campaign({ pacing: 'even' }), NOON_MS)
    expect(ledger.behind(5, NOON_MS)).toBeCloseTo(0.5)
    ledger.setCampaign(campaign(), NOON_MS)
    expect(ledger.behind(5, NOON_MS)).toBe(1)
    bill(reserved())
    reserved()
    expect(ledger.behind(5, NOON_MS)).toBeCloseTo(0.2)
    ledger.setCampaign(campaign({ pacing: 'even' }), NOON_MS)
    expect(ledger.behind(5, NOON_MS)).toBeCloseTo(-0.3)
    expect(ledger.behind(404, NOON_MS)).toBe(0)
  })

  test('only time inside its flights is due', () => {
    const flights = [{ fid: 1, startS: NOON_MS / 1000, endS: NOON_MS / 1000 + 3600 }]
    ledger.setCampaign(campaign({ pacing: 'even', flights }), NOON_MS)
    expect(ledger.behind(5, NOON_MS)).toBe(0)
    expect(ledger.behind(5, NOON_MS + 1_800_000)).toBeCloseTo(0.5)
  })
})
