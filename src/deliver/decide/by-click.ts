// How ads that are paid by click compete with all others: each is worth what a thousand impressions of its banner are
// expected to bring at this source, 1000 × cpc × (clicks + 500 × m) / (imps + 500), where m is the usual click rate of
// the source and size. Their index is ordered by the most that each may be worth, so the search ends when nothing
// better can follow. A small part of all requests goes to banners about which too little is known.

import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { LiveBanner, LiveCampaign, ServablePersona } from '../../budget/live.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import { type ClickRates, expectedCpmMicros, expectedRate, isNewBanner } from '../click-rates/rates.ts'
import type { SlotReason } from '../reasons.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'
import type { PreparedRequest } from '../targeting/prepare.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import type { Blocks } from './blocks.ts'
import { type Asker, type ClickWorth, fittingBanners, refusalOf } from './eligible.ts'

export interface ByClickParts {
  /** Ordered by the most that a thousand impressions of a persona may be expected to bring. */
  index: Pick<TargetingIndex, 'prepare' | 'search' | 'size'>
  rates: () => ClickRates
}

export interface ClickOffer extends ClickWorth {
  persona: ServablePersona
  banner: LiveBanner
}

interface ChoiceParts {
  catalog: Pick<ReadonlyCatalog, 'personas'>
  ledger: Pick<Ledger, 'check'>
  byClick?: ByClickParts
  random(): number
}

/** What the search for one place needs. */
export interface ByClickChoice {
  prepared: PreparedRequest
  slot: Slot
  asker: Asker
  parts: ChoiceParts
  byClick: ByClickParts
  sourceId: number
  /** This request prefers banners about which too little is known. */
  isLearning: boolean
}

/** The part of requests that goes to new banners. */
const LEARNING_SHARE = 0.02
/** The most personas that are examined for one place. */
const MOST_LOOKED_AT = 64

/** Null: there are no such campaigns. */
export function prepareByClick(request: AdRequest, parts: ByClickParts | undefined): PreparedRequest | null {
  return parts && parts.index.size > 0 ? parts.index.prepare(request) : null
}

/** Null: no ads that are paid by click may be shown here. */
export function byClickChoice(
  prepared: PreparedRequest | null,
  slot: Slot,
  asker: Asker,
  parts: ChoiceParts,
  source: { sourceId: number; allowsCpc: boolean } | null,
): ByClickChoice | null {
  const { byClick } = parts
  if (prepared === null || !byClick || !source?.allowsCpc) return null
  const isLearning = parts.random() < LEARNING_SHARE
  return { prepared, slot, asker, parts, byClick, sourceId: source.sourceId, isLearning }
}

/** The best ad worth more than `overMicros`; if the request is for learning, the best new one. Null: none. */
export function bestByClick(
  choice: ByClickChoice,
  overMicros: number,
  isHeldBack: (cid: number) => boolean | undefined,
  note: (persona: ServablePersona, refusal: SlotReason) => void,
): ClickOffer | null {
  const { prepared, slot, asker, parts, byClick, sourceId, isLearning } = choice
  const { personas } = parts.catalog
  const rates = byClick.rates()
  let best: ClickOffer | null = null
  let bestNew: ClickOffer | null = null
  let looked = 0
  byClick.index.search(prepared, slot, (pid, mostMicros) => {
    const persona = personas.get(pid)
    if (!isLearning && mostMicros <= Math.max(overMicros, best?.cpmMicros ?? 0)) return true
    if (persona === undefined || isHeldBack(persona.order.campaign.cid)) return false
    const worth = worthOf(persona, slot, asker.blocks, rates, sourceId, isLearning)
    const offer = worth && { ...worth, persona }
    const refusal = refusalOf(persona, slot, asker, parts.ledger, offer)
    if (refusal !== null) note(persona, refusal)
    else if (offer) {
      if (offer.cpmMicros > Math.max(overMicros, best?.cpmMicros ?? 0)) best = offer
      if (offer.isNew && offer.cpmMicros > (bestNew?.cpmMicros ?? -1)) bestNew = offer
    }
    return ++looked >= MOST_LOOKED_AT
  })
  return isLearning ? (bestNew ?? best) : best
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
): (ClickWorth & { banner: LiveBanner; isNew: boolean }) | undefined {
  const { cpcMicros } = persona.order.campaign
  if (cpcMicros === undefined) return undefined
  let best: (ClickWorth & { banner: LiveBanner; isNew: boolean }) | undefined
  for (const banner of fittingBanners(persona, slot, blocks)) {
    const known = rates.banner(banner.bid)
    const isNew = isNewBanner(known)
    const rate = expectedRate(known, rates.usual(sourceId, banner))
    const isBetter = best === undefined || rate > best.click.rate
    if (prefersNew && best && isNew !== best.isNew ? !isNew : !isBetter) continue
    best = {
      cpmMicros: expectedCpmMicros(cpcMicros, rate),
      click: { priceMicros: cpcMicros, rate },
      banner,
      isNew,
    }
  }
  return best
}

/** Whether the request fits any persona that is paid by click, whatever it is worth. */
export function isMeantByClick(slot: Slot, prepared: PreparedRequest, { index }: ByClickParts): boolean {
  return index.search(prepared, { ...slot, floorMicros: 0 }, () => true, 1).length > 0
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
