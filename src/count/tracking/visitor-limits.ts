// How much one visitor address of a source, and the networks around it, may get and be billed. Anyone who reads a
// site's public key can request ads and load pixels all day. So unseen ads of an address take a limited part of a
// budget, its impressions are limited per hour, and it takes a limited part of a campaign's day. In memory only and of
// bounded size: the oldest entries are dropped first. Each process counts for itself.

import { createRecent } from '../../kernel/recent.ts'
import { householdOf, networkOf, RANGE_ALLOWANCES, rangesOf } from '../../platform/network.ts'
import { createHourly, type Hourly } from './hourly.ts'

/** A visitor by address; see `visitorOf`. */
export interface Visitor {
  /** Within one source: the address, and for IPv6 its /56 and /48. */
  ranges: readonly string[]
  /** Across all sources: the address and its network (/24 or /48). */
  places: readonly string[]
  /** The server of a site vouches for it with a secret key, so it may see any part of a campaign. */
  isVouchedFor: boolean
}

export interface VisitorLimits {
  /** Whether the visitor has as many unseen ads as allowed. */
  isFull(visitor: Visitor, nowMs: number): boolean
  /** Why the visitor may not get another ad of this campaign, given what it may spend now; null: it may. */
  refusalOf(visitor: Visitor, wish: Wish, spendableMicros: number, nowMs: number): UnseenRefusal | null
  addUnseen(visitor: Visitor, adId: string, wish: Wish, nowMs: number): void
  /** Called when the ad was seen. */
  removeUnseen(adId: string): void
  /** Takes one of the impressions that count, or says why it may not. */
  takeImpression(visitor: Visitor, wish: Wish, nowMs: number): SeenRefusal | null
  /** Returns an impression that was not counted after all. */
  giveImpressionBack(visitor: Visitor, wish: Wish, nowMs: number): void
  /** The same for a paid click; the hourly limit is that of impressions. */
  takeClick(visitor: Visitor, wish: Wish, nowMs: number): SeenRefusal | null
  giveClickBack(visitor: Visitor, wish: Wish, nowMs: number): void
}

export type UnseenRefusal = 'too_many_unseen' | 'visitor_share'
export type SeenRefusal = 'too_many_seen' | 'visitor_share'

export interface VisitorLimitOptions {
  /** The most unseen ads of one address; 0: no limit. */
  openAds: number
  /** The most impressions of one address per hour that are billed; 0: no limit. */
  impressionsPerHour: number
  /** The percentage of a campaign's day that one address may take; 0: no limit. */
  sharePercent: number
  maxAds?: number
  maxVisitors?: number
}

export interface Wish {
  cid: number
  priceMicros: number
  /** For an ad that is paid by click: what that click may cost its campaign. */
  clickMicros?: number
  /** The day whose budget pays. */
  dayKey: number
  /** What the campaign may spend per day; null: unknown, and not checked. */
  dailyMicros: number | null
}

interface UnseenAd {
  adId: string
  cid: number
  priceMicros: number
  ranges: readonly string[]
  untilMs: number
}

interface Spent {
  dayKey: number
  micros: number
}

/** How long an unseen ad counts against its visitor: as long as the money of a browser's ad is reserved. */
export const UNSEEN_MS = 60_000
/** The part of a campaign's spendable money that unseen ads may take, by range; one ad is always allowed. */
const MOST_OF_CAMPAIGN = [0.25, 0.5, 0.5] as const
/** Multiples of one address's share: for the address itself, and for its network. */
const SHARE_ALLOWANCES = [1, 3] as const
/** An address may get this many impressions even of the smallest budget, whose share would be less than one. */
export const LEAST_IMPRESSIONS = 20
export const LEAST_CLICKS = 2

/** By the address of a household: see network.ts. */
export function visitorOf(sourceId: number, address: string, isVouchedFor = false): Visitor {
  return {
    ranges: rangesOf(address).map(range => `${sourceId} ${range}`),
    places: [householdOf(address), networkOf(address)],
    isVouchedFor,
  }
}

