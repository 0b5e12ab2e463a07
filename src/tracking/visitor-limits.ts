// How much one visitor address (of one source) may hold and be billed. Anyone who reads a site's public key can request
// ads and load pixels all day: unseen ads of one address hold a bounded part of a budget, and its impressions count up
// to a number per hour. Memory only and of bounded size: the oldest entries are dropped first. Each process keeps its
// own.

import { createRecent } from '../kernel/recent.ts'
import { householdOf } from '../platform/http/network.ts'

export interface VisitorLimits {
  /** Holds as many unseen ads as it may. */
  isFull(visitor: string, nowMs: number): boolean
  /** Whether it may hold one more ad of this campaign, given what the campaign may spend now. */
  mayHold(visitor: string, wish: Wish, spendableMicros: number, nowMs: number): boolean
  hold(visitor: string, adId: string, wish: Wish, nowMs: number): void
  /** It was seen. */
  letGo(adId: string): void
  /** Takes one of the impressions that count within an hour; false: there is none left. */
  takeImpression(visitor: string, nowMs: number): boolean
  /** It was not counted after all. */
  giveImpressionBack(visitor: string, nowMs: number): void
}

export interface VisitorLimitOptions {
  /** Unseen ads of one address; 0: any number. */
  openAds: number
  /** Impressions of one address within an hour that are billed; 0: any number. */
  impressionsPerHour: number
  maxAds?: number
  maxVisitors?: number
}

interface Wish {
  cid: number
  priceMicros: number
}

interface HeldAd extends Wish {
  adId: string
  visitor: string
  untilMs: number
}

interface Hour {
  number: number
  impressions: number
}

/** How long an unseen ad is held against its visitor: as long as the money of a browser's ad is reserved. */
export const UNSEEN_MS = 60_000
/** The part of what a campaign may spend now that the unseen ads of one address may hold; one ad always. */
const MOST_OF_CAMPAIGN = 0.25
const HOUR_MS = 3_600_000

/** By the address as a household has it: see network.ts. */
export function visitorOf(sourceId: number, address: string): string {
  return `${sourceId} ${householdOf(address)}`
}

export function createVisitorLimits(options: VisitorLimitOptions): VisitorLimits {
  const { openAds, impressionsPerHour, maxAds = 500_000, maxVisitors = 200_000 } = options
  /** In the order of their ends. */
  const held = new Map<string, HeldAd>()
  const adsOf = new Map<string, number>()
  const microsOf = new Map<string, number>()
  const hours = createRecent<string, Hour>(maxVisitors)

  function drop(ad: HeldAd): void {
    held.delete(ad.adId)
    add(adsOf, ad.visitor, -1)
    add(microsOf, keyOf(ad.visitor, ad.cid), -ad.priceMicros)
  }

  function dropOld(nowMs: number): void {
    for (const ad of held.values()) {
      if (ad.untilMs > nowMs && held.size < maxAds) return
      drop(ad)
    }
  }

  function hourOf(visitor: string, nowMs: number): Hour {
    const number = Math.floor(nowMs / HOUR_MS)
    const known = hours.get(visitor)
    if (known?.number === number) return known
    const hour = { number, impressions: 0 }
    hours.set(visitor, hour)
    return hour
  }

  return {
    isFull(visitor, nowMs) {
      dropOld(nowMs)
      return openAds > 0 && (adsOf.get(visitor) ?? 0) >= openAds
    },
    mayHold(visitor, { cid, priceMicros }, spendableMicros, nowMs) {
      if (openAds === 0) return true
      dropOld(nowMs)
      const micros = microsOf.get(keyOf(visitor, cid)) ?? 0
      return micros === 0 || micros + priceMicros <= spendableMicros * MOST_OF_CAMPAIGN
    },
    hold(visitor, adId, { cid, priceMicros }, nowMs) {
      if (openAds === 0) return
      held.set(adId, { adId, visitor, cid, priceMicros, untilMs: nowMs + UNSEEN_MS })
      add(adsOf, visitor, 1)
      add(microsOf, keyOf(visitor, cid), priceMicros)
    },
    letGo(adId) {
      const ad = held.get(adId)
      if (ad) drop(ad)
    },
    takeImpression(visitor, nowMs) {
      if (impressionsPerHour === 0) return true
      const hour = hourOf(visitor, nowMs)
      if (hour.impressions >= impressionsPerHour) return false
      hour.impressions++
      return true
    },
    giveImpressionBack(visitor, nowMs) {
      const hour = hourOf(visitor, nowMs)
      if (hour.impressions > 0) hour.impressions--
    },
  }
}

function keyOf(visitor: string, cid: number): string {
  return `${visitor} ${cid}`
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount
  if (sum > 0) sums.set(key, sum)
  else sums.delete(key)
}
