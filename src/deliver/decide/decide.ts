// Chooses the ads of a request: the highest price that passes, then the campaign furthest behind its pace, then any of
// its banners with equal chance. Ads that are paid by click compete with what they are expected to bring (by-click.ts).
// Memory only, synchronous; clock and random are arguments. Money and the user's cap count are reserved before an ad is
// returned, so every returned ad may be served.

import type { DatedUser, UserHash } from '../../budget/caps/caps.ts'
import { type CappedUser, cappedUserOf, isCappedUser, isFullyAsked } from '../../budget/caps/shared-caps.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { LiveBanner, LiveCampaign, ServablePersona } from '../../budget/live.ts'
import type { UnseenRefusal } from '../../count/tracking/visitor-limits.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import { nearer, ofLedger, type SlotReason } from '../reasons.ts'
import type { OutcomeNotes } from '../sample/outcome.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'
import type { PreparedRequest } from '../targeting/prepare.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import { blocksOf } from './blocks.ts'
import {
  type ByClickParts,
  bestByClick,
  byClickChoice,
  isMeantByClick,
  prepareByClick,
  worthOf,
} from './by-click.ts'
import { type Asker, type ClickWorth, fittingBanners, flightAt, priceOf, refusalOf } from './eligible.ts'

export interface DecideParts {
  catalog: Pick<ReadonlyCatalog, 'personas'>
  index: Pick<TargetingIndex, 'prepare' | 'search' | 'searchBest'>
  ledger: Pick<Ledger, 'check' | 'reserve' | 'paceLag' | 'spendable' | 'today'>
  /** Personas of campaigns that are paid by click, and click rates; missing: there are no such campaigns. */
  byClick?: ByClickParts
  /** A fresh id for each ad. */
  nextAdId: () => string
  /** In [0, 1). */
  random: () => number
}

export interface Terms {
  nowMs: number
  user: DatedUser | null
  /** Cap counts are taken in a shared store: the choice waits if a campaign with a cap may win. */
  hasCapStore: boolean
  /** The time within which the ad of a slot must be seen. */
  ttlMsOf: (slotId: string) => number
  /** Never billed (a test, a foreign page): nothing is reserved, so that requests alone cannot block a budget. */
  isFree: boolean
  /** The source, and whether campaigns that are paid by click may be shown there; null: they may not. */
  source: { sourceId: number; allowsCpc: boolean } | null
  /** Set if anyone can send the request: limits the unseen ads of its visitor. */
  allowance: VisitorAllowance | null
  /** If the request is kept in the sample, its outcome is noted here. */
  notes: OutcomeNotes | null
}

/** What a visitor's address may still get unseen. */
export interface VisitorAllowance {
  isFull(nowMs: number): boolean
  /** Why the visitor may not get this ad; null: it may. */
  refusalOf(ad: Offer, spendableMicros: number, terms: Terms): UnseenRefusal | null
  addUnseen(adId: string, ad: Offer, terms: Terms): void
  /** The visitor would have got this ad, but gets none. */
  refused(ad: Offer, reason: UnseenRefusal): void
}

export interface Offer {
  campaign: Pick<LiveCampaign, 'cid' | 'cuid' | 'dailySpendMicros' | 'cpcMicros'>
  fid: number
  banner: Pick<LiveBanner, 'pid' | 'bid'>
  priceMicros: number
  /** The day whose budget pays. */
  dayKey: number
}

export interface DecidedAd {
  slotId: string
  adId: string
  campaign: LiveCampaign
  fid: number
  banner: LiveBanner
  priceMicros: number
  /** The price of a thousand impressions; where clicks are paid for, what they are expected to bring. */
  cpmMicros: number
  /** The price of its click; missing: its click costs nothing. */
  clickMicros?: number
  ttlMs: number
  /** The day whose budget pays. */
  dayKey: number
  /** Its flight has a total of its own, which pays, too. */
  flightPays: boolean
  /** The user on that day; null: there is none, or nothing is reserved. */
  user: UserHash | null
}

export type Decision = DecidedAd | { slotId: string; noAd: SlotReason }

/** Campaigns with a cap may win: once the cap store has answered for them, the choice is made again. */
export interface Undecided {
  slotId: string
  cappedUser: CappedUser
  again: () => Decision | Undecided
}

/** A campaign that pacing holds back is skipped and the next best is tried, at most this often. */
const MOST_ROUNDS = 24

export function decide(request: AdRequest, parts: DecideParts, terms: Terms): (Decision | Undecided)[] {
  const blocks = blocksOf(request)
  const prepared = parts.index.prepare(request)
  const preparedByClick = prepareByClick(request, parts.byClick)
  const decisions: (Decision | Undecided)[] = []
  for (const slot of request.slots) {
    const user = terms.user && terms.hasCapStore ? cappedUserFor(terms.user, slot, parts, terms) : terms.user
    const asker: Asker = { blocks, user, nowMs: terms.nowMs }
    decisions.push(decideSlot(slot, prepared, preparedByClick, asker, parts, terms))
  }
  return decisions
}

