// Conditions that must hold at every midnight, whatever happened before.

import { expect } from 'vitest'
import { zonesOf } from '../../src/changes/customer-zones.ts'
import { verify } from '../../src/count/verify/verify.ts'
import { calendarIn } from '../../src/kernel/time/zones.ts'
import type { Order, Orders, Payer } from './weeks-orders.ts'
import { CLICK_WINDOW_S, type SandboxProcess, START_S } from './weeks-sandbox.ts'

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
/** Visitors see an ad some seconds after it was served. */
const MOST_SEEN_S = 10
const microsOf = (units: number) => Math.round(units * 1e6)

export async function everythingMustHold(sandbox: SandboxProcess, placed: Orders): Promise<void> {
  const differing = (await verify(sandbox.db, { timeZone: 'UTC', clickWindowS: CLICK_WINDOW_S })).filter(
    check => check.differences.length > 0,
  )
  expect(differing).toEqual([])
  await budgetsMustHold(sandbox, placed.orders)
  await flightsMustHold(sandbox, placed.orders)
  await capsMustHold(sandbox, placed.orders)
  await readersMustAgree(sandbox, placed.payers)
  await exportMustAgree(sandbox)
  await eachEventCameOnce(sandbox, placed.orders)
  await eachMailCameOnce(sandbox)
}

/**
 * No day has cost more than the largest limit in force on that day, in any zone, and no campaign more than its total, and its
 * monthly budget in any month.
 */
async function budgetsMustHold({ db }: SandboxProcess, orders: Order[]): Promise<void> {
  const rows = await db.rows<{ cid: number; day: number; micros: number }>(
    'select cid, budget_day as day, sum(spend_micros)::bigint as micros from event group by cid, budget_day',
  )
  const totals = new Map<number, number>()
  const months = new Map<string, number>()
  for (const { cid, day, micros } of rows) {
    const order = orders.find(one => one.cid === cid)!
    expect(micros, `campaign ${cid} on ${day}`).toBeLessThanOrEqual(limitOn(order, day))
    totals.set(cid, (totals.get(cid) ?? 0) + micros)
    const month = `${cid} in ${Math.floor(day / 100)}`
    months.set(month, (months.get(month) ?? 0) + micros)
    expect(months.get(month), `month of ${month}`).toBeLessThanOrEqual(order.monthlyMicros ?? Infinity)
  }
  for (const { cid, totalMicros } of orders)
    if (totalMicros !== null) expect(totals.get(cid) ?? 0, `total of ${cid}`).toBeLessThanOrEqual(totalMicros)
}

function limitOn({ limits }: Order, day: number): number {
  const startS = Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100) / 1000
  const inForce = limits.filter(({ fromS }, at) => {
    const toS = limits[at + 1]?.fromS ?? Number.POSITIVE_INFINITY
    return fromS < startS + DAY_S + 12 * HOUR_S && toS >= startS - 14 * HOUR_S
  })
  return Math.max(...inForce.map(({ micros }) => micros))
}

/** A campaign with flights was shown only in them, and none cost more than its total. */
async function flightsMustHold({ db }: SandboxProcess, orders: Order[]): Promise<void> {
  const rows = await db.rows<{
    cid: number
    fid: number
    micros: number
    fromS: number | null
    toS: number | null
  }>(
    `select cid, fid, sum(spend_micros)::bigint as micros,
       extract(epoch from min(at) filter (where kind = 'i'))::float8 as "fromS",
       extract(epoch from max(at) filter (where kind = 'i'))::float8 as "toS"
     from event join leaf using (leaf, cid) group by cid, fid`,
  )
  for (const { cid, flights } of orders.filter(order => order.flights.length > 0))
    for (const { fid, micros, fromS, toS } of rows.filter(row => row.cid === cid)) {
      const flight = flights.find(one => one.fid === fid)
      expect(flight, `flight ${fid} of ${cid}`).toBeDefined()
      const { startS, endS, totalMicros } = flight!
      expect(fromS ?? startS, `begin of flight ${fid}`).toBeGreaterThanOrEqual(startS)
      expect(toS ?? endS, `end of flight ${fid}`).toBeLessThanOrEqual(endS + MOST_SEEN_S)
      if (totalMicros !== null) expect(micros, `total of flight ${fid}`).toBeLessThanOrEqual(totalMicros)
    }
}

async function capsMustHold({ db }: SandboxProcess, orders: Order[]): Promise<void> {
  const rows = await db.rows<{ cid: number; most: number }>(
    `select cid, max(n) as most from (
       select cid, count(*) as n from event where kind = 'i' group by cid, budget_day, user_hi, user_lo
     ) seen group by cid`,
  )
  for (const { cid, most } of rows) {
    const { freq } = orders.find(one => one.cid === cid)!
    if (freq > 0) expect(most, `cap of ${cid}`).toBeLessThanOrEqual(freq)
  }
}

