// Why a persona does not deliver more, as one answer: the step that loses the largest part of the requests that reach it.
// Where nothing gets through, the step at which the last ones end.

import type { Funnel } from '../../src/delivery/contract.ts'

export type FunnelStage = Funnel['stages'][number]['stage']

export interface Step {
  stage: FunnelStage
  passed: number
  /** The part of those that reached it. */
  lost: number
}

export interface Answer {
  /** Those that lose something, in order. */
  steps: Step[]
  /** Null: nothing holds it back. */
  worst: Step | null
  /** How many steps lose nothing. */
  harmless: number
  /** The part of all requests that gets through. */
  through: number
}

/** Less than this is no answer. */
const MATTERS = 0.05
/** What so few requests meet says little about all of them. */
const FEW = 0.01

export function answerOf({ stages, sampled }: Pick<Funnel, 'stages' | 'sampled'>): Answer {
  const steps = stages
    .filter(({ refused }) => refused > 0)
    .map(({ stage, passed, refused }) => ({ stage, passed, lost: refused / (passed + refused) }))
  const through = sampled > 0 ? (stages.at(-1)?.passed ?? 0) / sampled : 0
  const wall = steps.find(({ passed }) => passed === 0)
  const heard = steps.filter(({ passed, lost }) => lost >= MATTERS && passed / (1 - lost) >= sampled * FEW)
  const worst = wall ?? heard.toSorted((a, b) => b.lost - a.lost)[0] ?? null
  return { steps, worst, harmless: stages.length - steps.length, through }
}
