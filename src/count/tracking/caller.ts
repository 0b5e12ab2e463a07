// Who calls a tracking link: a bot, a browser that prefetches, the visitor who requested the ad, or somebody else.

import type { DataRequest } from '../../http/lane/data-plane.ts'
import type { ClientAddress } from '../../platform/client-address.ts'
import type { ServedAd } from './ad.ts'
import type { CallFacts } from './verdict.ts'
import { browserMark, isAnother } from './visitor.ts'
import { UNSEEN_MS, type Visitor, visitorOf } from './visitor-limits.ts'

export interface CallerParts {
  isBot(agent: string | undefined): boolean
  isPrefetch(headers: DataRequest['headers']): boolean
  clientAddress: ClientAddress
  /** The secret of the day that includes this moment. */
  saltAt(ms: number): string
}

export interface VisitorFacts extends CallFacts {
  /** The visitor whose impressions are limited; null if a server requested the ad without naming the visitor. */
  visitor: Visitor | null
}

/** Longer queries are not read. */
export const MAX_QUERY_CHARS = 4096
export const NO_VISITOR: VisitorFacts = { isBot: false, isPrefetch: false, isOther: false, visitor: null }

export function factsOf(parts: CallerParts, { headers }: DataRequest): CallFacts {
  return {
    isBot: parts.isBot(headers['user-agent']),
    isPrefetch: parts.isPrefetch(headers),
    isOther: false,
  }
}

export function visitorFactsOf(parts: CallerParts, ad: ServedAd, request: DataRequest): VisitorFacts {
  const { isBot, isPrefetch } = factsOf(parts, request)
  if (ad.networkHash === null && ad.agentHash === null)
    return { isBot, isPrefetch, isOther: false, visitor: null }
  const { headers, remoteAddress } = request
  const address = parts.clientAddress(remoteAddress, headers)
  const isOther = isAnother(ad, address, headers['user-agent'] ?? '', parts.saltAt(ad.servedS * 1000))
  // The money of a browser's ad is not reserved longer than the ad counts against its visitor.
  const isVouchedFor = ad.ttlS * 1000 > UNSEEN_MS
  const visitor = ad.networkHash === null ? null : visitorOf(ad.sourceId, address, isVouchedFor)
  return { isBot, isPrefetch, isOther, visitor }
}

/** See browserMark(). */
export function browserOf(
  parts: CallerParts,
  ad: Pick<ServedAd, 'adId' | 'servedS'>,
  { headers }: DataRequest,
): number {
  return browserMark(headers['user-agent'] ?? '', ad.adId, parts.saltAt(ad.servedS * 1000))
}
