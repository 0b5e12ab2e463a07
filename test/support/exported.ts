// Everything that was counted, exported and read back with another engine.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOUR_MS } from '../../src/kernel/time/units.ts'
import { readConfig } from '../../src/platform/config.ts'
import { openStore, s3AccessOf } from '../../src/platform/store/open.ts'
import { exportPeriod } from '../../src/report/export/export.ts'
import type { StatsEvent } from '../../src/report/figures/contract.ts'
import { duckdb } from './duckdb.ts'
import type { TestService } from './service.ts'

export interface ExportedRow {
  kind: StatsEvent['kind']
  time: number
  spend: number
  value: number | null
  cuid: string
  cid: string
  fid: string
  pid: string
  bid: string
}

/** Closes hours until everything written so far is in one; a transaction of another test may delay that. */
export async function exportedRows(service: TestService): Promise<ExportedRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'marquee-exported-'))
  try {
    const store = openStore(folder, s3AccessOf(readConfig({})))
    const written = await service.db.row<{ tx: number }>('select pg_current_xact_id()::text::bigint as tx')
    for (let hours = 1; ; hours++) {
      const now = new Date(service.clock.nowMs() + hours * HOUR_MS)
      const parts = { db: service.db, store, currency: 'USD' }
      for await (const _ of exportPeriod(parts, now, new Date(0), now));
      const closed = await service.db.row<{ tx: number }>('select max(to_tx) as tx from export_hour')
      if (closed!.tx > written!.tx) break
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    const rows = await duckdb<ExportedRow>(
      `select kind, floor(epoch(occurred_at))::bigint as time, spend_micros / 1e6 as spend,
         value_micros / 1e6 as value, cuid, cid, fid, pid, bid
       from '${folder}/**/*.parquet'`,
    )
    return rows.map(row => ({
      ...row,
      time: Number(row.time),
      spend: Number(row.spend),
      value: row.value === null ? null : Number(row.value),
    }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
