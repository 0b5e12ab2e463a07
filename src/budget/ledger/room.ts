// May this campaign spend now? The first refusal in the order of cost: the node, the money, the caps, the pace.

import { type DatedUser, userOn } from '../caps/caps.ts'
import { type CappedUser, capRefusalOf, isCappedUser, mayAsk } from '../caps/shared-caps.ts'
import { isPlanDue, passes } from '../pacing/pacing.ts'
import { roomOf } from '../shares/node-share.ts'
import { type Account, hasRoom } from './books.ts'
import { type Campaign, isPooled, paceLagOf, payerAt, replan } from './campaign.ts'
import { accountToday, type Desk } from './desk.ts'
import { type ClickTerms, expectedMicrosOf } from './expected-clicks.ts'
import type { ReserveRefusal } from './ledger-interface.ts'

const SPENT_REASONS = {
  day: 'budget_spent',
  month: 'month_spent',
  total: 'total_spent',
  balance: 'balance_spent',
} as const

export function refusalOf(
  desk: Desk,
  campaign: Campaign,
  account: Account,
  priceMicros: number,
  user: DatedUser | null,
  nowMs: number,
  click?: ClickTerms,
): ReserveRefusal | null {
  const { node, caps, clickBills, hasCapStore } = desk
  if (node && !node.mayPromise()) return 'cut_off'
  // A limit was lowered below what is granted: what ads do not use must be returned.
  if (account.share.poolMicros < 0)
    return shortageOf(desk, campaign, account, click?.priceMicros ?? priceMicros)
  const short = click
    ? clickBills.refusalOf(campaign, account, click, nowMs)
    : !hasRoom(account, priceMicros) && shortageOf(desk, campaign, account, priceMicros)
  if (short) return short
  if (campaign.freq === 0) return null
  const away = capsAway(desk, 0)
  if (away) return away
  if (!user) return 'no_user'
  if (account.countsMissing) return 'counts_missing'
  if (hasCapStore)
    return isCappedUser(user)
      ? sharedCapRefusal(campaign, account, click ? expectedMicrosOf(click) : priceMicros, user, nowMs)
      : null
  return caps.peek(account.dayKey, account.cid, userOn(user, account.dayKey), campaign.freq)
}

/** Why this node serves no campaign with a cap now, for ads of this length; null: it does. */
export function capsAway({ node, hasCapStore }: Desk, ttlMs: number): ReserveRefusal | null {
  if (!node || node.mayCap(ttlMs)) return null
  return hasCapStore ? 'caps_away' : 'caps_elsewhere'
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

export function passesNow(
  campaign: Campaign,
  account: Account,
  priceMicros: number,
  random: number,
  nowMs: number,
): boolean {
  planNow(campaign, account, priceMicros, nowMs)
  return passes(campaign.pace, priceMicros, random)
}

function planNow(campaign: Campaign, account: Account, impressionMicros: number, nowMs: number): void {
  if (!isPlanDue(campaign.pace, nowMs)) return
  // What the campaign is billed for: one impression or one click.
  const unitMicros = campaign.isByClick ? campaign.priceMicros : impressionMicros
  replan(campaign, account, campaign.calendar.dayAt(nowMs), unitMicros, nowMs)
}

/** Why there is no room: all of it is spent, other nodes have it for now, or it may still be granted to this node. */
export function shortageOf(
  desk: Desk,
  campaign: Campaign,
  account: Account,
  priceMicros: number,
): ReserveRefusal {
  const { share } = account
  if (!desk.node || spentMicrosOf(account) + priceMicros > campaign.dailySpendMicros) return 'budget_spent'
  // What is left here and elsewhere may pay for one only together.
  if (Math.max(0, roomOf(account)) + share.poolMicros + share.owedMicros >= priceMicros) {
    if (!share.isShort) askAtOnce(desk, account)
    return 'share_wait'
  }
  share.isShort = true
  return SPENT_REASONS[share.shortOf]
}

export function askAtOnce({ short, node }: Desk, account: Account): void {
  account.share.isShort = true
  short.add(account)
  node?.hurry()
}

/** What a campaign may still spend: today, or, if it is paced, in the ten minutes of its plan. */
export function spendableMicros(desk: Desk, cid: number, priceMicros: number, nowMs: number): number {
  const campaign = desk.campaigns.get(cid)
  const account = campaign && accountToday(desk, campaign, cid, nowMs)
  if (!account) return 0
  const ofDay = campaign.dailySpendMicros - spentMicrosOf(account)
  const ofPools = isPooled(campaign) ? account.share.poolMicros + roomOf(account) : ofDay
  const leftMicros = Math.max(0, Math.min(ofDay, ofPools))
  if (!campaign.even) return leftMicros
  planNow(campaign, account, priceMicros, nowMs)
  return Math.min(leftMicros, campaign.pace.needMicros)
}

export function paceLag({ campaigns, books }: Desk, cid: number, nowMs: number): number {
  const campaign = campaigns.get(cid)
  if (!campaign) return 0
  const day = campaign.calendar.dayAt(nowMs)
  return paceLagOf(campaign, books.find(day.key, cid, payerAt(campaign, nowMs)), day, nowMs)
}

/** Of the day, by all nodes. */
function spentMicrosOf({ spentMicros, share }: Account): number {
  return spentMicros + share.othersSpentMicros
}
