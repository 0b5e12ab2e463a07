// A day of one node with a virtual clock and realistic traffic: no budget is exceeded, and pacing delivers all it can.

import { describe, expect, test } from 'vitest'
import { IS_LONG, type Random, seededRandom } from '../../../test/support/random.ts'
import { createCalendar, type Day } from '../../kernel/time/day.ts'
import { createHours, isOpenAt, WEEKDAYS, weekOf } from '../../kernel/time/hours.ts'
import { createCaps } from '../caps/caps.ts'
import type { LiveCampaign } from '../live.ts'
import type { AdFacts } from './ad.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger-interface.ts'

// A curve of requests, campaigns of all kinds, bills that come late, twice or never. It is decided beforehand which
// requests would be billed, so that the deliverable amount is known exactly.

const TTL_MS = 60_000
const MAX_TTL_MS = 300_000
/** Relative requests per hour of the local day: nights are quiet, evenings busy, the last hours fade. */
const CURVE = [3, 2, 1.5, 1, 1, 1.5, 3, 5, 6, 7, 7, 7.5, 8, 8, 7.5, 7.5, 8, 9, 10, 11, 11, 9, 7, 5]

interface Trial {
  live: LiveCampaign
  /** Its share of the requests. */
  weight: number
  winShare: number
  deliverableMicros: number
  databaseMicros: number
  hours: number[]
}

interface Notice {
  kind: 'bill' | 'loss'
  trial: Trial
  facts: AdFacts
  priceMicros: number
}

/** Budgets as a share of what the campaign's requests could cost on the whole day. */
const KINDS: {
  budgetShare: number
  pacing: 'even' | 'asap'
  winShare: number
  freq: number
  weight: number
  hours?: [number, number]
  /** Hours of the clock in which it is open. */
  open?: number[]
}[] = [
  { budgetShare: 0.02, pacing: 'even', winShare: 1, freq: 0, weight: 10 },
  { budgetShare: 0.02, pacing: 'even', winShare: 0.2, freq: 0, weight: 10 },
  { budgetShare: 0.1, pacing: 'even', winShare: 0.2, freq: 0, weight: 8 },
  { budgetShare: 0.1, pacing: 'even', winShare: 0.9, freq: 3, weight: 8 },
  { budgetShare: 0.3, pacing: 'even', winShare: 0.2, freq: 0, weight: 8 },
  { budgetShare: 0.3, pacing: 'even', winShare: 1, freq: 0, weight: 2 },
  { budgetShare: 0.5, pacing: 'even', winShare: 0.5, freq: 0, weight: 4 },
  { budgetShare: 0.5, pacing: 'even', winShare: 0.2, freq: 0, weight: 4 },
  { budgetShare: 0.7, pacing: 'even', winShare: 1, freq: 0, weight: 4 },
  { budgetShare: 0.7, pacing: 'even', winShare: 0.2, freq: 0, weight: 4 },
  { budgetShare: 0.85, pacing: 'even', winShare: 0.5, freq: 0, weight: 4 },
  { budgetShare: 0.95, pacing: 'even', winShare: 1, freq: 0, weight: 3 },
  { budgetShare: 1.5, pacing: 'even', winShare: 0.5, freq: 0, weight: 3 },
  { budgetShare: 20, pacing: 'even', winShare: 1, freq: 0, weight: 2 },
  { budgetShare: 2, pacing: 'even', winShare: 1, freq: 0, weight: 0.05 },
  { budgetShare: 0.5, pacing: 'even', winShare: 1, freq: 0, weight: 0.05 },
  { budgetShare: 0.1, pacing: 'even', winShare: 1, freq: 0, weight: 6, hours: [6, 14] },
  { budgetShare: 0.5, pacing: 'even', winShare: 0.3, freq: 0, weight: 6, hours: [10, 12] },
  { budgetShare: 0.05, pacing: 'asap', winShare: 1, freq: 0, weight: 8 },
  { budgetShare: 0.4, pacing: 'asap', winShare: 0.2, freq: 0, weight: 6 },
  // These include the hours that come twice or not at all when clocks change.
  { budgetShare: 0.1, pacing: 'even', winShare: 1, freq: 0, weight: 6, open: [1, 2, 9, 10, 11, 20] },
  { budgetShare: 0.3, pacing: 'even', winShare: 0.4, freq: 0, weight: 6, open: [1, 2, 3] },
]

