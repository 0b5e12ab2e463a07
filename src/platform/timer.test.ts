// Repeated work: how often it runs, and that a failure is logged.

import { expect, it } from 'vitest'
import { unhurried } from './timer.ts'

it('slow work is done less often, at most a tenth of the time; fast work at every turn', async () => {
  let nowMs = 0
  let tookMs = 0
  let runs = 0
  const turn = unhurried(
    async () => {
      runs++
      nowMs += tookMs
    },
    () => nowMs,
  )
  for (let n = 0; n < 10; n++) await turn()
  expect(runs).toBe(10)
  tookMs = 1_000
  await turn()
  for (let second = 1; second < 9; second++) {
    nowMs += 1_000
    await turn()
  }
  expect(runs).toBe(11)
  nowMs += 1_000
  await turn()
  expect(runs).toBe(12)
})

it('failed work rests like any other, and its failure is logged', async () => {
  let nowMs = 0
  let runs = 0
  const turn = unhurried(
    async () => {
      runs++
      nowMs += 10
      throw new Error('away')
    },
    () => nowMs,
  )
  await expect(turn()).rejects.toThrow('away')
  await turn()
  expect(runs).toBe(1)
  nowMs += 90
  await expect(turn()).rejects.toThrow('away')
})
