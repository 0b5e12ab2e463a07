// Reads one imp of a bid request as a slot, or says why we cannot serve it. What only the answer needs (the deal, how
// long the bid is valid) is in SlotTerms.

import { microsOfFloor } from '../decide/floor.ts'
import type { SlotRefusal } from '../reasons.ts'
import type { Size, Slot } from '../targeting/request.ts'
import type { BidContext } from './context.ts'
import { type Fields, fieldsOf, isSet, listOf, lists, mayList, numberOf, textOf } from './read.ts'

/** What a slot's bid says besides the banner. */
export interface SlotTerms {
  /** The deal in which the bid is made; null: the open market. */
  dealId: string | null
  /** How long the bid is valid after the auction, which decides how long its money is reserved. */
  expiresInS: number
}

export interface ImpSlot {
  slot: Slot
  terms: SlotTerms
}

const MOST_FORMATS = 50
const MOST_ENTRIES = 200
const MOST_DEALS = 100
const LONGEST_ID = 512
const LARGEST_SIDE = 10_000
/** The banner type of our markup: a linked image. */
const XHTML_BANNER = 2
const LONGEST_EXPIRY_S = 3600

/** How long an ad may wait until it is shown, by the IAB's rule of thumb. */
export const EXPIRY_S = { web: 60, app: 300, interstitial: 1800 }

export function slotOfImp(
  imp: Fields | null,
  device: Fields | null,
  isApp: boolean,
  context: BidContext,
): ImpSlot | SlotRefusal {
  const id = imp && textOf(imp.id, LONGEST_ID)
  if (!imp || !id) return 'no_imp_id'
  const banner = fieldsOf(imp.banner)
  if (!banner) return 'no_banner'
  if (mayList(banner.btype, XHTML_BANNER, MOST_ENTRIES)) return 'banner_type_blocked'
  const secure = isSet(imp.secure)
  if (secure && !context.publicUrlIsHttps) return 'insecure'
  const isInterstitial = isSet(imp.instl)
  const sizes = sizesOf(banner, device, isInterstitial)
  if (sizes.length === 0) return 'no_size'
  const blockedAttributes = attributesOf(banner.battr)
  if (blockedAttributes === null) return 'block_list_too_long'
  const way = cheapestWay(imp, context)
  if (typeof way === 'string') return way
  const slot: Slot = {
    id,
    sizes,
    floorMicros: way.floorMicros,
    secure,
    mimes: mimesOf(banner.mimes),
    blockedAttributes,
  }
  return { slot, terms: { dealId: way.dealId, expiresInS: expiryOf(imp, isApp, isInterstitial) } }
}

function sizesOf(banner: Fields, device: Fields | null, isInterstitial: boolean): Size[] {
  const sizes: Size[] = []
  const formats = listOf(banner.format)
  if (formats) {
    const end = Math.min(formats.length, MOST_FORMATS)
    for (let n = 0; n < end; n++) addSize(sizes, fieldsOf(formats[n]))
    if (sizes.length > 0) return sizes
  }
  addSize(sizes, banner)
  return isInterstitial ? interstitialSizes(sizes[0] ?? null, device) : sizes
}

function addSize(sizes: Size[], shape: Fields | null): void {
  if (!shape) return
  const { w: width, h: height } = shape
  if (!isSide(width) || !isSide(height)) return
  if (!sizes.some(size => size.width === width && size.height === height)) sizes.push({ width, height })
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_SIDE
}

interface Way {
  dealId: string | null
  floorMicros: number
}

/** The open market or a deal that is open to our seat, whichever asks for less; a private auction has deals only. */
function cheapestWay(imp: Fields, context: BidContext): Way | SlotRefusal {
  const pmp = fieldsOf(imp.pmp)
  const isPrivate = pmp !== null && isSet(pmp.private_auction)
  const openFloor = isPrivate ? null : floorMicros(imp, context.currency)
  let best: Way | null = openFloor === null ? null : { dealId: null, floorMicros: openFloor }
  const deals = pmp && listOf(pmp.deals)
  if (deals) {
    const end = Math.min(deals.length, MOST_DEALS)
    for (let n = 0; n < end; n++) {
      const way = wayOfDeal(fieldsOf(deals[n]), context)
      if (way && (best === null || way.floorMicros < best.floorMicros)) best = way
    }
  }
  return best ?? (isPrivate ? 'private_auction' : 'floor_currency')
}

