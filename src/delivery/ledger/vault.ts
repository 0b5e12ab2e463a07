// The ads that hold money: each is in the books from its reservation to its bill or release, exactly once.
// Whoever admits one has seen that there is room; everything after that only moves or frees what it holds.

import type { Ad, AdFacts, LedgerLog } from './ad.ts'
import type { Account, Books } from './books.ts'
import type { Campaign } from './campaign.ts'
import type { Caps } from './caps.ts'
import { learnEnd } from './pacing.ts'
import { createWheel } from './wheel.ts'

export interface Vault {
  get(adId: string): Ad | undefined
  admit(facts: AdFacts, priceMicros: number, account: Account): Ad
  /** Only remembers that it was billed: a repeated notice will be known as one. */
  rememberBilled(facts: AdFacts, account: Account): void
  free(ad: Ad): void
  bill(ad: Ad, chargeMicros: number): void
  /** After a hold has ended: an ad that is over, or lost, and not held any more goes. */
  tidy(ad: Ad): void
  /** Frees what has run out. */
  expire(nowMs: number): void
  /** Counts the users of a campaign's open ads; false when some did not fit. */
  countOpenUsers(cid: number): boolean
  all(): Iterable<Ad>
  size(): number
}

export interface VaultParts {
  books: Books
  caps: Caps
  campaigns: ReadonlyMap<number, Campaign>
  log: LedgerLog
  nowMs: number
  /** Told about each day that has been closed. */
  dayClosed(dayKey: number): void
}

export function createVault(parts: VaultParts): Vault {
  const { books, caps, campaigns, log } = parts
  const ads = new Map<string, Ad>()
  const wheel = createWheel<Ad>(parts.nowMs, ad => ad.reservedUntilMs, runOut)

  function runOut(ad: Ad): void {
    ad.over = true
    if (ad.holds > 0) ad.freeAfterHolds = true
    else if (ad.state === 'open') free(ad)
    else forget(ad)
  }

  /** The same id may have been admitted anew since. */
  function forget(ad: Ad): void {
    if (ads.get(ad.adId) === ad) ads.delete(ad.adId)
  }

  function keep(facts: AdFacts, priceMicros: number, account: Account, state: 'open' | 'billed'): Ad {
    const ad: Ad = {
      adId: facts.adId,
      cid: facts.cid,
      dayKey: facts.dayKey,
      priceMicros,
      reservedUntilMs: facts.reservedUntilMs,
      user: facts.user,
      account,
      state,
      holds: 0,
      freeAfterHolds: false,
      over: false,
      foundMicros: null,
      inCaps: false,
    }
    ads.set(ad.adId, ad)
    wheel.add(ad)
    account.latestUntilMs = Math.max(account.latestUntilMs, ad.reservedUntilMs)
    return ad
  }

  function admit(facts: AdFacts, priceMicros: number, account: Account): Ad {
    const ad = keep(facts, priceMicros, account, 'open')
    account.reservedMicros += priceMicros
    account.openAds++
    const isCapped = (campaigns.get(ad.cid)?.freq ?? 0) > 0
    if (ad.user && isCapped) ad.inCaps = caps.open(ad.dayKey, ad.cid, ad.user)
    // Should the campaign get a cap later in the day, this one is not in its counts.
    if (ad.user && !ad.inCaps) account.countsMissing = true
    return ad
  }

  function settle(ad: Ad, chargeMicros: number): void {
    ad.account.reservedMicros -= ad.priceMicros
    ad.account.spentMicros += chargeMicros
    ad.account.openAds--
    const campaign = campaigns.get(ad.cid)
    if (campaign) learnEnd(campaign.pace, ad.priceMicros, chargeMicros)
  }

  function free(ad: Ad): void {
    ad.state = 'freed'
    forget(ad)
    settle(ad, 0)
    if (ad.inCaps && ad.user) caps.close(ad.dayKey, ad.cid, ad.user)
  }

  function bill(ad: Ad, chargeMicros: number): void {
    ad.state = 'billed'
    settle(ad, Math.min(chargeMicros, ad.priceMicros))
    if (ad.inCaps && ad.user) caps.count(ad.dayKey, ad.cid, ad.user)
    log.ended(ad, 'billed')
  }

  return {
    get: adId => ads.get(adId),
    admit,
    rememberBilled: (facts, account) => void keep(facts, facts.priceMicros, account, 'billed'),
    free,
    bill,
    tidy(ad) {
      if (ad.holds > 0) return
      if (ad.state === 'open' && ad.foundMicros !== null) bill(ad, ad.foundMicros)
      if (ad.state === 'open' && ad.freeAfterHolds) {
        free(ad)
        log.ended(ad, 'freed')
      }
      if (ad.over) forget(ad)
    },
    expire(nowMs) {
      if (wheel.idle(nowMs)) return
      wheel.advance(nowMs)
      books.closeDays(nowMs, parts.dayClosed)
    },
    countOpenUsers(cid) {
      let isComplete = true
      for (const ad of ads.values()) {
        if (ad.cid !== cid || ad.state !== 'open' || !ad.user || ad.inCaps) continue
        ad.inCaps = caps.open(ad.dayKey, cid, ad.user)
        isComplete &&= ad.inCaps
      }
      return isComplete
    },
    all: () => ads.values(),
    size: () => ads.size,
  }
}
