// Why a persona does not deliver more, as one answer: the stage that loses the largest part of the requests that reach
// it. If nothing gets through, the stage that stops the last ones.

import type { Funnel } from '../../src/diagnose/funnel/contract.ts'

export type FunnelStage = Funnel['stages'][number]['stage']

export interface Step {
  stage: FunnelStage
  passed: number
  /** The part of the requests reaching this step that it loses. */
  lost: number
}

export interface Answer {
  /** The steps that lose something, in order. */
  steps: Step[]
  /** Null: nothing holds the persona back. */
  worst: Step | null
  /** How many steps lose nothing. */
  harmless: number
  /** The part of all requests that get through. */
  through: number
}

/** A smaller loss is not an answer. */
const MATTERS = 0.05
/** A stage that so few requests reach says little about all of them. */
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
