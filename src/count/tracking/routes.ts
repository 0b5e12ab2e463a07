// The tracking links on the thin path.
//   /t/i/<token> pixel   /t/b/<token> billing notice   /t/l/<token> loss notice
//   /t/c/<token> click   /t/v/<token> view

import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import {
  FORGED,
  NOT_NOTED,
  NOTED,
  PIXEL,
  PIXEL_UNACKNOWLEDGED,
  redirect,
  refused,
  wrongMethod,
} from './answers.ts'
import {
  browserOf,
  type CallerParts,
  factsOf,
  MAX_QUERY_CHARS,
  NO_VISITOR,
  visitorFactsOf,
} from './caller.ts'
import { type CallKind, type CallParts, countClick, countImpression, countView, noteLoss } from './calls.ts'
import { type KeyRing, type LinkKind, readLink } from './links.ts'

export interface TrackingParts extends CallParts, CallerParts {
  keys: KeyRing
  /** Handles other paths below `/t/`, such as the pixel of conversions. Null: no such path. */
  beside(path: string, request: DataRequest): DataAnswer | Promise<DataAnswer> | null
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
const NOT_FOUND = refused(refusal('no_such_link'))
const NO_ADDRESS = refused(refusal('leads_nowhere'))
const AWAY = refused(refusal('unavailable', {}, { headers: { 'retry-after': '1' } }))

export function trackingRoutes(parts: TrackingParts): DataRoute[] {
  return [{ prefix: '/t/', handle: request => handle(parts, request) }]
}

function handle(parts: TrackingParts, request: DataRequest): DataAnswer | Promise<DataAnswer> {
  // A trailing slash is accepted on every path.
  const path = request.path.endsWith('/') ? request.path.slice(0, -1) : request.path
  const link = path[4] === '/' ? LINKS[path[3]!] : undefined
  if (!link) return parts.beside(path, request) ?? NOT_FOUND
  if (!link.methods.includes(request.method)) return wrongMethod(request.method, link.methods)
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
      const facts = call === 'pixel' ? visitorFactsOf(parts, ad, request) : NO_VISITOR
      const price = ad.takesPrice ? priceOf(request) : null
      const done = countImpression(parts, ad, call, facts, price, facts.visitor)
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
      return countClick(
        parts,
        ad,
        factsOf(parts, request),
        browserOf(parts, ad, request),
        ad.clickMicros ? visitorFactsOf(parts, ad, request).visitor : null,
      ).then(
        result => (result ? redirect(result.location, result.done === 'acknowledged') : NO_ADDRESS),
        error => {
          // The banner is not live, and the database that knows its address is away.
          parts.onError(error)
          return AWAY
        },
      )
    default:
      noteLoss(parts, ad)
      return NOTED
  }
}

function priceOf({ query }: DataRequest): string | null {
  if (query === '' || query.length > MAX_QUERY_CHARS) return null
  return new URLSearchParams(query).get('p')
}
