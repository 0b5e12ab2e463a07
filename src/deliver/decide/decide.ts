// Chooses the ads of a request: the highest price that passes, then the campaign furthest behind its pace, then any of
// its banners with equal chance. Ads that are paid by click compete with what they are expected to bring (by-click.ts).
// Memory only, synchronous; clock and random are arguments. Money and the user's cap count are reserved before an ad is
// returned, so every returned ad may be served.

import type { UserHash } from '../../budget/caps/caps.ts'
import { cappedUserOf, isFullyAsked } from '../../budget/caps/shared-caps.ts'
import type { LiveBanner, LiveOrder, ServablePersona } from '../../budget/live.ts'
import { nearer, ofLedger, type SlotReason } from '../reasons.ts'
import type { Paid } from '../targeting/cursor.ts'
import { TIE_LIMIT } from '../targeting/index-tree.ts'
import type { AdRequest } from '../targeting/request.ts'
import { blocksOf, both } from './blocks.ts'
import { addOffer, type ClickOffer, isLearning, nextOffer, worthIn } from './by-click.ts'
import { fittingBanners, flightAt, passes, priceOf, refusalOf } from './eligible.ts'
import type { ClickWorth, DecidedAd, DecideParts, Decision, Place, Terms, Undecided } from './place.ts'
import { byResults, byWeight } from './rotation.ts'

/** A campaign that pacing holds back is skipped and the next best is tried, at most this often. */
const MOST_ROUNDS = 24

/** All personas at the best price; or the one that is paid by click and is worth more than any other. */
interface Best {
  personas: ServablePersona[]
  worth?: ClickWorth
}

export function decide(request: AdRequest, parts: DecideParts, terms: Terms): (Decision | Undecided)[] {
  const blocks = terms.refused ? both(blocksOf(request), terms.refused) : blocksOf(request)
  const prepared = parts.index.prepare(request)
  return request.slots.map(slot => {
    const cappedUser =
      terms.user && terms.hasCapStore
        ? cappedUserOf(terms.user, parts.nextAdId(), terms.ttlMsOf(slot.id), parts.random)
        : null
    const user = cappedUser ?? terms.user
    const place: Place = {
      slot,
      prepared,
      blocks,
      user,
      cappedUser,
      isLearning: isLearning(parts, terms),
      parts,
      terms,
      reason: 'no_match',
      heldBack: null,
    }
    return decidePlace(place)
  })
}

function decidePlace(place: Place): Decision | Undecided {
  const taken = place.cappedUser && reserveTaken(place)
  if (taken) return taken
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const best = (place.isLearning ? bestNew(place) : null) ?? bestOf(place)
    const open = undecided(place, best)
    if (open) return open
    if (best === null) break
    const ad = reserveOneOf(best.personas, () => best.worth, place)
    if (ad) return ad
  }
  return { slotId: place.slot.id, noAd: place.reason === 'no_match' ? whyNone(place) : place.reason }
}

/** Null: there is nothing to ask, or the campaign that was found has its count and nothing dearer can be asked for. */
function undecided(place: Place, best: Best | null): Undecided | null {
  const { cappedUser, slot } = place
  if (!cappedUser?.asked || cappedUser.asked.size === 0) return null
  if (best && cappedUser.known.get(best.personas[0]!.order.campaign.cid) === 'taken') return null
  const again = () => decidePlace({ ...place, reason: 'no_match', heldBack: null })
  return { slotId: slot.id, cappedUser, again }
}

/** Each persona that fits is asked, the dearest first, until one passes; then those that cost as much. */
function bestOf(place: Place): Best | null {
  const { parts, slot, cappedUser, terms } = place
  const { personas } = parts.catalog
  const offers: ClickOffer[] = []
  let offer: ClickOffer | null = null
  const accept = (pid: number, priceMicros: number, isByClick: boolean): boolean => {
    // The search ends here, and starts again when the answers have arrived.
    if (cappedUser !== null && isFullyAsked(cappedUser)) return true
    offer ??= nextOffer(offers, priceMicros, place)
    if (offer !== null) return true
    const persona = personas.get(pid)
    if (persona === undefined || isHeldBack(persona, place)) return false
    if (!isByClick) return passes(persona, place)
    addOffer(offers, persona, place)
    return false
  }
  const paid = terms.source?.allowsCpc ? undefined : 'view'
  const found = parts.index.searchBest(place.prepared, slot, accept, TIE_LIMIT, paid)
  offer ??= nextOffer(offers, found?.priceMicros ?? -1, place)
  if (offer) return { personas: [offer.persona], worth: offer }
  return found && { personas: found.pids.map(pid => personas.get(pid)!) }
}

/** The dearest of those about whose banners too little is known. */
function bestNew(place: Place): Best | null {
  const { parts, prepared, slot } = place
  const offers: ClickOffer[] = []
  const add = (pid: number) => {
    const persona = parts.catalog.personas.get(pid)
    if (persona && !isHeldBack(persona, place)) addOffer(offers, persona, place)
    return false
  }
  parts.index.search(prepared, slot, add, 1, 'click')
  const newest = offers.filter(({ isNew }) => isNew)
  const offer = nextOffer(newest, -1, place)
  return offer && { personas: [offer.persona], worth: offer }
}

function isHeldBack({ order }: ServablePersona, { heldBack }: Place): boolean {
  return heldBack?.has(order.campaign.cid) ?? false
}

