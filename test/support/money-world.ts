// Customers and campaigns for simulated weeks: random zones, hours, prices, totals and balances, which change while ads
// are sold. Changes are made in the database, as the verbs make them, and reported to the model.

import { monthPool } from '../../src/budget/shares/pool-queries.ts'
import { inTx } from '../../src/changes/tx.ts'
import { Problem } from '../../src/kernel/errors/problem.ts'
import { WEEKDAYS, weekOf } from '../../src/kernel/time/hours.ts'
import { monthOf } from '../../src/kernel/time/months.ts'
import { DAY_MS } from '../../src/kernel/time/units.ts'
import { changeZone, type Zones } from '../../src/kernel/time/zones.ts'
import type { Database } from '../../src/platform/database.ts'
import { accounts, creditCustomer } from '../../src/report/accounts/accounts.ts'
import { balanceLimit, dayLimit, flightLimit, lifeLimit, type MoneyModel, monthLimit } from './money-model.ts'
import { pickBy, type Random } from './random.ts'

export interface Payer {
  cuid: number
  zones: Zones
  isPrepaid: boolean
}

export interface Flight {
  fid: number
  startMs: number
  endMs: number
}

export interface Order {
  cid: number
  /** In chronological order, without gaps. */
  flights: Flight[]
  payer: Payer
  priceMicros: number
  dailyMicros: number
  /** Null: none. */
  monthlyMicros: number | null
  weight: number
  winShare: number
  /** The rate of clicks, if the campaign pays by click; null if it pays for impressions. */
  clickRate: number | null
  pacing: string
  /** The days for which a request came. */
  days: Set<number>
}

export interface MoneyWorld {
  orders: Order[]
  /** The keys of the limits that apply to a sale on this day. */
  keysOf(order: Order, dayKey: number, fid: number): string[]
  /** Makes a random change; returns the campaigns that nodes must read again. */
  change(): Promise<number[]>
  counts: Record<string, number>
}

export interface WorldOptions {
  db: Database
  model: MoneyModel
  random: Random
  startMs: number
  endMs: number
  nowMs: () => number
  /** The number of requests per day that fit a campaign of weight 1. */
  requestsADay: number
}

export const OWN_ZONE = 'America/Toronto'
/** From the first to the last zone in which a day begins; some have their own clock changes. */
const ZONES = [
  null,
  'Europe/Berlin',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
]
const CUSTOMERS = 4
const CAMPAIGNS_EACH = 2
const CENT = 10_000

const cents = (micros: number) => Math.max(CENT, Math.round(micros / CENT) * CENT)

