// The open ads of this node: the money of each is set aside exactly once, from its reservation to its bill or release.
// The caller that admits an ad has checked that there is room; everything after that only moves or frees its money. An
// ad is compact until its first call: most never get one, and are not worth an object. Billed ads are remembered until
// their time is over, so that a repeated notice is recognised; once no bill is pending, they are compact again.

import type { Caps } from '../caps/caps.ts'
import { learnEnd } from '../pacing/pacing.ts'
import type { Ad, AdFacts, LedgerLog } from './ad.ts'
import type { Account, Books } from './books.ts'
import type { Campaign } from './campaign.ts'
import { type CompactAd, createCompactAds, type Reservation } from './compact-ads.ts'
import { createWheel } from './wheel.ts'

export interface OpenAds {
  has(adId: string): boolean
  /**
   * An open ad, or one with a pending bill. It is not compact afterwards: changes to the returned object are kept.
   */
  get(adId: string): Ad | undefined
  /** Whether it was billed, and no bill of it is pending. */
  wasBilled(adId: string): boolean
  /** Its id must be new. */
  admit(facts: AdFacts, account: Account): void
  /** Only remembers that it was billed, so that a repeated notice is recognised. */
  rememberBilled(facts: AdFacts, account: Account): void
  free(ad: Ad): void
  bill(ad: Ad, chargeMicros: number): void
  /** To be called after a bill has ended: if no other bill is pending, an expired or lost ad is freed. */
  tidy(ad: Ad): void
  /** Frees expired ads. */
  expire(nowMs: number): void
  /** Counts the users of a campaign's open ads; false if some did not fit. */
  countOpenUsers(cid: number): boolean
  all(): Iterable<AdFacts & Pick<Ad, 'state'>>
  /** The time until which any open ad may be billed, and until which any ad with a cap count may be. */
  lastAds(): { untilMs: number; cappedUntilMs: number }
  size(): number
}

export interface OpenAdsParts {
  books: Books
  caps: Caps
  campaigns: ReadonlyMap<number, Campaign>
  log: LedgerLog
  nowMs: number
  /** Called for each account that was closed. */
  accountClosed(account: Account): void
  /** Some days may be over for good. */
  daysClosed(nowMs: number): void
}

