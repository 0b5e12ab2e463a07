// The links of a decided ad: signed once, below the public URL of the deployment. They are plain: they contain no
// character that HTML or JSON would have to escape. The settings ensure that for the public URL, names of creatives are
// hexadecimal, and tokens are base64url.

import type { ServedAd } from '../../count/tracking/ad.ts'
import { audienceNumber } from '../../count/tracking/codes.ts'
import { type KeyRing, signLinks } from '../../count/tracking/links.ts'
import type { Places } from '../../count/tracking/places.ts'
import { markOf, type Visitor } from '../../count/tracking/visitor.ts'
import { iabNumber } from '../../manage/reference/iab.ts'
import { localityOf } from '../../manage/reference/localities.ts'
import type { Source } from '../../manage/sources/sources.ts'
import type { AdRequest } from '../targeting/request.ts'
import type { DecidedAd, Terms } from './place.ts'

/** Absolute and plain: without characters that HTML or JSON escapes. */
export interface AdLinks {
  image: string
  click: string
  pixel: string
  /** With ${AUCTION_PRICE}. */
  billing: string
  loss: string
  /** To be called when half of the ad was on screen for a second. */
  view: string
}

export interface LinkParts {
  publicUrl: string
  /** The node whose shares pay for the ads. */
  nodeId: number
  keys: KeyRing
  places: Pick<Places, 'hashOf' | 'carriedNameOf'>
  /** The secret for the day of this moment. */
  saltAt: (nowMs: number) => string
}

/** Where a request came from, and what that means for the bill. */
export interface Origin {
  source: Pick<Source, 'sourceId' | 'kind' | 'billsOn'>
  isForeign: boolean
  /**
   * The visitor who will see the ad: only they can report it. Null: not known, as for exchanges, whose servers send
   * the notices.
   */
  visitor: Visitor | null
}

const UNMARKED = { networkHash: null, agentHash: null }
const PRICE_MACRO = ['?p=$', '{AUCTION_PRICE}'].join('')

export function linksOf(
  ad: DecidedAd,
  request: AdRequest,
  origin: Origin,
  terms: Pick<Terms, 'nowMs' | 'user'>,
  parts: LinkParts,
): AdLinks {
  const { publicUrl } = parts
  const tokens = signLinks(servedAd(ad, request, origin, terms, parts), parts.keys)
  const { kind, billsOn } = origin.source
  const pricedPixel = kind === 'exchange' && billsOn === 'pixel'
  return {
    image: publicUrl + ad.banner.imagePath,
    click: `${publicUrl}/t/c/${tokens.click}`,
    pixel: `${publicUrl}/t/i/${tokens.impression}${pricedPixel ? PRICE_MACRO : ''}`,
    billing: `${publicUrl}/t/b/${tokens.billing}${PRICE_MACRO}`,
    loss: `${publicUrl}/t/l/${tokens.loss}`,
    view: `${publicUrl}/t/v/${tokens.view}`,
  }
}

function servedAd(
  ad: DecidedAd,
  request: AdRequest,
  { source, isForeign, visitor }: Origin,
  terms: Pick<Terms, 'nowMs' | 'user'>,
  parts: LinkParts,
): ServedAd {
  const placeHash = placeHashOf(request, parts.places)
  const mark = visitor === null ? UNMARKED : markOf(visitor, ad.adId, parts.saltAt(terms.nowMs))
  return {
    adId: ad.adId,
    servedS: Math.floor(terms.nowMs / 1000),
    cuid: ad.campaign.cuid,
    cid: ad.campaign.cid,
    fid: ad.fid,
    pid: ad.banner.pid,
    bid: ad.banner.bid,
    sourceId: source.sourceId,
    priceMicros: ad.priceMicros,
    clickMicros: ad.clickMicros,
    ttlS: Math.ceil(ad.ttlMs / 1000),
    dayKey: ad.dayKey,
    nodeId: parts.nodeId,
    flightPays: ad.flightPays,
    user: ad.user ?? terms.user,
    placeHash,
    placeName: placeHash === null ? null : parts.places.carriedNameOf(placeHash),
    networkHash: mark.networkHash,
    agentHash: mark.agentHash,
    country: request.country,
    locality: localityOf(request.country, request.region, request.city),
    audience: audienceNumber({ category: categoryNumber(request), age: request.age, gender: request.gender }),
    device: request.device,
    os: request.os,
    test: request.test,
    foreignDomain: isForeign,
    billsOn: source.billsOn,
    takesPrice: source.kind === 'exchange',
  }
}

/** The first category of the page that we know. */
function categoryNumber({ categories }: AdRequest): number {
  for (const code of categories) {
    const number = iabNumber(code)
    if (number !== 0) return number
  }
  return 0
}

function placeHashOf({ site, app }: AdRequest, places: LinkParts['places']): number | null {
  if (site !== null) return places.hashOf('domain', site)
  return app === null ? null : places.hashOf('app', app)
}