function cappedUserFor(user: DatedUser, slot: Slot, parts: DecideParts, terms: Terms): CappedUser {
  return cappedUserOf(user, parts.nextAdId(), terms.ttlMsOf(slot.id), parts.random)
}

/** Null: there is nothing to ask, or the campaign that was found has its count and nothing dearer can be asked for. */
function undecided(
  asker: Asker,
  slotId: string,
  foundCid: number | null,
  again: Undecided['again'],
): Undecided | null {
  const { user } = asker
  if (user === null || !isCappedUser(user) || user.asked === null || user.asked.size === 0) return null
  if (foundCid !== null && user.known.get(foundCid) === 'taken') return null
  return { slotId, cappedUser: user, again }
}

function decideSlot(
  slot: Slot,
  prepared: PreparedRequest,
  preparedByClick: PreparedRequest | null,
  asker: Asker,
  parts: DecideParts,
  terms: Terms,
): Decision | Undecided {
  const again = () => decideSlot(slot, prepared, preparedByClick, asker, parts, terms)
  const { personas } = parts.catalog
  let reason: SlotReason = 'no_match'
  /** Campaigns that were refused this place, for example by pacing. */
  let heldBack: Set<number> | null = null
  const cappedUser = terms.hasCapStore && asker.user !== null && isCappedUser(asker.user) ? asker.user : null
  const accept = (pid: number): boolean => {
    // The search ends here, and starts again when the answers have arrived.
    if (cappedUser !== null && isFullyAsked(cappedUser)) return true
    const persona = personas.get(pid)
    if (persona === undefined || heldBack?.has(persona.order.campaign.cid)) return false
    const refusal = refusalOf(persona, slot, asker, parts.ledger)
    if (refusal === null) return true
    note(persona, refusal)
    return false
  }
  const note = ({ pid, order }: ServablePersona, refusal: SlotReason) => {
    reason = nearer(reason, refusal)
    terms.notes?.refused(slot.id, pid, refusal)
    if (cappedUser?.asked?.has(order.campaign.cid)) cappedUser.noted.push(pid)
  }
  const choice = byClickChoice(preparedByClick, slot, asker, parts, terms.source)
  const taken = cappedUser === null ? null : reserveTaken(cappedUser, slot, asker, parts, terms)
  if (taken !== null) return taken
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = parts.index.searchBest(prepared, slot, accept)
    const offer = choice && bestByClick(choice, found?.priceMicros ?? -1, cid => heldBack?.has(cid), note)
    const best = offer?.persona ?? (found && personas.get(found.pids[0]!)!)
    const foundCid = best?.order.campaign.cid ?? null
    const open = terms.hasCapStore ? undecided(asker, slot.id, foundCid, again) : null
    if (open) return open
    if (offer) {
      const made = reserveBanner(offer.persona.order.campaign, offer.banner, slot, asker, parts, terms, offer)
      if (typeof made !== 'string') return made
      reason = nearer(reason, made)
      noteAll(terms.notes, slot, offer.persona.order.pids, made)
      heldBack ??= new Set()
      heldBack.add(offer.persona.order.campaign.cid)
      continue
    }
    if (found === null) break
    const candidates = byCampaign(found.pids, personas)
    for (const tied of byPaceLag(candidates, parts.ledger, asker.nowMs)) {
      const made = reserveAd(tied, slot, asker, parts, terms)
      if (typeof made !== 'string') return made
      reason = nearer(reason, made)
      noteAll(terms.notes, slot, tied[0]!.order.pids, made)
      heldBack ??= new Set()
      heldBack.add(tied[0]!.order.campaign.cid)
    }
  }
  if (reason === 'no_match') reason = whyNone(slot, prepared, preparedByClick, parts, terms)
  return { slotId: slot.id, noAd: reason }
}

/** A campaign is held back with all its personas, including those that would have come later. */
function noteAll(notes: OutcomeNotes | null, slot: Slot, pids: Iterable<number>, reason: SlotReason): void {
  if (notes) for (const pid of pids) notes.refused(slot.id, pid, reason)
}

/** Reserves the dearest ad whose cap count was just taken: nothing dearer has one. */
function reserveTaken(
  cappedUser: CappedUser,
  slot: Slot,
  asker: Asker,
  parts: DecideParts,
  terms: Terms,
): DecidedAd | null {
  const { personas } = parts.catalog
  const rates = parts.byClick?.rates()
  const worthAt = (pid: number) =>
    rates && worthOf(personas.get(pid)!, slot, asker.blocks, rates, terms.source?.sourceId ?? null)
  const priceAt = (pid: number) => worthAt(pid)?.cpmMicros ?? personas.get(pid)!.order.campaign.cpmMicros
  let pids = cappedUser.noted.filter(pid => {
    const persona = personas.get(pid)
    if (persona === undefined || cappedUser.known.get(persona.order.campaign.cid) !== 'taken') return false
    return refusalOf(persona, slot, asker, parts.ledger, worthAt(pid)) === null
  })
  while (pids.length > 0) {
    const most = Math.max(...pids.map(priceAt))
    const best = pids.filter(pid => priceAt(pid) === most)
    for (const tied of byPaceLag(byCampaign(best, personas), parts.ledger, asker.nowMs)) {
      const worth = worthAt(tied[0]!.pid)
      const made = worth
        ? reserveBanner(tied[0]!.order.campaign, worth.banner, slot, asker, parts, terms, worth)
        : reserveAd(tied, slot, asker, parts, terms)
      if (typeof made !== 'string') return made
    }
    pids = pids.filter(pid => priceAt(pid) < most)
  }
  return null
}

