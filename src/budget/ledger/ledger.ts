// The ledger: may this campaign spend now? It guarantees that what all nodes bill for a campaign on a day never exceeds
// its budget: each promises only what was granted to it (spentMicros + reservedMicros <= grantedMicros), and the
// database bills only what was granted. (If a budget is lowered below that sum, new reservations stop, and the sum only
// falls.) Memory only; clock and random are arguments. deliver/process/refill.ts asks the database for shares.
//
// An ad's life:  reserve ──► open ──┬─ begin ──► begun ──┬─ commit ────► billed (remembered until its time is over)
//                             ▲     │                    ├─ duplicate ─► billed earlier
//                             └─────┼────────────────────┴─ cancel (rolled back)
//                                   └─ release (loss notice) or expiry ──► its money is free again
//
// Even if the database is unreachable for a long time, nothing can be overspent: begun ads keep their money,
// impressions that are not on disk are not answered with success, and when pending bills and reservations fill a
// budget, reserve() answers 'budget_spent' and the campaign stops by itself.

import type { Calendar, Day } from '../../kernel/time/day.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import { type DatedUser, userOn } from '../caps/caps.ts'
import {
  type CappedUser,
  capRefusalOf,
  isCappedUser,
  mayAsk,
  type OpenCapCount,
} from '../caps/shared-caps.ts'
import type { LiveCampaign } from '../live.ts'
import { isPlanDue, learnEnd, passes } from '../pacing/pacing.ts'
import { askAfresh, roomOf } from '../shares/node-share.ts'
import { AD_ID_CHARS, type Ad, type AdFacts } from './ad.ts'
import { createAsking, EARLY_MS, isDue } from './asks.ts'
import { createBilling } from './billing.ts'
import { type Account, createBooks, hasRoom, mustBeMicros } from './books.ts'
import {
  type Campaign,
  createCampaign,
  editCampaign,
  isPooled,
  limitsOf,
  paceLagOf,
  payerAt,
  replan,
} from './campaign.ts'
import { createClickBills } from './click-bills.ts'
import { type ClickTerms, expectClick, expectedMicrosOf } from './expected-clicks.ts'
import type { Ledger, LedgerOptions, ReserveRefusal, Wish } from './ledger-interface.ts'
import { createOpenAds } from './open-ads.ts'
import { restoreBooks, snapshotBooks } from './start.ts'

const SPENT_REASONS = { day: 'budget_spent', total: 'total_spent', balance: 'balance_spent' } as const

