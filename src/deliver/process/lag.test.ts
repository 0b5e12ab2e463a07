// Overload is recognised by the lag of the event loop, and only while it lasts.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startLagMeter } from './lag.ts'

let nowMs = 0
beforeEach(() => {
  vi.useFakeTimers()
  nowMs = 0
})
afterEach(() => vi.useRealTimers())

/** The timer comes `lateMs` after it was due. */
function tick(lateMs: number): void {
  nowMs += 20 + lateMs
  vi.advanceTimersByTime(20)
}

it('a single hiccup is not overload, lasting delay is, and it ends with the delay', () => {
  const meter = startLagMeter(() => nowMs)
  tick(500)
  expect(meter.lagMs()).toBe(0)
  tick(300)
  expect(meter.lagMs()).toBe(300)
  tick(400)
  expect(meter.lagMs()).toBe(300)
  tick(0)
  expect(meter.lagMs()).toBe(0)
  meter.stop()
})

it('an idle process is not woken, and the first question starts it again', () => {
  const meter = startLagMeter(() => nowMs)
  expect(vi.getTimerCount()).toBe(1)
  for (let n = 0; n < 150; n++) tick(0)
  expect(vi.getTimerCount()).toBe(0)
  expect(meter.lagMs()).toBe(0)
  tick(300)
  tick(300)
  expect(meter.lagMs()).toBe(300)
  meter.stop()
  expect(vi.getTimerCount()).toBe(0)
})
