// Repeated work: how often it runs, and that a failure is logged.

import { expect, it, vi } from 'vitest'
import { systemClock } from '../kernel/time/clock.ts'
import { createLog } from './log.ts'
import { every, patiently, pollQueue } from './timer.ts'

it('a queue is polled rarely while it is empty, often while something waits, and at once when woken', async () => {
  vi.useFakeTimers()
  try {
    let looks = 0
    let isWaiting = false
    let fails = false
    let answer = () => {}
    const written: string[] = []
    const log = createLog('info', { write: line => void written.push(line) })
    async function look(): Promise<boolean> {
      looks++
      await new Promise<void>(resolve => {
        answer = resolve
      })
      if (fails) throw new Error('away')
      return isWaiting
    }
    /** How many looks there were in this time, each answered at once. */
    async function looksWithin(ms: number): Promise<number> {
      const before = looks
      for (let passedMs = 0; passedMs < ms; passedMs += 100) {
        answer()
        await vi.advanceTimersByTimeAsync(100)
      }
      return looks - before
    }
    const polling = pollQueue('queue', { waiting: 500, empty: 2_000 }, look, log, systemClock)
    expect(looks).toBe(1)
    expect(await looksWithin(20_000)).toBeLessThanOrEqual(10)
    isWaiting = true
    polling.wake()
    const woken = looks
    // One more look follows the one under way, however often it is woken meanwhile; two never run at once.
    for (let n = 0; n < 3; n++) polling.wake()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(looks).toBe(woken)
    answer()
    await vi.advanceTimersByTimeAsync(1)
    expect(looks).toBe(woken + 1)
    expect(await looksWithin(10_000)).toBeGreaterThanOrEqual(15)
    // A failed look does not count as an empty queue.
    fails = true
    expect(await looksWithin(10_000)).toBeGreaterThanOrEqual(15)
    expect(written.filter(line => line.includes('repeated work failed'))).toHaveLength(1)
    const stopped = polling.stop()
    answer()
    await stopped
    polling.wake()
    expect(await looksWithin(10_000)).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('slow work is done less often, at most a tenth of the time; fast work every time', async () => {
  let nowMs = 0
  let tookMs = 0
  let runs = 0
  const work = patiently(
    async () => {
      runs++
      nowMs += tookMs
    },
    () => nowMs,
  )
  for (let n = 0; n < 10; n++) await work()
  expect(runs).toBe(10)
  tookMs = 1_000
  await work()
  for (let second = 1; second < 9; second++) {
    nowMs += 1_000
    await work()
  }
  expect(runs).toBe(11)
  nowMs += 1_000
  await work()
  expect(runs).toBe(12)
})

it('failed work pauses like any other, and its failure is reported', async () => {
  let nowMs = 0
  let runs = 0
  const work = patiently(
    async () => {
      runs++
      nowMs += 10
      throw new Error('away')
    },
    () => nowMs,
  )
  await expect(work()).rejects.toThrow('away')
  await work()
  expect(runs).toBe(1)
  nowMs += 90
  await expect(work()).rejects.toThrow('away')
})

it('work that takes a minute to fail is not reported as successful meanwhile', async () => {
  vi.useFakeTimers()
  try {
    const written: string[] = []
    const log = createLog('info', { write: line => void written.push(JSON.parse(line).msg) })
    let fails = true
    const work = async () => {
      await new Promise(resolve => setTimeout(resolve, 60_000))
      if (fails) throw new Error('away')
    }
    const stop = every('work', 1000, work, log, systemClock)
    await vi.advanceTimersByTimeAsync(200_000)
    expect(written).toEqual(['repeated work failed; retrying'])
    fails = false
    await vi.advanceTimersByTimeAsync(100_000)
    expect(written).toEqual(['repeated work failed; retrying', 'repeated work succeeds again'])
    const stopped = stop()
    await vi.advanceTimersByTimeAsync(60_000)
    await stopped
  } finally {
    vi.useRealTimers()
  }
})
