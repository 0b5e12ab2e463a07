// Simulated days and weeks of money on a real PostgreSQL: random zones, hours, totals, balances and prices, paid by
// impression and by click, on one node and several, with kills, freezes, cuts and clock jumps, while limits change and
// credits come. No limit is exceeded, nothing acknowledged is lost, and what could be sold is sold.
// `./script/bench faults` plays other weeks each time; SEED=… replays them.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMoneyModel, dayLimit, lifeLimit, type MoneyModel } from '../../../test/support/money-model.ts'
import { playMoneyWeeks } from '../../../test/support/money-weeks.ts'
import { createMoneyWorld, type MoneyWorld, OWN_ZONE } from '../../../test/support/money-world.ts'
import { IS_LONG, IS_REPLAY, randomOf, seededRandom } from '../../../test/support/random.ts'
import { openVirtualDatabase, type VirtualDatabase } from '../../../test/support/virtual-database.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { verify } from '../../count/verify/verify.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/time/units.ts'

const STEP_MS = 300_000
const REQUESTS_A_STEP = 240
/** Days before clocks change somewhere, and two ordinary ones. */
const STARTS = ['2026-10-24', '2026-10-31', '2027-03-13', '2027-03-27', '2026-12-30', '2027-06-15']
/** The test suite plays the same days each time, so that a failure means a change and not bad luck. */
const TRIALS = IS_LONG
  ? [
      { nodes: 1, days: 21 },
      { nodes: 4, days: 14 },
    ]
  : [
      { nodes: 1, days: 1, seed: 21 },
      { nodes: 4, days: 0.5, seed: 7 },
    ]
const DAYS = process.env.DAYS
const LEAST = 0.99

let db: VirtualDatabase
beforeAll(async () => {
  db = await openVirtualDatabase(0)
})
afterAll(() => db.close())

for (const { nodes, days: usual, seed } of TRIALS as { nodes: number; days: number; seed?: number }[]) {
  test(`${nodes} nodes: no limit is exceeded, nothing is lost, and what could be sold is sold`, async () => {
    const isGiven = seed !== undefined && !IS_REPLAY
    const random = isGiven ? randomOf(seed) : seededRandom(`weeks of ${nodes} nodes`)
    const days = DAYS ? Number(DAYS) : usual
    const startMs = Date.parse(`${random.pick(STARTS)}T00:00:00Z`) + random.int(24) * HOUR_MS
    const endMs = startMs + days * DAY_MS
    const clock = { nowMs: startMs }
    await db.setClock(startMs)
    const model = createMoneyModel()
    const requestsADay = (REQUESTS_A_STEP * DAY_MS) / STEP_MS / 16
    const times = { startMs, endMs, nowMs: () => clock.nowMs }
    const world = await createMoneyWorld({ db, model, random, ...times, requestsADay })
    const bounds = { nodes, startMs, endMs, stepMs: STEP_MS, requestsAStep: REQUESTS_A_STEP, changeSteps: 40 }
    const { counts, acknowledged } = await playMoneyWeeks({ db, world, model, random, clock, ...bounds })
    const soldPart = soldPartOf(model)
    const happened = JSON.stringify({ ...counts, ...world.counts })
    console.log(
      `${days} days of ${nodes} nodes: ${(100 * soldPart).toFixed(2)} % of what could be sold, ${happened}`,
    )
    if (process.env.REPORT) for (const line of linesOf(world, model)) console.log(line)
    const onDisk = await eventsOnDisk()
    for (const [event, micros] of acknowledged) expect(onDisk.get(event), event).toBe(micros)
    await foldAll(db)
    expect(await differing()).toEqual([])
    expect(soldPart).toBeGreaterThan(LEAST)
  }, 1_800_000)
}

const differing = async () =>
  (await verify(db, { timeZone: OWN_ZONE, clickWindowS: 30 * 86_400 }))
    .filter(check => check.differences.length > 0)
    .map(({ check, differences }) => ({ check, differences }))

test.each([
  ['a total', 'granted_micros', `id in (select cid from campaign)`, { what: 'grantedMicros of the total' }],
  ['a month', 'granted_micros', 'id < 0', { what: 'grantedMicros of the month' }],
  [
    'the total of a flight',
    'granted_micros',
    `id in (select fid from flight)`,
    { what: expect.stringContaining('grantedMicros of the flight') },
  ],
  [
    'a balance',
    'granted_micros',
    `account_no is not null`,
    { cid: null, what: 'grantedMicros of the balance' },
  ],
  ['a credit', 'limit_micros', `account_no is not null`, { cid: null, what: 'creditedMicros' }],
])('`marquee verify` finds %s that is off by a micro', async (_name, column, which, difference) => {
  const off = (by: number) =>
    db.run(
      `update pool set ${column} = ${column} + $1, over_micros = over_micros + 2 * abs($1)
       where id = (select min(id) from pool where ${which} and granted_micros > 0)`,
      [by],
    )
  expect(await off(-1)).toBe(1)
  expect(await differing()).toMatchObject([{ check: 'pools', differences: [difference] }])
  await off(1)
  expect(await differing()).toEqual([])
})

/** The part of what could be sold that was sold. Sales of one customer beyond that do not make up for another. */
function soldPartOf(model: MoneyModel): number {
  let sold = 0
  let could = 0
  for (const { billedMicros, couldMicros } of model.sales()) {
    sold += Math.min(billedMicros, couldMicros)
    could += couldMicros
  }
  return sold / could
}

async function eventsOnDisk(): Promise<Map<string, number>> {
  const rows = await db.rows<{ ad: string; micros: number; kind: string }>(
    `select substring(replace(ad::text, '-', '') from 9) as ad, spend_micros as micros,
       case kind when 'i' then 'impression' else 'click' end as kind from event`,
  )
  const idOf = (ad: string) => Buffer.from(ad, 'hex').toString('base64url')
  return new Map(rows.map(({ ad, micros, kind }) => [`${kind} ${idOf(ad)}`, micros]))
}

function* linesOf({ orders }: MoneyWorld, model: MoneyModel): Generator<string> {
  const units = (micros: number) => (micros / 1e6).toFixed(2)
  const inWords = (key: string) => {
    const { billedMicros, couldMicros, limitMicros } = model.limit(key)!
    return `${units(billedMicros)} (${units(couldMicros)}) of ${units(limitMicros)}`
  }
  for (const { cid, payer, pacing, days, clickRate } of orders) {
    const { cuid, zones, isPrepaid } = payer
    const byDay = [...days].map(day => `${day} ${inWords(dayLimit(cid, day))}`).join(', ')
    yield `${cuid} ${cid} ${pacing} ${clickRate ? 'by click' : ''} ${zones.timezone} ${isPrepaid ? 'prepaid' : ''} ${inWords(lifeLimit(cid))}: ${byDay}`
  }
}