/** Reserves the dearest ad whose cap count was just taken: nothing dearer has one. */
function reserveTaken(place: Place): DecidedAd | null {
  const { personas } = place.parts.catalog
  const { noted, known } = place.cappedUser!
  const worthAt = (persona: ServablePersona) => worthIn(place, persona)
  const priceAt = (persona: ServablePersona) =>
    worthAt(persona)?.cpmMicros ?? persona.order.campaign.cpmMicros
  let rest = noted
    .map(pid => personas.get(pid))
    .filter(persona => persona !== undefined)
    .filter(persona => known.get(persona.order.campaign.cid) === 'taken')
    .filter(persona => refusalOf(persona, place, worthAt(persona)) === null)
  while (rest.length > 0) {
    const most = Math.max(...rest.map(priceAt))
    const ad = reserveOneOf(
      rest.filter(persona => priceAt(persona) === most),
      worthAt,
      place,
    )
    if (ad) return ad
    rest = rest.filter(persona => priceAt(persona) < most)
  }
  return null
}

/** The campaign furthest behind its plan comes first; those that are refused are held back with all their personas. */
function reserveOneOf(
  personas: ServablePersona[],
  worthAt: (persona: ServablePersona) => ClickWorth | undefined,
  place: Place,
): DecidedAd | null {
  for (const tied of byPaceLag(byCampaign(personas), place)) {
    const made = reserveAd(tied, worthAt(tied[0]!), place)
    if (typeof made !== 'string') return made
    place.reason = nearer(place.reason, made)
    pauseOrder(tied[0]!.order, made, place)
  }
  return null
}

function pauseOrder({ campaign, pids }: LiveOrder, reason: SlotReason, place: Place): void {
  const { notes } = place.terms
  // Including those that would have come later.
  if (notes) for (const pid of pids) notes.refused(place.slot.id, pid, reason)
  place.heldBack ??= new Set()
  place.heldBack.add(campaign.cid)
}

/** The tied personas of each campaign. */
function byCampaign(personas: ServablePersona[]): ServablePersona[][] {
  if (personas.length === 1) return [personas]
  const groups = new Map<number, ServablePersona[]>()
  for (const persona of personas) {
    const group = groups.get(persona.order.campaign.cid)
    if (group) group.push(persona)
    else groups.set(persona.order.campaign.cid, [persona])
  }
  return [...groups.values()]
}

function byPaceLag(groups: ServablePersona[][], { parts, terms }: Place): ServablePersona[][] {
  if (groups.length === 1) return groups
  return groups
    .map(group => ({ group, paceLag: parts.ledger.paceLag(group[0]!.order.campaign.cid, terms.nowMs) }))
    .sort((a, b) => b.paceLag - a.paceLag)
    .map(({ group }) => group)
}

/** An ad of one campaign, with its reservation; or the reason for a refusal. */
function reserveAd(
  personas: ServablePersona[],
  worth: ClickWorth | undefined,
  place: Place,
): DecidedAd | SlotReason {
  const { slot, user, parts, terms } = place
  const { campaign } = personas[0]!.order
  const { cid } = campaign
  const { allowance, nowMs } = terms
  const banner = worth?.banner ?? anyBanner(personas, place)
  if (banner === undefined) return 'size'
  const fid = flightAt(campaign, nowMs)
  if (fid === null) return 'not_in_flight'
  const adId = place.cappedUser?.adId ?? parts.nextAdId()
  const priceMicros = priceOf(campaign)
  const ttlMs = terms.ttlMsOf(slot.id)
  const { key: dayKey } = parts.ledger.today(cid, nowMs)
  let flightPays = false
  let userThen: UserHash | null = null
  if (!terms.isFree) {
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
  return {
    slotId: slot.id,
    adId,
    campaign,
    fid,
    banner,
    priceMicros,
    cpmMicros: worth?.cpmMicros ?? campaign.cpmMicros,
    clickMicros: worth?.click.priceMicros,
    ttlMs,
    dayKey,
    flightPays,
    user: userThen,
  }
}

function anyBanner(personas: ServablePersona[], { slot, blocks, parts }: Place): LiveBanner | undefined {
  const banners =
    personas.length === 1
      ? fittingBanners(personas[0]!, slot, blocks)
      : personas.flatMap(persona => fittingBanners(persona, slot, blocks))
  const banner = banners[Math.floor(parts.random() * banners.length)]
  if (banner === undefined || banners.length === 1) return banner
  const { rotation } = personas.length === 1 ? personas[0]! : personas.find(({ pid }) => pid === banner.pid)!
  return rotation === undefined ? banner : rotated(rotation, banner, banners, parts)
}

/** `one` was chosen evenly from all, so that each persona has its part; its own persona chooses again. */
function rotated(
  rotation: NonNullable<ServablePersona['rotation']>,
  one: LiveBanner,
  all: readonly LiveBanner[],
  { byClick, random }: DecideParts,
): LiveBanner {
  const own = all.filter(({ pid }) => pid === one.pid)
  if (rotation === 'weighted') return byWeight(own, random)
  const rates = byClick?.rates()
  return rates ? byResults(one, own, rates.banner, random) : one
}

/** The reason if no persona came as far as a test. */
function whyNone({ slot, prepared, parts, terms }: Place): SlotReason {
  const free = { ...slot, floorMicros: 0 }
  const isMeant = (paid: Paid) => parts.index.search(prepared, free, () => true, 1, paid).length > 0
  if (parts.byClick?.pids.size && isMeant('click'))
    return terms.source?.allowsCpc ? 'floor' : 'cpc_on_exchange'
  return slot.floorMicros > 0 && isMeant('view') ? 'floor' : 'no_match'
}