export async function createMoneyWorld(options: WorldOptions): Promise<MoneyWorld> {
  const { db, model, random, startMs, endMs, nowMs } = options
  const clock = { nowMs }
  const allDays = (endMs - startMs) / DAY_MS
  const payers: Payer[] = []
  const orders: Order[] = []
  const counts: Record<string, number> = {}
  let references = 0

  const ordersOf = (payer: Payer) => orders.filter(order => order.payer === payer)
  const cidsOf = (payer: Payer) => ordersOf(payer).map(order => order.cid)
  const countOf = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }

  async function addPayer(timezone: string | null): Promise<Payer> {
    const row = await db.row<{ cuid: number }>(
      `with made as (
         insert into app (name, created_at) values (gen_random_uuid()::text, now()) returning app_id
       )
       insert into customer (app_id, company, email, email_key, created_at, updated_at, timezone)
       select app_id, 'Payer', 'p@payer.example', 'p@payer.example', now(), now(), $1 from made returning cuid`,
      [timezone],
    )
    const payer = { cuid: row!.cuid, zones: { timezone, before: [] }, isPrepaid: false }
    payers.push(payer)
    return payer
  }

  async function addOrder(payer: Payer, fromMs: number): Promise<Order> {
    const cpmMicros = CENT * (100 + random.int(400))
    const clickRate = orders.length % 4 === 1 ? 0.1 : null
    const cpcMicros = clickRate && CENT * (1 + random.int(4))
    const priceMicros = cpcMicros ?? Math.ceil(cpmMicros / 1000)
    const weight = 1 + random.int(3)
    const winShare = random.pick([0.3, 0.6, 1])
    const hours = random.int(3) === 0 ? openHours() : null
    const openPart = hours ? hours.mon!.length / 24 : 1
    const requests = options.requestsADay * weight * openPart * (clickRate ?? 1)
    const offeredMicros = requests * winShare * 0.9 * priceMicros
    const dailyMicros = cents(offeredMicros * random.pick([0.2, 0.4, 0.7, 2]))
    const lasts = (endMs - fromMs) / DAY_MS
    const totalMicros = random.int(2) ? cents(dailyMicros * lasts * (0.3 + 0.5 * random.next())) : null
    const monthlyMicros = random.int(3) ? null : cents(dailyMicros * lasts * (0.3 + 0.5 * random.next()))
    const pacing = random.pick(['even', 'asap'])
    const row = await db.row<{ cid: number; fid: number }>(
      `with made as (
         insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, total_spend_micros,
           cpm_micros, category, pacing, hours, cpc_micros, monthly_spend_micros, created_at, updated_at)
         values ($1, 'c', $2, $3, true, 0, $4, $5, $6, '{}', $7, $8, $9, $10, now(), now()) returning cid
       )
       insert into flight (cid, is_default, name, created_at, updated_at)
       select cid, true, 'f', now(), now() from made returning cid, fid`,
      [
        ...[payer.cuid, new Date(fromMs), new Date(endMs), dailyMicros, totalMicros, cpmMicros],
        ...[pacing, hours && weekOf(hours), cpcMicros, monthlyMicros],
      ],
    )
    const { cid, fid } = row!
    model.setLimit(lifeLimit(cid), payer.cuid, totalMicros ?? Number.POSITIVE_INFINITY)
    const terms = { priceMicros, dailyMicros, monthlyMicros, weight, winShare, clickRate, pacing }
    const order: Order = { cid, payer, ...terms, flights: [], days: new Set() }
    if (orders.length % 3 > 0) {
      order.flights = [{ fid, startMs: fromMs, endMs }]
      model.setLimit(flightLimit(fid), payer.cuid, Number.POSITIVE_INFINITY)
    } else await addFlights(order, fromMs)
    orders.push(order)
    return order
  }

  /** Adds two consecutive flights, each with or without its own total. */
  async function addFlights({ cid, payer, dailyMicros, flights }: Order, fromMs: number): Promise<void> {
    const changeMs = fromMs + Math.floor(((endMs - fromMs) * (0.3 + 0.4 * random.next())) / 1000) * 1000
    for (const [startMs, untilMs] of [
      [fromMs, changeMs],
      [changeMs, endMs],
    ] as const) {
      const part = ((untilMs - startMs) / DAY_MS) * (0.3 + 0.5 * random.next())
      const totalMicros = random.int(3) > 0 ? cents(dailyMicros * part) : null
      const row = await db.row<{ fid: number }>(
        `insert into flight (cid, is_default, name, start_at, end_at, total_spend_micros, created_at, updated_at)
         values ($1, false, 'f', $2, $3, $4, now(), now()) returning fid`,
        [cid, new Date(startMs), new Date(untilMs), totalMicros],
      )
      flights.push({ fid: row!.fid, startMs, endMs: untilMs })
      model.setLimit(flightLimit(row!.fid), payer.cuid, totalMicros ?? Number.POSITIVE_INFINITY)
    }
  }

  function openHours() {
    const from = random.int(16)
    const open = Array.from({ length: 4 + random.int(8) }, (_, n) => (from + n * random.pick([1, 2])) % 24)
    const list = [...new Set(open)].sort((a, b) => a - b)
    return Object.fromEntries(WEEKDAYS.map(name => [name, list]))
  }

  /** The amount that all campaigns of a customer may spend per day. */
  const usualMicros = (payer: Payer) => ordersOf(payer).reduce((sum, order) => sum + order.dailyMicros, 0)

  async function setPrepaid(payer: Payer, isPrepaid: boolean): Promise<void> {
    await db.transaction(async tx => {
      await tx.run('update customer set prepaid = $2 where cuid = $1', [payer.cuid, isPrepaid])
      await (isPrepaid ? accounts.begin : accounts.end)(tx, payer.cuid, new Date(nowMs()))
    })
    payer.isPrepaid = isPrepaid
    model.endLimit(balanceLimit(payer.cuid))
    // An even campaign has not sold its day yet.
    for (const order of ordersOf(payer)) model.startOver(keysOfLife(order), payer.cuid)
    if (isPrepaid) model.setLimit(balanceLimit(payer.cuid), payer.cuid, 0)
    countOf(isPrepaid ? 'accounts' : 'ends')
  }

  /** A correction that the balance does not cover is refused, and changes nothing. */
  async function credit(payer: Payer, micros: number): Promise<void> {
    const key = balanceLimit(payer.cuid)
    const { limitMicros, billedMicros } = model.limit(key)!
    const entry = { amount: micros / 1_000_000, reference: `r${references++}` }
    try {
      const parts = { clock, currency: 'EUR' }
      const { account } = await inTx(db, tx => creditCustomer(tx, payer.cuid, entry, 'operator', parts))
      if (Math.round(account.spent * 1e6) !== billedMicros) throw new Error(`${key}: ${account.spent} spent`)
      if (limitMicros + micros < billedMicros) throw new Error(`${key}: corrected below what is spent`)
      model.setLimit(key, payer.cuid, limitMicros + micros)
      countOf(micros > 0 ? 'credits' : 'corrections')
    } catch (error) {
      if (!(error instanceof Problem) || micros > 0) throw error
      countOf('refused')
    }
  }

  const monthsOf = (days: Set<number>) => [...new Set([...days].map(monthOf))]

  const keysOfLife = ({ cid, flights, days }: Order) => [
    lifeLimit(cid),
    ...flights.map(({ fid }) => flightLimit(fid)),
    ...[...days].map(day => dayLimit(cid, day)),
    ...monthsOf(days).map(month => monthLimit(cid, month)),
  ]

  /** Changes the limit of `key` from now on. */
  function setLimit(order: Order, key: string, limitMicros: number, heldMicros?: number): void {
    const { cuid } = order.payer
    const isRaised = limitMicros > model.limit(key)!.limitMicros
    model.setLimit(key, cuid, limitMicros, heldMicros)
    if (isRaised && order.pacing === 'even') model.planAnew(keysOfLife(order), cuid)
  }

  const usedMicros = (order: Order) => model.limit(lifeLimit(order.cid))!.billedMicros

  async function setTotal(order: Order, totalMicros: number | null): Promise<void> {
    await db.run('update campaign set total_spend_micros = $2 where cid = $1', [order.cid, totalMicros])
    const pool = await db.row<{ granted: number }>(
      'select granted_micros as granted from pool where id = $1',
      [order.cid],
    )
    const limitMicros = totalMicros ?? Number.POSITIVE_INFINITY
    setLimit(order, lifeLimit(order.cid), limitMicros, pool?.granted)
  }

  async function setMonthly(order: Order, monthlyMicros: number | null): Promise<void> {
    await db.run('update campaign set monthly_spend_micros = $2 where cid = $1', [order.cid, monthlyMicros])
    order.monthlyMicros = monthlyMicros
    for (const month of monthsOf(order.days)) {
      const pool = await db.row<{ granted: number }>(
        'select granted_micros as granted from pool where id = $1',
        [monthPool(order.cid, month * 100)],
      )
      setLimit(order, monthLimit(order.cid, month), monthlyMicros ?? Number.POSITIVE_INFINITY, pool?.granted)
    }
  }

  async function setFlightTotal(order: Order): Promise<void> {
    const { flights, dailyMicros } = order
    const { fid } = random.pick(flights)
    const usedOf = model.limit(flightLimit(fid))!.billedMicros
    const totalMicros = random.int(4) > 0 ? cents(usedOf + dailyMicros * random.next()) : null
    await db.run(
      'update flight set total_spend_micros = $2, updated_at = now() where fid = $1 and not is_default',
      [fid, totalMicros],
    )
    const pool = await db.row<{ granted: number }>(
      'select granted_micros as granted from pool where id = $1',
      [fid],
    )
    const limitMicros = pool ? totalMicros! : Number.POSITIVE_INFINITY
    setLimit(order, flightLimit(fid), limitMicros, pool?.granted)
  }

  async function setDaily(order: Order, dailyMicros: number): Promise<void> {
    await db.run('update campaign set daily_spend_micros = $2 where cid = $1', [order.cid, dailyMicros])
    order.dailyMicros = dailyMicros
    // Nodes whose clocks are wrong ask for other days too.
    for (const dayKey of order.days) {
      const key = dayLimit(order.cid, dayKey)
      setLimit(order, key, dailyMicros, model.limit(key)!.mostMicros)
    }
  }

  async function setZone(payer: Payer): Promise<void> {
    const zones = changeZone(payer.zones, random.pick(ZONES), OWN_ZONE, nowMs())
    payer.zones = zones
    await db.run('update customer set timezone = $2, timezone_before = $3 where cuid = $1', [
      payer.cuid,
      zones.timezone,
      JSON.stringify(zones.before),
    ])
  }

  for (let n = 0; n < CUSTOMERS; n++) {
    const payer = await addPayer(random.pick(ZONES))
    for (let i = 0; i < CAMPAIGNS_EACH; i++) await addOrder(payer, startMs)
    if (n % 2 === 0) {
      await setPrepaid(payer, true)
      await credit(payer, cents(usualMicros(payer) * allDays * 0.2))
    }
  }

  const changes: [weight: number, name: string, make: (payer: Payer, order: Order) => Promise<unknown>][] = [
    [
      6,
      'credit',
      async payer => payer.isPrepaid && credit(payer, cents(usualMicros(payer) * random.next() * 0.5)),
    ],
    [
      4,
      'correction',
      async payer => payer.isPrepaid && credit(payer, -cents(usualMicros(payer) * random.next() * 0.2)),
    ],
    [1, 'prepaid', async payer => setPrepaid(payer, !payer.isPrepaid)],
    [
      2,
      'total',
      async (_payer, order) =>
        setTotal(order, cents(usedMicros(order) + order.dailyMicros * 2 * random.next())),
    ],
    [
      2,
      'monthly',
      async (_payer, order) =>
        setMonthly(order, cents(usedMicros(order) + order.dailyMicros * 2 * random.next())),
    ],
    [1, 'no monthly', async (_payer, order) => setMonthly(order, null)],
    [1, 'no total', async (_payer, order) => setTotal(order, null)],
    [
      2,
      'daily',
      async (_payer, order) => setDaily(order, cents(order.dailyMicros * (0.7 + 0.6 * random.next()))),
    ],
    [1, 'zone', async payer => setZone(payer)],
    [2, 'flight total', async (_payer, order) => setFlightTotal(order)],
  ]

  return {
    orders,
    counts,
    keysOf({ cid, payer, dailyMicros, monthlyMicros, days: known }, dayKey, fid) {
      const day = dayLimit(cid, dayKey)
      const month = monthLimit(cid, monthOf(dayKey))
      if (!model.limit(month)) model.setLimit(month, payer.cuid, monthlyMicros ?? Number.POSITIVE_INFINITY)
      if (!known.has(dayKey)) model.setLimit(day, payer.cuid, dailyMicros)
      known.add(dayKey)
      return [
        day,
        month,
        lifeLimit(cid),
        flightLimit(fid),
        ...(payer.isPrepaid ? [balanceLimit(payer.cuid)] : []),
      ]
    },
    async change() {
      const payer = random.pick(payers)
      const [, name, make] = pickBy(changes, ([weight]) => weight, random)
      await make(payer, random.pick(ordersOf(payer)))
      countOf(name)
      return cidsOf(payer)
    },
  }
}
