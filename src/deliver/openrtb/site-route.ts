// POST /openrtb2/site/:siteKey: bid requests from the pages of a site, as Prebid.js sends them. The dialect is OpenRTB,
// but the rules are those of a site's tag, because everybody can read the key: place and agent are the connection's,
// the only id is our own cookie, the pixel counts only for the visitor of the request, pages of other domains are never
// billed, and limits per address apply.

import { firstKeyOn, type UserCookie, type UserCookies } from '../../count/tracking/cookie.ts'
import type { ServedSums } from '../../count/tracking/served.ts'
import { UNSEEN_MS } from '../../count/tracking/visitor-limits.ts'
import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import { type Source, type SourceBook, siteByKey } from '../../manage/sources/sources.ts'
import type { ClientAddress } from '../../platform/client-address.ts'
import { isPrefetch } from '../audience/prefetch.ts'
import { userKey, userKeyOnDates } from '../audience/user.ts'
import { isIdentity, MOST_AD_BYTES, parseJson } from '../decide/body.ts'
import { corsOf, preflight } from '../decide/cors.ts'
import { linksOf } from '../decide/links.ts'
import { after, type Served, serve } from '../decide/serve.ts'
import { cookieHeaders, isForeignTo, maySetCookie } from '../decide/visitor.ts'
import type { VisitorAllowanceOf } from '../decide/visitor-allowance.ts'
import type { NoAdReason } from '../reasons.ts'
import type { BidContext } from './context.ts'
import { MALFORMED, malformedBecause, mayKnow, NO_BID, noBidBecause } from './no-bid.ts'
import { parseBidRequest } from './parse.ts'
import { consentOf } from './privacy.ts'
import { fieldsOf } from './read.ts'
import { bidResponse, type WonSlot } from './respond.ts'
import type { BidParts } from './route.ts'
import { asVisitor } from './site-visit.ts'

export interface SiteBidParts extends BidParts {
  sources: () => SourceBook
  clientAddress: ClientAddress
  cookies: UserCookies
  servedSums: Pick<ServedSums, 'served'>
  allowanceOf: VisitorAllowanceOf
  newCookieId: () => string
}

export const SITE_BID_PREFIX = '/openrtb2/site/'

const MOST_LAG_MS = 200
const LEAST_TMAX_MS = 10
/** Shorter than the minute for which the money is reserved, so that a bid that is shown at its end still counts. */
const SITE_EXPIRY_S = UNSEEN_MS / 1000 - 10

const UNKNOWN: DataAnswer = { status: 404, headers: {}, body: null }
const NOT_POST: DataAnswer = { status: 405, headers: { allow: 'POST, OPTIONS' }, body: null }
const TOO_LARGE: DataAnswer = { status: 413, headers: {}, body: null }
const PACKED: DataAnswer = { status: 415, headers: {}, body: null }

type Fit = Extract<ReturnType<typeof parseBidRequest>, { request: unknown }>

export function siteBidRoute(parts: SiteBidParts): DataRoute {
  const { seat, currency } = parts
  const isHttps = parts.links.publicUrl.startsWith('https:')
  const us = { seat, currency, domain: new URL(parts.links.publicUrl).hostname, hasNotices: false }

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
    const isDebug = mayKnow(source, headers)
    const lagMs = parts.lagMs()
    const json = body === null ? undefined : parseJson(body)
    const noBid = (reason: NoAdReason) => {
      parts.tally.count(reason)
      return isDebug ? noBidBecause(reason, json) : NO_BID
    }
    if (lagMs > MOST_LAG_MS) return noBid('overload')
    if (isPrefetch(headers)) return noBid('prefetch')
    const address = parts.clientAddress(request.remoteAddress, headers)
    const parsed = parseBidRequest(asVisitor(json, address, headers), contextOf(lagMs))
    if ('malformed' in parsed) return isDebug ? malformedBecause(parsed.malformed) : MALFORMED
    if ('noBid' in parsed) return noBid(parsed.noBid)
    const cookie = parts.cookies.read(headers.cookie)
    identify(parsed, cookie, address, headers['user-agent'] ?? null)
    const isForeign = isForeignTo(source, headers, parsed.request.site, false)
    const allowance = parts.allowanceOf(source.sourceId, address, false)
    const isFree = isForeign || parsed.request.test
    const served = serve(parsed.request, isFree, () => UNSEEN_MS, source, parts, allowance)
    return after(served, done => {
      if (done.ads.length === 0) return isDebug ? noBidBecause(done.noAd ?? 'failed', json) : NO_BID
      const visitor = { address, agent: headers['user-agent'] ?? '' }
      const made = reply(parsed, done, { source, isForeign, visitor })
      const setCookie = cookie === null ? newCookie(parsed, json) : {}
      return { ...made, headers: { ...made.headers, ...setCookie } }
    })
  }

  function contextOf(lagMs: number): BidContext {
    const nowMs = parts.clock.nowMs()
    return {
      seat: parts.seat,
      currency: parts.currency,
      publicUrlIsHttps: isHttps,
      nowMs,
      leastTmaxMs: LEAST_TMAX_MS + lagMs,
      tcfVendorId: null,
      secrets: parts.secretsAt(nowMs),
      lookups: parts.lookups,
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

  function reply(
    { request, terms: replyTerms, dsa }: Fit,
    { ads, terms }: Served,
    origin: { source: Source; isForeign: boolean; visitor: { address: string; agent: string } },
  ): DataAnswer {
    for (const slotTerms of replyTerms.values()) slotTerms.expiresInS = SITE_EXPIRY_S
    const wins: WonSlot[] = ads.map(ad => {
      if (!origin.isForeign && !request.test) parts.servedSums.served(ad.campaign.cid, ad.dayKey)
      return {
        slotId: ad.slotId,
        bidId: ad.adId,
        cid: ad.campaign.cid,
        cpmMicros: ad.cpmMicros,
        category: ad.campaign.category,
        company: ad.campaign.company,
        targeting: parts.decide.catalog.personas.get(ad.banner.pid)?.targeting,
        banner: ad.banner,
        links: linksOf(ad, request, origin, terms, parts.links),
      }
    })
    const body = bidResponse(request, replyTerms, wins, us, dsa)
    const headers = {
      'content-type': 'application/json',
      'x-openrtb-version': '2.6',
      'cache-control': 'no-store',
    }
    return { status: 200, headers, body }
  }

  const refuse = (path: string) => (siteOf(path, parts.sources()) ? null : UNKNOWN)
  return { prefix: SITE_BID_PREFIX, handle, refuse }
}

/** The site with this public key: the secret key must not be in a page. */
function siteOf(path: string, sources: SourceBook): Source | null {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const known = siteByKey(sources, path.slice(SITE_BID_PREFIX.length, end))
  return known && !known.isServer ? known.site : null
}
