// The ledger: may this campaign spend now? Promises that what all nodes bill of a campaign on a day never exceeds its
// budget: each promises only what was granted to it (spentMicros + reservedMicros <= grantedMicros), and the database
// bills only what was granted. (A budget lowered below what is out stops new reservations; the sum then only falls.)
// Memory only; clock and chance are arguments. node/refill.ts asks the database for shares.
//
// An ad's life:  reserve ──► open ──┬─ begin ──► begun ──┬─ commit ────► billed (remembered until its time is over)
//                             ▲     │                    ├─ duplicate ─► billed earlier
//                             └─────┼────────────────────┴─ cancel (rolled back)
//                                   └─ release (loss notice) or expiry ──► its money is free again
//
// With the database away for long, nothing can be overspent: begun ads keep their money, impressions that are not
// on disk are not answered with success, and when pending bills and reservations fill a budget, reserve() says
// 'budget_spent' and the campaign stops by itself.

import type { CapRefusal, Caps, UserHash } from '../caps/caps.ts'
import {
  type CappedUser,
  capRefusalOf,
  isCappedUser,
  mayAsk,
  type OpenCapCount,
  type SharedCapRefusal,
} from '../caps/shared-caps.ts'
import type { LiveCampaign } from '../catalog/live.ts'
import type { Calendar } from '../kernel/day.ts'
import { isPlanDue, passes } from '../pacing/pacing.ts'
import { AD_ID_CHARS, type Ad, type AdFacts, type LedgerLog, type Restored } from './ad.ts'
import { type Asking, createAsking, EARLY_MS, isDue } from './asks.ts'
import { type Billing, createBilling } from './billing.ts'
import { type Account, createBooks, hasRoom, mustBeMicros } from './books.ts'
import { type Campaign, createCampaign, editCampaign, paceLagOf, replan } from './campaign.ts'
import { createOpenAds } from './open-ads.ts'
import { restoreBooks, snapshotBooks } from './start.ts'

export interface Wish {
  adId: string
  cid: number
  /** One impression at the bid price: cpmMicros / 1000. */
  priceMicros: number
  user: UserHash | null
  ttlMs: number
  /** In [0, 1): pacing's dice. */
  random: number
}

export type ReserveRefusal =
  | CapRefusal
  | SharedCapRefusal
  | 'budget_spent'
  | 'share_wait'
  | 'cut_off'
  | 'caps_elsewhere'
  | 'pacing'
  | 'no_user'
  | 'counts_missing'
  | 'unknown_campaign'
  | 'day_closed'
  | 'duplicate_ad'
  | 'ledger_full'

export interface Ledger extends Billing {
  setCampaign(campaign: LiveCampaign, nowMs: number): void
  removeCampaign(cid: number): void
  /**
   * Budget and cap, without taking anything: for the scan before the choice. Pacing too, if there is a cap store.
   */
  check(cid: number, priceMicros: number, user: UserHash | null, nowMs: number): ReserveRefusal | null
  /** Sets the money, and the user's cap count, aside. A string is the reason why not. */
  reserve(wish: Wish, nowMs: number): AdFacts | ReserveRefusal
  /** Frees expired ads and closes days. reserve() and begin() do so too; this is for times without either. */
  expire(nowMs: number): void
  /** What a campaign may still spend: today, or if it is paced in the ten minutes of its plan. */
  spendable(cid: number, priceMicros: number, nowMs: number): number
  /** How far behind its plan, as a part of the day's budget; negative: ahead. */
  paceLag(cid: number, nowMs: number): number
  account(cid: number, dayKey: number): Readonly<Account> | undefined
  /** Campaigns that got a cap after they had served without: refused until loadCounted(). */
  countsMissing(nowMs: number): { cid: number; dayKey: number }[]
  /** The counts that countsMissing() named are in the caps. */
  loadCounted(cid: number, dayKey: number): void
  /** Ads of a campaign whose end is not known. */
  openAds(cid: number): Pick<AdFacts, 'adId' | 'dayKey' | 'user'>[]
  isOpen(adId: string): boolean
  /** The cap counts of open ads, of campaigns that have a cap. */
  openCapCounts(nowMs: number): OpenCapCount[]
  /** Once, after the campaigns were set and before anything else; it is done when it has been run through. */
  restore(restored: Restored, nowMs: number): Generator<void>
  snapshot(): Omit<Restored, 'counted' | 'billedInDatabase'>
  /** What to ask the database for, and its answers. */
  asking: Asking
  /** An ad of ours was billed by another node. */
  heardBilled(adId: string, chargeMicros: number): void
  /** Until when any ad may be billed, and until when one of a campaign with a cap. */
  lastAds(): { untilMs: number; cappedUntilMs: number }
  /** Ads in memory. */
  size(): number
}

