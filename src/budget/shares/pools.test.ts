// Limits above days, on a real PostgreSQL: nodes ask at once, campaigns get and lose a total, customers begin and stop
// paying in advance, credits come and nodes crash. No pool is ever exceeded, no money is lost, and what the pools count
// as spent is what was billed.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertCampaigns } from '../../../test/support/campaign-rows.ts'
import { openTestDatabase } from '../../../test/support/database.ts'
import { leaveOpen, untilWaitedFor, untilWaiting } from '../../../test/support/locks.ts'
import { seededRandom } from '../../../test/support/random.ts'
import type { Database, Db } from '../../platform/database.ts'
import { endNode, insertNode } from './node-queries.ts'
import { closeBalance, monthPool, openBalance, raiseBalance } from './pool-queries.ts'
import type { Ask, NodeRef, ShareStore } from './share.ts'
import { createShareStore, sweepShares } from './shares.ts'

const DAY = 20261115
const NEXT_DAY = 20261116
const NEXT_MONTH = 20261201
const DAILY = 1_000_000
const PRICE = 1_000

let db: Database
let store: ShareStore
let cids: number[]
let cuid: number
let node: NodeRef

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 8 })
  store = createShareStore(db, 60_000)
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.run('update node set gone = true')
  cids = await insertCampaigns(db, 4, DAILY)
  cuid = (await db.row<{ cuid: number }>('select cuid from campaign where cid = $1', [cids[0]]))!.cuid
  node = await join()
})

async function join(): Promise<NodeRef> {
  const row = (await insertNode(db, crypto.randomUUID(), 600_000, 60_000))!
  return { nodeId: row.node_id, epoch: row.epoch }
}

const ask = (cid: number, targetMicros: number, more: Partial<Ask> = {}): Ask => ({
  ...{ cid, payer: 0, dayKey: DAY, targetMicros, leastMicros: PRICE, reservedMicros: 0, rateMicros: 0 },
  ...{ meanMicros: 0, endedMicros: 0, line: null, isNew: true, ...more },
})

const setTotal = (cid: number, micros: number | null) =>
  db.run('update campaign set total_spend_micros = $2 where cid = $1', [cid, micros])

const setMonthly = (cid: number, micros: number | null) =>
  db.run('update campaign set monthly_spend_micros = $2 where cid = $1', [cid, micros])

const setPrepaid = (accountNo: number | null) =>
  db.transaction(async tx => {
    await tx.run('update customer set prepaid = $2 where cuid = $1', [cuid, accountNo !== null])
    if (accountNo === null) await closeBalance(tx, cuid)
    else await openBalance(tx, cuid, accountNo)
  })

/** Does what ingest does: the share pays, or nothing happens; the figures are written in the same transaction. */
const bill = (who: NodeRef, cid: number, micros: number, day = DAY, payer = 0) =>
  db.transaction(async tx => {
    const paid = await tx.run(
      `update share set billed_micros = billed_micros + $4
       where day = $1 and cid = $2 and fid = $5 and node_id = $3 and billed_micros + $4 <= granted_micros`,
      [day, cid, who.nodeId, micros, payer],
    )
    if (paid === 1)
      await tx.run(
        `insert into rollup as r (id, quarter, spend_micros)
         select id, '2026-11-15', $2 from unnest(array_remove($1::bigint[], 0)) as id
         on conflict (id, quarter) do update set spend_micros = r.spend_micros + excluded.spend_micros`,
        [[cid, payer], micros],
      )
    return paid === 1
  })

/** A flight from one hour of the first day to another. */
async function newFlight(cid: number, from: number, to: number, total: number | null): Promise<number> {
  const row = await db.row<{ fid: number }>(
    `insert into flight (cid, is_default, name, start_at, end_at, total_spend_micros, created_at, updated_at)
     values ($1, false, 'flight', $2, $3, $4, $2, $2) returning fid`,
    [cid, new Date(atHour(from)), new Date(atHour(to)), total],
  )
  return row!.fid
}

const atHour = (hour: number) => Date.UTC(2026, 10, 15, hour)