/** The tied personas of each campaign. */
function byCampaign(pids: number[], personas: ReadonlyCatalog['personas']): ServablePersona[][] {
  if (pids.length === 1) return [[personas.get(pids[0]!)!]]
  const groups = new Map<number, ServablePersona[]>()
  for (const pid of pids) {
    const persona = personas.get(pid)!
    const group = groups.get(persona.order.campaign.cid)
    if (group) group.push(persona)
    else groups.set(persona.order.campaign.cid, [persona])
  }
  return [...groups.values()]
}

/** The campaign furthest behind its plan comes first. */
function byPaceLag(
  groups: ServablePersona[][],
  ledger: DecideParts['ledger'],
  nowMs: number,
): ServablePersona[][] {
  if (groups.length === 1) return groups
  return groups
    .map(group => ({ group, paceLag: ledger.paceLag(group[0]!.order.campaign.cid, nowMs) }))
    .sort((a, b) => b.paceLag - a.paceLag)
    .map(({ group }) => group)
}

/** An ad of one campaign, with its reservation; or the reason for a refusal. */
function reserveAd(
  personas: ServablePersona[],
  slot: Slot,
  asker: Asker,
  parts: DecideParts,
  terms: Terms,
): DecidedAd | SlotReason {
  const { blocks } = asker
  const banners =
    personas.length === 1
      ? fittingBanners(personas[0]!, slot, blocks)
      : personas.flatMap(persona => fittingBanners(persona, slot, blocks))
  const banner = banners[Math.floor(parts.random() * banners.length)]
  if (banner === undefined) return 'size'
  return reserveBanner(personas[0]!.order.campaign, banner, slot, asker, parts, terms)
}

function reserveBanner(
  campaign: LiveCampaign,
  banner: LiveBanner,
  slot: Slot,
  { user }: Asker,
  parts: DecideParts,
  terms: Terms,
  worth?: ClickWorth,
): DecidedAd | SlotReason {
  const fid = flightAt(campaign, terms.nowMs)
  if (fid === null) return 'not_in_flight'
  const adId = user !== null && isCappedUser(user) ? user.adId : parts.nextAdId()
  const priceMicros = priceOf(campaign)
  const ttlMs = terms.ttlMsOf(slot.id)
  const { key: dayKey } = parts.ledger.today(campaign.cid, terms.nowMs)
  let flightPays = false
  let userThen: UserHash | null = null
  if (!terms.isFree) {
    const { cid } = campaign
    const { allowance, nowMs } = terms
    const offer = { campaign, fid, banner, priceMicros, dayKey }
    const refusal = allowance?.refusalOf(offer, parts.ledger.spendable(cid, priceMicros, nowMs), terms)
    if (refusal) {
      allowance!.refused(offer, refusal)
      return refusal
    }
    const wish = { adId, cid, priceMicros, user, ttlMs, random: parts.random(), click: worth?.click }
    const reserved = parts.ledger.reserve(wish, nowMs)
    if (typeof reserved === 'string') return ofLedger(reserved)
    flightPays = reserved.payer === fid
    userThen = reserved.user
    allowance?.addUnseen(adId, offer, terms)
  }
  const cpmMicros = worth?.cpmMicros ?? campaign.cpmMicros
  return {
    slotId: slot.id,
    adId,
    campaign,
    fid,
    banner,
    priceMicros,
    cpmMicros,
    clickMicros: worth?.click.priceMicros,
    ttlMs,
    dayKey,
    flightPays,
    user: userThen,
  }
}

/** The reason if no persona came as far as a test. */
function whyNone(
  slot: Slot,
  prepared: PreparedRequest,
  preparedByClick: PreparedRequest | null,
  parts: DecideParts,
  terms: Terms,
): SlotReason {
  if (preparedByClick !== null && isMeantByClick(slot, preparedByClick, parts.byClick!))
    return terms.source?.allowsCpc ? 'floor' : 'cpc_on_exchange'
  return slot.floorMicros > 0 && isMeantBelowFloor(slot, prepared, parts) ? 'floor' : 'no_match'
}

function isMeantBelowFloor(slot: Slot, prepared: PreparedRequest, parts: DecideParts): boolean {
  return parts.index.search(prepared, { ...slot, floorMicros: 0 }, () => true, 1).length > 0
}
