// Whether a persona that fits the request may be served in this place now: one test after the other, cheap ones first,
// each refusal with its name. Pure, except that it reads the ledger's books.

import type { LiveBanner, LiveCampaign, ServablePersona } from '../../budget/live.ts'
import { allowsSite, type SiteRules } from '../../kernel/sites.ts'
import { isOpenAt } from '../../kernel/time/hours.ts'
import { nearer, ofLedger, type SlotReason } from '../reasons.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import { attributesOf } from './attributes.ts'
import type { Blocks } from './blocks.ts'
import type { ClickWorth, Place, Terms } from './place.ts'

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
  { slot, prepared, blocks, user, parts, terms }: Place,
  /** Missing: impressions are paid for, or no banner fits. */
  worth: ClickWorth | undefined,
): SlotReason | null {
  const { campaign } = persona.order
  const { nowMs } = terms
  if (!campaign.enabled) return 'paused'
  if (campaign.frozen) return 'frozen'
  if (flightAt(campaign, nowMs) === null) return 'not_in_flight'
  if (!isOpenAt(campaign.hours, nowMs)) return 'off_hours'
  if (campaign.sites !== undefined && !allowsRequest(campaign.sites, prepared.request, terms.source))
    return 'site_not_allowed'
  const cpmMicros = worth?.cpmMicros ?? campaign.cpmMicros
  if (cpmMicros < (worth ? floorOf(slot, worth.banner) : slot.floorMicros)) return 'floor'
  if (blocks.category(campaign.category)) return 'category_blocked'
  const banner = bannerRefusal(persona.banners, slot, blocks, worth ? Number.POSITIVE_INFINITY : cpmMicros)
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

/** Whether it may be shown there. A server of a site need not name the page: it is then one of that site. */
export function allowsRequest(
  sites: SiteRules,
  { site, app }: Pick<AdRequest, 'site' | 'app'>,
  source: Terms['source'],
): boolean {
  return allowsSite(sites, site ?? source?.domain ?? null, app, source?.sourceId ?? null)
}

/** Where clicks are paid for, floors are compared later, with what each banner is expected to bring. */
export function fittingBanners(persona: ServablePersona, slot: Slot, blocks: Blocks): LiveBanner[] {
  const { cpcMicros, cpmMicros } = persona.order.campaign
  const micros = cpcMicros === undefined ? cpmMicros : Number.POSITIVE_INFINITY
  return persona.banners.filter(banner => refusalOfBanner(banner, slot, blocks, micros) === null)
}

/** The floor for a banner, which is that of its size. */
export function floorOf({ sizes, sizeFloors, floorMicros }: Slot, { width, height }: LiveBanner): number {
  if (sizeFloors === undefined) return floorMicros
  const at = sizes.findIndex(size => size.width === width && size.height === height)
  return sizeFloors[at] ?? floorMicros
}

/** The slot as one persona sees it: its floor is the lowest of the sizes that the persona has. */
export function slotFor(persona: ServablePersona, slot: Slot): Slot {
  if (slot.sizeFloors === undefined) return slot
  const { sizeFloors: _, ...plain } = slot
  const fitting = persona.banners.filter(banner => hasSize(slot, banner))
  const floors = fitting.map(banner => floorOf(slot, banner))
  return { ...plain, floorMicros: floors.length === 0 ? slot.floorMicros : Math.min(...floors) }
}

/** Null as soon as one fits; otherwise the reason against the one that came closest. */
function bannerRefusal(
  banners: readonly LiveBanner[],
  slot: Slot,
  blocks: Blocks,
  cpmMicros: number,
): SlotReason | null {
  let nearest: SlotReason = 'size'
  for (const banner of banners) {
    const refusal = refusalOfBanner(banner, slot, blocks, cpmMicros)
    if (refusal === null) return null
    if (refusal !== 'size') nearest = refusal
  }
  return nearest
}

function refusalOfBanner(
  banner: LiveBanner,
  slot: Slot,
  blocks: Blocks,
  cpmMicros: number,
): SlotReason | null {
  if (!hasSize(slot, banner)) return 'size'
  if (slot.sizeFloors !== undefined && cpmMicros < floorOf(slot, banner)) return 'floor'
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
