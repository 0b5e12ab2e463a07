// How ads that are paid by click compete with all others: each is worth what a thousand impressions of its banner are
// expected to bring at this source, 1000 × cpc × (clicks + 500 × m) / (imps + 500), where m is the usual click rate of
// the source and size. The index has them by the most that each may be worth; here they wait until all that follow in
// the search cost less than they are worth. A small part of all requests goes to banners about which little is known.

import type { LiveBanner, LiveCampaign, ServablePersona } from '../../budget/live.ts'
import { type ClickRates, expectedCpmMicros, expectedRate, isNewBanner } from '../click-rates/rates.ts'
import type { Slot } from '../targeting/request.ts'
import type { Blocks } from './blocks.ts'
import { fittingBanners, floorOf, passes } from './eligible.ts'
import type { ClickWorth, DecideParts, Place, Terms } from './place.ts'

export interface ClickOffer extends ClickWorth {
  persona: ServablePersona
}

/** The part of requests that goes to new banners. */
const LEARNING_SHARE = 0.02

export function isLearning({ byClick, random }: DecideParts, { source }: Terms): boolean {
  return (
    byClick !== undefined && byClick.pids.size > 0 && source?.allowsCpc === true && random() < LEARNING_SHARE
  )
}

/** Adds a persona to those that wait, who are in the order of their worth, the least first. */
export function addOffer(offers: ClickOffer[], persona: ServablePersona, place: Place): void {
  const worth = worthIn(place, persona)
  if (worth === undefined) {
    // No banner fits, or there is a reason before that.
    passes(persona, place)
    return
  }
  let at = offers.length
  while (at > 0 && offers[at - 1]!.cpmMicros >= worth.cpmMicros) at--
  offers.splice(at, 0, { ...worth, persona })
}

/** The dearest of those that wait, if it is worth more than `overMicros` and passes; null: there is none. */
export function nextOffer(offers: ClickOffer[], overMicros: number, place: Place): ClickOffer | null {
  while (offers.length > 0 && offers[offers.length - 1]!.cpmMicros > overMicros) {
    const offer = offers.pop()!
    if (passes(offer.persona, place, offer)) return offer
  }
  return null
}

export function worthIn(place: Place, persona: ServablePersona): ClickWorth | undefined {
  const { slot, blocks, parts, terms } = place
  if (!parts.byClick) return undefined
  const sourceId = terms.source?.sourceId ?? null
  return worthOf(persona, slot, blocks, parts.byClick.rates(), sourceId, place.isLearning)
}

/** What the best fitting banner of a persona is worth here; undefined: none fits, or it is not paid by click. */
export function worthOf(
  persona: ServablePersona,
  slot: Slot,
  blocks: Blocks,
  rates: ClickRates,
  /** Null: all sources. */
  sourceId: number | null,
  prefersNew = false,
): ClickWorth | undefined {
  const { cpcMicros } = persona.order.campaign
  if (cpcMicros === undefined) return undefined
  let best: ClickWorth | undefined
  let reaches = false
  for (const banner of fittingBanners(persona, slot, blocks)) {
    const known = rates.banner(banner.bid)
    const isNew = isNewBanner(known)
    const rate = expectedRate(known, rates.usual(sourceId, banner))
    const cpmMicros = expectedCpmMicros(cpcMicros, rate)
    // A banner below the floor of its size is only taken if all are.
    const reachesNow = slot.sizeFloors === undefined || cpmMicros >= floorOf(slot, banner)
    if (best && reachesNow !== reaches ? reaches : isWorse(rate, isNew, best, prefersNew)) continue
    reaches = reachesNow
    best = {
      cpmMicros,
      click: { priceMicros: cpcMicros, rate },
      banner,
      isNew,
    }
  }
  return best
}

function isWorse(rate: number, isNew: boolean, best: ClickWorth | undefined, prefersNew: boolean): boolean {
  if (best === undefined) return false
  return prefersNew && isNew !== best.isNew ? !isNew : rate <= best.click.rate
}

/** The most that a thousand impressions of a persona may be expected to bring, at any source. */
export function mostByClickMicros(
  { cpcMicros }: Pick<LiveCampaign, 'cpcMicros'>,
  banners: readonly LiveBanner[],
  rates: ClickRates,
): number {
  const highest = rates.highest()
  const most = Math.max(0, ...banners.map(({ bid }) => expectedRate(rates.banner(bid), highest)))
  return expectedCpmMicros(cpcMicros ?? 0, most)
}
