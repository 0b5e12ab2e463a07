// The ledger's start: what the journal on disk and the database know of money and turns, put together.

import type { CatalogView } from '../catalog/shelf.ts'
import type { Calendar } from '../kernel/day.ts'
import type { Database, Db } from '../platform/database.ts'
import type { AdFacts, CountedRow } from './ledger/ad.ts'
import type { Journal } from './ledger/journal.ts'
import type { Ledger } from './ledger/ledger.ts'
import { seeOneState, selectBilled, selectCounted, selectSpent } from './queries.ts'

export interface RestoreParts {
  db: Database
  ledger: Ledger
  journal: Journal
  orders: CatalogView['orders']
  calendar: Calendar
  maxTtlMs: number
}

/** After the campaigns are set, before the first reservation. One transaction sees one state. */
export async function restoreLedger(parts: RestoreParts, nowMs: number): Promise<void> {
  const { db, ledger, journal, orders, calendar, maxTtlMs } = parts
  const dayKeys = [...new Set([calendar.dayAt(nowMs - maxTtlMs).key, calendar.dayAt(nowMs).key])]
  const cids = [...orders.values()]
    .filter(({ campaign }) => campaign.freq > 0)
    .map(({ campaign }) => campaign.cid)
  const { open, billed, budgets } = journal.recovered
  await db.transaction(async tx => {
    await seeOneState(tx)
    const spent = (await selectSpent(tx, dayKeys)).map(row => ({
      cid: row.cid,
      dayKey: row.day,
      spentMicros: row.spent_micros,
    }))
    const servedFrom = new Date(earliestEnd(open, nowMs) - maxTtlMs)
    const adIds = open.map(ad => Buffer.from(ad.adId, 'base64url'))
    const found = adIds.length > 0 ? await selectBilled(tx, servedFrom, adIds) : []
    const counted: CountedRow[][] = []
    for (const dayKey of dayKeys) counted.push(await countedOn(tx, dayKey, cids))
    const billedInDatabase = new Set(found.map(row => row.ad_id.toString('base64url')))
    ledger.restore({ open, billed, budgets, spent, billedInDatabase, counted: counted.flat() }, nowMs)
  })
}

/** A loop, because there may be a million of them: too many for the arguments of one call. */
function earliestEnd(ads: AdFacts[], nowMs: number): number {
  let earliestMs = nowMs
  for (const ad of ads) earliestMs = Math.min(earliestMs, ad.reservedUntilMs)
  return earliestMs
}

/** Campaigns that got a cap in the middle of the day: their views so far are read, then the cap can hold. */
export async function loadMissingCounts(db: Db, ledger: Ledger, nowMs: number): Promise<void> {
  const missing = ledger.countsMissing(nowMs)
  for (const { cid, dayKey } of missing) ledger.loadCounted(cid, dayKey, await countedOn(db, dayKey, [cid]))
}

async function countedOn(db: Db, dayKey: number, cids: number[]): Promise<CountedRow[]> {
  if (cids.length === 0) return []
  return (await selectCounted(db, dayKey, cids)).map(row => ({
    cid: row.cid,
    dayKey,
    user: { hi: row.user_hash.readUInt32BE(0), lo: row.user_hash.readUInt32BE(4) },
    impressions: row.impressions,
  }))
}
