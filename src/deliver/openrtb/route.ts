// POST /openrtb2/bid/:sourceKey on the thin path: 200 with a bid response, 204 for no bid, 400 for anything that is not
// a bid request, 404 for an unknown key. Any error on our side means no bid.

import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import type { Source } from '../../manage/sources/sources.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { readJson } from '../decide/body.ts'
import { linksOf } from '../decide/links.ts'
import { after, type Served, type ServeParts, serve } from '../decide/serve.ts'
import type { SecretsAt } from '../decide/user-secrets.ts'
import type { NoAdReason } from '../reasons.ts'
import type { BidContext } from './context.ts'
import { MALFORMED, malformedBecause, mayKnow, NO_BID, noBidBecause } from './no-bid.ts'
import { parseBidRequest } from './parse.ts'
import { bidResponse, type WonSlot } from './respond.ts'

export interface BidParts extends ServeParts {
  sources: () => ReadonlyMap<string, Source>
  /** How far the process is behind its work. */
  lagMs: () => number
  seat: string
  currency: string
  secretsAt: SecretsAt
  lookups: GeoLookups
}

export const BID_PREFIX = '/openrtb2/bid/'

/** With a longer lag than this, a bid would come after the auction. */
const MOST_LAG_MS = 200
/** The part of `tmax` that our own work and the way back need at least. */
const LEAST_TMAX_MS = 10
/** The money stays reserved this much longer than the bid is valid, because notices are repeated for a minute. */
const NOTICE_MARGIN_S = 60
const DEFAULT_EXPIRY_S = 60

const UNREADABLE = 'the body is not JSON, plain or in gzip with content-encoding: gzip'
const UNKNOWN: DataAnswer = { status: 404, headers: {}, body: null }
const NOT_POST: DataAnswer = { status: 405, headers: { allow: 'POST' }, body: null }
const BID_HEADERS = versions(version => ({
  'content-type': 'application/json',
  'x-openrtb-version': version,
}))

export function bidRoute(parts: BidParts): DataRoute {
  const { publicUrl } = parts.links
  const us = { seat: parts.seat, currency: parts.currency, domain: new URL(publicUrl).hostname }
  const context: BidContext = {
    seat: parts.seat,
    currency: parts.currency,
    publicUrlIsHttps: publicUrl.startsWith('https:'),
    nowMs: 0,
    leastTmaxMs: LEAST_TMAX_MS,
    tcfVendorId: null,
    secrets: { idSecret: '', dailySalt: '' },
    lookups: parts.lookups,
  }

  function handle(request: DataRequest): DataAnswer | Promise<DataAnswer> {
    const source = sourceOf(request.path, parts.sources())
    if (!source) return UNKNOWN
    if (request.method !== 'POST') return NOT_POST
    const isDebug = mayKnow(source, request.headers)
    const noBid = (reason: NoAdReason, json: unknown) => {
      parts.tally.count(reason)
      return isDebug ? noBidBecause(reason, json) : NO_BID
    }
    const lagMs = parts.lagMs()
    if (lagMs > MOST_LAG_MS) return noBid('overload', null)
    const json = readJson(request.body, request.headers)
    if (json === undefined) return isDebug ? malformedBecause(UNREADABLE) : MALFORMED
    context.nowMs = parts.clock.nowMs()
    context.leastTmaxMs = LEAST_TMAX_MS + lagMs
    context.secrets = parts.secretsAt(context.nowMs)
    const parsed = parseBidRequest(json, context)
    if ('malformed' in parsed) return isDebug ? malformedBecause(parsed.malformed) : MALFORMED
    if ('noBid' in parsed) return noBid(parsed.noBid, json)
    return answer(request, source, parsed, isDebug)
  }

  function answer(
    { headers }: DataRequest,
    source: Source,
    { request, terms: replyTerms, dsa }: Extract<ReturnType<typeof parseBidRequest>, { request: unknown }>,
    isDebug: boolean,
  ): DataAnswer | Promise<DataAnswer> {
    const ttlMsOf = (slotId: string) =>
      ((replyTerms.get(slotId)?.expiresInS ?? DEFAULT_EXPIRY_S) + NOTICE_MARGIN_S) * 1000
    const served = serve(request, request.test, ttlMsOf, source, parts)
    return after(served, reply)

    function reply({ ads, terms, noAd }: Served): DataAnswer {
      if (ads.length === 0) return isDebug ? noBidBecause(noAd ?? 'failed', { id: request.id }) : NO_BID
      const origin = { source, isForeign: false, visitor: null }
      const wins: WonSlot[] = ads.map(ad => ({
        slotId: ad.slotId,
        bidId: ad.adId,
        cid: ad.campaign.cid,
        cpmMicros: ad.cpmMicros,
        category: ad.campaign.category,
        company: ad.campaign.company,
        targeting: parts.decide.catalog.personas.get(ad.banner.pid)?.targeting,
        banner: ad.banner,
        links: linksOf(ad, request, origin, terms, parts.links),
      }))
      const response = bidResponse(request, replyTerms, wins, us, dsa)
      const version = headers['x-openrtb-version'] === '2.5' ? '2.5' : '2.6'
      return { status: 200, headers: BID_HEADERS[version], body: response }
    }
  }

  const refuse = (path: string) => (sourceOf(path, parts.sources()) ? null : UNKNOWN)
  return { prefix: BID_PREFIX, handle, refuse }
}

function sourceOf(path: string, sources: ReadonlyMap<string, Source>): Source | null {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const source = sources.get(path.slice(BID_PREFIX.length, end))
  return source?.kind === 'exchange' ? source : null
}

function versions<T>(of: (version: string) => T): Record<'2.5' | '2.6', T> {
  return { '2.5': of('2.5'), '2.6': of('2.6') }
}
