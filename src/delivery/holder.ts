// A visitor's address for `decide`: what it holds under the limits, and the callback for an ad that it did not get.

import { idsOf } from '../tracking/batcher.ts'
import { type HoldRefusal, type VisitorLimits, visitorOf, type Wish } from '../tracking/visitor-limits.ts'
import type { Holder, Offer, Terms } from './decide.ts'

/** `isVouchedFor`: the server of a site asks for it. */
export type HolderOf = (sourceId: number, address: string, isVouchedFor: boolean) => Holder

export type OnUnserved = (ids: number[], reason: HoldRefusal) => void

/** `refused`: called with the ids of the ad, from the customer to the banner. */
export function holdersBy(limits: VisitorLimits, refused: OnUnserved): HolderOf {
  return (sourceId, address, isVouchedFor) => {
    const visitor = visitorOf(sourceId, address, isVouchedFor)
    return {
      isFull: nowMs => limits.isFull(visitor, nowMs),
      refusalOf: (ad, spendableMicros, terms) =>
        limits.refusalOf(visitor, wishOf(ad, terms), spendableMicros, terms.nowMs),
      hold: (adId, ad, terms) => limits.hold(visitor, adId, wishOf(ad, terms), terms.nowMs),
      refused: ({ campaign: { cuid, cid }, fid, banner: { pid, bid } }, reason) =>
        refused(idsOf({ cuid, cid, fid, pid, bid }), reason),
    }
  }
}

function wishOf({ campaign: { cid, dailySpendMicros }, priceMicros }: Offer, { dayKey }: Terms): Wish {
  return { cid, priceMicros, dayKey, dailyMicros: dailySpendMicros }
}