function simulate(
  day: Day,
  zone: string,
  requests: number,
  random: Random,
): { trials: Trial[]; ledger: Ledger } {
  const seconds = (day.endMs - day.startMs) / 1000
  const hourFormat = new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' })
  const clock = Array.from({ length: seconds / 3600 }, (_, i) =>
    Number(hourFormat.format(day.startMs + i * 3_600_000)),
  )
  const curve = clock.map(hour => CURVE[hour]!)
  const calendar = createCalendar(zone)
  const everyDay = (open: number[]) =>
    createHours(weekOf(Object.fromEntries(WEEKDAYS.map(name => [name, open]))), calendar)
  const perWeight = requests / curve.reduce((a, b) => a + b)

  const trials = KINDS.map((kind, index) => trialOf(kind, index))
  const weights = trials.reduce((sum, trial) => sum + trial.weight, 0)
  function trialOf(kind: (typeof KINDS)[number], index: number): Trial {
    const hours = kind.hours ?? [0, curve.length]
    const weightSum = KINDS.reduce((sum, one) => sum + one.weight, 0)
    const { open } = kind
    const isWanted = (_: number, i: number) => open?.includes(clock[i]!) ?? (i >= hours[0] && i < hours[1])
    const inFlight = curve.filter(isWanted).reduce((a, b) => a + b, 0) * perWeight * (kind.weight / weightSum)
    const cpmMicros = 10_000 * (100 + index * 37)
    // The wins are billed at 90 % of the price on average.
    const supplyMicros = inFlight * kind.winShare * 0.9 * (cpmMicros / 1000)
    return {
      live: {
        cid: 100 + index,
        cuid: 1,
        enabled: true,
        flights: [
          {
            fid: 1,
            startS: day.startMs / 1000 + hours[0] * 3600,
            endS: day.startMs / 1000 + hours[1] * 3600,
          },
        ],
        freq: kind.freq,
        dailySpendMicros: Math.ceil((supplyMicros * kind.budgetShare) / 10_000) * 10_000,
        cpmMicros,
        category: [],
        hours: open ? everyDay(open) : null,
        pacing: kind.pacing,
      },
      weight: kind.weight,
      winShare: kind.winShare,
      deliverableMicros: 0,
      databaseMicros: 0,
      hours: curve.map(() => 0),
    }
  }

  const ledger = createLedger({
    calendar,
    caps: createCaps({ maxUsers: 1_000_000 }),
    log: { reserved() {}, ended() {}, budget() {} },
    nowMs: day.startMs,
    maxTtlMs: MAX_TTL_MS,
    maxAds: 1_000_000,
  })
  for (const { live } of trials) ledger.setCampaign(live, day.startMs)

  const notices: Notice[][] = Array.from({ length: seconds + 400 }, () => [])
  const database = new Set<string>()
  let begun: { notice: Notice; chargeMicros: number }[] = []
  let adNumber = 0

  function pick(): Trial {
    let at = random.next() * weights
    for (const trial of trials) {
      at -= trial.weight
      if (at < 0) return trial
    }
    return trials[0]!
  }

  function request(second: number, nowMs: number): void {
    const trial = pick()
    const { live } = trial
    const flight = live.flights[0]!
    if (nowMs < flight.startS * 1000 || nowMs >= flight.endS * 1000) return
    if (!isOpenAt(live.hours, nowMs)) return
    const priceMicros = live.cpmMicros / 1000
    const paidMicros = Math.floor(priceMicros * (0.8 + 0.2 * random.next()))
    const isWon = random.next() < trial.winShare
    const delayS = Math.ceil(-20 * Math.log(1 - random.next()))
    if (isWon && delayS * 1000 < TTL_MS) trial.deliverableMicros += paidMicros
    const adId = Buffer.from(String(adNumber++).padStart(12, '0')).toString('base64url')
    const wish = {
      adId,
      cid: live.cid,
      priceMicros,
      user: { hi: 1, lo: random.int(200_000) },
      ttlMs: TTL_MS,
      random: random.next(),
    }
    const facts = ledger.reserve(wish, nowMs)
    if (typeof facts === 'string') return
    const bill: Notice = { kind: 'bill', trial, facts, priceMicros: paidMicros }
    const loss: Notice = { ...bill, kind: 'loss' }
    if (!isWon) {
      if (random.int(2)) notices[second + 1]!.push(loss)
      return
    }
    notices[second + delayS]?.push(bill)
    const chance = random.next()
    // Some bills are retried at once or later, and some ads are declared lost although they were won.
    if (chance < 0.03) notices[second + delayS]?.push({ ...bill, priceMicros })
    else if (chance < 0.06) notices[second + delayS + 10]?.push(bill)
    else if (chance < 0.08) notices[second + 1]!.push(loss)
  }

  /** One transaction per second for its notices; one in fifty is rolled back, and its notices come again. */
  function transact(second: number): void {
    const isRolledBack = random.int(50) === 0
    for (const { notice, chargeMicros } of begun) {
      const { adId } = notice.facts
      if (isRolledBack) {
        ledger.cancel(adId)
        notices[second + 2]?.push(notice)
      } else if (database.has(adId)) ledger.duplicate(adId)
      else {
        database.add(adId)
        ledger.commit(adId, chargeMicros)
        notice.trial.databaseMicros += chargeMicros
        notice.trial.hours[Math.min(Math.floor(second / 3600), curve.length - 1)]! += chargeMicros
      }
    }
    begun = []
  }

  function verify(): void {
    for (const { live, databaseMicros } of trials) {
      const account = ledger.account(live.cid, day.key)
      if (!account) continue
      const sumMicros = account.spentMicros + account.reservedMicros
      if (sumMicros > live.dailySpendMicros || databaseMicros !== account.spentMicros)
        throw new Error(`${live.cid}: ${sumMicros} of ${live.dailySpendMicros}, database ${databaseMicros}`)
    }
  }

  let dueRequests = 0
  for (let second = 0; second < seconds + 400; second++) {
    const nowMs = day.startMs + second * 1000
    dueRequests += ((curve[Math.floor(second / 3600)] ?? 0) * perWeight) / 3600
    for (; dueRequests >= 1; dueRequests--) request(second, nowMs + random.int(1000))
    for (const notice of notices[second]!) {
      if (notice.kind === 'loss') ledger.release(notice.facts.adId)
      else {
        const result = ledger.begin(notice.facts, notice.priceMicros, nowMs + 999)
        if (result.isBillable) begun.push({ notice, chargeMicros: result.chargeMicros })
      }
    }
    notices[second] = []
    verify()
    transact(second)
    verify()
  }
  return { trials, ledger }
}

