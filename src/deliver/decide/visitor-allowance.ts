// What a visitor's address may still get unseen, for `decide`, and the callback for an ad that it did not get.

import { idsOf } from '../../count/tracking/batcher.ts'
import {
  type UnseenRefusal,
  type VisitorLimits,
  visitorOf,
  type Wish,
} from '../../count/tracking/visitor-limits.ts'
import type { Offer, VisitorAllowance } from './place.ts'

/** `isVouchedFor`: the server of a site asks on behalf of the address. */
export type VisitorAllowanceOf = (
  sourceId: number,
  address: string,
  isVouchedFor: boolean,
) => VisitorAllowance

export type OnUnserved = (ids: number[], reason: UnseenRefusal) => void

/** `refused` is called with the ids of the ad, from the customer to the banner. */
export function visitorAllowancesBy(limits: VisitorLimits, refused: OnUnserved): VisitorAllowanceOf {
  return (sourceId, address, isVouchedFor) => {
    const visitor = visitorOf(sourceId, address, isVouchedFor)
    return {
      isFull: nowMs => limits.isFull(visitor, nowMs),
      refusalOf: (ad, spendableMicros, terms) =>
        limits.refusalOf(visitor, wishOf(ad), spendableMicros, terms.nowMs),
      addUnseen: (adId, ad, terms) => limits.addUnseen(visitor, adId, wishOf(ad), terms.nowMs),
      refused: ({ campaign: { cuid, cid }, fid, banner: { pid, bid } }, reason) =>
        refused(idsOf({ cuid, cid, fid, pid, bid }), reason),
    }
  }
}

function wishOf({ campaign: { cid, dailySpendMicros, cpcMicros }, priceMicros, dayKey }: Offer): Wish {
  return { cid, priceMicros, clickMicros: cpcMicros, dayKey, dailyMicros: dailySpendMicros }
}