export function createLedger(options: LedgerOptions): Ledger {
  const { caps, log, maxTtlMs, maxAds, node, hasCapStore = false } = options
  let isRestored = false
  const books = createBooks(maxTtlMs)
  const campaigns = new Map<number, Campaign>()
  const short = new Set<Account>()
  /** Campaigns that got a cap since the last countsMissing(), or still lack their counts; others need no check. */
  const newlyCapped = new Set<number>()
  const openAds = createOpenAds({
    books,
    caps,
    campaigns,
    log,
    nowMs: options.nowMs,
    accountClosed,
    daysClosed,
  })
  const isShared = node !== undefined
  const clickBills = createClickBills({ campaigns, isShared, accountOf, shortage, askAtOnce })
  const billing = createBilling(openAds, readmit, ad => log.ended(ad, 'freed'))

  function accountClosed(account: Account): void {
    const campaign = campaigns.get(account.cid)
    if (campaign?.account === account) campaign.account = null
  }

  /** The counts of a date are for all customers: they are dropped when the last customer's day is over. */
  function daysClosed(nowMs: number): void {
    const calendars = new Set<Calendar>()
    for (const { calendar } of campaigns.values()) calendars.add(calendar)
    for (const dayKey of caps.days()) {
      const isOpen = (calendar: Calendar) => (calendar.dayOfKey(dayKey)?.endMs ?? 0) + maxTtlMs > nowMs
      if (!books.hasDay(dayKey) && ![...calendars].some(isOpen)) caps.dropDay(dayKey)
    }
  }

  function calendarOf({ zones }: LiveCampaign): Calendar {
    const isOwn = zones && (zones.timezone !== null || zones.before.length > 0)
    return isOwn ? calendarIn(zones, options.calendar.zone) : options.calendar
  }

  /** Today's account of `payer`, even if another one pays now. */
  function accountOf(campaign: Campaign, cid: number, payer: number, nowMs: number): Account | null {
    if (payer === payerAt(campaign, nowMs)) return accountToday(campaign, cid, nowMs)
    const { key: dayKey } = campaign.calendar.dayAt(nowMs)
    return books.open(dayKey, cid, node ? 0 : campaign.dailySpendMicros, campaign.calendar, payer)
  }

  function accountToday(campaign: Campaign, cid: number, nowMs: number): Account | null {
    const { key: dayKey } = campaign.calendar.dayAt(nowMs)
    const payer = payerAt(campaign, nowMs)
    const last = campaign.account
    if (last?.dayKey === dayKey && last.payer === payer) return last
    const account = books.open(dayKey, cid, node ? 0 : campaign.dailySpendMicros, campaign.calendar, payer)
    // An account opened before the clock was set back may have an older budget.
    if (account && !node) account.grantedMicros = campaign.dailySpendMicros
    // The flight before it returns its part of the day.
    if (account && last?.dayKey === dayKey) askAfresh(account.share)
    campaign.account = account
    campaign.pace.stale = true
    return campaign.account
  }

  function refusalOf(
    campaign: Campaign,
    account: Account,
    priceMicros: number,
    user: DatedUser | null,
    nowMs: number,
    click?: ClickTerms,
  ): ReserveRefusal | null {
    if (node && !node.mayPromise()) return 'cut_off'
    // A limit was lowered below what is granted: what ads do not use must be returned.
    if (account.share.poolMicros < 0) return shortage(campaign, account, click?.priceMicros ?? priceMicros)
    const short = click
      ? clickBills.refusalOf(campaign, account, click, nowMs)
      : !hasRoom(account, priceMicros) && shortage(campaign, account, priceMicros)
    if (short) return short
    if (campaign.freq === 0) return null
    if (node && !node.mayCap(0)) return hasCapStore ? 'caps_away' : 'caps_elsewhere'
    if (!user) return 'no_user'
    if (account.countsMissing) return 'counts_missing'
    if (hasCapStore)
      return isCappedUser(user)
        ? sharedCapRefusal(campaign, account, click ? expectedMicrosOf(click) : priceMicros, user, nowMs)
        : null
    return caps.peek(account.dayKey, account.cid, userOn(user, account.dayKey), campaign.freq)
  }

  /** Pacing is checked before the cap store: a campaign that pacing refuses need not ask it. */
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
    if (isPlanDue(campaign.pace, nowMs))
      replan(campaign, account, campaign.calendar.dayAt(nowMs), unitOf(campaign, priceMicros), nowMs)
    return passes(campaign.pace, priceMicros, random)
  }

  /** Why there is no room: all of it is spent, other nodes have it for now, or it may still be granted to this node. */
  function shortage(campaign: Campaign, account: Account, priceMicros: number): ReserveRefusal {
    const { share } = account
    const spentMicros = account.spentMicros + share.othersSpentMicros
    if (!node || spentMicros + priceMicros > campaign.dailySpendMicros) return 'budget_spent'
    if (share.poolMicros + share.owedMicros >= priceMicros) {
      if (!share.isShort) askAtOnce(account)
      return 'share_wait'
    }
    share.isShort = true
    return SPENT_REASONS[share.shortOf]
  }

  function askAtOnce(account: Account): void {
    account.share.isShort = true
    short.add(account)
    node?.hurry()
  }

  function check(
    cid: number,
    priceMicros: number,
    user: DatedUser | null,
    nowMs: number,
    click?: ClickTerms,
  ): ReserveRefusal | null {
    openAds.expire(nowMs)
    const campaign = campaigns.get(cid)
    if (!campaign) return 'unknown_campaign'
    const account = accountToday(campaign, cid, nowMs)
    return account ? refusalOf(campaign, account, priceMicros, user, nowMs, click) : 'day_closed'
  }

  function reserve(wish: Wish, nowMs: number): AdFacts | ReserveRefusal {
    const { adId, cid, priceMicros, click, user, ttlMs } = wish
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
    const refusal = refusalOf(campaign, account, priceMicros, user, nowMs, click)
    if (refusal) return refusal
    if (node && campaign.freq > 0 && !node.mayCap(ttlMs)) return hasCapStore ? 'caps_away' : 'caps_elsewhere'
    const hasPassed = user !== null && isCappedUser(user) && user.passed.has(cid)
    const costMicros = click ? expectedMicrosOf(click) : priceMicros
    if (campaign.even && !hasPassed && !passesNow(campaign, account, costMicros, wish.random, nowMs))
      return 'pacing'
    const { payer, dayKey } = account
    const hash = user && userOn(user, dayKey)
    const facts = { adId, cid, payer, dayKey, priceMicros, reservedUntilMs: nowMs + ttlMs, user: hash }
    admit(facts, account)
    if (click) {
      expectClick(campaign.clicks, click.rate, nowMs)
      account.share.usedMicros += costMicros
      learnEnd(campaign.pace, costMicros, 0)
    }
    return facts
  }

  function admit(facts: AdFacts, account: Account): void {
    openAds.admit(facts, account)
    account.share.usedMicros += facts.priceMicros
    log.reserved(facts, account.grantedMicros)
  }

  /**
   * An ad in time that is not in the books: a loss notice freed it, or the process that reserved it died before its
   * journal was written. It is billed if its day still has the money and its user's cap still has room.
   */
  function readmit(facts: AdFacts, chargeMicros: number, nowMs: number): Ad | null {
    const campaign = campaigns.get(facts.cid)
    let account: Account | null | undefined = books.find(facts.dayKey, facts.cid, facts.payer)
    if (!account && campaign && facts.dayKey === campaign.calendar.dayAt(nowMs).key)
      account = accountToday(campaign, facts.cid, nowMs)
    if (account?.payer !== facts.payer) return null
    if (!hasRoom(account, chargeMicros) || openAds.size() >= 2 * maxAds) return null
    if (campaign && campaign.freq > 0 && facts.user) {
      if (account.countsMissing) return null
      if (caps.peek(facts.dayKey, facts.cid, facts.user, campaign.freq)) return null
    }
    admit({ ...facts, priceMicros: chargeMicros }, account)
    return openAds.get(facts.adId)!
  }

  function setCampaign(live: LiveCampaign, nowMs: number): void {
    mustBeMicros(live.dailySpendMicros)
    const calendar = calendarOf(live)
    const campaign = campaigns.get(live.cid) ?? createCampaign(calendar)
    const wasCapped = campaign.freq > 0
    // An edit applies to today and later days: yesterday's ads are paid from yesterday's budget.
    const days = new Set([calendar.dayAt(nowMs).key, calendar.dayAt(nowMs + EARLY_MS).key])
    const accounts = [...days].flatMap(dayKey => books.ofCampaign(dayKey, live.cid))
    const limits = accounts.map(({ payer }) => limitsOf(campaign, payer))
    const isReplanned = editCampaign(campaign, live)
    campaigns.set(live.cid, campaign)
    if (campaign.calendar !== calendar) books.setCalendar(live.cid, calendar)
    campaign.calendar = calendar
    accounts.forEach((account, n) => {
      // From now on the rest is spread evenly over the remaining time.
      if (isReplanned) account.share.line = null
      editLimits(account, limits[n]!, limitsOf(campaign, account.payer))
    })
    if (node && isRestored && isDue(campaign, nowMs)) {
      const account = accountToday(campaign, live.cid, nowMs)
      if (account?.share.isNew) askAtOnce(account)
    }
    if (wasCapped || live.freq === 0) return
    newlyCapped.add(live.cid)
    // Another node may have shown it: the counts so far are loaded before new ones are taken.
    const today = hasCapStore && isRestored ? accountToday(campaign, live.cid, nowMs) : null
    if (today) today.countsMissing = true
    countOpenUsers(live.cid)
  }

  /** After a raise there is more to ask for; after a cut, free money is not promised until the database allows it. */
  function editLimits(account: Account, from: number[], to: number[]): void {
    if (to.every((micros, n) => micros === from[n])) return
    if (!node) {
      account.grantedMicros = to[0]!
      log.budget(account)
      return
    }
    const { share } = account
    if (to.some((micros, n) => micros < from[n]!))
      account.grantedMicros = Math.min(account.grantedMicros, account.spentMicros + account.reservedMicros)
    // The answer says which limit it is short of, and what is left of the others.
    askAfresh(share)
    askAtOnce(account)
  }

  /** This walks through all open ads, perhaps two million, so it is skipped for a campaign that has none. */
  function countOpenUsers(cid: number): boolean {
    return !books.hasOpenAds(cid) || openAds.countOpenUsers(cid)
  }

  function loadCounted(cid: number, dayKey: number): void {
    const missing = books.ofCampaign(dayKey, cid).filter(account => account.countsMissing)
    if (missing.length === 0) return
    const isMissing = !countOpenUsers(cid)
    for (const account of missing) account.countsMissing = isMissing
  }

  function today(cid: number, nowMs: number): Day {
    return (campaigns.get(cid)?.calendar ?? options.calendar).dayAt(nowMs)
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

  const startParts = {
    ...{ books, caps, openAds, campaigns, short, isShared },
    hurry: () => node?.hurry(),
  }
  return {
    ...billing,
    setCampaign,
    removeCampaign: cid => void campaigns.delete(cid),
    check,
    reserve,
    beginClick(facts, nowMs) {
      openAds.expire(nowMs)
      return clickBills.begin(facts, nowMs)
    },
    expire: openAds.expire,
    spendable(cid, priceMicros, nowMs) {
      const campaign = campaigns.get(cid)
      const account = campaign && accountToday(campaign, cid, nowMs)
      if (!account) return 0
      const spentMicros = account.spentMicros + account.share.othersSpentMicros
      const ofDay = campaign.dailySpendMicros - spentMicros
      const ofPools = isPooled(campaign) ? account.share.poolMicros + roomOf(account) : ofDay
      const leftMicros = Math.max(0, Math.min(ofDay, ofPools))
      if (!campaign.even) return leftMicros
      if (isPlanDue(campaign.pace, nowMs))
        replan(campaign, account, campaign.calendar.dayAt(nowMs), unitOf(campaign, priceMicros), nowMs)
      return Math.min(leftMicros, campaign.pace.needMicros)
    },
    paceLag(cid, nowMs) {
      const campaign = campaigns.get(cid)
      if (!campaign) return 0
      const day = campaign.calendar.dayAt(nowMs)
      return paceLagOf(campaign, books.find(day.key, cid, payerAt(campaign, nowMs)), day, nowMs)
    },
    account: (cid, dayKey, payer) => books.find(dayKey, cid, payer),
    today,
    countsMissing(nowMs) {
      for (const cid of newlyCapped) {
        const isCapped = (campaigns.get(cid)?.freq ?? 0) > 0
        const isMissing = books.ofCampaign(today(cid, nowMs).key, cid).some(account => account.countsMissing)
        if (!isCapped || !isMissing) newlyCapped.delete(cid)
      }
      return Array.from(newlyCapped, cid => ({ cid, dayKey: today(cid, nowMs).key }))
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

/** The price of what a campaign is billed for: one impression or one click. */
function unitOf({ isByClick, priceMicros }: Campaign, impressionMicros: number): number {
  return isByClick ? priceMicros : impressionMicros
}
