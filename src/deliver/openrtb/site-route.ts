// POST /openrtb2/site/:siteKey: bid requests from the pages of a site, as Prebid.js sends them. The dialect is OpenRTB,
// but the rules are those of a site's tag, because everybody can read the key: place and agent are the connection's,
// the only id is our own cookie, the pixel counts only for the visitor of the request, pages of other domains are never
// billed, and limits per address apply.

import type { IncomingHttpHeaders } from 'node:http'
import { firstKeyOn, type UserCookie, type UserCookies } from '../../count/tracking/cookie.ts'
import type { ServedSums } from '../../count/tracking/served.ts'
import { UNSEEN_MS } from '../../count/tracking/visitor-limits.ts'
import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import { type Source, type SourceBook, siteByKey } from '../../manage/sources/sources.ts'
import type { ClientAddress } from '../../platform/client-address.ts'
import { agentOfHeaders } from '../audience/device.ts'
import { isPrefetch } from '../audience/prefetch.ts'
import { userKey, userKeyOnDates } from '../audience/user.ts'
import { isIdentity, MOST_AD_BYTES, parseJson } from '../decide/body.ts'
import { corsOf, preflight } from '../decide/cors.ts'
import { after } from '../decide/serve.ts'
import { cookieHeaders, doesNotWantTracking, isForeignTo, maySetCookie } from '../decide/visitor.ts'
import type { VisitorAllowanceOf } from '../decide/visitor-allowance.ts'
import { type Auction, type BidParts, createBidding, type Fit, keyIn, UNKNOWN } from './bidding.ts'
import { consentOf } from './privacy.ts'
import { type Fields, fieldsOf, isSet, listOf } from './read.ts'

export interface SiteBidParts extends BidParts {
  sources: () => SourceBook
  clientAddress: ClientAddress
  cookies: UserCookies
  servedSums: Pick<ServedSums, 'served'>
  allowanceOf: VisitorAllowanceOf
  newCookieId: () => string
}

export const SITE_BID_PREFIX = '/openrtb2/site/'

/** Shorter than the minute for which the money is reserved, so that a bid that is shown at its end still counts. */
const SITE_EXPIRY_S = UNSEEN_MS / 1000 - 10

const NOT_POST: DataAnswer = { status: 405, headers: { allow: 'POST, OPTIONS' }, body: null }
const TOO_LARGE: DataAnswer = { status: 413, headers: {}, body: null }
const PACKED: DataAnswer = { status: 415, headers: {}, body: null }
const BID_HEADERS = {
  'content-type': 'application/json',
  'x-openrtb-version': '2.6',
  'cache-control': 'no-store',
}

