// What the parts of the ledger share: the books, the campaigns, the open ads; and whose account of which day pays now.

import type { Calendar, Day } from '../../kernel/time/day.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import type { LiveCampaign } from '../live.ts'
import { askAfresh } from '../shares/node-share.ts'
import type { Account, Books } from './books.ts'
import { type Campaign, payerAt } from './campaign.ts'
import type { ClickBills } from './click-bills.ts'
import type { LedgerOptions } from './ledger-interface.ts'
import type { OpenAds } from './open-ads.ts'

export interface Desk
  extends Pick<LedgerOptions, 'calendar' | 'caps' | 'log' | 'maxTtlMs' | 'maxAds' | 'node' | 'hasCapStore'> {
  books: Books
  campaigns: Map<number, Campaign>
  /** Accounts that need money at once. */
  short: Set<Account>
  /** Campaigns that got a cap since they were last asked about, or still lack their counts; others need no check. */
  newlyCapped: Set<number>
  openAds: OpenAds
  clickBills: ClickBills
  isRestored: boolean
}

export function accountToday(desk: Desk, campaign: Campaign, cid: number, nowMs: number): Account | null {
  const { key: dayKey } = campaign.calendar.dayAt(nowMs)
  const payer = payerAt(campaign, nowMs)
  const last = campaign.account
  if (last?.dayKey === dayKey && last.payer === payer) return last
  const account = openAccount(desk, campaign, cid, payer, dayKey)
  // An account opened before the clock was set back may have an older budget.
  if (account && !desk.node) account.grantedMicros = campaign.dailySpendMicros
  // The flight before it returns its part of the day.
  if (account && last?.dayKey === dayKey) askAfresh(account.share)
  campaign.account = account
  campaign.pace.stale = true
  return campaign.account
}

/** Today's account of `payer`, even if another one pays now. */
export function accountOf(
  desk: Desk,
  campaign: Campaign,
  cid: number,
  payer: number,
  nowMs: number,
): Account | null {
  if (payer === payerAt(campaign, nowMs)) return accountToday(desk, campaign, cid, nowMs)
  return openAccount(desk, campaign, cid, payer, campaign.calendar.dayAt(nowMs).key)
}

/** Nothing is granted until the node has asked; without other nodes, every budget is entirely ours. */
function openAccount(
  { books, node }: Desk,
  campaign: Campaign,
  cid: number,
  payer: number,
  dayKey: number,
): Account | null {
  return books.open(dayKey, cid, node ? 0 : campaign.dailySpendMicros, campaign.calendar, payer)
}

export function dayOf({ campaigns, calendar }: Desk, cid: number, nowMs: number): Day {
  return (campaigns.get(cid)?.calendar ?? calendar).dayAt(nowMs)
}

export function calendarOf({ calendar }: Desk, { zones }: LiveCampaign): Calendar {
  const isOwn = zones && (zones.timezone !== null || zones.before.length > 0)
  return isOwn ? calendarIn(zones, calendar.zone) : calendar
}

/** The counts of a date are for all customers: they are dropped when the last customer's day is over. */
export function closeDays({ campaigns, caps, books, maxTtlMs }: Desk, nowMs: number): void {
  const calendars = new Set<Calendar>()
  for (const { calendar } of campaigns.values()) calendars.add(calendar)
  for (const dayKey of caps.days()) {
    const isOpen = (calendar: Calendar) => (calendar.dayOfKey(dayKey)?.endMs ?? 0) + maxTtlMs > nowMs
    if (!books.hasDay(dayKey) && ![...calendars].some(isOpen)) caps.dropDay(dayKey)
  }
}