const poolsUsed = (ids: number[]) =>
  db.rows<{ limit_micros: number; spent_micros: number; reserved_micros: number }>(
    'select * from pools_used($1)',
    [ids],
  )
const useOf = async (id: number) => (await poolsUsed([id]))[0]!

describe('a total', () => {
  it('holds over days and nodes, and what a day did not use is there for the next', async () => {
    const [cid] = cids as [number]
    await setTotal(cid, 1_500_000)
    const first = (await store.move(node, [ask(cid, DAILY)]))[0]!
    expect(first).toMatchObject({
      grantedMicros: DAILY,
      poolMicros: 0,
      shortOf: 'day',
      lifeMicros: 1_500_000,
    })
    expect(await bill(node, cid, 400_000)).toBe(true)
    const given = await store.move(node, [ask(cid, 400_000, { isNew: false })])
    expect(given[0]).toMatchObject({ grantedMicros: 400_000 })
    const next = (await store.move(node, [ask(cid, DAILY, { dayKey: NEXT_DAY })]))[0]!
    expect(next).toMatchObject({ grantedMicros: DAILY, lifeMicros: 1_100_000 })
    const more = await store.move(await join(), [ask(cid, DAILY, { dayKey: 20261117 })])
    expect(more[0]).toMatchObject({ grantedMicros: 25_000, poolMicros: 75_000, shortOf: 'total' })
    expect(await useOf(cid)).toMatchObject({ spent_micros: 400_000, limit_micros: 1_500_000 })
  })

  it('that is set while the campaign delivers counts what was spent before and what is granted now', async () => {
    const [cid] = cids as [number]
    await store.move(node, [ask(cid, 600_000)])
    expect(await bill(node, cid, 500_000)).toBe(true)
    await setTotal(cid, 700_000)
    expect(await useOf(cid)).toMatchObject({ spent_micros: 500_000 })
    const [grant] = await store.move(node, [ask(cid, DAILY, { isNew: false })])
    expect(grant).toMatchObject({ grantedMicros: 700_000, poolMicros: 0, shortOf: 'total' })
    await setTotal(cid, null)
    const [free] = await store.move(node, [ask(cid, DAILY, { isNew: false })])
    expect(free).toMatchObject({ grantedMicros: DAILY, lifeMicros: null })
    // When the total is set again, this spend is neither counted twice nor forgotten.
    await setTotal(cid, 900_000)
    expect(await useOf(cid)).toMatchObject({ spent_micros: 500_000 })
  })

  it('that is set while another node creates its first share limits that share', async () => {
    const [cid] = cids as [number]
    await store.move(node, [ask(cid, 400_000)])
    const other = await join()
    const asked = await db.transaction(async tx => {
      await tx.run('update campaign set total_spend_micros = $2 where cid = $1', [cid, 100_000])
      const moving = store.move(other, [ask(cid, DAILY)])
      await untilWaiting(db, 1)
      return { moving }
    })
    expect(await asked.moving).toMatchObject([{ grantedMicros: 0, shortOf: 'total' }])
  })

  it('that is lowered below what is granted grants nothing more until enough was returned', async () => {
    const [cid] = cids as [number]
    await setTotal(cid, 800_000)
    await store.move(node, [ask(cid, 800_000)])
    await setTotal(cid, 300_000)
    const [none] = await store.move(node, [ask(cid, 900_000, { isNew: false })])
    expect(none).toMatchObject({ grantedMicros: 800_000, poolMicros: -500_000, shortOf: 'total' })
    await store.move(node, [ask(cid, 0, { isNew: false })])
    const [rest] = await store.move(node, [ask(cid, 900_000, { isNew: false })])
    expect(rest).toMatchObject({ grantedMicros: 300_000, poolMicros: 0 })
  })

  it('gets back what a dead node or an old day leaves', async () => {
    const [cid] = cids as [number]
    await setTotal(cid, 1_000_000)
    const dead = await join()
    await store.move(dead, [ask(cid, 900_000)])
    await bill(dead, cid, 100_000)
    await endNode(db, dead, 0)
    expect((await store.reclaim()).gone).toEqual([dead.nodeId])
    const [grant] = await store.move(node, [ask(cid, 900_000, { dayKey: NEXT_DAY })])
    expect(grant).toMatchObject({ grantedMicros: 900_000, poolMicros: 0 })
    await sweepShares(db, NEXT_DAY + 1)
    expect(await useOf(cid)).toMatchObject({ spent_micros: 100_000, reserved_micros: 0 })
    const [again] = await store.move(node, [ask(cid, 900_000, { dayKey: NEXT_DAY + 1 })])
    expect(again).toMatchObject({ grantedMicros: 900_000 })
  })
})

