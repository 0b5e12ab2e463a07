// A visitor's address for `decide`: what it holds under the limits, and the callback for an ad that it did not get.

import { idsOf } from '../tracking/batcher.ts'
import { type VisitorLimits, visitorOf } from '../tracking/visitor-limits.ts'
import type { Holder, Offer } from './decide.ts'

export type HolderOf = (sourceId: number, address: string) => Holder

/** `refused`: called with the ids of the ad, from the customer to the banner. */
export function holdersBy(limits: VisitorLimits, refused: (ids: number[]) => void): HolderOf {
  return (sourceId, address) => {
    const visitor = visitorOf(sourceId, address)
    return {
      isFull: nowMs => limits.isFull(visitor, nowMs),
      mayHold: (ad, spendableMicros, nowMs) => limits.mayHold(visitor, wishOf(ad), spendableMicros, nowMs),
      hold: (adId, ad, nowMs) => limits.hold(visitor, adId, wishOf(ad), nowMs),
      refused: ({ campaign: { cuid, cid }, fid, banner: { pid, bid } }) =>
        refused(idsOf({ cuid, cid, fid, pid, bid })),
    }
  }
}

function wishOf({ campaign: { cid }, priceMicros }: Offer) {
  return { cid, priceMicros }
}
