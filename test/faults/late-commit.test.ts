// A service dies while the database is still processing its statements; the next service starts from what it can see.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { waitingForLocks } from '../support/locks.ts'
import { freePort } from '../support/ports.ts'
import { createCaller } from './calls.ts'
import { type NewOrder, openExchanges, placeOrders } from './orders.ts'
import { settingsFor, startWholeService } from './service.ts'
import { bidRequestFor, impressionOf, lossOf, type Report, soldAdOf } from './sold-ad.ts'
import { createWorld } from './world.ts'

const FOR_ONE_IMPRESSION: NewOrder = {
  country: 'CA',
  country3: 'CAN',
  dailySpendMicros: 2000,
  cpmMicros: 2_000_000,
  freq: 0,
  pacing: 'asap',
  isFickle: true,
}

test('money that a dead service was about to spend is never spent without the next service knowing', {
  timeout: 300_000,
}, async () => {
  const port = await freePort()
  const world = await createWorld((databaseUrl, dataDir) =>
    startWholeService(settingsFor(port, databaseUrl, dataDir), () => undefined),
  )
  const caller = createCaller(4)
  const first = () => 0
  let db: Database | null = null
  try {
    await migrate(world.databaseUrl)
    db = openDatabase({ url: world.databaseUrl, maxConnections: 2, onError: () => {} })
    const [exchange] = await openExchanges(db)
    const orders = await placeOrders(db, [FOR_ONE_IMPRESSION], 0)
    const buy = () =>
      until(async () => {
        const body = bidRequestFor(orders[0]!, 1, first)
        const call = { method: 'POST' as const, path: exchange!.bidPath, body }
        const answer = await caller.call(world.url()!, call, null)
        return answer?.status === 200
          ? soldAdOf(answer.text, orders, exchange!, Date.now(), world.lives())
          : null
      })
    const tell = (report: Report) => caller.call(world.url()!, report, null)

    await world.startService()
    const ad = await buy()
    const goOn = await world.stallCounting()
    const broken = tell(impressionOf(ad, first))
    await until(async () => ((await waitingForLocks(db!)) > 0 ? true : null))
    // The reservation is on disk long before the service dies.
    await sleep(500)
    await world.killService()
    expect(await broken).toBeNull()
    await world.startService()
    await until(async () => ((await tell(lossOf(ad)))?.status === 200 ? true : null))
    await goOn()
    await until(async () => ((await waitingForLocks(db!)) === 0 ? true : null))

    const other = await buy()
    await until(async () => ((await tell(impressionOf(other, first)))?.status === 200 ? true : null))
    const spent = await db.row<{ micros: number }>('select sum(spent_micros) as micros from budget_day')
    expect(spent!.micros).toBeLessThanOrEqual(FOR_ONE_IMPRESSION.dailySpendMicros)
    expect(spent!.micros).toBeGreaterThan(0)
  } finally {
    caller.cut()
    await db?.close()
    await world.end()
  }
})