export function siteBidRoute(parts: SiteBidParts): DataRoute {
  const bidding = createBidding(parts, { hasNotices: false })
  const isHttps = parts.links.publicUrl.startsWith('https:')

  function handle(request: DataRequest): DataAnswer | Promise<DataAnswer> {
    const cors = corsOf(request)
    if (request.method === 'OPTIONS') return preflight(cors)
    const source = siteOf(request.path, parts.sources())
    const answer = source ? bid(request, source) : UNKNOWN
    return after(answer, made => ({ ...made, headers: { ...made.headers, ...cors } }))
  }

  function bid(request: DataRequest, source: Source): DataAnswer | Promise<DataAnswer> {
    const { method, headers, body } = request
    if (method !== 'POST') return NOT_POST
    if (body !== null && body.length > MOST_AD_BYTES) return TOO_LARGE
    const encoding = headers['content-encoding']
    if (encoding !== undefined && !isIdentity(encoding)) return PACKED
    const call = bidding.callOf(source, headers)
    call.json = body === null ? undefined : parseJson(body)
    if (bidding.isOverloaded()) return bidding.noBid(call, 'overload')
    if (isPrefetch(headers)) return bidding.noBid(call, 'prefetch')
    const address = parts.clientAddress(request.remoteAddress, headers)
    return bidding.bid(call, asVisitor(call.json, address, headers), fit =>
      auctionOf(fit, call.json, source, address, headers),
    )
  }

  function auctionOf(
    fit: Fit,
    json: unknown,
    source: Source,
    address: string,
    headers: DataRequest['headers'],
  ): Auction {
    const { request, terms } = fit
    const cookie = parts.cookies.read(headers.cookie)
    identify(fit, cookie, address, headers['user-agent'] ?? null)
    for (const slotTerms of terms.values()) slotTerms.expiresInS = SITE_EXPIRY_S
    const isForeign = isForeignTo(source, headers, request.site, false)
    const isFree = isForeign || request.test
    return {
      isFree,
      ttlMsOf: () => UNSEEN_MS,
      allowance: parts.allowanceOf(source.sourceId, address, false),
      origin: { isForeign, visitor: { address, agent: headers['user-agent'] ?? '' } },
      onServed: ({ campaign, dayKey }) => {
        if (!isFree) parts.servedSums.served(campaign.cid, dayKey)
      },
      headers: () => (cookie === null ? { ...BID_HEADERS, ...newCookie(fit, json) } : BID_HEADERS),
    }
  }

  /** Uses our cookie if we may recognise visitors. Without a cookie, address and agent are the key. */
  function identify({ request }: Fit, cookie: UserCookie | null, ip: string, ua: string | null): void {
    if (request.userKey === null || cookie === null) return
    const nowMs = parts.clock.nowMs()
    const today = parts.calendar.dayAt(nowMs).key
    const first = firstKeyOn(cookie, today)
    const ids = { userId: null, buyerId: null, advertisingId: null, cookieId: cookie.id }
    const signs = { ...ids, cookieFirstKey: first, ip, ua }
    request.userKey = userKey(signs, parts.secretsAt(nowMs))
    request.userKeyOn = userKeyOnDates(signs, parts.secretsAt(nowMs), dayKey => firstKeyOn(cookie, dayKey))
  }

  function newCookie({ request }: Fit, json: unknown): Record<string, string[]> {
    const { country, userKey: key } = request
    const fields = fieldsOf(json)
    const consent = consentOf(fieldsOf(fields?.regs), fieldsOf(fields?.user))
    if (key === null || !maySetCookie(country, consent)) return {}
    const first = { dayKey: parts.calendar.dayAt(parts.clock.nowMs()).key, userKey: key }
    return { 'set-cookie': cookieHeaders(parts.cookies.valueOf({ id: parts.newCookieId(), first }), isHttps) }
  }

  const refuse = (path: string) => (siteOf(path, parts.sources()) ? null : UNKNOWN)
  return { prefix: SITE_BID_PREFIX, handle, refuse }
}

/** The site with this public key: the secret key must not be in a page. */
function siteOf(path: string, sources: SourceBook): Source | null {
  const known = siteByKey(sources, keyIn(path, SITE_BID_PREFIX))
  return known && !known.isServer ? known.site : null
}

// A page's bid request with the facts of its connection: whatever the page could make up about who and where the
// visitor is gets ignored. What the page says about itself, its places and consent is kept. A test request, which is
// never billed, may say where it is: the address of a developer's own machine has no place.

/** Each place reserves money for a minute. */
export const MOST_PLACES = 20

function asVisitor(json: unknown, address: string, headers: IncomingHttpHeaders): unknown {
  const fields = fieldsOf(json)
  if (!fields) return json
  const { app: _, ...page } = fields
  return {
    ...page,
    imp: listOf(fields.imp)?.slice(0, MOST_PLACES),
    device: {
      ...deviceOf(fieldsOf(fields.device), address, headers),
      ...(isSet(fields.test) ? { geo: fieldsOf(fields.device)?.geo } : {}),
    },
    user: userOf(fieldsOf(fields.user)),
  }
}

function deviceOf(said: Fields | null, address: string, headers: IncomingHttpHeaders): Fields {
  const { ua, hintMobile, hintPlatform } = agentOfHeaders(headers)
  const dnt = doesNotWantTracking(headers) || isSet(said?.dnt) || isSet(said?.lmt)
  return {
    ua,
    ip: address,
    dnt: dnt ? 1 : 0,
    sua: {
      ...(hintMobile === null ? {} : { mobile: hintMobile ? 1 : 0 }),
      ...(hintPlatform === null ? {} : { platform: { brand: hintPlatform } }),
    },
  }
}

/** Gender, year of birth and what apps know are hints that anyone may give, as with a tag. */
function userOf(user: Fields | null): Fields | undefined {
  if (!user) return undefined
  const { gender, yob, consent, keywords, kwarray } = user
  const ext = fieldsOf(user.ext)
  return { gender, yob, consent, keywords, kwarray, ext: { consent: ext?.consent, data: ext?.data } }
}
