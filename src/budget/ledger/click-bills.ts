// Clicks that are paid for: whether the money covers the click of one more ad, and the bill of a counted click, around
// the database's transaction. The day of the click pays, from the share of the node that got it; if that is empty, from
// the share of the node that served the ad. If the ad's flight has a total, that flight pays, even if another one runs
// now. Reports of one click at the same time set its money aside once; only the database says which came first.

import { learnEnd, type Pace } from '../pacing/pacing.ts'
import { roomOf } from '../shares/node-share.ts'
import type { ClickBill, ClickFacts, ClickRefusal } from './ad.ts'
import { type Account, hasRoom, mustBeMicros } from './books.ts'
import { type Campaign, hasEnded } from './campaign.ts'
import { type ClickTerms, clicksToCover } from './expected-clicks.ts'
import type { ReserveRefusal } from './ledger-interface.ts'

export interface ClickBillParts {
  campaigns: ReadonlyMap<number, Campaign>
  /** There are other nodes, or may be. */
  isShared: boolean
  /** Today's account of `payer`: a flight that has a total, or (0) the campaign alone. */
  accountOf(campaign: Campaign, cid: number, payer: number, nowMs: number): Account | null
  shortage(campaign: Campaign, account: Account, priceMicros: number): ReserveRefusal
  askAtOnce(account: Account): void
}

export interface ClickBills {
  /** Why no more ads whose click is paid for may be served; null: they may. */
  refusalOf(campaign: Campaign, account: Account, terms: ClickTerms, nowMs: number): ReserveRefusal | null
  begin(facts: ClickFacts, nowMs: number): ClickBill | ClickRefusal
}

/**
 * It has ended, which the catalog notices later; or it is off and pays for impressions now, so that `dailySpendAll`
 * does not count it.
 */
function paysNoMore(campaign: Campaign, nowMs: number): boolean {
  return hasEnded(campaign, nowMs) || !(campaign.enabled || campaign.isByClick)
}

export function createClickBills(parts: ClickBillParts): ClickBills {
  const { campaigns, isShared, accountOf, shortage, askAtOnce } = parts
  const pending = new Map<string, ClickBill>()

  /** What is left here, plus this node's part of what was granted to no node. */
  function leftMicros(account: Account): number {
    const { poolMicros, nodes } = account.share
    const isKnown = isShared && Number.isFinite(poolMicros)
    return roomOf(account) + (isKnown ? Math.max(0, poolMicros) / nodes : 0)
  }

  function setAside({ adId, priceMicros }: ClickFacts, account: Account, pace: Pace): ClickBill {
    account.reservedMicros += priceMicros
    account.openAds++
    const bill = {
      dayKey: account.dayKey,
      lastMs: account.endMs - 1,
      settle(isCharged: boolean) {
        pending.delete(adId)
        account.reservedMicros -= priceMicros
        account.openAds--
        if (!isCharged) return
        account.spentMicros += priceMicros
        learnEnd(pace, 0, priceMicros)
      },
    }
    pending.set(adId, bill)
    return bill
  }

  return {
    refusalOf(campaign, account, { priceMicros, rate }, nowMs) {
      const micros = leftMicros(account)
      if (micros < priceMicros) return shortage(campaign, account, priceMicros)
      if (account.share.isResting && !account.share.isShort) askAtOnce(account)
      const toCover = priceMicros * clicksToCover(campaign.clicks, rate, nowMs)
      return micros >= toCover ? null : 'clicks_expected'
    },
    begin(facts, nowMs) {
      const { adId, cid, payer = 0, priceMicros } = facts
      mustBeMicros(priceMicros)
      const underWay = pending.get(adId)
      if (underWay) return { ...underWay, settle: () => undefined }
      const campaign = campaigns.get(cid)
      if (campaign && paysNoMore(campaign, nowMs)) return 'unbilled_budget'
      const account = campaign && accountOf(campaign, cid, payer, nowMs)
      if (!account) return 'unbilled_budget'
      if (hasRoom(account, priceMicros)) return setAside(facts, account, campaign.pace)
      if (shortage(campaign, account, priceMicros) === 'share_wait') return 'share_wait'
      const spentMicros = account.spentMicros + account.share.othersSpentMicros
      return spentMicros + priceMicros > campaign.dailySpendMicros ? 'unbilled_budget' : 'held_elsewhere'
    },
  }
}
