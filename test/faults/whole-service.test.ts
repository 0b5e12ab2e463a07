// The whole service with small budgets, killed and cut off at random while exchanges bid and report. No campaign spends
// a micro more than its budget, no user sees more than the cap, and everything acknowledged is counted exactly once.
// FAULT_SECONDS sets the duration, SEED replays the choices.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startReplay } from '../../src/budget/ledger/records.ts'
import { foldAll } from '../../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { figuresMustBeTheEvents, freshRows } from '../support/counting.ts'
import { freePort } from '../support/ports.ts'
import { type Bidders, startBidders } from './bidders.ts'
import { type ConstantFolding, startConstantFolding } from './constant-folding.ts'
import { countedKeys } from './figures.ts'
import { type Order, openExchanges, placeOrders, rivals } from './orders.ts'
import { randomFrom, SEED } from './random.ts'
import { settingsFor, startWholeService, ZONE } from './service.ts'
import { strikeFor } from './strikes.ts'
import { createWorld } from './world.ts'

const SECONDS = Number(process.env.FAULT_SECONDS ?? 15)

test('whatever dies, no budget and no cap is exceeded and every acknowledged event is counted once', {
  timeout: (SECONDS + 300) * 1000,
}, async () => {
  console.log(`whole service: SEED=${SEED} FAULT_SECONDS=${SECONDS}`)
  const port = await freePort()
  const deaths: string[] = []
  let found = new Set<string>()
  const world = await createWorld((databaseUrl, dataDir) => {
    found = reservationsIn(join(dataDir, 'ledger'))
    return startWholeService(settingsFor(port, databaseUrl, dataDir), words => deaths.push(words))
  })
  let db: Database | null = null
  let folding: ConstantFolding | null = null
  let bidders: Bidders | null = null
  try {
    await migrate(world.databaseUrl)
    db = openDatabase({ url: world.databaseUrl, maxConnections: 2, onError: () => {} })
    const exchanges = await openExchanges(db)
    const orders = await placeOrders(db, rivals(SECONDS), SECONDS)
    await world.startService()
    folding = startConstantFolding(world.databaseUrl)
    bidders = startBidders({
      seed: SEED + 1,
      bidders: 24,
      orders,
      exchanges,
      users: 2 * SECONDS,
      url: world.url,
      lives: world.lives,
      wasFound: adId => found.has(adId),
    })
    const struck = await strikeFor({
      world,
      random: randomFrom(SEED),
      seconds: SECONDS,
      cutClients: bidders.cut,
    })
    // Barely used budgets would prove nothing.
    await sleep(1000)
    await until(async () =>
      Math.max(...(await spentOf(db!, orders)).map(({ share }) => share)) > 0.9 ? true : null,
    )
    await bidders.stop()
    await world.killService()
    await world.startService()
    await sleep(1000)

    const { acknowledged, maybeLate, attempted, ...numbers } = bidders.journal
    const sums = { acknowledged: acknowledged.size, maybeLate: maybeLate.size, ...numbers }
    console.log(`whole service: faults ${JSON.stringify(struck)}, ${JSON.stringify(sums)}`)
    expect(deaths).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(100)
    const counted = new Set(await countedKeys(db))
    expect([...acknowledged].filter(key => !counted.has(key))).toEqual([])
    expect([...counted].filter(key => !attempted.has(key))).toEqual([])
    await figuresMustBeTheEvents(db, ZONE)
    await folding.stop()
    console.log(`folded meanwhile: ${folding.folded()}, tries that failed: ${folding.failed()}`)
    expect(folding.folded()).toBeGreaterThan(0)
    await foldAll(db)
    expect(await freshRows(db)).toBe(0)
    await figuresMustBeTheEvents(db, ZONE)
    await budgetsMustHold(db, orders)
    await capsMustHold(db)
  } finally {
    await folding?.stop().catch(() => undefined)
    await bidders?.stop().catch(() => undefined)
    await db?.close()
    await world.end()
  }
})

/** The ads that a service finds in its journal, read by the service's own reader. */
function reservationsIn(dir: string): Set<string> {
  const replay = startReplay(Date.now())
  let names: string[] = []
  try {
    names = readdirSync(dir).sort()
  } catch {
    // At the first start there is no journal yet.
  }
  for (const name of names) Array.from(replay.segment(readFileSync(join(dir, name))))
  const { open, billed } = replay.result()
  return new Set([...open, ...billed].map(ad => ad.adId))
}

/** The spend of each campaign per day, by the events. */
async function spentOf(db: Database, orders: Order[]) {
  const rows = await db.rows<{ cid: number; imps: number; micros: number }>(
    `select cid, count(*) as imps, sum(spend_micros) as micros from event where kind = 'i'
     group by cid, budget_day order by cid`,
  )
  return rows.map(({ cid, imps, micros }) => {
    const { dailySpendMicros } = orders.find(order => order.cid === cid)!
    return { cid, imps, micros, dailySpendMicros, share: micros / dailySpendMicros }
  })
}

async function budgetsMustHold(db: Database, orders: Order[]): Promise<void> {
  const spent = await spentOf(db, orders)
  const shares = spent.map(({ imps, share }) => `${imps} imps = ${(share * 100).toFixed(2)} %`)
  console.log(`whole service: of their budgets ${shares.join(', ')}`)
  expect(spent.filter(({ micros, dailySpendMicros }) => micros > dailySpendMicros)).toEqual([])
  expect(Math.max(...spent.map(({ share }) => share))).toBeGreaterThan(0.9)
}

async function capsMustHold(db: Database): Promise<void> {
  const seen = await db.rows<{ freq: number; imps: number }>(
    `select c.freq, count(*) as imps from event e join campaign c on c.cid = e.cid
     where e.kind = 'i' and c.freq > 0 group by c.cid, c.freq, e.budget_day, e.user_hi, e.user_lo`,
  )
  expect(seen.filter(({ freq, imps }) => imps > freq)).toEqual([])
  expect(seen.filter(({ freq, imps }) => imps === freq).length).toBeGreaterThan(0)
}
