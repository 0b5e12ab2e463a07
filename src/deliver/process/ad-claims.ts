// Who pays for an impression. Our own ad is claimed from our ledger, which knows its reservation. Another node's ad is
// charged to that node's share; only the database knows whether the share covers it. Losses of other nodes' ads are
// reported to them in batches, as best effort: an ad whose loss is not reported expires by itself.

import { setTimeout as pause } from 'node:timers/promises'
import type { CapStore } from '../../budget/caps/shared-caps.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { LiveOrder } from '../../budget/live.ts'
import { type AdNews, writeNews } from '../../budget/shares/news.ts'
import type { ShareStore } from '../../budget/shares/share.ts'
import type { ServedAd } from '../../count/tracking/ad.ts'
import type { AdClaims, Claim } from '../../count/tracking/event.ts'
import { spanAnywhere } from '../../kernel/time/day.ts'
import { calendarIn, DEPLOYMENT_ZONE } from '../../kernel/time/zones.ts'

export interface AdClaimParts {
  nodeId: number
  ledger: Ledger
  /** The ledger of the node as it runs now, which a restart replaces; null during the restart. */
  ledgerNow?: () => Ledger | null
  orders: ReadonlyMap<number, Pick<LiveOrder, 'campaign'>>
  /** The deployment's time zone, for customers without a zone of their own. */
  timeZone: string
  nowMs(): number
  /** If the clock is moved: resolves when shares have been asked for; null while the clock stands still. */
  untilAsked?: () => Promise<void> | null
  store: Pick<ShareStore, 'sendNews'>
  /** The shared store of caps for all nodes, if there is one. */
  capStore: Pick<CapStore, 'count'> | null
  onError(error: unknown): void
}

const SEND_MS = 500
/** At most this many losses are sent in that time. */
const MOST_NEWS = 20_000
const NOTHING = () => undefined
/** How long a click waits for its share of a budget, and how often it checks. */
const SHARE_WAIT_MS = 1_000
const SHARE_POLL_MS = 10
/** The same while the clock is moved: how many answers of the database it waits for. */
const MOST_ASKED = 20

