// Clocks that are wrong: budgets and reservations keep to the time that machine and database agree on, on an ordinary
// day and on both days on which the clocks of Berlin change.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import { testClock } from '../../test/support/service.ts'
import { calendarOf } from '../kernel/time/day.ts'
import { HOUR_MS, MINUTE_MS } from '../kernel/time/units.ts'

const ZONE = 'Europe/Berlin'
/** How many ads a day's budget pays for. */
const ADS_A_DAY = 5
const NONE = Array(ADS_A_DAY).fill(204)
const ALL = Array(ADS_A_DAY).fill(200)

describe.each([
  ['an ordinary day', '2027-06-15T10:00:00+02:00', 24],
  ['the day that has 23 hours', '2027-03-28T10:00:00+02:00', 23],
  ['the day that has 25 hours', '2027-10-31T10:00:00+01:00', 25],
])('on %s', (_name, morning, hours) => {
  let service: ListeningService
  let bids: (times?: number) => Promise<number[]>
  let cid: number
  const day = calendarOf(ZONE).dayAt(Date.parse(morning))

  beforeAll(async () => {
    service = await startListeningService({ TIMEZONE: ZONE }, testClock(Date.parse(morning)))
    const served = await newServedCampaign(service, {
      campaign: { dailySpend: 0.01, cpm: 2 },
      persona: { geo: { geos: ['CH'] } },
    })
    cid = served.cid
    await service.delivery.running()!.refresh()
    bids = async (times = ADS_A_DAY) => {
      const statuses: number[] = []
      for (let n = 0; n < times; n++) statuses.push((await bid()).status)
      return statuses
    }
  })
  afterAll(() => service.close())

  const bid = () => service.bid(bidRequest({ device: { geo: { country: 'CHE' } } }))
  /**
   * When time leaps, not even a share of a new day is there at once, so this asks for it; normally it is asked for in
   * time.
   */
  async function moveTo(ms: number): Promise<void> {
    service.clock.advance(ms - service.clock.monotonicMs())
    await service.delivery.running()!.refill.sync()
  }
  const spentOn = async (dayKey: number) =>
    (await service.db.row<{ micros: number }>(
      'select coalesce(sum(spent_micros), 0)::bigint as micros from budget_day where cid = $1 and day = $2',
      [cid, dayKey],
    ))!.micros

  /** Sets a wrong time for as long as `look` takes. */
  async function wrongBy<T>(ms: number, look: () => Promise<T>): Promise<T> {
    service.clock.set(ms)
    const seen = await look()
    service.clock.set(0)
    return seen
  }

  it('has as many hours as it should', () => {
    expect(day.endMs - day.startMs).toBe(hours * HOUR_MS)
  })

  it('a jump of 6 h ahead for an instant leaves no endless reservation, and spends nothing', async () => {
    expect(await wrongBy(6 * HOUR_MS, () => bids())).toEqual(ALL)
    expect(await bids()).toEqual(NONE)
    service.clock.advance(65 * MINUTE_MS)
    expect(await bids()).toEqual(ALL)
    expect(await spentOn(day.key)).toBe(0)
    service.clock.advance(65 * MINUTE_MS)
  })

  it('a jump of 20 h ahead for an instant does not close the day', async () => {
    expect(await wrongBy(20 * HOUR_MS, () => bids(1))).toEqual([200])
    expect(await bids(1)).toEqual([200])
    expect(await wrongBy(-20 * HOUR_MS, () => bids(1))).toEqual([200])
    service.clock.advance(65 * MINUTE_MS)
    expect(await bids()).toEqual(ALL)
    service.clock.advance(65 * MINUTE_MS)
  })

  it('a clock that stays an hour ahead is not trusted while the database disagrees', async () => {
    service.clock.set(HOUR_MS)
    await until(async () => service.logLines.find(line => line.includes('is not trusted')) ?? null)
    await moveTo(day.endMs - 30 * MINUTE_MS)
    expect(await bids()).toEqual(ALL)
    // By the wrong clock it is already tomorrow.
    expect(await bids()).toEqual(NONE)
    service.clock.set(0)
  })

  it('midnight comes on time, whatever the clock says for an instant', async () => {
    await moveTo(day.endMs - MINUTE_MS)
    expect(await bids()).toEqual(ALL)
    expect(await wrongBy(45 * MINUTE_MS, () => bids())).toEqual(NONE)
    await moveTo(day.endMs)
    expect(await wrongBy(-45 * MINUTE_MS, () => bids(1))).toEqual([200])
    expect(await bids()).toEqual([200, 200, 200, 200, 204])
  })

  it('a step that the database agrees with is trusted, and the step back loses nothing', async () => {
    const today = calendarOf(ZONE).dayAt(day.endMs)
    const tomorrow = calendarOf(ZONE).dayAt(today.endMs)
    await moveTo(today.startMs + 2 * HOUR_MS)
    expect(await bids(ADS_A_DAY + 1)).toEqual([...ALL, 204])
    setBoth(tomorrow.startMs + 12 * HOUR_MS - service.clock.monotonicMs())
    const shown = await until(async () => {
      const answer = await bid()
      return answer.status === 200 ? answer : null
    })
    expect((await service.send('GET', billingPath(shown.json))).status).toBe(200)
    expect(await spentOn(tomorrow.key)).toBe(2000)
    await bids()

    const before = service.delivery.running()
    setBoth(0)
    await until(async () => {
      await bid()
      const running = service.delivery.running()
      return running && running !== before ? true : null
    })
    // Today is not closed. Money that was reserved today stays reserved until it expires; money that was reserved
    // tomorrow is free.
    expect(await bids()).toEqual(NONE)
    service.clock.advance(65 * MINUTE_MS)
    expect(await bids()).toEqual(ALL)
    await moveTo(tomorrow.startMs)
    // One of tomorrow's five ads was billed.
    expect(await bids()).toEqual([200, 200, 200, 200, 204])
  })

  function setBoth(aheadMs: number): void {
    service.clock.set(aheadMs)
    service.clock.setDatabase(aheadMs)
  }

  function billingPath(answer: { seatbid: { bid: { burl: string }[] }[] }): string {
    const url = new URL(answer.seatbid[0]!.bid[0]!.burl)
    return `${url.pathname}?p=2`
  }
})
