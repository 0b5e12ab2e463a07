// Random customers and campaigns, and their changes from day to day. Every limit that was ever in force is kept, so
// that spend can be compared with it.

import type { Random } from '../support/random.ts'
import { type SandboxProcess, START_S } from './weeks-sandbox.ts'

const DAY_S = 86_400
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** In some of these zones, the clocks change within the first days. */
const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'America/St_Johns',
  'UTC',
]

export interface Payer {
  cuid: number
  isPrepaid: boolean
  /** The sum of all credits, in micros. */
  credited: number
}

export interface Flight {
  fid: number
  startS: number
  endS: number
  /** The largest total it ever had; null: none. */
  totalMicros: number | null
}

export interface Order {
  cid: number
  payer: Payer
  /** From the first second in which it may deliver to the last. */
  startS: number
  endS: number
  /** Its own flights; if there are any, it delivers only in them. */
  flights: Flight[]
  freq: number
  /** The largest total, and the largest monthly budget, it ever had; null: none. */
  totalMicros: number | null
  monthlyMicros: number | null
  /** Limits of a day, from these times on. */
  limits: { fromS: number; micros: number }[]
  isPaused: boolean
}

export interface Orders {
  payers: Payer[]
  orders: Order[]
  /** Makes a random change, or none. */
  change(nowS: number): Promise<string>
}

