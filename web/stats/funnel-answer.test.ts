// Why a persona does not deliver more: which step of the funnel is the answer.

import { expect, it } from 'vitest'
import { answerOf } from './funnel-answer.ts'

type Stage = Parameters<typeof answerOf>[0]['stages'][number]['stage']
/** What each step refuses, of a thousand requests. */
function funnel(...refusals: [Stage, number][]) {
  let left = 1000
  const stages = refusals.map(([stage, refused]) => {
    left -= refused
    return { stage, passed: left, refused }
  })
  return { sampled: 1000, stages }
}

it('the step that loses the largest part of those that reach it is the answer', () => {
  const { worst, steps, harmless, through } = answerOf(
    funnel(['geo', 350], ['device', 0], ['banner', 85], ['floor', 320], ['cap', 15], ['outbid', 0]),
  )
  expect(worst?.stage).toBe('floor')
  expect(worst?.lost).toBeCloseTo(320 / 565)
  expect(steps.map(({ stage }) => stage)).toEqual(['geo', 'banner', 'floor', 'cap'])
  expect(harmless).toBe(2)
  expect(through).toBe(0.23)
})

it('where nothing gets through, it is the step at which the last ones end', () => {
  expect(answerOf(funnel(['geo', 999], ['floor', 1], ['cap', 0])).worst?.stage).toBe('floor')
  expect(answerOf(funnel(['geo', 1000], ['floor', 0])).worst?.stage).toBe('geo')
})

it('a step that hardly anything reaches, or that loses little, is no answer', () => {
  expect(answerOf(funnel(['geo', 995], ['cap', 4])).worst?.stage).toBe('geo')
  expect(answerOf(funnel(['geo', 20], ['cap', 10])).worst).toBeNull()
  expect(answerOf(funnel(['geo', 0]))).toMatchObject({ worst: null, steps: [], harmless: 1, through: 1 })
})

it('without requests there is nothing to say', () => {
  expect(answerOf({ sampled: 0, stages: [{ stage: 'geo', passed: 0, refused: 0 }] })).toMatchObject({
    worst: null,
    through: 0,
  })
})
