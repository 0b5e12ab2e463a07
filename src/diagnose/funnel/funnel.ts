// The two answers to "why is this persona not served?": one request judged as of now, stage by stage; and how far the
// requests of a sample came, each judged at its own time.

import { setImmediate } from 'node:timers/promises'
import type { DatedUser } from '../../budget/caps/caps.ts'
import type { Candidate } from '../../deliver/catalog/candidate.ts'
import type { ClickRates } from '../../deliver/click-rates/rates.ts'
import { blocksOf } from '../../deliver/decide/blocks.ts'
import { worthOf } from '../../deliver/decide/by-click.ts'
import { floorOf, slotFor } from '../../deliver/decide/eligible.ts'
import { type KeptRequest, requestOf, sourceIn } from '../../deliver/sample/sample.ts'
import type { Traffic } from '../../deliver/sample/traffic.ts'
import type { AdRequest, Slot } from '../../deliver/targeting/request.ts'
import { fromMicros } from '../../kernel/money.ts'
import type { AccountCheck } from './account-check.ts'
import { type Explanation, FITS, FUNNEL_STAGES, type Funnel, type FunnelStage, STAGES } from './contract.ts'
import { type Asked, STAGE_TESTS } from './stages.ts'
import { stoppedBy } from './stopped-by.ts'

export interface ExplainParts {
  account: AccountCheck
  user: DatedUser | null
  rates: ClickRates
  nowMs: number
}

/** A tag asks for one place. */
export function explainRequest(
  candidate: Candidate,
  request: AdRequest,
  source: Asked['source'],
  parts: ExplainParts,
): Explanation {
  const { account, user, rates, nowMs } = parts
  const asked = askedOf(candidate, request, source, request.slots[0]!, rates, nowMs)
  const question = { ...asked, account, user }
  const stages = STAGES.map(stage => ({ stage, ...STAGE_TESTS[stage](question) }))
  const served = stages.every(({ passed }) => passed)
  return { pid: candidate.persona.pid, served, expectedCpm: fromMicros(question.cpmMicros), stages }
}

/** Requests per turn of the event loop, so that ad requests need not wait. */
const CHUNK = 128

/** How many requests were stopped at each stage; requests for which that is unknown are left out. */
export async function stoppedAt(
  candidate: Candidate,
  kept: readonly KeptRequest[],
  rates: ClickRates,
): Promise<Map<FunnelStage | 'passed', number>> {
  const counts = new Map<FunnelStage | 'passed', number>()
  let done = 0
  for (const one of kept) {
    const stage = furthestOf(candidate, one, rates)
    if (stage !== 'unknown') counts.set(stage, (counts.get(stage) ?? 0) + 1)
    if (++done % CHUNK === 0) await setImmediate()
  }
  return counts
}

/** What came in before the persona could be served is not its failure. */
export function sinceItBegan(traffic: Traffic, { sinceS }: Candidate): Traffic {
  if (sinceS * 1000 <= traffic.sinceMs) return traffic
  const kept = traffic.kept.filter(({ atS }) => atS >= sinceS)
  const requests = Math.round((traffic.requests * kept.length) / Math.max(1, traffic.kept.length))
  return { ...traffic, sinceMs: sinceS * 1000, requests, kept }
}

export async function funnelOf(
  candidate: Candidate,
  { sinceMs, requests, kept }: Traffic,
  rates: ClickRates,
  served: number,
): Promise<Funnel> {
  const { pid } = candidate.persona
  const stopped = await stoppedAt(candidate, kept, rates)
  const sampled = [...stopped.values()].reduce((sum, n) => sum + n, 0)
  let left = sampled
  const stages = FUNNEL_STAGES.map(stage => {
    const refused = stopped.get(stage) ?? 0
    left -= refused
    return { stage, passed: left, refused }
  })
  return { pid, since: Math.floor(sinceMs / 1000), requests, sampled, stages, served }
}

type Furthest = FunnelStage | 'passed' | 'unknown'

/** The stage of the place in the request that came furthest. */
function furthestOf(candidate: Candidate, one: KeptRequest, rates: ClickRates): Furthest {
  // It was kept before it was noted where it came from.
  if (candidate.persona.order.campaign.sites && one.request.site === undefined) return 'unknown'
  const request = requestOf(one)
  const source = sourceIn(one)
  let furthest: Furthest = 'geo'
  for (const [n, slot] of request.slots.entries()) {
    const asked = askedOf(candidate, request, source, slot, rates, one.atS * 1000)
    const failed = FITS.find(stage => !STAGE_TESTS[stage](asked).passed)
    const now = failed ?? stoppedBy(one.places[n]!, candidate.persona.pid, asked.cpmMicros) ?? 'passed'
    if (rankOf(now) > rankOf(furthest)) furthest = now
  }
  return furthest
}

function rankOf(stage: Furthest): number {
  if (stage === 'passed') return FUNNEL_STAGES.length + 1
  return stage === 'unknown' ? FUNNEL_STAGES.length : FUNNEL_STAGES.indexOf(stage)
}

function askedOf(
  candidate: Candidate,
  request: AdRequest,
  source: Asked['source'],
  slot: Slot,
  rates: ClickRates,
  nowMs: number,
): Asked {
  const { persona } = candidate
  const worth = worthOf(persona, slot, blocksOf(request), rates, null)
  // If no banner fits, it is what the campaign would bid for any banner.
  const cpmMicros =
    worth?.cpmMicros ??
    (persona.order.campaign.cpcMicros === undefined ? persona.order.campaign.cpmMicros : 0)
  const seen = worth
    ? { ...slotFor(persona, slot), floorMicros: floorOf(slot, worth.banner) }
    : slotFor(persona, slot)
  return { candidate, request, source, slot: seen, nowMs, cpmMicros, clickRate: worth?.click.rate ?? null }
}
