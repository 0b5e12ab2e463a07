// 1,000 requests at once for the 100 impressions that a campaign has per day, with one process and with three: how many
// are sold in the first burst, and how many in two seconds of bursts.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../src/platform/database.ts'
import { createCaller } from '../test/faults/calls.ts'
import { openExchanges, placeOrders } from '../test/faults/orders.ts'
import { bidRequestFor } from '../test/faults/sold-ad.ts'
import { type BenchNode, startNode } from './bench-node.ts'
import { withBenchDatabase } from './database.ts'
import { prepareForBids } from './marquee.ts'

const IMPRESSIONS = 100
const LEAST_SOLD = 95
const REQUESTS = 1_000
const CONNECTIONS = 100
const CPM_MICROS = 2_000_000
const RACE_MS = 2_000
/** The time in which nodes that have joined get their part of what the first one had. */
const SETTLE_MS = 5_000

export async function race(file: string, nodes: number): Promise<void> {
  await withBenchDatabase(async (url, dataDir) => {
    await prepareForBids(url, dataDir)
    const db = openDatabase({ url, maxConnections: 2, onError: () => undefined })
    const exchange = (await openExchanges(db))[0]!
    const dailySpendMicros = (IMPRESSIONS * CPM_MICROS) / 1000
    const [order] = await placeOrders(
      db,
      [
        {
          ...{ country: 'CA', country3: 'CAN', freq: 0, pacing: 'asap', isFickle: false },
          ...{ cpmMicros: CPM_MICROS, dailySpendMicros },
        },
      ],
      0,
    )
    const caller = createCaller(CONNECTIONS)
    const running: BenchNode[] = []
    for (let n = 0; n < nodes; n++) running.push(await startNode(file, url, join(dataDir, `node-${n}`)))
    await sleep(SETTLE_MS)

    async function burst(): Promise<number> {
      const answers = Array.from({ length: REQUESTS }, (_, n) => {
        const body = bidRequestFor(order!, REQUESTS, () => n % 3)
        const { url: base } = running[n % nodes]!
        return caller.call(base, { method: 'POST', path: exchange.bidPath, body }, null)
      })
      return (await Promise.all(answers)).filter(answer => answer?.status === 200).length
    }

    const startMs = performance.now()
    const atOnce = await burst()
    const burstMs = performance.now() - startMs
    let sold = atOnce
    while (performance.now() - startMs < RACE_MS && sold < IMPRESSIONS) sold += await burst()
    const counted = nodes === 1 ? atOnce : sold
    console.log(
      `${REQUESTS} requests at once for ${IMPRESSIONS} impressions, ${nodes} processes   ${atOnce} sold in the ` +
        `first burst (${burstMs.toFixed(0)} ms), ${sold} in ${RACE_MS / 1000} s   target ${LEAST_SOLD}   ` +
        `${counted >= LEAST_SOLD && sold <= IMPRESSIONS ? 'ok' : 'MISSED'}`,
    )
    for (const node of running) await node.stop()
    caller.cut()
    await db.close()
  })
}
