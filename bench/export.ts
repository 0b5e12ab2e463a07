// What an export costs its process: the longest time that it blocks the event loop, and processor time per row. It
// writes an hour of 600,000 events, which is two files, to a folder.

import { rm } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createIngest } from '../src/count/ingest/ingest.ts'
import { keepPartitions } from '../src/count/ingest/partitions.ts'
import { openDatabase } from '../src/platform/database.ts'
import { migrate } from '../src/platform/migrate.ts'
import { folderStore } from '../src/platform/store/folder.ts'
import { exportHour } from '../src/report/export/export.ts'
import { ensureNumbering } from '../src/report/export/numbering.ts'
import { closeHour } from '../src/report/export/queries.ts'
import { withPlenty } from '../test/support/shares.ts'
import { batchesOf, places } from './counting-world.ts'
import { withBenchDatabase } from './database.ts'

const EVENTS = Number(process.env.EVENTS ?? 600_000)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const TARGET_MS = 50

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir) => {
    await migrate(url)
    const db = openDatabase({ url, maxConnections: 4, onError: () => {} })
    await ensureNumbering(db)
    await keepPartitions(db, Date.now(), { eventRetentionS: 400 * 86_400, clickWindowS: 30 * 86_400 })
    const ingest = withPlenty(db, createIngest({ db, timeZone: 'UTC', places }))
    for (const events of batchesOf(1000, EVENTS)) await ingest({ events, actions: [], ignored: [] })
    const hour = await closeHour(db, new Date(Date.now() + 3_600_000))
    const longest: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const folder = join(dataDir, `export-${round}`)
      const delay = monitorEventLoopDelay({ resolution: 1 })
      const before = process.cpuUsage()
      delay.enable()
      const manifest = await exportHour({ db, store: folderStore(folder), currency: 'USD' }, hour!)
      delay.disable()
      const { user, system } = process.cpuUsage(before)
      const mostMs = delay.max / 1e6
      longest.push(mostMs)
      const bytes = manifest!.files.reduce((sum, file) => sum + file.bytes, 0)
      console.log(
        `an hour of ${manifest!.rows} rows   ${(bytes / manifest!.rows).toFixed(1)} bytes and ` +
          `${((user + system) / manifest!.rows).toFixed(1)} µs for each   the loop stood still for at most ` +
          `${mostMs.toFixed(0)} ms (99.9 %: ${(delay.percentile(99.9) / 1e6).toFixed(0)} ms)   target ${TARGET_MS} ms   ` +
          `${mostMs <= TARGET_MS ? 'ok' : 'ABOVE TARGET'}   load ${loadavg()[0]!.toFixed(1)}`,
      )
      await rm(folder, { recursive: true })
    }
    if (Math.min(...longest) > TARGET_MS) process.exitCode = 1
    await db.close()
  })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
