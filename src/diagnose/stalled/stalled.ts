// Finds campaigns that run and get nowhere: no request of the last day fits, the price is below the floors, or one
// reason refuses nine requests in ten. What is live is matched against the sample of traffic, each request at its own
// time. A campaign that its own budget or pace held back even once is not stalled.

import { setImmediate } from 'node:timers/promises'
import type { LiveCampaign, LiveOrder, ServablePersona } from '../../budget/live.ts'
import type { ReadonlyCatalog } from '../../deliver/catalog/live-catalog.ts'
import type { ClickRates } from '../../deliver/click-rates/rates.ts'
import { type Blocks, blocksOf } from '../../deliver/decide/blocks.ts'
import { worthOf } from '../../deliver/decide/by-click.ts'
import { allowsRequest, fittingBanners, flightAt, slotFor } from '../../deliver/decide/eligible.ts'
import type { PlaceOutcome } from '../../deliver/sample/outcome.ts'
import { requestOf, sourceIn } from '../../deliver/sample/sample.ts'
import type { Traffic } from '../../deliver/sample/traffic.ts'
import { firstMismatch } from '../../deliver/targeting/match.ts'
import type { AdRequest, Slot } from '../../deliver/targeting/request.ts'
import { type Finding, type FindingCode, finding } from '../../kernel/errors/finding.ts'
import { fromMicros } from '../../kernel/money.ts'
import { isOpenAt } from '../../kernel/time/hours.ts'
import { stoppedBy } from '../funnel/stopped-by.ts'

export interface Stalled {
  cid: number
  finding: Finding
}

interface Seen {
  atMs: number
  request: AdRequest
  source: ReturnType<typeof sourceIn>
  blocks: Blocks
  places: PlaceOutcome[]
}

/** How far a request came with a campaign; the later in the list, the further. */
const ENDS = ['floor', 'blocked', 'cap', 'outbid', 'held', 'won'] as const
type End = (typeof ENDS)[number]

interface Sums {
  /** Requests within the dates and hours of the campaign. */
  asked: number
  /** Those of them that fit it, in a size and type that it has. */
  fits: number
  ends: Record<End, number>
  /** The floors that were above its price. */
  floors: number[]
  cpmMicros: number
}

/** The most requests that are examined: if there are more, they are picked at even intervals. */
const MOST_LOOKED_AT = 512
/** Fewer requests prove nothing. */
const LEAST_ASKED = 50
const LEAST_FITTING = 10
const MOSTLY = 0.9
/** Campaigns per turn of the event loop. */
const CHUNK = 16
const BY_PRICE: readonly FindingCode[] = ['below_floors', 'mostly_outbid']
const UNBLOCKED: Blocks = { category: () => false, domain: () => false, nameless: false }

export async function findStalled(
  { orders, personas }: ReadonlyCatalog,
  traffic: Traffic,
  rates: ClickRates,
  nowMs: number,
): Promise<Stalled[]> {
  const seen = seenOf(traffic)
  if (seen.length < LEAST_ASKED) return []
  const scale = traffic.requests / seen.length
  const stalled: Stalled[] = []
  let done = 0
  for (const order of [...orders.values()]) {
    if (++done % CHUNK === 0) await setImmediate()
    if (!isRunning(order.campaign, nowMs)) continue
    const own = [...order.pids].map(pid => personas.get(pid)).filter(one => one !== undefined)
    if (own.length === 0) continue
    const found = verdictOn(sumsOf(order, own, seen, rates), scale)
    // What clicks are expected to bring changes every minute, so a past price says nothing about the current one.
    if (found && order.campaign.cpcMicros !== undefined && BY_PRICE.includes(found.code)) continue
    if (found) stalled.push({ cid: order.campaign.cid, finding: found })
  }
  return stalled
}