export function createOpenAds(parts: OpenAdsParts): OpenAds {
  const { books, caps, campaigns, log } = parts
  const compact = createCompactAds()
  const wheel = createWheel<number>(parts.nowMs, compact.untilMsOf, runOut)
  /** The ads that are not compact. */
  const ads = new Map<string, Ad>()

  /** An account stays in the books as long as an ad is open in it. */
  function accountOf({ dayKey, cid, payer }: Reservation): Account {
    return books.find(dayKey, cid, payer)!
  }

  function runOut(row: number): void {
    const adId = compact.takenFrom(row)
    const reservation = compact.drop(row)
    if (reservation) giveBack(reservation, accountOf(reservation))
    if (adId === null) return
    const ad = ads.get(adId)!
    ad.over = true
    if (ad.pendingBills > 0) ad.freeAfterBills = true
    else if (ad.state === 'open') free(ad)
    else ads.delete(adId)
  }

  function expand(taken: CompactAd): Ad {
    const ad: Ad = {
      adId: taken.adId,
      cid: taken.cid,
      payer: taken.payer,
      dayKey: taken.dayKey,
      priceMicros: taken.priceMicros,
      reservedUntilMs: taken.reservedUntilMs,
      user: taken.user,
      account: accountOf(taken),
      row: taken.row,
      state: 'open',
      pendingBills: 0,
      freeAfterBills: false,
      over: false,
      foundMicros: null,
      inCaps: taken.inCaps,
    }
    ads.set(ad.adId, ad)
    return ad
  }

  function admit(facts: AdFacts, account: Account): void {
    const isCapped = (campaigns.get(facts.cid)?.freq ?? 0) > 0
    const inCaps = facts.user !== null && isCapped && caps.open(facts.dayKey, facts.cid, facts.user)
    wheel.add(compact.add(facts, 'open', inCaps))
    account.reservedMicros += facts.priceMicros
    account.openAds++
    account.latestUntilMs = Math.max(account.latestUntilMs, facts.reservedUntilMs)
    // If the campaign gets a cap later in the day, its counts lack this ad.
    if (facts.user !== null && !inCaps) account.countsMissing = true
  }

  function settle(reservation: Reservation, account: Account, chargeMicros: number): void {
    account.reservedMicros -= reservation.priceMicros
    account.spentMicros += chargeMicros
    account.openAds--
    const campaign = campaigns.get(reservation.cid)
    if (campaign) learnEnd(campaign.pace, reservation.priceMicros, chargeMicros)
  }

  function giveBack(reservation: Reservation, account: Account): void {
    settle(reservation, account, 0)
    if (reservation.inCaps && reservation.user)
      caps.close(reservation.dayKey, reservation.cid, reservation.user)
  }

  function free(ad: Ad): void {
    ad.state = 'freed'
    ads.delete(ad.adId)
    if (!ad.over) compact.free(ad.row)
    giveBack(ad, ad.account)
  }

  function bill(ad: Ad, chargeMicros: number): void {
    ad.state = 'billed'
    settle(ad, ad.account, Math.min(chargeMicros, ad.priceMicros))
    if (ad.inCaps && ad.user) caps.count(ad.dayKey, ad.cid, ad.user)
    log.ended(ad, 'billed')
  }

  return {
    has: adId => compact.has(adId) || ads.has(adId),
    get(adId) {
      const taken = compact.take(adId)
      return taken === null ? ads.get(adId) : expand(taken)
    },
    wasBilled: compact.wasBilled,
    admit,
    rememberBilled(facts, account) {
      wheel.add(compact.add(facts, 'billed', false))
      account.latestUntilMs = Math.max(account.latestUntilMs, facts.reservedUntilMs)
    },
    free,
    bill,
    tidy(ad) {
      if (ad.pendingBills > 0) return
      if (ad.state === 'open' && ad.foundMicros !== null) bill(ad, ad.foundMicros)
      if (ad.state === 'open' && ad.freeAfterBills) {
        free(ad)
        log.ended(ad, 'freed')
      }
      if (ad.state !== 'billed') return
      ads.delete(ad.adId)
      if (!ad.over) compact.bill(ad.row)
    },
    expire(nowMs) {
      if (wheel.idle(nowMs)) return
      wheel.advance(nowMs)
      if (books.closeDays(nowMs, parts.accountClosed)) parts.daysClosed(nowMs)
    },
    countOpenUsers(cid) {
      let isComplete = compact.countUsers(cid, ad => caps.open(ad.dayKey, cid, ad.user!))
      for (const ad of ads.values()) {
        if (ad.cid !== cid || ad.state !== 'open' || !ad.user || ad.inCaps) continue
        ad.inCaps = caps.open(ad.dayKey, cid, ad.user)
        isComplete &&= ad.inCaps
      }
      return isComplete
    },
    *all() {
      yield* ads.values()
      yield* compact.all()
    },
    lastAds() {
      const last = { untilMs: 0, cappedUntilMs: 0 }
      const see = ({ reservedUntilMs, inCaps }: Pick<Ad, 'reservedUntilMs' | 'inCaps'>) => {
        last.untilMs = Math.max(last.untilMs, reservedUntilMs)
        if (inCaps) last.cappedUntilMs = Math.max(last.cappedUntilMs, reservedUntilMs)
      }
      for (const ad of ads.values()) if (ad.state === 'open') see(ad)
      for (const ad of compact.all()) if (ad.state === 'open') see(ad)
      return last
    },
    size: () => ads.size + compact.size(),
  }
}
