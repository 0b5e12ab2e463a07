// What both dialects do with a parsed request: identify the user, decide the ads, and count the outcome.

import { userOn } from '../../budget/caps/caps.ts'
import { type CappedUser, type CapStore, wasAsked } from '../../budget/caps/shared-caps.ts'
import type { SourceOutcomes } from '../../count/tracking/source-outcomes.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import type { Source } from '../../manage/sources/sources.ts'
import type { AttributesSeen } from '../sample/attributes-seen.ts'
import type { TrafficSample } from '../sample/sample.ts'
import type { AdRequest } from '../targeting/request.ts'
import { decide } from './decide.ts'
import type { LinkParts } from './links.ts'
import type { DecidedAd, DecideParts, Decision, Terms, Undecided, VisitorAllowance } from './place.ts'
import { applyTerms } from './source-terms.ts'
import type { Tally } from './tally.ts'
import { userOf } from './user-hash.ts'

export interface ServeParts {
  decide: DecideParts
  links: LinkParts
  clock: Clock
  calendar: Calendar
  tally: Tally
  sample: TrafficSample
  sourceOutcomes: Pick<SourceOutcomes, 'requested'>
  attributesSeen: Pick<AttributesSeen, 'note'>
  /** The shared store of caps for all nodes, if there is one. */
  capStore: CapStore | null
  /** Resolves when the next process would know all reservations so far if this process were killed. */
  kept(): Promise<void>
}

export interface Served {
  ads: DecidedAd[]
  terms: Terms
  /** The reason of the first place without an ad; null if every place got one. */
  noAd: Exclude<Decision, DecidedAd>['noAd'] | null
}

/** A request, and how its ads are paid for. */
export interface Visit {
  request: AdRequest
  isFree: boolean
  ttlMsOf: (slotId: string) => number
  source: Pick<Source, 'sourceId' | 'allowsCpc' | 'floors' | 'refuses'> & Partial<Pick<Source, 'domain'>>
  /** Null: not everybody can send it. */
  allowance: VisitorAllowance | null
}

export function serve(visit: Visit, parts: ServeParts): Served | Promise<Served> {
  const { request, isFree, ttlMsOf, source, allowance } = visit
  const nowMs = parts.clock.nowMs()
  const user = userOf(request, parts.calendar.dayAt(nowMs).key)
  // A visitor with too many unseen ads gets no ad, but it is still chosen, for its owner's figures.
  const isFull = !isFree && (allowance?.isFull(nowMs) ?? false)
  const free = isFree || isFull
  const { capStore } = parts
  const hasCapStore = capStore !== null && user !== null && !free
  const refused = applyTerms(request, source)
  const notes = parts.sample.see(request, source)
  if (request.attributes !== undefined && !isFree) parts.attributesSeen.note(request.attributes)
  if (!isFree)
    parts.sourceOutcomes.requested(source.sourceId, request.slots.length * (parts.clock.crowd ?? 1), nowMs)
  const terms: Terms = { nowMs, user, hasCapStore, ttlMsOf, isFree: free, source, refused, allowance, notes }
  const decisions = decide(request, parts.decide, terms)
  const dayKeyOf = (cid: number) => parts.decide.ledger.today(cid, nowMs).key
  if (hasCapStore && decisions.some(isUndecided))
    return takeCapCounts(decisions, capStore, dayKeyOf).then(decided =>
      conclude(decided, terms, isFull, parts),
    )
  const served = conclude(decisions as Decision[], terms, isFull, parts)
  // A cap count that only this process knows must survive it, or the user could be shown one ad too many.
  const isCapped = capStore === null && !free && served.ads.some(({ campaign }) => campaign.freq > 0)
  return isCapped ? parts.kept().then(() => served) : served
}

function isUndecided(decision: Decision | Undecided): decision is Undecided {
  return 'again' in decision
}

/** One round trip for all places, or up to three if no count was left; counts that were taken but not used go back. */
async function takeCapCounts(
  decisions: (Decision | Undecided)[],
  capStore: CapStore,
  dayKeyOf: (cid: number) => number,
): Promise<Decision[]> {
  const open = decisions.filter(isUndecided)
  const asked = open.flatMap(({ cappedUser }) =>
    [...cappedUser.asked!.values()].map(wish => ({ cappedUser, wish })),
  )
  const answers = await capStore.take(asked.map(({ wish }) => wish))
  for (const [at, { cappedUser, wish }] of asked.entries()) cappedUser.known.set(wish.cid, answers[at]!)
  for (const { cappedUser } of open) wasAsked(cappedUser)
  const next = decisions.map(decision => {
    if (!isUndecided(decision)) return decision
    const { cappedUser } = decision
    const decided = decision.again()
    if (!isUndecided(decided)) giveBackUnused(cappedUser, decided, capStore, dayKeyOf)
    return decided
  })
  return next.some(isUndecided) ? takeCapCounts(next, capStore, dayKeyOf) : (next as Decision[])
}

function giveBackUnused(
  cappedUser: CappedUser,
  decided: Decision,
  capStore: CapStore,
  dayKeyOf: (cid: number) => number,
): void {
  const usedCid = 'noAd' in decided ? null : decided.campaign.cid
  for (const [cid, answer] of cappedUser.known) {
    if (answer !== 'taken' || cid === usedCid) continue
    const dayKey = dayKeyOf(cid)
    capStore.giveBack({ cid, dayKey, user: userOn(cappedUser, dayKey), adId: cappedUser.adId })
  }
}

function conclude(decisions: Decision[], terms: Terms, isFull: boolean, parts: ServeParts): Served {
  const { allowance } = terms
  const ads: DecidedAd[] = []
  let noAd: Served['noAd'] = null
  for (const decision of decisions) {
    if ('noAd' in decision) {
      noAd ??= decision.noAd
      parts.tally.count(decision.noAd)
      continue
    }
    if (isFull) {
      noAd ??= 'too_many_unseen'
      parts.tally.count('too_many_unseen')
      allowance?.refused(decision, 'too_many_unseen')
      terms.notes?.refused(decision.slotId, decision.banner.pid, 'too_many_unseen')
      continue
    }
    ads.push(decision)
    parts.tally.count('served')
    terms.notes?.won(decision.slotId, decision.banner.pid, decision.cpmMicros)
  }
  return { ads, terms, noAd }
}

/** Calls `next` at once if `value` is not a promise. */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