describe('a month', () => {
  it('holds over its days and nodes, and each month has its own money', async () => {
    const [cid] = cids as [number]
    await setMonthly(cid, 1_500_000)
    const first = (await store.move(node, [ask(cid, DAILY)]))[0]!
    expect(first).toMatchObject({ grantedMicros: DAILY, shortOf: 'day', monthMicros: 1_500_000 })
    expect(await bill(node, cid, 400_000)).toBe(true)
    await store.move(node, [ask(cid, 400_000, { isNew: false })])
    const next = (await store.move(node, [ask(cid, DAILY, { dayKey: NEXT_DAY })]))[0]!
    expect(next).toMatchObject({ grantedMicros: DAILY, monthMicros: 1_100_000, lifeMicros: null })
    const other = await join()
    const [more, free] = await store.move(other, [
      ask(cid, DAILY, { dayKey: 20261117 }),
      ask(cid, DAILY, { dayKey: NEXT_MONTH }),
    ])
    expect(more).toMatchObject({ grantedMicros: 25_000, poolMicros: 75_000, shortOf: 'month' })
    expect(free).toMatchObject({ shortOf: 'day', monthMicros: 1_500_000 })
  })

  it('that is set, removed and set again counts all that its days were billed, and what is granted', async () => {
    const [cid] = cids as [number]
    await store.move(node, [ask(cid, 300_000)])
    await store.move(node, [ask(cid, 600_000, { dayKey: NEXT_DAY })])
    expect(await bill(node, cid, 300_000)).toBe(true)
    expect(await bill(node, cid, 500_000, NEXT_DAY)).toBe(true)
    await sweepShares(db, NEXT_DAY)
    await setMonthly(cid, 850_000)
    expect(await useOf(monthPool(cid, DAY))).toMatchObject({ spent_micros: 800_000 })
    const asked = ask(cid, DAILY, { dayKey: NEXT_DAY, isNew: false })
    // 100,000 were granted before, 50,000 of which the limit no longer covers.
    expect((await store.move(node, [asked]))[0]).toMatchObject({
      grantedMicros: 600_000,
      poolMicros: -50_000,
    })
    await setMonthly(cid, null)
    expect((await store.move(node, [asked]))[0]).toMatchObject({ grantedMicros: DAILY, monthMicros: null })
    await setMonthly(cid, 1_000_000)
    expect(await useOf(monthPool(cid, DAY))).toMatchObject({ spent_micros: 800_000 })
    await sweepShares(db, NEXT_MONTH)
    expect(await poolsUsed([monthPool(cid, DAY)])).toEqual([])
  })

  it('whose limit changes while a node makes its pool has the new limit', async () => {
    const [cid] = cids as [number]
    await setMonthly(cid, 700_000)
    const later = 20270201
    const setting = await leaveOpen(db, tx =>
      tx.run('update campaign set monthly_spend_micros = $2 where cid = $1', [cid, 200_000]),
    )
    // It does not wait: another campaign of the same ask gets its money.
    const grants = await store.move(node, [
      ask(cid, DAILY, { dayKey: later, isPooled: true }),
      ask(cids[1]!, DAILY, { dayKey: later, isPooled: true }),
    ])
    expect(grants.map(grant => grant.cid)).toEqual([cids[1]])
    await setting.commit()
    const [grant] = await store.move(node, [ask(cid, DAILY, { dayKey: later, isPooled: true })])
    expect(grant).toMatchObject({ grantedMicros: 200_000, shortOf: 'month' })
  })
})

