// A campaign that is new or was edited: what its accounts of today and tomorrow have now, and whose cap counts are
// missing until they are loaded.

import type { LiveCampaign } from '../live.ts'
import { askAfresh } from '../shares/node-share.ts'
import { EARLY_MS, isDue } from './asks.ts'
import { type Account, mustBeMicros } from './books.ts'
import { createCampaign, editCampaign, limitsOf } from './campaign.ts'
import { accountToday, calendarOf, type Desk, dayOf } from './desk.ts'
import { askAtOnce } from './room.ts'

export function setCampaign(desk: Desk, live: LiveCampaign, nowMs: number): void {
  const { books, campaigns, node, newlyCapped, isRestored } = desk
  mustBeMicros(live.dailySpendMicros)
  const calendar = calendarOf(desk, live)
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
    editLimits(desk, account, limits[n]!, limitsOf(campaign, account.payer))
  })
  if (node && isRestored && isDue(campaign, nowMs)) {
    const account = accountToday(desk, campaign, live.cid, nowMs)
    if (account?.share.isNew) askAtOnce(desk, account)
  }
  if (wasCapped || live.freq === 0) return
  newlyCapped.add(live.cid)
  // Another node may have shown it: the counts so far are loaded before new ones are taken.
  const today = desk.hasCapStore && isRestored ? accountToday(desk, campaign, live.cid, nowMs) : null
  if (today) today.countsMissing = true
  countOpenUsers(desk, live.cid)
}

/** After a raise there is more to ask for; after a cut, free money is not promised until the database allows it. */
function editLimits(desk: Desk, account: Account, from: number[], to: number[]): void {
  if (to.every((micros, n) => micros === from[n])) return
  if (!desk.node) {
    account.grantedMicros = to[0]!
    desk.log.budget(account)
    return
  }
  if (to.some((micros, n) => micros < from[n]!))
    account.grantedMicros = Math.min(account.grantedMicros, account.spentMicros + account.reservedMicros)
  // The answer says which limit it is short of, and what is left of the others.
  askAfresh(account.share)
  askAtOnce(desk, account)
}

/** This walks through all open ads, perhaps two million, so it is skipped for a campaign that has none. */
function countOpenUsers({ books, openAds }: Desk, cid: number): boolean {
  return !books.hasOpenAds(cid) || openAds.countOpenUsers(cid)
}

/** Campaigns that got a cap after they had served without one: they are refused until their counts are loaded. */
export function countsMissing(desk: Desk, nowMs: number): { cid: number; dayKey: number }[] {
  const { books, campaigns, newlyCapped } = desk
  for (const cid of newlyCapped) {
    const isCapped = (campaigns.get(cid)?.freq ?? 0) > 0
    const accounts = books.ofCampaign(dayOf(desk, cid, nowMs).key, cid)
    if (!isCapped || !accounts.some(account => account.countsMissing)) newlyCapped.delete(cid)
  }
  return Array.from(newlyCapped, cid => ({ cid, dayKey: dayOf(desk, cid, nowMs).key }))
}

export function loadCounted(desk: Desk, cid: number, dayKey: number): void {
  const missing = desk.books.ofCampaign(dayKey, cid).filter(account => account.countsMissing)
  if (missing.length === 0) return
  const isMissing = !countOpenUsers(desk, cid)
  for (const account of missing) account.countsMissing = isMissing
}
