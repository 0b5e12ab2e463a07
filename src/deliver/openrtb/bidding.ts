// What all bid requests have in common, whoever sends them: they are parsed, decided and answered. No bid is 204 with
// no body, as exchanges expect. If the operator has switched on debugging for the source and the caller asks for it
// (`x-marquee-debug`), the answer contains no bids, but the reason.

import type { IncomingHttpHeaders } from 'node:http'
import type { DataAnswer } from '../../http/lane/data-plane.ts'
import { refusal, shownProblem } from '../../kernel/errors/problem.ts'
import type { AttributeBook } from '../../manage/attributes/book.ts'
import type { Source } from '../../manage/sources/sources.ts'
import type { AttributeDrops, OnDrop } from '../audience/attributes.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { linksOf, type Origin } from '../decide/links.ts'
import type { DecidedAd, VisitorAllowance } from '../decide/place.ts'
import { after, type Served, type ServeParts, serve } from '../decide/serve.ts'
import type { SecretsAt } from '../decide/user-secrets.ts'
import type { NoAdReason } from '../reasons.ts'
import type { AttributeSource } from './attributes.ts'
import type { BidContext } from './context.ts'
import { type ParsedBidRequest, parseBidRequest } from './parse.ts'
import { fieldsOf, textOf } from './read.ts'
import { bidResponse } from './respond.ts'

export interface BidParts extends ServeParts {
  /** How far the process is behind its work. */
  lagMs: () => number
  seat: string
  currency: string
  secretsAt: SecretsAt
  lookups: GeoLookups
  attributes: () => AttributeBook
  attributeDrops: Pick<AttributeDrops, 'count'>
}

export interface BidCall {
  source: Source
  /** This caller is told the reason if there is no bid. */
  isDebug: boolean
  /** The body, whose id a reason names; null: it was not read. */
  json: unknown
}

export type Fit = Extract<ParsedBidRequest, { request: unknown }>

/** How a request that can be answered is decided. */
export interface Auction {
  isFree: boolean
  ttlMsOf: (slotId: string) => number
  allowance: VisitorAllowance | null
  origin: Omit<Origin, 'source'>
  onServed?: (ad: DecidedAd) => void
  /** Of an answer with bids. */
  headers: () => DataAnswer['headers']
}

/** With a longer lag than this, a bid would come after the auction. */
const MOST_LAG_MS = 200
/** The part of `tmax` that our own work and the way back need at least. */
const LEAST_TMAX_MS = 10
const LONGEST_ID = 1024
const VERSION = { 'x-openrtb-version': '2.6' }
const JSON_HEADERS = { ...VERSION, 'content-type': 'application/json' }
const NO_BID: DataAnswer = { status: 204, headers: VERSION, body: null }
const MALFORMED: DataAnswer = { status: 400, headers: VERSION, body: null }

export const UNKNOWN: DataAnswer = { status: 404, headers: {}, body: null }

export function createBidding(parts: BidParts, { hasNotices }: { hasNotices: boolean }) {
  const { seat, currency, lookups } = parts
  const { publicUrl } = parts.links
  const us = { seat, currency, domain: new URL(publicUrl).hostname, hasNotices }
  const publicUrlIsHttps = publicUrl.startsWith('https:')

  const onDrop: OnDrop = (_key, reason) => parts.attributeDrops.count(reason)

  /** Nothing is read of a source that has no places for attributes. */
  function attributesIn({ attributes: paths }: Source): AttributeSource | null {
    for (const _key in paths) return { book: parts.attributes(), paths, isTrusted: hasNotices, onDrop }
    return null
  }

  function contextNow(source: Source): BidContext {
    const nowMs = parts.clock.nowMs()
    const leastTmaxMs = LEAST_TMAX_MS + parts.lagMs()
    const secrets = parts.secretsAt(nowMs)
    const attributes = attributesIn(source)
    return {
      ...{ seat, currency, publicUrlIsHttps, nowMs, leastTmaxMs, tcfVendorId: null, secrets, lookups },
      ...(attributes && { attributes }),
    }
  }

  function noBid(call: BidCall, reason: NoAdReason): DataAnswer {
    parts.tally.count(reason)
    return call.isDebug ? noBidBecause(reason, call.json) : NO_BID
  }

  /** `json`: the body, or what is believed of it. */
  function bid(
    call: BidCall,
    json: unknown,
    auctionOf: (fit: Fit) => Auction,
  ): DataAnswer | Promise<DataAnswer> {
    const fit = parseBidRequest(json, contextNow(call.source))
    if ('malformed' in fit) return malformed(call, fit.malformed)
    if ('noBid' in fit) return noBid(call, fit.noBid)
    const { source } = call
    const auction = auctionOf(fit)
    const { isFree, ttlMsOf, allowance, origin } = auction
    const visit = { request: fit.request, isFree, ttlMsOf, source, allowance }
    return after(serve(visit, parts), served => {
      if (served.ads.length === 0)
        return call.isDebug ? noBidBecause(served.noAd ?? 'failed', call.json) : NO_BID
      const { isForeign, visitor } = origin
      return answer(fit, served, { source, isForeign, visitor }, auction)
    })
  }

  function answer(
    { request, terms: replyTerms, dsa }: Fit,
    { ads, terms }: Served,
    origin: Origin,
    { onServed, headers }: Auction,
  ): DataAnswer {
    const wins = ads.map(ad => {
      onServed?.(ad)
      const { category, company, cid } = ad.campaign
      return {
        slotId: ad.slotId,
        bidId: ad.adId,
        cid,
        cpmMicros: ad.cpmMicros,
        category,
        company,
        targeting: parts.decide.catalog.personas.get(ad.banner.pid)?.targeting,
        banner: ad.banner,
        links: linksOf(ad, request, origin, terms, parts.links),
      }
    })
    return { status: 200, headers: headers(), body: bidResponse(request, replyTerms, wins, us, dsa) }
  }

  return {
    callOf: (source: Source, headers: IncomingHttpHeaders): BidCall => ({
      source,
      isDebug: mayKnow(source, headers),
      json: null,
    }),
    isOverloaded: () => parts.lagMs() > MOST_LAG_MS,
    noBid,
    bid,
  }
}

/** The key at the end of the path. */
export function keyIn(path: string, prefix: string): string {
  return path.slice(prefix.length, path.endsWith('/') ? path.length - 1 : path.length)
}

/** Whether this caller is told the reason. */
function mayKnow(source: Pick<Source, 'debug'>, headers: IncomingHttpHeaders): boolean {
  const asked = headers['x-marquee-debug']
  return source.debug && asked !== undefined && asked !== '0' && asked !== 'false'
}

function noBidBecause(reason: NoAdReason, json: unknown): DataAnswer {
  const id = textOf(fieldsOf(json)?.id, LONGEST_ID) ?? undefined
  const body = JSON.stringify({ id, seatbid: [], ext: { marquee: { reason } } })
  return { status: 200, headers: JSON_HEADERS, body }
}

export function malformed({ isDebug }: BidCall, detail: string): DataAnswer {
  if (!isDebug) return MALFORMED
  const problem = refusal('malformed_bid_request', { detail })
  return { status: problem.status, headers: JSON_HEADERS, body: JSON.stringify(shownProblem(problem)) }
}