/** What the node may do now; see refill.ts. */
export interface NodeGate {
  /** False when it has not heard from the database for longer than its shares are valid. */
  mayPromise(): boolean
  /** Whether capped campaigns are this node's, for ads of this length. */
  mayCap(ttlMs: number): boolean
  /** A request was refused because money that may still be granted was missing. */
  hurry(): void
}

export interface LedgerOptions {
  calendar: Calendar
  caps: Caps
  log: LedgerLog
  nowMs: number
  /** The longest reservation that will ever be asked for; a day is kept this long after its end. */
  maxTtlMs: number
  /** The most ads in memory; beyond that nothing is reserved. */
  maxAds: number
  /** Without one there is no other node and nothing to ask: every budget is entirely ours. */
  node?: NodeGate
  /** Caps are kept in a shared store for all nodes: the caller brings the counts along (shared-caps.ts). */
  hasCapStore?: boolean
}

export function createLedger(options: LedgerOptions): Ledger {
  const { caps, log, maxTtlMs, maxAds, node, hasCapStore = false } = options
  let isRestored = false
  const books = createBooks(options.calendar, maxTtlMs)
  const campaigns = new Map<number, Campaign>()
  const short = new Set<Account>()
  /** Capped since the last countsMissing(), or still without their counts; the others need no check. */
  const newlyCapped = new Set<number>()
  const openAds = createOpenAds({ books, caps, campaigns, log, nowMs: options.nowMs, dayClosed })
  const lastMsOf = (dayKey: number) =>
    (options.calendar.dayOfKey(dayKey)?.endMs ?? Number.POSITIVE_INFINITY) - 1
  const billing = createBilling(openAds, readmit, ad => log.ended(ad, 'freed'), lastMsOf)

  function dayClosed(dayKey: number): void {
    caps.dropDay(dayKey)
    for (const campaign of campaigns.values())
      if (campaign.account?.dayKey === dayKey) campaign.account = null
  }

  function accountToday(campaign: Campaign, cid: number, nowMs: number): Account | null {
    const dayKey = books.today(nowMs).key
    if (campaign.account?.dayKey === dayKey) return campaign.account
    const account = books.open(dayKey, cid, node ? 0 : campaign.dailySpendMicros)
    // One that is known from before the clock was set back has the budget of then.
    if (account && !node) account.grantedMicros = campaign.dailySpendMicros
    campaign.account = account
    campaign.pace.stale = true
    return campaign.account
  }

  function refusalOf(
    campaign: Campaign,
    account: Account,
    priceMicros: number,
    user: UserHash | null,
    nowMs: number,
  ): ReserveRefusal | null {
    if (node && !node.mayPromise()) return 'cut_off'
    if (!hasRoom(account, priceMicros)) return shortage(campaign, account, priceMicros)
    if (campaign.freq === 0) return null
    if (node && !node.mayCap(0)) return hasCapStore ? 'caps_away' : 'caps_elsewhere'
    if (!user) return 'no_user'
    if (account.countsMissing) return 'counts_missing'
    if (hasCapStore)
      return isCappedUser(user) ? sharedCapRefusal(campaign, account, priceMicros, user, nowMs) : null
    return caps.peek(account.dayKey, account.cid, user, campaign.freq)
  }

  /** Pacing is checked before the cap store: a campaign that is held back needs none. */
  function sharedCapRefusal(
    campaign: Campaign,
    account: Account,
    priceMicros: number,
    cappedUser: CappedUser,
    nowMs: number,
  ): ReserveRefusal | null {
    const { cid, dayKey } = account
    if (campaign.even && !cappedUser.passed.has(cid) && mayAsk(cappedUser, cid))
      cappedUser.passed.set(cid, passesNow(campaign, account, priceMicros, cappedUser.random(), nowMs))
    if (cappedUser.passed.get(cid) === false) return 'pacing'
    return capRefusalOf(cappedUser, cid, dayKey, campaign.freq)
  }

  function passesNow(
    campaign: Campaign,
    account: Account,
    priceMicros: number,
    random: number,
    nowMs: number,
  ): boolean {
    if (isPlanDue(campaign.pace, nowMs)) replan(campaign, account, books.today(nowMs), priceMicros, nowMs)
    return passes(campaign.pace, priceMicros, random)
  }

  /** Spent by all, with others for now, or only not here yet. */
  function shortage(campaign: Campaign, account: Account, priceMicros: number): ReserveRefusal {
    const { share } = account
    const spentMicros = account.spentMicros + share.othersSpentMicros
    if (!node || spentMicros + priceMicros > campaign.dailySpendMicros) return 'budget_spent'
    if (share.poolMicros >= priceMicros) {
      if (!share.isShort) askAtOnce(account)
      return 'share_wait'
    }
    share.isShort = true
    return 'budget_spent'
  }

  function askAtOnce(account: Account): void {
    account.share.isShort = true
    short.add(account)
    node?.hurry()
  }

  function check(
    cid: number,
    priceMicros: number,
    user: UserHash | null,
    nowMs: number,
  ): ReserveRefusal | null {
    openAds.expire(nowMs)
    const campaign = campaigns.get(cid)
    if (!campaign) return 'unknown_campaign'
    const account = accountToday(campaign, cid, nowMs)
    return account ? refusalOf(campaign, account, priceMicros, user, nowMs) : 'day_closed'
  }

  function reserve(wish: Wish, nowMs: number): AdFacts | ReserveRefusal {
    const { adId, cid, priceMicros, user, ttlMs } = wish
    mustBeMicros(priceMicros)
    if (adId.length !== AD_ID_CHARS) throw new RangeError(`'${adId}' is not an ad id`)
    if (!(ttlMs > 0 && ttlMs <= maxTtlMs)) throw new RangeError(`ttlMs ${ttlMs} is not in (0, ${maxTtlMs}]`)
    openAds.expire(nowMs)
    if (openAds.size() >= maxAds) return 'ledger_full'
    if (openAds.has(adId)) return 'duplicate_ad'
    const campaign = campaigns.get(cid)
    if (!campaign) return 'unknown_campaign'
    const account = accountToday(campaign, cid, nowMs)
    if (!account) return 'day_closed'
    const refusal = refusalOf(campaign, account, priceMicros, user, nowMs)
    if (refusal) return refusal
    if (node && campaign.freq > 0 && !node.mayCap(ttlMs)) return hasCapStore ? 'caps_away' : 'caps_elsewhere'
    const hasPassed = user !== null && isCappedUser(user) && user.passed.has(cid)
    if (campaign.even && !hasPassed && !passesNow(campaign, account, priceMicros, wish.random, nowMs))
      return 'pacing'
    const facts = { adId, cid, dayKey: account.dayKey, priceMicros, reservedUntilMs: nowMs + ttlMs, user }
    admit(facts, account)
    return facts
  }

  function admit(facts: AdFacts, account: Account): void {
    openAds.admit(facts, account)
    account.share.usedMicros += facts.priceMicros
    log.reserved(facts, account.grantedMicros)
  }

  /**
   * An ad in time that is not in the books: it was lost by notice, or reserved by a process that died before its
   * journal was written. It is billed if the money of its day, and the user's cap count, are still there.
   */
  function readmit(facts: AdFacts, chargeMicros: number, nowMs: number): Ad | null {
    const campaign = campaigns.get(facts.cid)
    let account: Account | null | undefined = books.find(facts.dayKey, facts.cid)
    if (!account && campaign && facts.dayKey === books.today(nowMs).key)
      account = accountToday(campaign, facts.cid, nowMs)
    if (!account || !hasRoom(account, chargeMicros) || openAds.size() >= 2 * maxAds) return null
    if (campaign && campaign.freq > 0 && facts.user) {
      if (account.countsMissing) return null
      if (caps.peek(facts.dayKey, facts.cid, facts.user, campaign.freq)) return null
    }
    admit({ ...facts, priceMicros: chargeMicros }, account)
    return openAds.get(facts.adId)!
  }

  function setCampaign(live: LiveCampaign, nowMs: number): void {
    mustBeMicros(live.dailySpendMicros)
    const campaign = campaigns.get(live.cid) ?? createCampaign()
    const wasCapped = campaign.freq > 0
    const dailyMicros = campaign.dailySpendMicros
    const isReplanned = editCampaign(campaign, live)
    campaigns.set(live.cid, campaign)
    // An edit is about today and what follows: yesterday's ads are paid from yesterday's budget.
    const days = new Set([books.today(nowMs).key, books.today(nowMs + EARLY_MS).key])
    for (const dayKey of days) {
      const account = books.find(dayKey, live.cid)
      // From now on the rest is spread evenly over the remaining time.
      if (account && isReplanned) account.share.line = null
      if (account && dailyMicros !== live.dailySpendMicros)
        editBudget(account, dailyMicros, live.dailySpendMicros)
    }
    if (node && isRestored && isDue(campaign, nowMs)) {
      const account = accountToday(campaign, live.cid, nowMs)
      if (account?.share.isNew) askAtOnce(account)
    }
    if (wasCapped || live.freq === 0) return
    newlyCapped.add(live.cid)
    // Another node may have shown it: what was seen is loaded before counts are taken.
    const today = hasCapStore && isRestored ? accountToday(campaign, live.cid, nowMs) : null
    if (today) today.countsMissing = true
    countOpenUsers(live.cid)
  }

  /**
   * After a raise there is more to ask for; after a cut, free money is not promised any more until the database says
   * so.
   */
  function editBudget(account: Account, fromMicros: number, toMicros: number): void {
    if (!node) {
      account.grantedMicros = toMicros
      log.budget(account)
      return
    }
    const { share } = account
    if (toMicros < fromMicros)
      account.grantedMicros = Math.min(account.grantedMicros, account.spentMicros + account.reservedMicros)
    share.poolMicros += toMicros - fromMicros
    share.notBeforeMs = Number.NEGATIVE_INFINITY
    share.refusals = 0
    askAtOnce(account)
  }

  /** This walks through all open ads, perhaps two million: not for a campaign that has none. */
  function countOpenUsers(cid: number): boolean {
    return !books.hasOpenAds(cid) || openAds.countOpenUsers(cid)
  }

  function loadCounted(cid: number, dayKey: number): void {
    const account = books.find(dayKey, cid)
    if (account?.countsMissing) account.countsMissing = !countOpenUsers(cid)
  }

  function* openOnes(): Generator<AdFacts> {
    for (const ad of openAds.all()) if (ad.state === 'open') yield ad
  }

  function openCapCounts(nowMs: number): OpenCapCount[] {
    const counts: OpenCapCount[] = []
    for (const { cid, dayKey, adId, user, reservedUntilMs } of openOnes())
      if (user && (campaigns.get(cid)?.freq ?? 0) > 0)
        counts.push({ cid, dayKey, adId, user, leftMs: Math.max(0, reservedUntilMs - nowMs) })
    return counts
  }

  const startParts = { books, caps, openAds, campaigns, short, isShared: node !== undefined }
  return {
    ...billing,
    setCampaign,
    removeCampaign: cid => void campaigns.delete(cid),
    check,
    reserve,
    expire: openAds.expire,
    spendable(cid, priceMicros, nowMs) {
      const campaign = campaigns.get(cid)
      const account = campaign && accountToday(campaign, cid, nowMs)
      if (!account) return 0
      const spentMicros = account.spentMicros + account.share.othersSpentMicros
      const leftMicros = Math.max(0, campaign.dailySpendMicros - spentMicros)
      if (!campaign.even) return leftMicros
      if (isPlanDue(campaign.pace, nowMs)) replan(campaign, account, books.today(nowMs), priceMicros, nowMs)
      return Math.min(leftMicros, campaign.pace.needMicros)
    },
    paceLag(cid, nowMs) {
      const campaign = campaigns.get(cid)
      const day = books.today(nowMs)
      return campaign ? paceLagOf(campaign, books.find(day.key, cid), day, nowMs) : 0
    },
    account: (cid, dayKey) => books.find(dayKey, cid),
    countsMissing(nowMs) {
      const dayKey = books.today(nowMs).key
      for (const cid of newlyCapped) {
        const isCapped = (campaigns.get(cid)?.freq ?? 0) > 0
        if (!isCapped || !books.find(dayKey, cid)?.countsMissing) newlyCapped.delete(cid)
      }
      return Array.from(newlyCapped, cid => ({ cid, dayKey }))
    },
    loadCounted,
    openAds: cid => (books.hasOpenAds(cid) ? [...openOnes()].filter(ad => ad.cid === cid) : []),
    isOpen: adId => openAds.get(adId)?.state === 'open',
    openCapCounts,
    *restore(restored, nowMs) {
      yield* restoreBooks(startParts, restored, nowMs)
      isRestored = true
    },
    snapshot: () => snapshotBooks(startParts),
    asking: createAsking(startParts),
    heardBilled(adId, chargeMicros) {
      const ad = openAds.get(adId)
      if (ad?.state !== 'open') return
      ad.foundMicros = chargeMicros
      openAds.tidy(ad)
    },
    lastAds: openAds.lastAds,
    size: openAds.size,
  }
}