export async function placeOrders(
  sandbox: SandboxProcess,
  random: Random,
  customers: number,
): Promise<Orders> {
  const { call, url } = sandbox
  const payers: Payer[] = []
  const orders: Order[] = []
  let references = 0

  const cents = (from: number, to: number) => (from + random.int(to - from)) / 100
  const microsOf = (units: number) => Math.round(units * 1e6)
  const asOwner = ({ payer }: Order) => `?cuid=${payer.cuid}`

  async function credit(payer: Payer, amount: number): Promise<void> {
    await call('POST', `/customer/${payer.cuid}/credit`, { amount, reference: `payment ${++references}` })
    payer.credited += microsOf(amount)
  }

  async function newPayer(number: number): Promise<Payer> {
    const isPrepaid = number % 2 === 1
    const { cuid } = await call('POST', '/customer', {
      ...{
        company: `Shop ${number}`,
        email: `c${number}@shop.example`,
        timezone: random.pick(ZONES),
        prepaid: isPrepaid,
      },
    })
    const payer = { cuid, isPrepaid, credited: 0 }
    if (isPrepaid) await credit(payer, cents(20, 120))
    await call('PUT', `/customer/${cuid}/mails`, { report: 'daily' })
    payers.push(payer)
    return payer
  }

  const someHours = () =>
    Object.fromEntries(
      DAYS.map(day => [day, Array.from({ length: 24 }, (_, hour) => hour).filter(() => random.int(3) > 0)]),
    )

  async function newOrder(payer: Payer, nowS: number): Promise<void> {
    const startS = nowS + random.pick([0, 0, 3_600, 30_000])
    const endS = startS + random.pick([1, 2, 30]) * DAY_S + random.int(DAY_S)
    const dailySpend = cents(2, 30)
    const freq = random.pick([0, 0, 1, 2])
    const totalSpend = random.int(3) === 0 ? cents(10, 60) : null
    const monthlySpend = random.int(3) === 0 ? cents(10, 60) : null
    const price = random.int(4) === 0 ? { pricing: 'cpc', cpc: cents(1, 4) } : { cpm: cents(100, 600) }
    const { cid } = await call('POST', `/campaign?cuid=${payer.cuid}`, {
      ...{ name: `Campaign ${orders.length}`, start: startS, end: endS, dailySpend, freq, ...price },
      ...{
        pacing: random.pick(['even', 'asap']),
        totalSpend,
        monthlySpend,
        hours: random.int(4) === 0 ? someHours() : null,
      },
    })
    const order: Order = {
      ...{ cid, payer, startS, endS, flights: [], freq, isPaused: false },
      ...{ totalMicros: totalSpend === null ? null : microsOf(totalSpend) },
      ...{ monthlyMicros: monthlySpend === null ? null : microsOf(monthlySpend) },
      ...{ limits: [{ fromS: startS, micros: microsOf(dailySpend) }] },
    }
    if (random.int(3) === 0) await newFlights(order)
    const owner = asOwner(order)
    const { pid } = await call('POST', `/campaign/${cid}/persona${owner}`, {
      ...{ name: 'All', geo: { geos: ['*'] }, device: { mobile: true, tablet: true, desktop: true } },
    })
    await call('POST', `/campaign/${cid}/persona/${pid}/banner${owner}`, {
      creativeURL: `${url}/sandbox/image/approved/300x250.png`,
      clickUrl: 'https://shop.example/',
    })
    orders.push(order)
  }

  async function newFlight(order: Order, startS: number, endS: number): Promise<void> {
    const totalSpend = random.int(2) === 0 ? cents(2, 20) : null
    const name = `Flight ${order.flights.length}`
    const path = `/campaign/${order.cid}/flight${asOwner(order)}`
    const { fid } = await call('POST', path, { name, start: startS, end: endS, totalSpend })
    order.flights.push({ fid, startS, endS, totalMicros: totalSpend === null ? null : microsOf(totalSpend) })
    order.startS = order.flights[0]!.startS
    order.endS = endS
  }

  /** Consecutive flights that begin and end within days; some follow at once, others after hours without a flight. */
  async function newFlights(order: Order): Promise<void> {
    const { startS, endS } = order
    for (let fromS = startS + random.pick([0, 7_200]), left = 3; left > 0; left--) {
      const toS = Math.min(endS, fromS + 20_000 + random.int(DAY_S))
      if (toS - fromS < 3_600) return
      await newFlight(order, fromS, toS)
      fromS = toS + random.pick([0, 0, 20_000])
    }
  }

  const changes: Record<string, (order: Order, nowS: number) => Promise<void>> = {
    async budget(order, nowS) {
      const dailySpend = cents(2, 30)
      order.limits.push({ fromS: nowS, micros: microsOf(dailySpend) })
      await call('PUT', `/campaign/${order.cid}${asOwner(order)}`, { dailySpend })
    },
    async total(order) {
      if (order.totalMicros === null) return
      const totalSpend = Math.round(order.totalMicros / 10_000 + random.int(20)) / 100
      order.totalMicros = microsOf(totalSpend)
      await call('PUT', `/campaign/${order.cid}${asOwner(order)}`, { totalSpend })
    },
    async month(order) {
      if (order.monthlyMicros === null) return
      const monthlySpend = Math.round(order.monthlyMicros / 10_000 + random.int(20)) / 100
      order.monthlyMicros = microsOf(monthlySpend)
      await call('PUT', `/campaign/${order.cid}${asOwner(order)}`, { monthlySpend })
    },
    async flight(order) {
      const flight = order.flights.length > 0 ? random.pick(order.flights) : null
      if (flight === null || flight.totalMicros === null) return
      const totalSpend = Math.round(flight.totalMicros / 10_000 + random.int(10)) / 100
      flight.totalMicros = microsOf(totalSpend)
      await call('PUT', `/campaign/${order.cid}/flight/${flight.fid}${asOwner(order)}`, { totalSpend })
    },
    async pause(order) {
      order.isPaused = !order.isPaused
      await call('PUT', `/campaign/${order.cid}/${order.isPaused ? 'pause' : 'resume'}${asOwner(order)}`)
    },
    async hours(order) {
      const hours = random.int(2) === 0 ? someHours() : null
      await call('PUT', `/campaign/${order.cid}${asOwner(order)}`, { hours })
    },
    async zone({ payer }) {
      await call('PUT', `/customer/${payer.cuid}`, { timezone: random.pick(ZONES) })
    },
    async credit({ payer }) {
      if (payer.isPrepaid) await credit(payer, cents(5, 60))
    },
    order: ({ payer }, nowS) => newOrder(payer, nowS),
    nothing: async () => {},
  }

  await call('POST', '/webhook', { url: sandbox.receiver.url })
  for (let number = 0; number < customers; number++) {
    const payer = await newPayer(number)
    for (let at = 0; at < 3; at++) await newOrder(payer, START_S)
  }
  // By then all reviews are done; until now that was a matter of chance.
  await sandbox.pass(1)
  return {
    payers,
    orders,
    async change(nowS) {
      const name = random.pick(Object.keys(changes))
      const order = random.pick(orders)
      await changes[name]!(order, nowS)
      return `${name} of ${order.cid}`
    },
  }
}
