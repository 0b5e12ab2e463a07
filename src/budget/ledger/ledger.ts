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

import { type DatedUser, userOn } from '../caps/caps.ts'
import { isCappedUser, type OpenCapCount } from '../caps/shared-caps.ts'
import { learnEnd } from '../pacing/pacing.ts'
import { AD_ID_CHARS, type Ad, type AdFacts } from './ad.ts'
import { createAsking } from './asks.ts'
import { createBilling } from './billing.ts'
import { type Account, createBooks, hasRoom, mustBeMicros } from './books.ts'
import { createClickBills } from './click-bills.ts'
import { accountOf, accountToday, closeDays, type Desk, dayOf } from './desk.ts'
import { countsMissing, loadCounted, setCampaign } from './edits.ts'
import { type ClickTerms, expectClick, expectedMicrosOf } from './expected-clicks.ts'
import type { Ledger, LedgerOptions, ReserveRefusal, Wish } from './ledger-interface.ts'
import { createOpenAds } from './open-ads.ts'
import { askAtOnce, capsAway, paceLag, passesNow, refusalOf, shortageOf, spendableMicros } from './room.ts'
import { restoreBooks, snapshotBooks } from './start.ts'

export function createLedger(options: LedgerOptions): Ledger {
  const desk = openDesk(options)
  const { books, campaigns, openAds, clickBills, log, node } = desk
  const billing = createBilling(
    openAds,
    (facts, chargeMicros, nowMs) => readmit(desk, facts, chargeMicros, nowMs),
    ad => log.ended(ad, 'freed'),
  )
  const parts = { ...desk, isShared: node !== undefined, hurry: () => node?.hurry() }
  return {
    ...billing,
    setCampaign: (live, nowMs) => setCampaign(desk, live, nowMs),
    removeCampaign: cid => void campaigns.delete(cid),
    check: (cid, priceMicros, user, nowMs, click) => check(desk, cid, priceMicros, user, nowMs, click),
    reserve: (wish, nowMs) => reserve(desk, wish, nowMs),
    beginClick(facts, nowMs) {
      openAds.expire(nowMs)
      return clickBills.begin(facts, nowMs)
    },
    expire: openAds.expire,
    spendable: (cid, priceMicros, nowMs) => spendableMicros(desk, cid, priceMicros, nowMs),
    paceLag: (cid, nowMs) => paceLag(desk, cid, nowMs),
    account: (cid, dayKey, payer) => books.find(dayKey, cid, payer),
    today: (cid, nowMs) => dayOf(desk, cid, nowMs),
    countsMissing: nowMs => countsMissing(desk, nowMs),
    loadCounted: (cid, dayKey) => loadCounted(desk, cid, dayKey),
    openAds: cid => (books.hasOpenAds(cid) ? [...openOnes(desk)].filter(ad => ad.cid === cid) : []),
    isOpen: adId => openAds.get(adId)?.state === 'open',
    openCapCounts: nowMs => openCapCounts(desk, nowMs),
    *restore(restored, nowMs) {
      yield* restoreBooks(parts, restored, nowMs)
      desk.isRestored = true
    },
    snapshot: () => snapshotBooks(parts),
    asking: createAsking(parts),
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

/** Its parts know each other through it: they are made one after the other, and called later. */
function openDesk(options: LedgerOptions): Desk {
  const { calendar, caps, log, maxTtlMs, maxAds, node, hasCapStore = false, nowMs } = options
  const books = createBooks(maxTtlMs)
  const campaigns: Desk['campaigns'] = new Map()
  const openAds = createOpenAds({
    ...{ books, caps, campaigns, log, nowMs },
    accountClosed(account) {
      const campaign = campaigns.get(account.cid)
      if (campaign?.account === account) campaign.account = null
    },
    daysClosed: atMs => closeDays(desk, atMs),
  })
  const clickBills = createClickBills({
    ...{ campaigns, isShared: node !== undefined },
    accountOf: (campaign, cid, payer, atMs) => accountOf(desk, campaign, cid, payer, atMs),
    shortage: (campaign, account, priceMicros) => shortageOf(desk, campaign, account, priceMicros),
    askAtOnce: account => askAtOnce(desk, account),
  })
  const desk: Desk = {
    ...{ calendar, caps, log, maxTtlMs, maxAds, node, hasCapStore },
    ...{ books, campaigns, openAds, clickBills },
    short: new Set(),
    newlyCapped: new Set(),
    isRestored: false,
  }
  return desk
}

function check(
  desk: Desk,
  cid: number,
  priceMicros: number,
  user: DatedUser | null,
  nowMs: number,
  click?: ClickTerms,
): ReserveRefusal | null {
  desk.openAds.expire(nowMs)
  const campaign = desk.campaigns.get(cid)
  if (!campaign) return 'unknown_campaign'
  const account = accountToday(desk, campaign, cid, nowMs)
  return account ? refusalOf(desk, campaign, account, priceMicros, user, nowMs, click) : 'day_closed'
}

function reserve(desk: Desk, wish: Wish, nowMs: number): AdFacts | ReserveRefusal {
  const { openAds, campaigns, maxTtlMs } = desk
  const { adId, cid, priceMicros, click, user, ttlMs } = wish
  mustBeMicros(priceMicros)
  if (adId.length !== AD_ID_CHARS) throw new RangeError(`'${adId}' is not an ad id`)
  if (!(ttlMs > 0 && ttlMs <= maxTtlMs)) throw new RangeError(`ttlMs ${ttlMs} is not in (0, ${maxTtlMs}]`)
  openAds.expire(nowMs)
  if (openAds.size() >= desk.maxAds) return 'ledger_full'
  if (openAds.has(adId)) return 'duplicate_ad'
  const campaign = campaigns.get(cid)
  if (!campaign) return 'unknown_campaign'
  const account = accountToday(desk, campaign, cid, nowMs)
  if (!account) return 'day_closed'
  const refusal = refusalOf(desk, campaign, account, priceMicros, user, nowMs, click)
  if (refusal) return refusal
  const away = campaign.freq > 0 && capsAway(desk, ttlMs)
  if (away) return away
  const hasPassed = user !== null && isCappedUser(user) && user.passed.has(cid)
  const costMicros = click ? expectedMicrosOf(click) : priceMicros
  if (campaign.even && !hasPassed && !passesNow(campaign, account, costMicros, wish.random, nowMs))
    return 'pacing'
  const { payer, dayKey } = account
  const hash = user && userOn(user, dayKey)
  const facts = { adId, cid, payer, dayKey, priceMicros, reservedUntilMs: nowMs + ttlMs, user: hash }
  admit(desk, facts, account, nowMs)
  if (click) {
    expectClick(campaign.clicks, click.rate, nowMs)
    account.share.usedMicros += costMicros
    learnEnd(campaign.pace, costMicros, 0)
  }
  return facts
}

function admit({ openAds, log }: Desk, facts: AdFacts, account: Account, nowMs: number): void {
  openAds.admit(facts, account)
  account.share.promisedMs = nowMs
  account.share.usedMicros += facts.priceMicros
  log.reserved(facts, account.grantedMicros)
}

/**
 * An ad in time that is not in the books: a loss notice freed it, or the process that reserved it died before its
 * journal was written. It is billed if its day still has the money and its user's cap still has room.
 */
function readmit(desk: Desk, facts: AdFacts, chargeMicros: number, nowMs: number): Ad | null {
  const { books, campaigns, caps, openAds, maxAds } = desk
  const campaign = campaigns.get(facts.cid)
  let account: Account | null | undefined = books.find(facts.dayKey, facts.cid, facts.payer)
  if (!account && campaign && facts.dayKey === campaign.calendar.dayAt(nowMs).key)
    account = accountToday(desk, campaign, facts.cid, nowMs)
  if (account?.payer !== facts.payer) return null
  if (!hasRoom(account, chargeMicros) || openAds.size() >= 2 * maxAds) return null
  if (campaign && campaign.freq > 0 && facts.user) {
    if (account.countsMissing) return null
    if (caps.peek(facts.dayKey, facts.cid, facts.user, campaign.freq)) return null
  }
  admit(desk, { ...facts, priceMicros: chargeMicros }, account, nowMs)
  return openAds.get(facts.adId)!
}

function* openOnes({ openAds }: Desk): Generator<AdFacts> {
  for (const ad of openAds.all()) if (ad.state === 'open') yield ad
}

function openCapCounts(desk: Desk, nowMs: number): OpenCapCount[] {
  const counts: OpenCapCount[] = []
  for (const { cid, dayKey, adId, user, reservedUntilMs } of openOnes(desk))
    if (user && (desk.campaigns.get(cid)?.freq ?? 0) > 0)
      counts.push({ cid, dayKey, adId, user, leftMs: Math.max(0, reservedUntilMs - nowMs) })
  return counts
}