function wayOfDeal(deal: Fields | null, context: BidContext): Way | null {
  const dealId = deal && textOf(deal.id, LONGEST_ID)
  if (!deal || !dealId) return null
  if (listOf(deal.wseat) && !lists(deal.wseat, context.seat, MOST_ENTRIES)) return null
  // The deal is only for certain advertisers; we have no list of such agreements.
  if (listOf(deal.wadomain)) return null
  const floor = floorMicros(deal, context.currency)
  return floor === null ? null : { dealId, floorMicros: floor }
}

/** The floor in our currency; null if it is in another one, which we cannot compare. */
function floorMicros(fields: Fields, currency: string): number | null {
  const { bidfloor } = fields
  // A floor in quotes is still a floor: below it no bid can win.
  const floor = typeof bidfloor === 'string' ? Number(bidfloor) : bidfloor
  if (typeof floor !== 'number' || !(floor > 0)) return 0
  const floorCurrency = textOf(fields.bidfloorcur, 16) ?? 'USD'
  if (floorCurrency.toUpperCase() !== currency) return null
  return microsOfFloor(floor)
}

function mimesOf(value: unknown): string[] | null {
  const entries = listOf(value)
  if (!entries) return null
  const mimes: string[] = []
  const end = Math.min(entries.length, MOST_ENTRIES)
  for (let n = 0; n < end; n++) {
    const mime = textOf(entries[n], 100)?.toLowerCase()
    // A widespread misspelling of image/jpeg.
    if (mime) mimes.push(mime === 'image/jpg' ? 'image/jpeg' : mime)
  }
  return mimes.length > 0 ? mimes : null
}

/** Null: too many to read completely; reading only a part could show what was blocked. */
function attributesOf(value: unknown): number[] | null {
  const blocked: number[] = []
  if (!Array.isArray(value)) return blocked
  if (value.length > MOST_ENTRIES) return null
  for (let n = 0; n < value.length; n++) {
    const attribute: unknown = value[n]
    if (Number.isInteger(attribute)) blocked.push(attribute as number)
  }
  return blocked
}

function expiryOf(imp: Fields, isApp: boolean, isInterstitial: boolean): number {
  const asked = numberOf(imp.exp)
  if (asked !== null && asked >= 1) return Math.min(Math.floor(asked), LONGEST_EXPIRY_S)
  if (isInterstitial) return EXPIRY_S.interstitial
  return isApp ? EXPIRY_S.app : EXPIRY_S.web
}

// Which banners fit an interstitial that lists no formats: its own size, and sizes that fill at least half of its width
// and half of its height. An interstitial without a size (or 0 x 0) is as large as the screen. If neither is known, it
// is a phone's full screen, which fits everywhere.

/** Our banner sizes that make sense alone on a screen. */
const FULL_SCREEN_SIZES: readonly Size[] = [
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
  { width: 480, height: 320 },
  { width: 320, height: 480 },
  { width: 300, height: 600 },
  { width: 240, height: 400 },
  { width: 336, height: 280 },
  { width: 300, height: 250 },
  { width: 250, height: 250 },
]
const LEAST_SHARE = 0.5
const PHONE_SCREENS: readonly Size[] = [
  { width: 320, height: 480 },
  { width: 480, height: 320 },
]

function interstitialSizes(own: Size | null, device: Fields | null): Size[] {
  const room = own ?? screenOf(device)
  if (room === null) return [...PHONE_SCREENS]
  const sizes = own === null ? [] : [own]
  for (const size of FULL_SCREEN_SIZES) {
    const isOwn = own !== null && size.width === own.width && size.height === own.height
    if (!isOwn && fills(size.width, room.width) && fills(size.height, room.height)) sizes.push(size)
  }
  return sizes
}

function fills(side: number, room: number): boolean {
  return side <= room && side >= room * LEAST_SHARE
}

/** The screen in device-independent pixels; devices report physical ones. */
function screenOf(device: Fields | null): Size | null {
  const width = device && numberOf(device.w)
  const height = device && numberOf(device.h)
  if (!device || !width || !height || width < 0 || height < 0) return null
  const ratio = numberOf(device.pxratio)
  const scale = ratio !== null && ratio >= 1 && ratio <= 10 ? ratio : 1
  return { width: width / scale, height: height / scale }
}