function seenOf({ kept }: Traffic): Seen[] {
  const step = Math.ceil(kept.length / MOST_LOOKED_AT)
  return kept
    .filter((_, n) => n % step === 0)
    .map(one => {
      const request = requestOf(one)
      return {
        atMs: one.atS * 1000,
        request,
        source: sourceIn(one),
        blocks: blocksOf(request),
        places: one.places,
      }
    })
}

function isRunning(campaign: LiveCampaign, nowMs: number): boolean {
  return campaign.enabled && !campaign.frozen && flightAt(campaign, nowMs) !== null
}

function sumsOf({ campaign }: LiveOrder, own: ServablePersona[], seen: Seen[], rates: ClickRates): Sums {
  const ends = { floor: 0, blocked: 0, cap: 0, outbid: 0, held: 0, won: 0 }
  const sums: Sums = { asked: 0, fits: 0, ends, floors: [], cpmMicros: 0 }
  for (const one of seen) {
    if (flightAt(campaign, one.atMs) === null || !isOpenAt(campaign.hours, one.atMs)) continue
    sums.asked++
    if (campaign.sites && !allowsRequest(campaign.sites, one.request, one.source)) continue
    let furthest = -1
    let lowestFloor = Number.POSITIVE_INFINITY
    for (const persona of own) {
      if (firstMismatch(persona.targeting, one.request) !== null) continue
      for (const [n, asked] of one.request.slots.entries()) {
        const slot = slotFor(persona, asked)
        if (fittingBanners(persona, slot, UNBLOCKED).length === 0) continue
        const cpmMicros = worthOf(persona, slot, UNBLOCKED, rates, null)?.cpmMicros ?? campaign.cpmMicros
        sums.cpmMicros = Math.max(sums.cpmMicros, cpmMicros)
        lowestFloor = Math.min(lowestFloor, slot.floorMicros)
        furthest = Math.max(
          furthest,
          ENDS.indexOf(endOf(persona, slot, one.places[n]!, one.blocks, cpmMicros)),
        )
      }
    }
    if (furthest < 0) continue
    const end = ENDS[furthest]!
    sums.fits++
    sums.ends[end]++
    if (end === 'floor') sums.floors.push(lowestFloor)
  }
  return sums
}

function endOf(
  persona: ServablePersona,
  slot: Slot,
  place: PlaceOutcome,
  blocks: Blocks,
  cpmMicros: number,
): End {
  if (cpmMicros < slot.floorMicros) return 'floor'
  if (blocks.category(persona.order.campaign.category)) return 'blocked'
  if (fittingBanners(persona, slot, blocks).length === 0) return 'blocked'
  const stage = stoppedBy(place, persona.pid, cpmMicros)
  if (stage === null) return 'won'
  return stage === 'cap' || stage === 'outbid' ? stage : 'held'
}

/** Null: it is not stalled, or too little is known. */
function verdictOn({ asked, fits, ends, floors, cpmMicros }: Sums, scale: number): Finding | null {
  if (asked < LEAST_ASKED || ends.held > 0) return null
  const about = (n: number) => Math.max(1, Math.round(n * scale))
  if (fits === 0) return finding('no_request_fits', { requests: about(asked) })
  const requests = about(fits)
  const isMostly = (n: number) => n === fits || (fits >= LEAST_FITTING && n >= MOSTLY * fits)
  if (isMostly(ends.floor)) {
    const middle = floors.sort((a, b) => a - b)[Math.floor((floors.length - 1) / 2)]!
    const refused = about(ends.floor)
    return finding('below_floors', {
      refused,
      requests,
      cpm: fromMicros(cpmMicros),
      needed: fromMicros(middle),
    })
  }
  if (fits < LEAST_FITTING) return null
  if (isMostly(ends.blocked)) return finding('mostly_blocked', { refused: about(ends.blocked), requests })
  if (isMostly(ends.cap)) return finding('mostly_capped', { refused: about(ends.cap), requests })
  if (isMostly(ends.outbid)) return finding('mostly_outbid', { refused: about(ends.outbid), requests })
  return null
}