function report(trials: Trial[]): string[] {
  return trials.map(({ live, deliverableMicros, databaseMicros, hours }, index) => {
    const goalMicros = Math.min(live.dailySpendMicros, deliverableMicros)
    const share = (100 * databaseMicros) / goalMicros
    const shape = hours.map(micros => Math.round((100 * micros) / databaseMicros)).join(' ')
    return `${index} ${live.pacing} ${KINDS[index]!.budgetShare} ${(live.dailySpendMicros / 1e6).toFixed(2)} ${share.toFixed(2)} % | ${shape}`
  })
}

describe('a simulated day', () => {
  for (const [name, zone, noon, requests] of [
    ['a day of 24 hours', 'UTC', '2026-11-15T12:00:00Z', IS_LONG ? 4_000_000 : 1_000_000],
    ['a day of 25 hours', 'America/Toronto', '2026-11-01T17:00:00Z', 200_000],
    ['a day of 23 hours', 'America/Toronto', '2026-03-08T17:00:00Z', 200_000],
  ] as const) {
    test(`${name}: no budget is exceeded by a micro, and everything that can be delivered is`, () => {
      const random = seededRandom(name)
      const day = createCalendar(zone).dayAt(Date.parse(noon))
      const { trials, ledger } = simulate(day, zone, requests, random)
      if (process.env.REPORT) console.log(report(trials).join('\n'))
      for (const { live, deliverableMicros, databaseMicros } of trials) {
        expect(databaseMicros).toBeLessThanOrEqual(live.dailySpendMicros)
        const goalMicros = Math.min(live.dailySpendMicros, deliverableMicros)
        // The rest may be less than the price of an impression, and one may have been lost in a rollback.
        expect(databaseMicros + (2 * live.cpmMicros) / 1000, `campaign ${live.cid}`).toBeGreaterThanOrEqual(
          0.97 * goalMicros,
        )
      }
      // With plenty of requests at every hour, an even day is even: as many every hour as chance allows.
      const even = zone === 'UTC' ? [trials[0]!, trials[2]!, trials[3]!] : []
      for (const { hours, databaseMicros, live } of even) {
        const shares = hours.map(micros => (micros / databaseMicros) * hours.length)
        const impressionsPerHour = live.dailySpendMicros / (live.cpmMicros / 1000) / hours.length
        const tolerance = 0.1 + 4.5 / Math.sqrt(impressionsPerHour)
        expect(Math.max(...shares)).toBeLessThan(1 + tolerance)
        expect(Math.min(...shares)).toBeGreaterThan(1 - tolerance)
      }
      // So are the open hours with plenty of requests, including the one that comes twice.
      const open = trials.at(-2)!
      const isOpenIn = (hour: number) => isOpenAt(open.live.hours, day.startMs + hour * 3_600_000)
      const inside = open.hours.filter((_, hour) => isOpenIn(hour))
      const shares = inside.map(micros => (micros / open.databaseMicros) * inside.length)
      expect(Math.max(...shares)).toBeLessThan(1.8)
      expect(Math.min(...shares)).toBeGreaterThan(0.4)
      ledger.expire(day.endMs + 2 * MAX_TTL_MS)
      expect(ledger.size()).toBe(0)
    })
  }
})
