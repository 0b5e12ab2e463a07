// POST /openrtb2/bid/:sourceKey on the thin path: 200 with a bid response, 204 for no bid, 400 for anything that is not
// a bid request, 404 for an unknown key. Any error on our side means no bid.

import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import type { Source } from '../../manage/sources/sources.ts'
import { readJson } from '../decide/body.ts'
import { type Auction, type BidParts, createBidding, type Fit, keyIn, malformed, UNKNOWN } from './bidding.ts'

export const BID_PREFIX = '/openrtb2/bid/'

/** The money stays reserved this much longer than the bid is valid, because notices are repeated for a minute. */
const NOTICE_MARGIN_S = 60
const DEFAULT_EXPIRY_S = 60

const UNREADABLE = 'the body is not JSON, plain or in gzip with content-encoding: gzip'
const NOT_POST: DataAnswer = { status: 405, headers: { allow: 'POST' }, body: null }
const ORIGIN = { isForeign: false, visitor: null }

export function bidRoute(parts: BidParts & { sources: () => ReadonlyMap<string, Source> }): DataRoute {
  const bidding = createBidding(parts, { hasNotices: true })

  function sourceOf(path: string): Source | null {
    const source = parts.sources().get(keyIn(path, BID_PREFIX))
    return source?.kind === 'exchange' ? source : null
  }

  function handle({ method, path, headers, body }: DataRequest): DataAnswer | Promise<DataAnswer> {
    const source = sourceOf(path)
    if (!source) return UNKNOWN
    if (method !== 'POST') return NOT_POST
    const call = bidding.callOf(source, headers)
    if (bidding.isOverloaded()) return bidding.noBid(call, 'overload')
    call.json = readJson(body, headers)
    if (call.json === undefined) return malformed(call, UNREADABLE)
    const answerHeaders = BID_HEADERS[headers['x-openrtb-version'] === '2.5' ? '2.5' : '2.6']
    return bidding.bid(call, call.json, fit => auctionOf(fit, answerHeaders))
  }

  return { prefix: BID_PREFIX, handle, refuse: path => (sourceOf(path) ? null : UNKNOWN) }
}

const BID_HEADERS = { '2.5': headersOf('2.5'), '2.6': headersOf('2.6') }

function headersOf(version: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-openrtb-version': version }
}

function auctionOf({ request, terms }: Fit, headers: Record<string, string>): Auction {
  const ttlMsOf = (slotId: string) =>
    ((terms.get(slotId)?.expiresInS ?? DEFAULT_EXPIRY_S) + NOTICE_MARGIN_S) * 1000
  return { isFree: request.test, ttlMsOf, allowance: null, origin: ORIGIN, headers: () => headers }
}
