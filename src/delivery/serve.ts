// What both dialects do with a parsed request: who the user is, which ads there are, and what is counted about it.

import type { Clock } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
import type { UserHash } from '../ledger/caps.ts'
import type { AdRequest } from '../targeting/request.ts'
import { type DecidedAd, type DecideParts, type Decision, decide, type Holder, type Terms } from './decide.ts'
import type { TrafficSample } from './funnel/sample.ts'
import type { LinkParts } from './links.ts'
import type { Tally } from './tally.ts'

export interface ServeParts {
  decide: DecideParts
  links: LinkParts
  clock: Clock
  calendar: Calendar
  tally: Tally
  sample: TrafficSample
}

export interface Served {
  ads: DecidedAd[]
  terms: Terms
  /** Of the first place that got none; null where all got one. */
  noAd: Exclude<Decision, DecidedAd>['noAd'] | null
}

export function serve(
  request: AdRequest,
  isFree: boolean,
  ttlMsOf: (slotId: string) => number,
  parts: ServeParts,
  holder: Holder | null = null,
): Served {
  const nowMs = parts.clock.nowMs()
  const user = request.userKey === null ? null : userHashOf(request.userKey)
  // Whoever holds too much is shown nothing; which ad it would have been is still found out, for its owner's figures.
  const isFull = !isFree && (holder?.isFull(nowMs) ?? false)
  const { key: dayKey } = parts.calendar.dayAt(nowMs)
  const terms: Terms = { nowMs, dayKey, user, ttlMsOf, isFree: isFree || isFull, holder }
  parts.sample.see(request)
  const ads: DecidedAd[] = []
  let noAd: Served['noAd'] = null
  for (const decision of decide(request, parts.decide, terms)) {
    if ('noAd' in decision) {
      noAd ??= decision.noAd
      parts.tally.count(decision.noAd)
      continue
    }
    if (isFull) {
      noAd ??= 'too_many_unseen'
      parts.tally.count('too_many_unseen')
      holder?.refused(decision)
      continue
    }
    ads.push(decision)
    parts.tally.count('served')
    parts.sample.served(decision.banner.pid)
  }
  return { ads, terms, noAd }
}

/** 64 bits of the user's key (hexadecimal), as the ledger and the links carry them. */
export function userHashOf(userKey: string): UserHash {
  return { hi: Number.parseInt(userKey.slice(0, 8), 16), lo: Number.parseInt(userKey.slice(8, 16), 16) }
}
