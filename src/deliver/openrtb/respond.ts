// The bid response of a decision: at most one bid per imp, with the exact price of the campaign. The caller passes the
// signed links; macros such as ${AUCTION_PRICE} in them stay as they are. The links are ours and plain (links.ts):
// nothing in them is escaped, which would cost more than the rest of the response.

import type { LiveBanner } from '../../budget/live.ts'
import { fromMicros } from '../../kernel/money.ts'
import type { Targeting } from '../../manage/personas/matched-form.ts'
import { attributesOf } from '../decide/attributes.ts'
import type { AdLinks } from '../decide/links.ts'
import { bannerMarkup } from '../markup/banner.ts'
import { isPlain, jsonOf } from '../markup/json.ts'
import type { AdRequest } from '../targeting/request.ts'
import { type DsaDemand, dsaExtOf, dsaLabelOf, labelled } from './dsa.ts'
import type { ReplyTerms } from './parse.ts'

/** One decided ad. */
export interface WonSlot {
  slotId: string
  /** Names this bid in the exchange's log. */
  bidId: string
  cid: number
  cpmMicros: number
  /** IAB codes of the advertised product. */
  category: string[]
  banner: LiveBanner
  links: AdLinks
  /** For the transparency that the DSA demands. */
  company: string | undefined
  targeting: Targeting | undefined
}

const BANNER_MARKUP = 1
const DEFAULT_EXPIRY_S = 60

/** The response as JSON text; null: nothing was won, so the answer is 204. */
export function bidResponse(
  request: AdRequest,
  terms: ReplyTerms,
  wins: WonSlot[],
  us: { seat: string; currency: string; domain: string; hasNotices?: boolean },
  dsa: DsaDemand | null = null,
): string | null {
  const { seat, currency, domain, hasNotices = true } = us
  let bids = ''
  for (let n = 0; n < wins.length; n++) {
    const win = wins[n]!
    if (isAnswered(win.slotId, wins, n)) continue
    bids += (bids === '' ? '' : ',') + bidOf(win, terms, hasNotices, dsa && transparencyOf(win, dsa, domain))
  }
  if (bids === '') return null
  return `{"id":${jsonOf(request.id)},"cur":"${currency}","seatbid":[{"seat":${jsonOf(seat)},"bid":[${bids}]}]}`
}

interface Transparency {
  ext: string
  label: string
}

/** Null if the persona was removed this very moment. */
function transparencyOf(
  { company, targeting }: WonSlot,
  dsa: DsaDemand,
  domain: string,
): Transparency | null {
  if (company === undefined || targeting === undefined) return null
  const ext = dsaExtOf(dsa, company, targeting, domain)
  return { ext, label: dsa.mustRender ? dsaLabelOf(company, targeting) : '' }
}

function isAnswered(slotId: string, wins: WonSlot[], before: number): boolean {
  for (let n = 0; n < before; n++) if (wins[n]!.slotId === slotId) return true
  return false
}

function bidOf(
  win: WonSlot,
  terms: ReplyTerms,
  hasNotices: boolean,
  transparency: Transparency | null,
): string {
  const { banner, links, category } = win
  const { width, height, adomain } = banner
  const slotTerms = terms.get(win.slotId)
  const { image, click, pixel } = links
  const markup = bannerMarkup({ image, click, pixel, width, height, advertiser: adomain })
  const adm = transparency
    ? labelled(markup, transparency.label)
    : isPlain(adomain)
      ? `"${markup}"`
      : JSON.stringify(markup)
  const cat = category.length > 0 ? `,"cat":${JSON.stringify(category)}` : ''
  const deal = slotTerms?.dealId ? `,"dealid":${jsonOf(slotTerms.dealId)}` : ''
  // A page sends no notices: its pixel counts.
  const notices = hasNotices ? `"burl":"${links.billing}","lurl":"${links.loss}",` : ''
  return (
    `{"id":"${win.bidId}","impid":${jsonOf(win.slotId)},"price":${fromMicros(win.cpmMicros)},` +
    `"adid":"${banner.bid}","crid":"${banner.bid}","cid":"${win.cid}","adm":${adm},` +
    `"adomain":[${jsonOf(adomain)}],"attr":[${attributesOf(banner).join(',')}],"w":${width},"h":${height},` +
    `"mtype":${BANNER_MARKUP},"iurl":"${image}",${notices}"exp":${slotTerms?.expiresInS ?? DEFAULT_EXPIRY_S}${cat}${deal}${transparency ? `,"ext":${transparency.ext}` : ''}}`
  )
}
