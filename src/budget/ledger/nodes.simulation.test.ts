// Days of several nodes: no budget is exceeded by a micro, what could be delivered is, and an even plan is kept. The
// test suite plays days of 1 and 4 nodes; `./script/bench faults` also plays those of 2 and 8.

import { describe, expect, test } from 'vitest'
import { playNodeDay, type Trial } from '../../../test/support/node-day.ts'
import { IS_LONG, IS_REPLAY, randomOf, seededRandom } from '../../../test/support/random.ts'
import { createCalendar } from '../../kernel/time/day.ts'
import { createHours, WEEKDAYS, weekOf } from '../../kernel/time/hours.ts'

/** Relative requests per hour: nights are quiet, evenings busy, the last hours fade. */
const CURVE = [3, 2, 1.5, 1, 1, 1.5, 3, 5, 6, 7, 7, 7.5, 8, 8, 7.5, 7.5, 8, 9, 10, 11, 11, 9, 7, 5]
/** Each node needs this many to keep to an even plan. */
const REQUESTS_A_NODE = 75_000
const LEAST_REQUESTS = 150_000
const calendar = createCalendar('UTC')
const day = calendar.dayAt(Date.parse('2026-11-15T12:00:00Z'))

/** Budgets as a part of what the campaign's requests could cost on the whole day. */
const KINDS: {
  part: number
  pacing: 'even' | 'asap'
  winShare: number
  weight: number
  hours?: [number, number]
  /** Hours of the clock in which it is open. */
  open?: number[]
}[] = [
  { part: 0.05, pacing: 'even', winShare: 1, weight: 10 },
  { part: 0.1, pacing: 'even', winShare: 0.3, weight: 10 },
  { part: 0.3, pacing: 'even', winShare: 0.5, weight: 6 },
  { part: 0.7, pacing: 'even', winShare: 0.9, weight: 6 },
  { part: 0.95, pacing: 'even', winShare: 1, weight: 4 },
  { part: 2, pacing: 'even', winShare: 0.5, weight: 4 },
  { part: 0.3, pacing: 'even', winShare: 0.5, weight: 6, hours: [9, 12] },
  { part: 0.05, pacing: 'asap', winShare: 1, weight: 8 },
  { part: 0.4, pacing: 'asap', winShare: 0.2, weight: 6 },
  { part: 2, pacing: 'asap', winShare: 0.5, weight: 3 },
  { part: 0.5, pacing: 'even', winShare: 1, weight: 0.2 },
  { part: 0.3, pacing: 'even', winShare: 0.5, weight: 6, open: [2, 9, 10, 14, 20, 23] },
  { part: 0.9, pacing: 'asap', winShare: 0.5, weight: 4, open: [8, 12, 13] },
]
const WEIGHTS = KINDS.reduce((sum, kind) => sum + kind.weight, 0)
const CURVE_SUM = CURVE.reduce((a, b) => a + b)

const sumOf = (list: number[]) => list.reduce((a, b) => a + b, 0)
const everyDay = (open: number[]) =>
  createHours(weekOf(Object.fromEntries(WEEKDAYS.map(name => [name, open]))), calendar)

function trials(all: number): Trial[] {
  return KINDS.map(({ part, pacing, winShare, weight, hours = [0, 24], open }, index) => {
    const cpmMicros = 10_000 * (100 + index * 37)
    const requests =
      (sumOf(CURVE.slice(...hours).filter((_, hour) => open?.includes(hour) ?? true)) / CURVE_SUM) *
      all *
      (weight / WEIGHTS)
    const budgetMicros = requests * winShare * 0.9 * (cpmMicros / 1000) * part
    const startS = day.startMs / 1000
    return {
      live: {
        cid: 100 + index,
        cuid: 1,
        enabled: true,
        flights: [{ fid: 1, startS: startS + hours[0] * 3600, endS: startS + hours[1] * 3600 }],
        freq: 0,
        dailySpendMicros: Math.ceil(budgetMicros / 10_000) * 10_000,
        cpmMicros,
        category: [],
        hours: open ? everyDay(open) : null,
        pacing,
      },
      weight,
      winShare,
      deliverableMicros: 0,
      spentMicros: 0,
      untilHour: CURVE.map(() => 0),
    }
  })
}

/**
 * The test suite plays the same day each time; `./script/bench faults` plays others. On this day, two of four nodes
 * once took over what a third had seen in its first two minutes, and spent 9 % of an even day in its first hour.
 */
const USUAL_SEED = 750_730_349

describe('a simulated day of several nodes', () => {
  for (const nodes of IS_LONG ? [1, 2, 4, 8] : [1, 4]) {
    const least = nodes === 1 ? 0.99 : 0.97
    test(`${nodes}: no budget is exceeded by a micro, and everything that can be delivered is`, async () => {
      const random = IS_LONG || IS_REPLAY ? seededRandom(`a day of ${nodes} nodes`) : randomOf(USUAL_SEED)
      const all = Math.max(LEAST_REQUESTS, nodes * REQUESTS_A_NODE)
      const played = trials(all)
      const curve = CURVE.map(weight => (weight / CURVE_SUM) * all)
      const { counts, billed } = await playNodeDay({ day, nodes, trials: played, curve, random })
      const goalOf = (trial: Trial) => Math.min(trial.live.dailySpendMicros, trial.deliverableMicros)
      const sum = (of: (trial: Trial) => number) => played.reduce((total, trial) => total + of(trial), 0)
      const share = sum(trial => billed(trial.live.cid)) / sum(goalOf)
      console.log(
        `${nodes} nodes: ${(100 * share).toFixed(2)} % of the deliverable, ${JSON.stringify(counts)}`,
      )
      if (process.env.REPORT)
        for (const trial of played) console.log(lineOf(trial, goalOf(trial), billed(trial.live.cid)))
      for (const { live } of played) expect(billed(live.cid)).toBeLessThanOrEqual(live.dailySpendMicros)
      expect(share).toBeGreaterThanOrEqual(least)
      // Where there are plenty of requests at every hour, the even plan is kept all day, whichever node crashes.
      for (const { live, untilHour } of played.slice(0, 2)) {
        const most = 0.05
        untilHour.forEach((micros, hour) => {
          const off = Math.abs(micros / live.dailySpendMicros - (hour + 1) / 24)
          expect(off, `${live.cid} at ${hour + 1}`).toBeLessThan(most)
        })
      }
    })
  }
})

function lineOf({ live, untilHour }: Trial, goal: number, billed: number): string {
  const course = untilHour.map(micros => Math.round((100 * micros) / live.dailySpendMicros)).join(' ')
  return `${live.cid} ${live.pacing} ${((100 * billed) / goal).toFixed(2)} % of ${(goal / 1e6).toFixed(2)} | ${course}`
}
