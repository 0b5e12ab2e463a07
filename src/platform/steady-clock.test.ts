// Which of three clocks counts: the machine's, the monotonic one or the database's.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { testClock } from '../../test/support/service.ts'
import { HOUR_MS } from '../kernel/time/units.ts'
import { createLog } from './log.ts'
import { type SteadyClock, startSteadyClock } from './steady-clock.ts'

const NOON_MS = Date.parse('2027-06-15T12:00:00Z')

let machine: ReturnType<typeof testClock>
let clock: SteadyClock
let lines: string[]
let stepsBack: number
let isAway: boolean
beforeEach(() => {
  machine = testClock(NOON_MS)
  lines = []
  stepsBack = 0
  isAway = false
})
afterEach(() => clock.stop())

async function start(): Promise<void> {
  clock = await startSteadyClock({
    machine,
    databaseMs: async () => {
      if (isAway) throw new Error('the database is away')
      return machine.databaseMs!()
    },
    log: createLog('info', { write: line => void lines.push(line) }),
  })
  clock.onStepBack(() => stepsBack++)
}

/** How far the clock is ahead of the time that really passed. */
const aheadMs = () => clock.nowMs() - machine.monotonicMs()

/** Looks at the database this many times, one second apart. */
async function look(times = 1): Promise<void> {
  for (let n = 0; n < times; n++) {
    machine.advance(1_000)
    clock.nowMs()
    await new Promise(resolve => setImmediate(resolve))
  }
}

const isAbout = (ms: number) => expect(Math.abs(aheadMs() - ms)).toBeLessThan(1_000)

it('follows small corrections of the machine, even backwards', async () => {
  await start()
  for (const ms of [20_000, -20_000, 59_000, 0]) {
    machine.set(ms)
    isAbout(ms)
  }
  expect(stepsBack).toBe(0)
})

it('small corrections do not add up to a large one without the database', async () => {
  await start()
  for (let ms = 0; ms <= 10 * 50_000; ms += 50_000) {
    machine.set(ms)
    await look()
  }
  expect(aheadMs()).toBeLessThan(121_000)
})

it('a step is trusted once the database agrees, and a step back is logged', async () => {
  await start()
  machine.set(6 * HOUR_MS)
  isAbout(0)
  await look()
  isAbout(0)
  machine.setDatabase(6 * HOUR_MS)
  await look()
  isAbout(6 * HOUR_MS)
  expect(stepsBack).toBe(0)
  machine.set(0)
  machine.setDatabase(0)
  isAbout(6 * HOUR_MS)
  await look()
  isAbout(0)
  expect(stepsBack).toBe(1)
})

it('the database alone changes nothing', async () => {
  await start()
  machine.setDatabase(6 * HOUR_MS)
  machine.set(2 * HOUR_MS)
  await look()
  machine.set(0)
  await look(3)
  isAbout(0)
  expect(stepsBack).toBe(0)
})

it('while the database is away, a step is not trusted', async () => {
  await start()
  isAway = true
  machine.set(6 * HOUR_MS)
  machine.setDatabase(6 * HOUR_MS)
  await look(10)
  isAbout(0)
  isAway = false
  await look()
  isAbout(6 * HOUR_MS)
})

it('if machine and database both changed, and differ, the database wins in the end', async () => {
  await start()
  machine.set(8 * HOUR_MS)
  machine.setDatabase(8 * HOUR_MS + 300_000)
  await look()
  isAbout(0)
  await look(10)
  isAbout(8 * HOUR_MS + 300_000)
})

it('at the start the database wins if the two differ, and the log says so', async () => {
  machine.set(20 * HOUR_MS)
  await start()
  isAbout(0)
  expect(lines.join('')).toContain("this machine's clock is not trusted")
})
