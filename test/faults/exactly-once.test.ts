// Service and database are killed at random, and connections cut, while events are reported. Everything acknowledged is
// on disk, nothing is counted twice, and the figures equal the events. FAULT_SECONDS sets the duration, SEED replays
// the choices.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { foldAll } from '../../src/count/fold/fold.ts'
import { loadSigningKeys } from '../../src/count/tracking/keys.ts'
import { systemClock } from '../../src/kernel/time/clock.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { figuresMustBeTheEvents, freshRows } from '../support/counting.ts'
import { type ConstantFolding, startConstantFolding } from './constant-folding.ts'
import { countedKeys } from './figures.ts'
import { randomFrom, SEED } from './random.ts'
import { strikeFor } from './strikes.ts'
import { createWorld, type Life } from './world.ts'
import { startWriters, type Writers } from './writers.ts'

const SECONDS = Number(process.env.FAULT_SECONDS ?? 12)
const CHILD = join(import.meta.dirname, 'counting-child.mjs')

/** Only the counting path: everything else would only take longer to start. */
function startCounting(databaseUrl: string): Life {
  const child = spawn(process.execPath, [CHILD, databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const died = exited.then(([code, signal]) => {
    throw new Error(`the counting service has ended: ${code ?? signal}`)
  })
  const started = Promise.race([line.then(([url]) => url), died])
  started.catch(() => undefined)
  return {
    started,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

test('everything acknowledged is counted exactly once, however service, database and connections die', {
  timeout: (SECONDS + 300) * 1000,
}, async () => {
  console.log(`exactly-once: SEED=${SEED} FAULT_SECONDS=${SECONDS}`)
  const world = await createWorld(startCounting)
  let db: Database | null = null
  let folding: ConstantFolding | null = null
  let writers: Writers | null = null
  try {
    await migrate(world.databaseUrl)
    db = openDatabase({ url: world.databaseUrl, maxConnections: 2, onError: () => {} })
    const keys = await loadSigningKeys(db, { clock: systemClock, randomBytes })
    await world.startService()
    folding = startConstantFolding(world.databaseUrl)
    writers = startWriters({ keys, random: randomFrom(SEED + 1), url: world.url, writers: 24 })
    const struck = await strikeFor({
      world,
      random: randomFrom(SEED),
      seconds: SECONDS,
      cutClients: writers.cut,
    })
    await sleep(1000)
    // A busy machine gets less done between the faults.
    await until(async () => (writers!.journal.acknowledged.size > 100 ? true : null), 60_000)
    const journal = await writers.stop()
    await world.killService()
    console.log(
      `exactly-once: faults ${JSON.stringify(struck)}, acknowledged ${journal.acknowledged.size}, ` +
        `not acknowledged ${journal.refusals}, broken off ${journal.brokenCalls}`,
    )
    expect(journal.acknowledged.size).toBeGreaterThan(100)
    const counted = new Set(await countedKeys(db))
    expect([...journal.acknowledged].filter(key => !counted.has(key))).toEqual([])
    expect([...counted].filter(key => !journal.attempted.has(key))).toEqual([])
    await figuresMustBeTheEvents(db)
    await folding.stop()
    console.log(`folded meanwhile: ${folding.folded()}, tries that failed: ${folding.failed()}`)
    expect(folding.folded()).toBeGreaterThan(0)
    await foldAll(db)
    expect(await freshRows(db)).toBe(0)
    await figuresMustBeTheEvents(db)
  } finally {
    await folding?.stop().catch(() => undefined)
    await writers?.stop().catch(() => undefined)
    await db?.close()
    await world.end()
  }
})
