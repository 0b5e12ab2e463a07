// The bid response for what was decided: at most one bid an imp, the campaign's price to the last digit.
// The links come signed and finished from the caller; macros such as ${AUCTION_PRICE} in them stay as they are.

import type { LiveBanner } from '../../catalog/live.ts'
import { fromMicros } from '../../kernel/money.ts'
import { bannerMarkup } from '../markup/banner.ts'
import type { AdRequest } from '../request.ts'
import { attributesOf } from './attributes.ts'
import type { ReplyTerms } from './parse.ts'

export interface BidLinks {
  image: string
  click: string
  pixel: string
  /** With ${AUCTION_PRICE}. */
  billing: string
  loss: string
}

/** One decided ad. */
export interface WonSlot {
  slotId: string
  /** Names this bid in the exchange's log. */
  bidId: string
  cid: number
  cpmMicros: number
  /** IAB codes of what is advertised. */
  category: string[]
  banner: LiveBanner
  links: BidLinks
}

export interface BidResponse {
  id: string
  cur: string
  seatbid: { seat: string; bid: Bid[] }[]
}

export interface Bid {
  id: string
  impid: string
  price: number
  adid: string
  crid: string
  cid: string
  adm: string
  adomain: string[]
  cat?: string[]
  attr: number[]
  w: number
  h: number
  mtype: 1
  iurl: string
  burl: string
  lurl: string
  exp: number
  dealid?: string
}

const BANNER_MARKUP = 1
const DEFAULT_EXPIRY_S = 60

/** null: nothing was won, so there is nothing to say (204). */
export function bidResponse(
  request: AdRequest,
  terms: ReplyTerms,
  wins: WonSlot[],
  us: { seat: string; currency: string },
): BidResponse | null {
  const bids: Bid[] = []
  const answered = new Set<string>()
  for (const win of wins) {
    if (answered.has(win.slotId)) continue
    answered.add(win.slotId)
    bids.push(bidOf(win, terms))
  }
  if (bids.length === 0) return null
  return { id: request.id, cur: us.currency, seatbid: [{ seat: us.seat, bid: bids }] }
}

function bidOf(win: WonSlot, terms: ReplyTerms): Bid {
  const { banner, links } = win
  const slotTerms = terms.get(win.slotId)
  const bid: Bid = {
    id: win.bidId,
    impid: win.slotId,
    price: fromMicros(win.cpmMicros),
    adid: String(banner.bid),
    crid: String(banner.bid),
    cid: String(win.cid),
    adm: bannerMarkup({
      image: links.image,
      click: links.click,
      pixel: links.pixel,
      width: banner.width,
      height: banner.height,
      advertiser: banner.adomain,
    }),
    adomain: [banner.adomain],
    attr: attributesOf(banner),
    w: banner.width,
    h: banner.height,
    mtype: BANNER_MARKUP,
    iurl: links.image,
    burl: links.billing,
    lurl: links.loss,
    exp: slotTerms?.expiresInS ?? DEFAULT_EXPIRY_S,
  }
  if (win.category.length > 0) bid.cat = win.category
  if (slotTerms?.dealId) bid.dealid = slotTerms.dealId
  return bid
}
