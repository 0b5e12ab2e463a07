// The timer wheel: everything comes back once and on time.

import { describe, expect, test } from 'vitest'
import { randomOf } from '../../../test/support/random.ts'
import { createWheel } from './wheel.ts'

describe('the timer wheel', () => {
  test('everything comes back once, never early, and at most a quarter of a second late', () => {
    const random = randomOf(11)
    let nowMs = 1_000_000
    let pending = new Set<number>()
    const early: number[] = []
    const wheel = createWheel<number>(
      nowMs,
      dueMs => dueMs,
      dueMs => {
        if (dueMs > nowMs || !pending.delete(dueMs)) early.push(dueMs)
      },
    )
    for (let step = 0; step < 20_000; step++) {
      // Due times range from now to several laps of the wheel.
      const dueMs = nowMs + random.next() * 10 ** (1 + random.int(7))
      pending.add(dueMs)
      wheel.add(dueMs)
      if (random.int(4) === 0) nowMs += random.int(1000)
      if (random.int(2000) === 0) nowMs += 3_000_000
      if (wheel.idle(nowMs)) continue
      wheel.advance(nowMs)
      const overdue = [...pending].filter(one => one <= nowMs - 250)
      expect(overdue).toEqual([])
    }
    expect(early).toEqual([])
    nowMs += 1e9
    wheel.advance(nowMs)
    expect(pending.size).toBe(0)
    pending = new Set()
  })

  test('with a clock set back, nothing comes early and nothing is lost', () => {
    const due: number[] = []
    const wheel = createWheel<number>(
      0,
      dueMs => dueMs,
      dueMs => due.push(dueMs),
    )
    wheel.advance(100_000)
    wheel.add(50_000)
    wheel.advance(40_000)
    expect(due).toEqual([])
    wheel.advance(100_250)
    expect(due).toEqual([50_000])
  })
})