/** Statistics, report, statement and account agree, and no balance is below zero. */
async function readersMustAgree({ db, call, now }: SandboxProcess, payers: Payer[]): Promise<void> {
  const events = await db.rows<{ cuid: number; micros: number; imps: number; clicks: number }>(
    `select c.cuid, sum(e.spend_micros)::bigint as micros, count(*) filter (where kind = 'i') as imps,
       count(*) filter (where kind = 'c') as clicks from event e join campaign c using (cid) group by c.cuid`,
  )
  const toS = (await now()) + 2 * DAY_S
  const { rows } = await call('GET', `/report?by=customer&start=${START_S - 2 * DAY_S}&end=${toS}`)
  for (const { cuid, isPrepaid, credited } of payers) {
    const { micros = 0, imps = 0, clicks = 0 } = events.find(row => row.cuid === cuid) ?? {}
    const counted = { imps, clicks, micros }
    const figuresOf = (row: { imps: number; clicks: number; spend: number } | undefined) => ({
      imps: row?.imps ?? 0,
      clicks: row?.clicks ?? 0,
      micros: microsOf(row?.spend ?? 0),
    })
    expect(figuresOf(await call('GET', `/stats/${cuid}/summary?cuid=${cuid}`)), `summary of ${cuid}`).toEqual(
      counted,
    )
    expect(figuresOf(rows.find((row: { cuid: number }) => row.cuid === cuid)), `report of ${cuid}`).toEqual(
      counted,
    )
    if (!isPrepaid) continue
    const { balance } = await call('GET', `/customer/${cuid}/account`)
    expect(microsOf(balance), `balance of ${cuid}`).toBe(credited - micros)
    expect(balance, `balance of ${cuid}`).toBeGreaterThanOrEqual(0)
    const statement = await call('GET', `/customer/${cuid}/statement?from=${START_S - DAY_S}&to=${toS}`)
    const spends = statement.entries.filter((entry: { kind: string }) => entry.kind === 'spend')
    const spent = spends.reduce((sum: number, entry: { amount: number }) => sum - microsOf(entry.amount), 0)
    expect({ spent, closing: microsOf(statement.closing) }, `statement of ${cuid}`).toEqual({
      spent: micros,
      closing: credited - micros,
    })
  }
}

/** Everything written before the last closed hour has been exported once. */
async function exportMustAgree({ db, manifests }: SandboxProcess): Promise<void> {
  const exported = { imps: 0, views: 0, clicks: 0, spendMicros: 0 }
  for (const { sums } of await manifests())
    for (const name of Object.keys(exported) as (keyof typeof exported)[]) exported[name] += sums[name]
  const written = await db.row(
    `select count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'v') as views,
       count(*) filter (where kind = 'c') as clicks, coalesce(sum(spend_micros), 0)::bigint as "spendMicros"
     from event where tx < (select max(to_tx) from export_mark)`,
  )
  expect(exported).toEqual(written)
}

/**
 * A receiver may get an event again, with the same id; no event has two ids, and none is missing. Each flight has its
 * own budget.
 */
async function eachEventCameOnce({ db, receiver, now }: SandboxProcess, orders: Order[]): Promise<void> {
  const nowS = await now()
  const ids = new Map<string, Set<string>>()
  for (const { headers, body } of receiver.received) {
    const { cid, cuid } = body.data
    const atMs = Date.parse(body.timestamp)
    const isOfDay = body.type === 'campaign.budget_spent'
    const day = isOfDay ? calendarIn(await zonesOf(db, cuid), 'UTC').dayAt(atMs).key : ''
    const flight = isOfDay ? flightAt(orders, cid, atMs / 1000) : ''
    const isCrossing = body.type.startsWith('customer.') || /paused|resumed|stalled/.test(body.type)
    const key = `${body.type} ${cid ?? cuid} ${day}${flight}${isCrossing ? ` ${body.timestamp}` : ''}`
    ids.set(key, (ids.get(key) ?? new Set()).add(String(headers['webhook-id'])))
  }
  for (const [key, all] of ids) expect([...all], key).toHaveLength(1)
  for (const { cid, endS, startS, isPaused } of orders) {
    if (endS <= nowS) expect(ids.has(`campaign.ended ${cid} `), `end of ${cid}`).toBe(true)
    if (startS <= nowS && endS > nowS && !isPaused)
      expect(ids.has(`campaign.started ${cid} `), `start of ${cid}`).toBe(true)
  }
  const pending = await db.rows(`select type from webhook_delivery where state <> 'delivered'`)
  expect(pending).toEqual([])
}

/** Empty for a campaign without flights. */
function flightAt(orders: Order[], cid: number, atS: number): string {
  const flights = orders.find(order => order.cid === cid)?.flights ?? []
  const at = flights.find(({ startS, endS }) => startS <= atS && atS < endS)
  return at ? ` in ${at.fid}` : ''
}

/** The same for emails, by the id of the message. */
async function eachMailCameOnce({ db, mails }: SandboxProcess): Promise<void> {
  const rows = await db.rows<{ batch: number }>(`select distinct batch from mail where state = 'sent'`)
  const sent = await mails()
  expect(new Set(sent.map(mail => mail.id)).size).toBe(rows.length)
}
