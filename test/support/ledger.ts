// A ledger at noon with one campaign, for tests; each test begins with `startAtNoon`.

import { type Caps, createCaps, type UserHash } from '../../src/budget/caps/caps.ts'
import type { AdFacts } from '../../src/budget/ledger/ad.ts'
import { createLedger } from '../../src/budget/ledger/ledger.ts'
import type { Ledger } from '../../src/budget/ledger/ledger-interface.ts'
import type { LiveCampaign } from '../../src/budget/live.ts'
import { createCalendar } from '../../src/kernel/time/day.ts'

const ZONE = 'America/Toronto'
export const calendar = createCalendar(ZONE)
export const DAY = calendar.dayAt(Date.parse('2026-11-15T17:00:00Z'))
export const NOON_MS = DAY.startMs + 12 * 3_600_000
export const MAX_TTL_MS = 600_000
export const someone: UserHash = { hi: 1, lo: 2 }

export const campaign = (more: Partial<LiveCampaign> = {}): LiveCampaign => ({
  cid: 5,
  cuid: 1,
  enabled: true,
  flights: [{ fid: 6, startS: 0, endS: 4e9 }],
  freq: 0,
  dailySpendMicros: 10_000,
  cpmMicros: 4_000_000,
  category: [],
  hours: null,
  pacing: 'asap',
  ...more,
})

export let ledger: Ledger
export let caps: Caps
export let ended: string[]
let adNumber = 0

/** A new, empty ledger. */
export function start(nowMs = NOON_MS, maxAds = 1000): void {
  caps = createCaps({ maxUsers: 1000 })
  ledger = createLedger({
    calendar,
    caps,
    log: { reserved() {}, ended: (ad, how) => ended.push(`${ad.adId} ${how}`), budget() {} },
    nowMs,
    maxTtlMs: MAX_TTL_MS,
    maxAds,
  })
}

/** A new ledger that knows the campaign. */
export function startAtNoon(): void {
  ended = []
  start()
  ledger.setCampaign(campaign(), NOON_MS)
}

export const newId = () => Buffer.from(String(adNumber++).padStart(12, '0')).toString('base64url')
export function reserve(
  nowMs = NOON_MS,
  more: { ttlMs?: number; user?: UserHash | null; random?: number } = {},
) {
  return ledger.reserve(
    { adId: newId(), cid: 5, priceMicros: 4000, user: null, ttlMs: 60_000, random: 0, ...more },
    nowMs,
  )
}
export function reserved(...args: Parameters<typeof reserve>): AdFacts {
  const ad = reserve(...args)
  if (typeof ad === 'string') throw new Error(ad)
  return ad
}
export function bill(ad: AdFacts, nowMs = NOON_MS, priceMicros = ad.priceMicros): string {
  const begun = ledger.begin(ad, priceMicros, nowMs)
  if (!begun.isBillable) return begun.reason
  return ledger.commit(ad.adId, begun.chargeMicros) ? `billed ${begun.chargeMicros}` : 'not charged'
}
export const books = (dayKey = DAY.key) => {
  const account = ledger.account(5, dayKey)
  return account && [account.spentMicros, account.reservedMicros]
}