export function createVisitorLimits(options: VisitorLimitOptions): VisitorLimits {
  const { openAds, impressionsPerHour, sharePercent, maxAds = 500_000, maxVisitors = 200_000 } = options
  /** In the order in which they expire. */
  const unseen = new Map<string, UnseenAd>()
  const adsOf = new Map<string, number>()
  const microsOf = new Map<string, number>()
  const hourly = createHourly(impressionsPerHour, maxVisitors)
  const hourlyClicks = createHourly(impressionsPerHour, maxVisitors)
  const spentBy = createRecent<string, Spent>(maxVisitors)

  function drop(ad: UnseenAd): void {
    unseen.delete(ad.adId)
    for (const range of ad.ranges) {
      add(adsOf, range, -1)
      add(microsOf, keyOf(range, ad.cid), -ad.priceMicros)
    }
  }

  function dropOld(nowMs: number): void {
    for (const ad of unseen.values()) {
      if (ad.untilMs > nowMs && unseen.size < maxAds) return
      drop(ad)
    }
  }

  function spentOf(place: string, { cid, dayKey }: Wish): number {
    const spent = spentBy.get(keyOf(place, cid))
    return spent?.dayKey === dayKey ? spent.micros : 0
  }

  function addSpent({ places }: Visitor, wish: Wish, micros: number): void {
    for (const place of places)
      spentBy.set(keyOf(place, wish.cid), {
        dayKey: wish.dayKey,
        micros: Math.max(0, spentOf(place, wish) + micros),
      })
  }

  const isShared = ({ isVouchedFor }: Visitor) => sharePercent > 0 && !isVouchedFor

  /** Whether this ad would exceed the part of the campaign's day that one address, or its network, may take. */
  function isBeyondShare(visitor: Visitor, wish: Wish, unseenMicros: number, least: number): boolean {
    const { priceMicros, dailyMicros } = wish
    if (dailyMicros === null || !isShared(visitor)) return false
    const most = Math.max((dailyMicros * sharePercent) / 100, least * priceMicros)
    return visitor.places.some(
      (place, n) => spentOf(place, wish) + unseenMicros + priceMicros > most * SHARE_ALLOWANCES[n]!,
    )
  }

  function take(
    hours: Hourly,
    least: number,
    visitor: Visitor,
    wish: Wish,
    nowMs: number,
  ): SeenRefusal | null {
    if (isBeyondShare(visitor, wish, 0, least)) return 'visitor_share'
    if (!hours.take(visitor.ranges, nowMs)) return 'too_many_seen'
    if (isShared(visitor)) addSpent(visitor, wish, wish.priceMicros)
    return null
  }

  function giveBack(hours: Hourly, visitor: Visitor, wish: Wish, nowMs: number): void {
    hours.giveBack(visitor.ranges, nowMs)
    if (isShared(visitor)) addSpent(visitor, wish, -wish.priceMicros)
  }

  function hasTooMuchUnseen(ranges: readonly string[], { cid, priceMicros }: Wish, spendableMicros: number) {
    return ranges.some((range, n) => {
      const micros = microsOf.get(keyOf(range, cid)) ?? 0
      return micros > 0 && micros + priceMicros > spendableMicros * MOST_OF_CAMPAIGN[n]!
    })
  }

  return {
    isFull({ ranges }, nowMs) {
      dropOld(nowMs)
      return (
        openAds > 0 && ranges.some((range, n) => (adsOf.get(range) ?? 0) >= openAds * RANGE_ALLOWANCES[n]!)
      )
    },
    refusalOf(visitor, wish, spendableMicros, nowMs) {
      dropOld(nowMs)
      const { ranges } = visitor
      if (openAds > 0 && hasTooMuchUnseen(ranges, wish, spendableMicros)) return 'too_many_unseen'
      const unseenMicros = microsOf.get(keyOf(ranges[0]!, wish.cid)) ?? 0
      const isBeyond = wish.clickMicros
        ? isBeyondShare(visitor, { ...wish, priceMicros: wish.clickMicros }, unseenMicros, LEAST_CLICKS)
        : isBeyondShare(visitor, wish, unseenMicros, LEAST_IMPRESSIONS)
      return isBeyond ? 'visitor_share' : null
    },
    addUnseen({ ranges }, adId, { cid, priceMicros }, nowMs) {
      if (openAds === 0 && sharePercent === 0) return
      unseen.set(adId, { adId, cid, priceMicros, ranges, untilMs: nowMs + UNSEEN_MS })
      for (const range of ranges) {
        add(adsOf, range, 1)
        add(microsOf, keyOf(range, cid), priceMicros)
      }
    },
    removeUnseen(adId) {
      const ad = unseen.get(adId)
      if (ad) drop(ad)
    },
    takeImpression: (visitor, wish, nowMs) => take(hourly, LEAST_IMPRESSIONS, visitor, wish, nowMs),
    giveImpressionBack: (visitor, wish, nowMs) => giveBack(hourly, visitor, wish, nowMs),
    takeClick: (visitor, wish, nowMs) => take(hourlyClicks, LEAST_CLICKS, visitor, wish, nowMs),
    giveClickBack: (visitor, wish, nowMs) => giveBack(hourlyClicks, visitor, wish, nowMs),
  }
}

function keyOf(place: string, cid: number): string {
  return `${place} ${cid}`
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount
  if (sum > 0) sums.set(key, sum)
  else sums.delete(key)
}