describe('a balance', () => {
  it('begins at zero, takes back what was granted, and is shared by all campaigns of the customer', async () => {
    const [a, b] = cids as [number, number]
    await store.move(node, [ask(a, 500_000)])
    await bill(node, a, 200_000)
    await setPrepaid(1)
    // What was promised before is not billed: nobody paid for it.
    expect(await bill(node, a, 1)).toBe(false)
    expect(await store.move(node, [ask(a, 500_000, { isNew: false }), ask(b, 500_000)])).toMatchObject([
      { grantedMicros: 200_000, poolMicros: 0, shortOf: 'balance' },
      { grantedMicros: 0, poolMicros: 0, shortOf: 'balance' },
    ])
    expect(await raiseBalance(db, cuid, 10_000)).toBe(true)
    const grants = await store.move(node, [ask(a, 900_000, { isNew: false }), ask(b, 900_000)])
    const granted = grants.reduce((sum, grant) => sum + grant.grantedMicros, 0) - 200_000
    expect(granted).toBeGreaterThan(0)
    expect(granted).toBeLessThanOrEqual(10_000)
    expect(await raiseBalance(db, cuid, -10_000)).toBe(false)
    expect(await raiseBalance(db, cuid, granted - 10_000)).toBe(true)
    expect(await useOf(cuid)).toMatchObject({ limit_micros: granted, spent_micros: 0 })
  })

  it('that is closed and opened again is independent of the first one, whose spend is kept', async () => {
    const [a] = cids as [number]
    await setPrepaid(1)
    await raiseBalance(db, cuid, 50_000)
    await store.move(node, [ask(a, 10_000)])
    await bill(node, a, 4_000)
    await setPrepaid(null)
    expect(await poolsUsed([cuid])).toEqual([])
    await bill(node, a, 3_000)
    await setPrepaid(2)
    expect(await useOf(cuid)).toMatchObject({ limit_micros: 0, spent_micros: 0 })
    const rows = await db.rows('select account_no, micros from account_spend where cuid = $1 order by 1', [
      cuid,
    ])
    expect(rows).toEqual([
      { account_no: 1, micros: 4_000 },
      { account_no: 2, micros: -7_000 },
    ])
  })
})

