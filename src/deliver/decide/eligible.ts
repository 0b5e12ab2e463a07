// Whether a persona that fits the request may be served in this place now: one test after the other, cheap ones first,
// each refusal with its name. Pure, except that it reads the ledger's books.

import type { LiveBanner, LiveCampaign, ServablePersona } from '../../budget/live.ts'
import { isOpenAt } from '../../kernel/time/hours.ts'
import { nearer, ofLedger, type SlotReason } from '../reasons.ts'
import type { Slot } from '../targeting/request.ts'
import { attributesOf } from './attributes.ts'
import type { Blocks } from './blocks.ts'
import type { ClickWorth, Place } from './place.ts'

/** Whether it may be served; if not, the reason is noted. */
export function passes(persona: ServablePersona, place: Place, worth?: ClickWorth): boolean {
  const refusal = refusalOf(persona, place, worth)
  if (refusal === null) return true
  const { slot, cappedUser, terms } = place
  place.reason = nearer(place.reason, refusal)
  terms.notes?.refused(slot.id, persona.pid, refusal)
  if (cappedUser?.asked?.has(persona.order.campaign.cid)) cappedUser.noted.push(persona.pid)
  return false
}

export function refusalOf(
  persona: ServablePersona,
  { slot, blocks, user, parts, terms }: Place,
  /** Missing: impressions are paid for, or no banner fits. */
  worth: ClickWorth | undefined,
): SlotReason | null {
  const { campaign } = persona.order
  const { nowMs } = terms
  if (!campaign.enabled) return 'paused'
  if (campaign.frozen) return 'frozen'
  if (flightAt(campaign, nowMs) === null) return 'not_in_flight'
  if (!isOpenAt(campaign.hours, nowMs)) return 'off_hours'
  if ((worth?.cpmMicros ?? campaign.cpmMicros) < slot.floorMicros) return 'floor'
  if (blocks.category(campaign.category)) return 'category_blocked'
  const banner = bannerRefusal(persona.banners, slot, blocks)
  if (banner) return banner
  if (blocks.nameless && campaign.company === undefined) return 'dsa_not_possible'
  const refusal = parts.ledger.check(campaign.cid, priceOf(campaign), user, nowMs, worth?.click)
  return refusal && ofLedger(refusal)
}

/** The flight in which the campaign delivers; null: none now. Flights of a campaign do not overlap. */
export function flightAt(campaign: LiveCampaign, nowMs: number): number | null {
  const nowS = Math.floor(nowMs / 1000)
  for (const flight of campaign.flights) if (nowS >= flight.startS && nowS < flight.endS) return flight.fid
  return null
}

/** The price of one impression, in whole micros; 0 where clicks are paid for. */
export function priceOf(campaign: LiveCampaign): number {
  return campaign.cpcMicros === undefined ? Math.ceil(campaign.cpmMicros / 1000) : 0
}

export function fittingBanners(persona: ServablePersona, slot: Slot, blocks: Blocks): LiveBanner[] {
  return persona.banners.filter(banner => refusalOfBanner(banner, slot, blocks) === null)
}

/** Null as soon as one fits; otherwise the reason against the one that came closest. */
function bannerRefusal(banners: readonly LiveBanner[], slot: Slot, blocks: Blocks): SlotReason | null {
  let nearest: SlotReason = 'size'
  for (const banner of banners) {
    const refusal = refusalOfBanner(banner, slot, blocks)
    if (refusal === null) return null
    if (refusal !== 'size') nearest = refusal
  }
  return nearest
}

function refusalOfBanner(banner: LiveBanner, slot: Slot, blocks: Blocks): SlotReason | null {
  if (!hasSize(slot, banner)) return 'size'
  if (slot.mimes !== null && !slot.mimes.includes(banner.type)) return 'type_not_allowed'
  if (slot.blockedAttributes.length > 0) {
    for (const attribute of attributesOf(banner)) {
      if (slot.blockedAttributes.includes(attribute)) return 'attribute_blocked'
    }
  }
  return blocks.domain(banner.adomain) ? 'advertiser_blocked' : null
}

function hasSize(slot: Slot, banner: LiveBanner): boolean {
  for (const size of slot.sizes) {
    if (size.width === banner.width && size.height === banner.height) return true
  }
  return false
}
