// Reads a bid request of OpenRTB 2.5 or 2.6 as an ad request of ours. Tolerant: an optional field of the wrong type
// counts as missing. Bounded: lists are read only up to a limit. It never throws: a request is fit, malformed or
// unwanted.

import { osOf } from '../audience/device.ts'
import { userKey, userKeyOnDates } from '../audience/user.ts'
import type { RequestRefusal } from '../reasons.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import { attributesOf } from './attributes.ts'
import { blockedCategoriesOf, blockedDomainsOf } from './blocks.ts'
import { contentOf } from './content.ts'
import type { BidContext } from './context.ts'
import { type DsaDemand, dsaDemandOf } from './dsa.ts'
import { placeOfRequest } from './geo.ts'
import { type SlotTerms, slotOfImp } from './imp.ts'
import { privacyOf } from './privacy.ts'
import { type Fields, fieldsOf, isSet, listOf, lists, mayList, numberOf, textOf } from './read.ts'
import { agentOf, ageOf, deviceOfRequest, genderOf, userSignsOf } from './user.ts'

/** What the answer needs besides the ad request: for each slot id, the deal and how long the bid is valid. */
export type ReplyTerms = ReadonlyMap<string, SlotTerms>

export type ParsedBidRequest =
  | { request: AdRequest; terms: ReplyTerms; dsa: DsaDemand | null }
  | { malformed: string }
  | { noBid: RequestRefusal }

export const MOST_IMPS = 100
const LONGEST_ID = 1024
const MOST_SEATS = 1000

export function parseBidRequest(json: unknown, context: BidContext): ParsedBidRequest {
  const fields = fieldsOf(json)
  if (!fields) return { malformed: 'the bid request is not an object' }
  const id = textOf(fields.id, LONGEST_ID)
  if (id === null) return { malformed: 'id: a text of 1 to 1024 characters is required' }
  const imps = listOf(fields.imp)
  if (!imps) return { malformed: 'imp: at least one is required' }
  const unwanted = refusalOf(fields, context)
  if (unwanted) return { noBid: unwanted }

  const device = fieldsOf(fields.device)
  const slots: Slot[] = []
  const terms = new Map<string, SlotTerms>()
  const refusal = readImps(imps, device, fieldsOf(fields.app) !== null, context, slots, terms)
  if (slots.length === 0) return { noBid: refusal ?? 'no_banner' }

  const blockedCategories = blockedCategoriesOf(fields.bcat, fields.cattax)
  if (typeof blockedCategories === 'string') return { noBid: blockedCategories }
  const blockedDomains = blockedDomainsOf(fields.badv)
  if (!blockedDomains) return { noBid: 'block_list_too_long' }

  const user = fieldsOf(fields.user)
  const agent = agentOf(device)
  if (agent.ua !== null && context.lookups.isBot?.(agent.ua)) return { noBid: 'bot' }
  const regs = fieldsOf(fields.regs)
  const dsa = dsaDemandOf(regs)
  const { isChild, mayIdentify } = privacyOf(regs, user, device, context.tcfVendorId)
  const place = placeOfRequest(device, user, context.lookups)
  const content = contentOf(fields)
  const signs = mayIdentify ? userSignsOf(user, device, agent) : null
  const request: AdRequest = {
    id,
    slots,
    country: place.country,
    region: place.region,
    city: place.city,
    lat: isChild ? null : place.lat,
    lon: isChild ? null : place.lon,
    categories: content.categories,
    device: deviceOfRequest(device, agent),
    gender: isChild ? null : genderOf(user),
    age: isChild ? null : ageOf(user, context.nowMs),
    userKey: signs && userKey(signs, context.secrets),
    userKeyOn: signs ? userKeyOnDates(signs, context.secrets) : undefined,
    blockedCategories,
    blockedDomains,
    test: isSet(fields.test),
    site: content.site,
    app: content.app,
    os: osOf(device && textOf(device.os, 64), agent),
  }
  if (context.lookups.isAnyone?.(user && textOf(user.id, LONGEST_ID))) request.isAnyone = true
  if (dsa !== null) request.needsAdvertiser = true
  if (context.attributes) {
    const attributes = attributesOf(fields, context.attributes, mayIdentify)
    if (attributes) request.attributes = attributes
  }
  return { request, terms, dsa }
}

/** Why there can be no bid, whatever the imps are. */
function refusalOf(fields: Fields, context: BidContext): RequestRefusal | null {
  const tmaxMs = numberOf(fields.tmax)
  if (tmaxMs !== null && tmaxMs > 0 && tmaxMs < context.leastTmaxMs) return 'too_little_time'
  if (listOf(fields.wseat) && !lists(fields.wseat, context.seat, MOST_SEATS)) return 'seat_not_allowed'
  if (mayList(fields.bseat, context.seat, MOST_SEATS)) return 'seat_not_allowed'
  if (listOf(fields.cur) && !lists(fields.cur, context.currency, MOST_SEATS)) return 'currency'
  // Only these categories are allowed, which campaigns without a category cannot guarantee.
  if (listOf(fields.acat)) return 'category_allow_list'
  return null
}

/** Fills slots and terms; returns why the first imp that we cannot serve was left out. */
function readImps(
  imps: unknown[],
  device: Fields | null,
  isApp: boolean,
  context: BidContext,
  slots: Slot[],
  terms: Map<string, SlotTerms>,
): RequestRefusal | null {
  let refusal: RequestRefusal | null = null
  const end = Math.min(imps.length, MOST_IMPS)
  for (let n = 0; n < end; n++) {
    const read = slotOfImp(fieldsOf(imps[n]), device, isApp, context)
    if (typeof read === 'string') refusal ??= read
    // If an id is repeated, the first imp counts.
    else if (!terms.has(read.slot.id)) {
      slots.push(read.slot)
      terms.set(read.slot.id, read.terms)
    }
  }
  return refusal
}