describe('a total of a flight', () => {
  it('pays from shares of its own, and another flight of the same day from its own', async () => {
    const [cid] = cids as [number]
    const first = await newFlight(cid, 0, 12, 300_000)
    const second = await newFlight(cid, 12, 24, 500_000)
    const [own] = await store.move(node, [ask(cid, 200_000, { payer: first, atMs: atHour(11) })])
    expect(own).toMatchObject({
      ...{ payer: first, grantedMicros: 200_000, poolMicros: 100_000, shortOf: 'total' },
      flight: { lifeMicros: 300_000, billedMicros: 0 },
    })
    expect(await bill(node, cid, 150_000, DAY, first)).toBe(true)
    // In one statement: the second flight gets what the first one leaves of the day. Open ads keep their money.
    const moved = await store.move(node, [
      ask(cid, DAILY, { payer: second, atMs: atHour(12) }),
      ask(cid, 160_000, { payer: first, leastMicros: 0, isNew: false, atMs: atHour(12) }),
    ])
    expect(moved.map(({ payer, grantedMicros }) => [payer, grantedMicros])).toEqual([
      [first, 160_000],
      [second, 500_000],
    ])
    expect(moved[1]).toMatchObject({ allBilledMicros: 150_000, flight: { lifeMicros: 500_000 } })
    expect(await bill(node, cid, 10_000, DAY, first)).toBe(true)
    expect(await bill(node, cid, 10_000, DAY, first)).toBe(false)
    expect([await useOf(first), await useOf(second)]).toMatchObject([
      { spent_micros: 160_000, limit_micros: 300_000 },
      { spent_micros: 0, limit_micros: 500_000 },
    ])
    await sweepShares(db, NEXT_DAY)
    expect(await useOf(second)).toMatchObject({ spent_micros: 0 })
    const [next] = await store.move(node, [ask(cid, DAILY, { payer: first, dayKey: NEXT_DAY })])
    expect(next).toMatchObject({ grantedMicros: 140_000, flight: { lifeMicros: 140_000 } })
  })

  it('that is set while the flight runs counts what the campaign’s share has spent and holds; that share only shrinks', async () => {
    const [cid] = cids as [number]
    const fid = await newFlight(cid, 0, 12, null)
    await store.move(node, [ask(cid, 400_000, { atMs: atHour(5) })])
    expect(await bill(node, cid, 100_000)).toBe(true)
    await db.run(`insert into rollup (id, quarter, spend_micros) values ($1, '2026-11-15', 100000)`, [fid])
    const edit = 'update flight set total_spend_micros = $2, updated_at = $3 where fid = $1'
    await db.run(edit, [fid, 450_000, new Date(atHour(6))])
    expect(await useOf(fid)).toMatchObject({ spent_micros: 100_000 })
    const late = { isNew: false, atMs: atHour(6) }
    const [held] = await store.move(node, [ask(cid, DAILY, late)])
    expect(held).toMatchObject({ grantedMicros: 400_000, poolMicros: 0, shortOf: 'total' })
    // Open ads are billed, and counted in the total.
    expect(await bill(node, cid, 50_000)).toBe(true)
    const [, own] = await store.move(node, [
      ask(cid, 160_000, { ...late, leastMicros: 0 }),
      ask(cid, DAILY, { ...late, payer: fid }),
    ])
    expect(own).toMatchObject({ payer: fid, grantedMicros: 290_000, poolMicros: 0 })
    expect(await useOf(fid)).toMatchObject({ spent_micros: 150_000 })
    // All its ads have ended, and so has the flight: the campaign alone pays from now on.
    await store.move(node, [ask(cid, 150_000, { ...late, leastMicros: 0 })])
    const [free] = await store.move(node, [ask(cid, 500_000, { isNew: false, atMs: atHour(13) })])
    expect(free).toMatchObject({ grantedMicros: 500_000, payer: 0 })
    expect(await useOf(fid)).toMatchObject({ spent_micros: 150_000 })
  })
})

it('the share of a campaign that gets a total while a node waits for its money is not moved: there is no deadlock', async () => {
  const [first, second] = cids as [number, number]
  const other = await join()
  const both = [first, second].map(cid => ask(cid, 100_000, { isPooled: true, isNew: false }))
  await store.move(node, both)
  const lockBudget = (tx: Db, cid: number) =>
    tx.run('select from budget where day = $1 and cid = $2 for update', [DAY, cid])
  const setting = await leaveOpen(db, async tx => {
    await lockBudget(tx, first)
    await tx.run('update campaign set total_spend_micros = 500000 where cid = $1', [first])
  })
  const locking = await leaveOpen(db, tx => lockBudget(tx, second))
  // This node does not know of the total, and waits for the first budget, then for the second.
  const moved = store.move(other, both)
  await untilWaitedFor(db, setting)
  await setting.commit()
  await untilWaitedFor(db, locking)
  // A node that knows of the total has locked its pool, and waits for the first budget.
  const asNew = store.move(node, [ask(first, 200_000, { isPooled: true, isNew: false })])
  await untilWaiting(db, 2)
  await locking.commit()
  expect((await moved).map(grant => grant.cid)).toEqual([second])
  expect(await asNew).toMatchObject([{ cid: first, grantedMicros: 200_000, shortOf: 'total' }])
  const [again] = await store.move(other, both.slice(0, 1))
  expect(again).toMatchObject({ cid: first, grantedMicros: 75_000 })
})

