// The tracking links on the thin path, and the action endpoint of the management interface.
//   /t/i/<token> pixel   /t/b/<token> billing notice   /t/l/<token> loss notice
//   /t/c/<token> click   /t/v/<token> view   /t/a.gif action

import type { DataAnswer, DataRequest, DataRoute } from '../data-plane/data-plane.ts'
import type { Api } from '../http/api.ts'
import { Problem } from '../kernel/problem.ts'
import type { ClientAddress } from '../platform/client-address.ts'
import type { Database, Db } from '../platform/database.ts'
import { type ActionCallParts, countPixelAction, countServerAction } from './action-calls.ts'
import { seenActions } from './actions.ts'
import type { ServedAd } from './ad.ts'
import { FORGED, NOT_NOTED, NOTED, PIXEL, PIXEL_UNACKNOWLEDGED, redirect, refusal } from './answers.ts'
import { type CallKind, type CallParts, countClick, countImpression, countView, noteLoss } from './calls.ts'
import * as contract from './contract.ts'
import { type KeyRing, type LinkKind, readLink } from './links.ts'
import type { CallFacts } from './verdict.ts'
import { browserMark, isAnother } from './visitor.ts'
import { UNSEEN_MS, type Visitor, visitorOf } from './visitor-limits.ts'

export interface TrackingParts extends CallParts, ActionCallParts {
  /** For what an action's pixel is credited to. */
  db: Db
  keys: KeyRing
  isBot(agent: string | undefined): boolean
  isPrefetch(headers: DataRequest['headers']): boolean
  clientAddress: ClientAddress
  /** The secret of the day that holds this moment. */
  saltAt(ms: number): string
  onError(error: unknown): void
}

interface LinkRoute {
  kind: LinkKind
  call: CallKind
  methods: string[]
}

const LINKS: Record<string, LinkRoute> = {
  i: { kind: 'impression', call: 'pixel', methods: ['GET'] },
  b: { kind: 'billing', call: 'notice', methods: ['GET', 'POST'] },
  l: { kind: 'loss', call: 'loss', methods: ['GET', 'POST'] },
  c: { kind: 'click', call: 'click', methods: ['GET'] },
  v: { kind: 'view', call: 'view', methods: ['GET'] },
}
const MAX_QUERY_CHARS = 4096
const NOT_FOUND = refusal('not_found', 'there is no such tracking link')
const NO_ADDRESS = refusal('not_found', 'this ad no longer leads anywhere')
const TOO_LONG = refusal('malformed_request', 'the query is too long')
const BAD_CUSTOMER = refusal('invalid_input', 'cuid: must be a customer id')
const AWAY = refusal('unavailable', 'this is not possible right now; try again', { 'retry-after': '1' })

export function trackingRoutes(parts: TrackingParts): DataRoute[] {
  return [{ prefix: '/t/', handle: request => handle(parts, request) }]
}

function handle(parts: TrackingParts, request: DataRequest): DataAnswer | Promise<DataAnswer> {
  // A trailing slash is accepted on every path.
  const path = request.path.endsWith('/') ? request.path.slice(0, -1) : request.path
  if (path === '/t/a.gif')
    return request.method === 'GET' ? actionPixel(parts, request) : wrongMethod(['GET'])
  const link = path[4] === '/' ? LINKS[path[3]!] : undefined
  if (!link) return NOT_FOUND
  if (!link.methods.includes(request.method)) return wrongMethod(link.methods)
  return follow(parts, link, path.slice(5), request)
}

