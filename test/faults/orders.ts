// Campaigns with small budgets, written directly to the database, in pairs that compete for a country's visitors.

import { createApp } from '../../src/identity/apps.ts'
import { systemClock } from '../../src/kernel/time/clock.ts'
import { addSource, allowCpc } from '../../src/manage/sources/sources.ts'
import type { Database } from '../../src/platform/database.ts'

export interface Order {
  cid: number
  /** ISO 3166-1 alpha-2 for the database, alpha-3 for the exchange. */
  country: string
  country3: string
  dailySpendMicros: number
  /** None: no limit. */
  totalSpendMicros?: number
  monthlySpendMicros?: number
  /** Its own consecutive flights, each with this total. */
  flights?: { count: number; seconds: number; totalMicros: number }
  cpmMicros: number
  /** If given, the campaign sells clicks, not impressions. */
  cpcMicros?: number
  /** 0: no cap. */
  freq: number
  pacing: 'asap' | 'even'
  /** Some of its ads are lost by notice, forgotten, or reported a minute later. */
  isFickle: boolean
}

export interface Exchange {
  bidPath: string
  billsOn: 'notice' | 'pixel'
}

/** The third value: impressions, in a test of one second. */
const RIVALS = [
  ['CA', 'CAN', 3, 2.99, 0, 'asap', false],
  ['CA', 'CAN', 8, 1.37, 0, 'asap', true],
  ['DE', 'DEU', 8, 2.51, 3, 'asap', false],
  ['DE', 'DEU', 5, 1.99, 0, 'even', false],
  ['FR', 'FRA', 5, 3.03, 0, 'even', true],
  ['FR', 'FRA', 8, 0.77, 0, 'asap', false],
] as const

export type NewOrder = Omit<Order, 'cid'>

/** Budgets that are almost spent when the time is over. */
export function rivals(seconds: number): NewOrder[] {
  return RIVALS.map(([country, country3, impressionsASecond, cpm, freq, pacing, isFickle]) => {
    const cpmMicros = Math.round(cpm * 1_000_000)
    // An odd extra amount, so that the last impression does not fit exactly.
    const dailySpendMicros = Math.round((impressionsASecond * seconds * cpmMicros) / 1000) + 7
    return { country, country3, dailySpendMicros, cpmMicros, freq, pacing, isFickle }
  })
}

export async function placeOrders(db: Database, orders: NewOrder[], seconds: number): Promise<Order[]> {
  const { app } = await createApp(db, { name: 'faults', passcode: false, nopasscode: false }, systemClock)
  const customer = await db.row<{ cuid: number }>(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at)
     values ($1, 'Faults', 'f@faults.example', 'f@faults.example', now(), now()) returning cuid`,
    [app.appId],
  )
  const placed: Order[] = []
  for (const order of orders) {
    // An even pace runs to the campaign's end, so that its day is as long as the test.
    const cid = await placeOrder(db, customer!.cuid, order, seconds + 10)
    if (order.flights) await placeFlights(db, cid, order.flights)
    placed.push({ ...order, cid })
  }
  return placed
}

async function placeOrder(db: Database, cuid: number, order: NewOrder, seconds: number): Promise<number> {
  const {
    dailySpendMicros,
    totalSpendMicros = null,
    monthlySpendMicros = null,
    cpmMicros,
    cpcMicros = null,
    freq,
    pacing,
    country,
  } = order
  const lasts = pacing === 'even' ? `${seconds} seconds` : '30 days'
  const row = await db.row<{ cid: number }>(
    `with made as (
       insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at, total_spend_micros, cpc_micros, monthly_spend_micros)
       values ($1, 'c', now() - interval '1 hour', now() + $2::interval, true, $3, $4, $5, '{}', $6, now(), now(), $8,
         $9, $10)
       returning cid
     ), flown as (
       insert into flight (cid, is_default, name, created_at, updated_at) select cid, true, 'f', now(), now() from made
     ), meant as (
       insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
       select cid, 'p', jsonb_build_object('geos', array[$7::text]), '{}',
         '{"mobile": true, "tablet": true, "desktop": true}', '{"gender": null, "age": null}', now(), now() from made
       returning pid
     ), shown as (
       insert into banner (pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status,
         created_at, updated_at)
       select pid, 'b', 'https://x.example/a.png', 'https://shop.example/', 300, 250, 'image/png', 1000,
         repeat('0', 64) || '.png', 'approved', now(), now() from meant, generate_series(1, 2)
     )
     select cid from made`,
    [
      ...[cuid, lasts, freq, dailySpendMicros, cpmMicros, pacing, country, totalSpendMicros, cpcMicros],
      monthlySpendMicros,
    ],
  )
  return row!.cid
}

function placeFlights(db: Database, cid: number, flights: NonNullable<NewOrder['flights']>) {
  const { count, seconds, totalMicros } = flights
  return db.run(
    `insert into flight (cid, is_default, name, start_at, end_at, total_spend_micros, created_at, updated_at)
     select $1, false, 'flight', now() + n * $3 * interval '1 second', now() + (n + 1) * $3 * interval '1 second', $4,
       now(), now()
     from generate_series(0, $2::integer - 1) as n`,
    [cid, count, seconds, totalMicros],
  )
}

/** One exchange of each kind: it decides which call counts the impression. */
export async function openExchanges(db: Database): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  for (const billsOn of ['notice', 'pixel'] as const) {
    const source = await addSource(
      db,
      { kind: 'exchange', name: `bills on ${billsOn}`, billsOn },
      systemClock,
    )
    await allowCpc(db, source.name, true, systemClock)
    exchanges.push({ bidPath: `/openrtb2/bid/${source.key}`, billsOn })
  }
  return exchanges
}