it('whatever happens at once, no pool is exceeded, and spent is what was billed', {
  timeout: 300_000,
}, async () => {
  const random = seededRandom('pools')
  const nodes = await Promise.all(Array.from({ length: 4 }, join))
  const billed = new Map<number, number>()
  const days = [DAY, NEXT_DAY, NEXT_MONTH]
  let accountNo = 0
  let isPrepaid = false
  await setTotal(cids[0]!, 800_000)
  await setMonthly(cids[1]!, 700_000)
  const flown = cids[3]!
  const flights = [await newFlight(flown, 0, 8, 200_000), await newFlight(flown, 8, 16, 300_000)]
  const payers = [0, ...flights]
  for (let round = 0; round < 40; round++) {
    const works = nodes.map(async (who, n) => {
      const asks = cids
        .filter(() => random.next() < 0.8)
        .map(cid =>
          ask(cid, random.int(DAILY / 2), {
            ...{ dayKey: random.pick(days), isNew: random.next() < 0.5, atMs: atHour(random.int(24)) },
            payer: cid === flown ? random.pick(payers) : 0,
          }),
        )
      await store.move(who, asks)
      for (let times = 0; times < 4; times++) {
        const cid = random.pick(cids)
        const micros = PRICE * (1 + random.int(20))
        const payer = cid === flown ? random.pick(payers) : 0
        const day = random.pick(days)
        if (await bill(nodes[n]!, cid, micros, day, payer))
          for (const id of [cid, payer, monthPool(cid, day)]) billed.set(id, (billed.get(id) ?? 0) + micros)
      }
    })
    if (isPrepaid)
      works.push(
        raiseBalance(db, cuid, random.int(10) < 7 ? random.int(300_000) : -random.int(100_000)).then(
          () => undefined,
        ),
      )
    const edited = random.pick(cids.slice(1))
    if (random.next() < 0.3)
      works.push(setTotal(edited, random.pick([null, 300_000, 900_000])).then(() => undefined))
    if (random.next() < 0.3)
      works.push(
        setMonthly(random.pick([cids[0]!, cids[2]!, flown]), random.pick([null, 300_000, 900_000])).then(
          () => undefined,
        ),
      )
    await Promise.all(works)
    if (random.next() < 0.15) {
      isPrepaid = !isPrepaid
      await setPrepaid(isPrepaid ? ++accountNo : null)
    }
    if (random.next() < 0.1) {
      const dead = nodes.splice(random.int(nodes.length), 1)[0]!
      await endNode(db, dead, 0)
      await store.reclaim()
      nodes.push(await join())
    }
    await mustBeRight(billed, flights)
  }
  await sweepShares(db, NEXT_MONTH + 1)
  await mustBeRight(billed, flights)
  expect(billed.get(cids[0]!)).toBeLessThanOrEqual(800_000)
  for (const day of days) expect(billed.get(monthPool(cids[1]!, day))).toBeLessThanOrEqual(700_000)
  expect(billed.get(flights[0]!)).toBeLessThanOrEqual(200_000)
  expect(billed.get(flights[1]!)).toBeLessThanOrEqual(300_000)
})

async function mustBeRight(billed: Map<number, number>, flights: number[]): Promise<void> {
  const pools = await db.rows<{
    id: number
    spent: number
    limit: number
    account_no: number | null
    shares: number
  }>(
    `select p.id, u.spent_micros as spent, p.limit_micros as limit, p.account_no,
       p.granted_micros - coalesce((select sum(granted_micros - billed_micros) from share where p.id = any(pools)), 0) as shares
     from pool p cross join lateral pools_used(array[p.id]) u where p.id = any($1) or p.id = $2 or -p.id / 10000 = any($1)`,
    [[...cids, ...flights], cuid],
  )
  for (const pool of pools) {
    expect(pool.spent).toBe(pool.shares)
    expect(pool.spent).toBeGreaterThanOrEqual(0)
    if (pool.account_no === null) expect(pool.spent).toBe(billed.get(pool.id) ?? 0)
    else {
      expect(pool.spent).toBeLessThanOrEqual(pool.limit)
      const sums = await db.row<{ spent: number }>(
        `select (select coalesce(sum(micros), 0) from account_spend where cuid = $1 and account_no = $2)
           + (select coalesce(sum(billed_micros), 0) from share where $1 = any(pools)) as spent`,
        [cuid, pool.account_no],
      )
      expect(pool.spent).toBe(sums!.spent)
    }
  }
}