function follow(
  parts: TrackingParts,
  { kind, call }: LinkRoute,
  token: string,
  request: DataRequest,
): DataAnswer | Promise<DataAnswer> {
  const ad = readLink(kind, token, parts.keys)
  if ('bad' in ad) {
    parts.tally(call, ad.bad)
    return FORGED
  }
  switch (call) {
    case 'pixel':
    case 'notice': {
      const { visitor, ...facts } = call === 'pixel' ? visitorFactsOf(parts, ad, request) : NO_VISITOR
      const price = ad.takesPrice ? priceOf(request) : null
      const done = countImpression(parts, ad, call, facts, price, visitor)
      const [yes, no] = call === 'pixel' ? [PIXEL, PIXEL_UNACKNOWLEDGED] : [NOTED, NOT_NOTED]
      if (typeof done === 'string') return done === 'acknowledged' ? yes : no
      return done.then(value => (value === 'acknowledged' ? yes : no))
    }
    case 'view': {
      const done = countView(parts, ad, visitorFactsOf(parts, ad, request))
      if (typeof done === 'string') return done === 'acknowledged' ? PIXEL : PIXEL_UNACKNOWLEDGED
      return done.then(value => (value === 'acknowledged' ? PIXEL : PIXEL_UNACKNOWLEDGED))
    }
    case 'click':
      return countClick(parts, ad, factsOf(parts, request), browserOf(parts, ad, request)).then(
        result => (result ? redirect(result.location, result.done === 'acknowledged') : NO_ADDRESS),
        error => {
          // A banner that is not live, and the database that knows its address is away.
          parts.onError(error)
          return AWAY
        },
      )
    default:
      noteLoss(parts, ad)
      return NOTED
  }
}

interface VisitorFacts extends CallFacts {
  /** Whose impressions are limited; null where a server asked for the ad and did not say for whom. */
  visitor: Visitor | null
}

const NO_VISITOR: VisitorFacts = { isBot: false, isPrefetch: false, isOther: false, visitor: null }

function factsOf(parts: TrackingParts, { headers }: DataRequest): CallFacts {
  return {
    isBot: parts.isBot(headers['user-agent']),
    isPrefetch: parts.isPrefetch(headers),
    isOther: false,
  }
}

function visitorFactsOf(parts: TrackingParts, ad: ServedAd, request: DataRequest): VisitorFacts {
  const facts = factsOf(parts, request)
  if (ad.networkHash === null && ad.agentHash === null) return { ...facts, visitor: null }
  const { headers, remoteAddress } = request
  const address = parts.clientAddress(remoteAddress, headers)
  const isOther = isAnother(ad, address, headers['user-agent'] ?? '', parts.saltAt(ad.servedS * 1000))
  // Of pages' ads the money is reserved no longer than they are held against their visitor.
  const isVouchedFor = ad.ttlS * 1000 > UNSEEN_MS
  const visitor = ad.networkHash === null ? null : visitorOf(ad.sourceId, address, isVouchedFor)
  return { ...facts, isOther, visitor }
}

function browserOf(parts: TrackingParts, ad: Pick<ServedAd, 'adId' | 'servedS'>, { headers }: DataRequest) {
  return browserMark(headers['user-agent'] ?? '', ad.adId, parts.saltAt(ad.servedS * 1000))
}

function priceOf({ query }: DataRequest): string | null {
  if (query === '' || query.length > MAX_QUERY_CHARS) return null
  return new URLSearchParams(query).get('p')
}

async function actionPixel(parts: TrackingParts, request: DataRequest): Promise<DataAnswer> {
  if (request.query.length > MAX_QUERY_CHARS) return TOO_LONG
  try {
    const pixel = {
      ...factsOf(parts, request),
      address: parts.clientAddress(request.remoteAddress, request.headers),
      browserOf: (ad: Pick<ServedAd, 'adId' | 'servedS'>) => browserOf(parts, ad, request),
    }
    const answer = await countPixelAction(parts.db, request, pixel, parts)
    if (answer === 'bad') return BAD_CUSTOMER
    return answer === 'unavailable' ? PIXEL_UNACKNOWLEDGED : PIXEL
  } catch (error) {
    parts.onError(error)
    parts.tally('action', 'unacknowledged')
    return PIXEL_UNACKNOWLEDGED
  }
}

function wrongMethod(allowed: string[]): DataAnswer {
  return refusal('method_not_allowed', `only ${allowed.join(' and ')} here`, { allow: allowed.join(', ') })
}

export function actionRoutes(api: Api, parts: ActionCallParts & { db: Database }): void {
  api.describe(contract.actionPixel)
  api.bind(contract.readActions, {
    db: parts.db,
    handle: call => seenActions(call.db, call.cuid),
  })
  api.bind(contract.reportAction, {
    db: parts.db,
    writesElsewhere: true,
    handle: async call => {
      const answer = await countServerAction(call.db, call.cuid, call.body, parts)
      if (answer === 'unavailable') throw new Problem('unavailable', 'the action could not be written')
      return answer
    },
  })
}
