// The two answers to "why is this persona not served": one request, stage by stage; and a sample of real requests,
// how many come how far.

import { setImmediate } from 'node:timers/promises'
import type { UserHash } from '../../caps/caps.ts'
import type { Candidate } from '../../catalog/candidate.ts'
import type { ClickRates } from '../../click-rates/rates.ts'
import { fromMicros } from '../../kernel/money.ts'
import type { AdRequest, Slot } from '../../targeting/request.ts'
import { blocksOf } from '../blocks.ts'
import { worthOf } from '../by-click.ts'
import { type Explanation, type Funnel, STAGES } from '../contract.ts'
import { userHashOf } from '../user-hash.ts'
import type { AccountCheck } from './account-check.ts'
import type { AllTraffic } from './shared.ts'
import { type Question, STAGE_TESTS } from './stages.ts'

export interface FunnelParts {
  account: AccountCheck
  rates: ClickRates
  nowMs: number
}

/** A tag asks for one place. */
export function explainRequest(candidate: Candidate, request: AdRequest, parts: FunnelParts): Explanation {
  const question = questionOf(candidate, request, request.slots[0]!, userOf(request), parts)
  const stages = STAGES.map(stage => ({ stage, ...STAGE_TESTS[stage](question) }))
  const served = stages.every(({ passed }) => passed)
  return { pid: candidate.persona.pid, served, expectedCpm: fromMicros(question.cpmMicros), stages }
}

/** Requests between two turns of the event loop: ad requests are not kept waiting. */
const CHUNK = 128

export async function funnelOf(
  candidate: Candidate,
  { sinceMs, requests, kept, served }: AllTraffic,
  parts: FunnelParts,
): Promise<Funnel> {
  const { pid } = candidate.persona
  const reached = new Array<number>(STAGES.length + 1).fill(0)
  let done = 0
  for (const request of kept) {
    reached[stagesPassed(candidate, request, parts)]!++
    if (++done % CHUNK === 0) await setImmediate()
  }
  let left = kept.length
  const stages = STAGES.map((stage, n) => {
    const refused = reached[n]!
    left -= refused
    return { stage, passed: left, refused }
  })
  const since = Math.floor(sinceMs / 1000)
  return { pid, since, requests, sampled: kept.length, stages, served }
}

/** Of the place of the request that comes furthest. */
function stagesPassed(candidate: Candidate, request: AdRequest, parts: FunnelParts): number {
  const user = userOf(request)
  let most = 0
  for (const slot of request.slots) {
    const question = questionOf(candidate, request, slot, user, parts)
    const failed = STAGES.findIndex(stage => !STAGE_TESTS[stage](question).passed)
    most = Math.max(most, failed < 0 ? STAGES.length : failed)
  }
  return most
}

export function userOf({ userKey }: AdRequest): UserHash | null {
  return userKey === null ? null : userHashOf(userKey)
}

function questionOf(
  candidate: Candidate,
  request: AdRequest,
  slot: Slot,
  user: UserHash | null,
  { account, rates, nowMs }: FunnelParts,
): Question {
  const { persona } = candidate
  const worth = worthOf(persona, slot, blocksOf(request), rates, null)
  // Without a banner that fits, it is what the campaign would bid for any.
  const cpmMicros =
    worth?.cpmMicros ??
    (persona.order.campaign.cpcMicros === undefined ? persona.order.campaign.cpmMicros : 0)
  return { candidate, request, slot, user, nowMs, account, cpmMicros, clickRate: worth?.click.rate ?? null }
}
