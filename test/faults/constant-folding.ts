// Folds all the time, in small chunks, while service, database and sessions die, so that fresh figures move into the
// rollups throughout.

import { setTimeout as sleep } from 'node:timers/promises'
import { foldDue } from '../../src/count/fold/fold.ts'
import { openDatabase } from '../../src/platform/database.ts'

export interface ConstantFolding {
  /** The number of rows known to be folded; there may be more if an answer was lost. */
  folded(): number
  /** Attempts that failed. */
  failed(): number
  stop(): Promise<void>
}

export function startConstantFolding(databaseUrl: string): ConstantFolding {
  const db = openDatabase({ url: databaseUrl, maxConnections: 2, onError: () => {} })
  let isOver = false
  let folded = 0
  let failed = 0
  async function fold(): Promise<void> {
    while (!isOver) {
      try {
        const done = await foldDue(db, { afterS: 0.1, mostRows: 20 })
        folded += done?.rows ?? 0
        if (!done) await sleep(5)
      } catch {
        failed++
        await sleep(20)
      }
    }
  }
  const running = [fold(), fold()]
  return {
    folded: () => folded,
    failed: () => failed,
    async stop() {
      isOver = true
      await Promise.all(running)
      await db.close()
    },
  }
}