export function createAdClaims(parts: AdClaimParts): AdClaims {
  const { nodeId, ledger, ledgerNow = () => ledger, orders, timeZone } = parts
  const losses = new Map<number, AdNews[]>()
  let waiting = 0
  let timer: NodeJS.Timeout | null = null

  /** The last millisecond of its customer's day; if the campaign is gone, of the date anywhere. */
  function lastMsOf({ cid, dayKey }: ServedAd): number {
    const order = orders.get(cid)
    const day = order && calendarIn(order.campaign.zones ?? DEPLOYMENT_ZONE, timeZone).dayOfKey(dayKey)
    return ((day ?? spanAnywhere(dayKey))?.endMs ?? Number.POSITIVE_INFINITY) - 1
  }

  function claimOwn(ad: ServedAd, priceMicros: number, nowMs: number): ReturnType<AdClaims['claim']> {
    const { adId } = ad
    const begun = ledger.begin(factsOf(ad), priceMicros, nowMs)
    if (!begun.isBillable) return begun
    return {
      isBillable: true,
      chargeMicros: begun.chargeMicros,
      lastMs: begun.lastMs,
      nodeId,
      freq: freqOf(ad),
      settle: outcome => settle(adId, begun.chargeMicros, outcome),
    }
  }

  function settle(adId: string, chargeMicros: number, outcome: Parameters<Claim['settle']>[0]): void {
    const isOnDisk = outcome !== 'failed' && outcome !== 'late'
    // The books in which it was begun are closed: the books that restored it from the journal are told.
    if (ledgerNow() !== ledger) {
      if (isOnDisk) ledgerNow()?.heardBilled(adId, chargeMicros)
    } else if (outcome === 'counted') ledger.commit(adId, chargeMicros)
    else if (isOnDisk) ledger.duplicate(adId)
    else ledger.cancel(adId)
  }

  function claimOfOther(ad: ServedAd, priceMicros: number, nowMs: number): ReturnType<AdClaims['claim']> {
    if (nowMs >= (ad.servedS + ad.ttlS) * 1000) return { isBillable: false, reason: 'late' }
    return {
      isBillable: true,
      chargeMicros: Math.min(priceMicros, ad.priceMicros),
      lastMs: lastMsOf(ad),
      nodeId: ad.nodeId!,
      freq: freqOf(ad),
      settle: NOTHING,
    }
  }

  function freqOf({ cid }: ServedAd): number {
    return orders.get(cid)?.campaign.freq ?? 0
  }

  async function sendLosses(): Promise<void> {
    timer = null
    const lossesByNode = [...losses]
    losses.clear()
    waiting = 0
    await parts.store.sendNews(
      lossesByNode.map(([id]) => id),
      lossesByNode.map(([, ads]) => writeNews(ads)),
    )
  }

  function lost(toNodeId: number, adId: string): void {
    if (waiting >= MOST_NEWS) return
    waiting++
    const ads = losses.get(toNodeId) ?? []
    ads.push({ end: 'lost', adId, chargeMicros: 0 })
    losses.set(toNodeId, ads)
    if (timer === null) timer = setTimeout(() => sendLosses().catch(parts.onError), SEND_MS).unref()
  }

  /** The user has seen it, whatever becomes of the bill. */
  function countInCapStore({ cid, dayKey, user, adId }: ServedAd): void {
    if (user) parts.capStore?.count({ cid, dayKey, user, adId })
  }

  /** Waits a moment for money that may still be granted: the visitor does not notice. */
  async function claimClick(ad: ServedAd, priceMicros: number): ReturnType<AdClaims['claimClick']> {
    const { adId, cid } = ad
    const untilMs = performance.now() + SHARE_WAIT_MS
    for (let asked = 0; ; asked++) {
      const nowMs = parts.nowMs()
      const bill = ledger.beginClick({ adId, cid, payer: payerOf(ad), priceMicros }, nowMs)
      if (typeof bill !== 'string') return { isBillable: true, nodeId, ...bill }
      if (bill === 'held_elsewhere') return claimClickOfOther(ad, nowMs)
      if (bill !== 'share_wait') return { isBillable: false }
      const asking = parts.untilAsked?.() ?? null
      if (asking ? asked >= MOST_ASKED : performance.now() >= untilMs) return { isBillable: false }
      await (asking ?? pause(SHARE_POLL_MS))
    }
  }

  /** Only the database knows whether the node that served the ad has the money. */
  function claimClickOfOther(ad: ServedAd, nowMs: number): Awaited<ReturnType<AdClaims['claimClick']>> {
    if (ad.nodeId === null || ad.nodeId === nodeId) return { isBillable: false }
    const { key: dayKey, endMs } = ledger.today(ad.cid, nowMs)
    return { isBillable: true, dayKey, lastMs: endMs - 1, nodeId: ad.nodeId, settle: NOTHING }
  }

  return {
    claimClick,
    claim(ad, priceMicros, nowMs) {
      const isOwn = ad.nodeId === null || ad.nodeId === nodeId
      const claim = isOwn ? claimOwn(ad, priceMicros, nowMs) : claimOfOther(ad, priceMicros, nowMs)
      if (claim.isBillable && claim.freq > 0) countInCapStore(ad)
      return claim
    },
    release(ad) {
      if (ad.nodeId === null || ad.nodeId === nodeId) return ledger.release(ad.adId)
      lost(ad.nodeId, ad.adId)
      return true
    },
  }
}

function payerOf({ flightPays, fid }: ServedAd): number {
  return flightPays ? fid : 0
}

function factsOf(ad: ServedAd) {
  return {
    adId: ad.adId,
    cid: ad.cid,
    payer: payerOf(ad),
    dayKey: ad.dayKey,
    priceMicros: ad.priceMicros,
    reservedUntilMs: (ad.servedS + ad.ttlS) * 1000,
    user: ad.user,
  }
}
